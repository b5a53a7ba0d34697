"""The report on a program's gaps: what they consist of, and what they become in runs without a cause.

In: a `Study`, the runs of one program with one or several seeds, as it is and without causes. Out: lines, or objects of
JSON. A row is an engine's run; runs of an engine that differ in the seed alone share a histogram, and a row of the
table on runs without a cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

from serq.stalls.bars import added, histogram_lines
from serq.stalls.causes import count_and_time
from serq.stalls.ladder import Rung, rungs, spread_of
from serq.stalls.lines import NOTE, TITLE, Line, Table, line, ms, percent, reconciled, titled
from serq.stalls.objects import by_label, histogram_object, known
from serq.stalls.simulated import SimulatedRun

AS_IT_IS: tuple[str, ...] = ()
"""The causes that are left out of a run as it is."""

NOTES = (
    "percentiles come from buckets of ratio 1.01 and are exact to 1 %; max, counts and sums are exact",
    "the tail holds whole buckets: that of p99 and those above it",
)

NO_GAPS = "no gaps: after the warm-up no request got two tokens of one turn"

WHY_DIFFERENT = (
    "A share says how the gaps of the run as it is divide. A row without a cause is another run, with the same draws:",
    "its iterations end sooner, so requests meet other batches and shorter queues, and other gaps make up its tail.",
    "A percentile may therefore fall by less than the share of the cause, or by more.",
)


ITL = {"p50": 0, "p90": 1, "p99": 2, "p99.9": 3}
TTFT = {"ttft p50": 5, "ttft p99": 6}
"""Columns of the tables on runs without a cause, as places in `latencies`. The longest gap is left out: one run's says
little about another's."""


class Study(NamedTuple):
    """The runs of one program.

    Attributes:
        runs: by the causes that were left out, `AS_IT_IS` first; of each seed the engines with gaps, whose name is the
            run's `rung`.
    """

    runs: dict[tuple[str, ...], list[SimulatedRun]]

    @property
    def as_it_is(self) -> list[SimulatedRun]:
        return self.runs[AS_IT_IS]


def study_lines(study: Study) -> list[Line]:
    """The whole report."""
    runs = study.as_it_is
    if not runs:
        return [line(NO_GAPS)]
    lines = titled("inter-token latency, ms", tail_table(runs))
    for engine in rungs(runs):
        lines += histogram_of(engine)
    lines += composition_lines(runs)
    lines += [line(note, NOTE) for note in NOTES]
    if len(study.runs) > 1:
        for table in without_tables(study):
            lines += titled("runs without a cause, ms: its share beside what the latencies become", table)
        lines += [line(""), *(line(text, NOTE) for text in WHY_DIFFERENT)]
    return lines[1:]


def composition_lines(runs: Sequence[SimulatedRun]) -> list[Line]:
    """Count against time, and how far parts and gaps agree."""
    named = [(run.name, run.stalls) for run in runs]
    table = count_and_time(named, first="engine", hide=True)
    lines = titled("the tail: gaps at or above p99, by primary cause and by time", table)
    n_gaps = sum(run.stalls.n_gaps for run in runs)
    return [*lines, line(""), line(reconciled(n_gaps, max(run.stalls.reconcile for run in runs)))]


def tail_table(runs: Sequence[SimulatedRun]) -> Table:
    """A row a run; TTFT is that of all turns, whichever engine served them."""
    header = ("engine", "gaps", "p50", "p90", "p99", "p99.9", "max", "ttft p50", "ttft p99")
    return Table(header, [(run.name, str(run.stalls.n_gaps), *map(ms, latencies(run))) for run in runs])


def latencies(run: SimulatedRun) -> tuple[float, ...]:
    s = run.stalls
    return (s.p50, s.p90, s.p99, s.p999, s.max, run.ttft_p50, run.ttft_p99)


def histogram_of(engine: Rung[SimulatedRun]) -> list[Line]:
    """The bars of an engine, the tokens of its runs added."""
    stalls = [run.stalls for run in engine.runs]
    title = f"{engine.name}: tokens by gap and primary cause"
    if len(stalls) > 1:
        title += f", {len(stalls)} runs together"
    return [line(""), line(title, TITLE), *histogram_lines(stalls[0].causes, added([one.histogram for one in stalls]))]


def without_tables(study: Study) -> list[Table]:
    """For each engine a row as it is, and one without each cause; of several seeds median [least-greatest].

    These are so wide that TTFT has a table of its own.
    """
    wide = max(len(engine.runs) for engine in rungs(study.as_it_is)) > 1
    return [without_table(study, columns) for columns in ((ITL, TTFT) if wide else ({**ITL, **TTFT},))]


def without_table(study: Study, columns: dict[str, int]) -> Table:
    rows = []
    for engine in rungs(study.as_it_is):
        for causes, runs in study.runs.items():
            values = [latencies(run) for run in runs if run.rung == engine.name]
            what = "without " + ", ".join(causes) if causes else "as it is"
            cells = [compact([row[place] for row in values]) for place in columns.values()]
            rows.append((engine.name if causes == AS_IT_IS else "", what, *shares(engine, causes), *cells))
    return Table(("engine", "run", "tail, %", "all, %", *columns), rows, left=2)


def compact(values: Sequence[float]) -> str:
    """A figure of a run, or in three digits the median [least-greatest] of several."""
    found = spread_of(values)
    if found.least == found.greatest or not isfinite(found.median):
        return ms(found.median)
    return f"{digits(found.median)} [{digits(found.least)}-{digits(found.greatest)}]"


def digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:#.3g}"


def shares(engine: Rung[SimulatedRun], causes: Sequence[str]) -> tuple[str, str]:
    """Share of the tail's time and of all time that causes take in the run as it is, %; of several seeds the median."""
    if not causes:
        return ("", "")
    places = [engine.runs[0].stalls.labels.index(cause) for cause in causes]
    tail = [sum(run.stalls.tail_share[i] for i in places) for run in engine.runs]
    every = [sum(run.stalls.all_share[i] for i in places) for run in engine.runs]
    return (percent(spread_of(tail).median), percent(spread_of(every).median))


def run_lines(runs: Sequence[SimulatedRun]) -> list[Line]:
    """What is added to the report of a run: latencies, and count against time."""
    if not runs:
        return [line(NO_GAPS)]
    return [*titled("inter-token latency, ms", tail_table(runs))[1:], *composition_lines(runs)]


def stalls_object(runs: Sequence[SimulatedRun]) -> dict[str, Any]:
    """What is added to the JSON of a run."""
    return {"unit": "ms", "engines": [run_object(run) for run in runs]}


def study_objects(study: Study) -> list[dict[str, Any]]:
    """An object a run and engine, in milliseconds and shares of 1; `without` names what was left out."""
    return [run_object(run) | {"without": list(causes)} for causes, runs in study.runs.items() for run in runs]


def run_object(run: SimulatedRun) -> dict[str, Any]:
    """The figures of an engine; keys of a measured run mean the same here."""
    s = run.stalls
    keys = ("itl_p50", "itl_p90", "itl_p99", "itl_p999", "itl_max", "ttft_p50", "ttft_p99")
    return {
        "engine": run.rung,
        "seed": run.seed,
        "gaps": s.n_gaps,
        **dict(zip(keys, map(known, latencies(run)), strict=True)),
        "tail_share": by_label(s, s.tail_share),
        "all_share": by_label(s, s.all_share),
        "tail_count": dict(zip(s.classes, s.tail_count, strict=True)),
        "all_count": dict(zip(s.classes, s.all_count, strict=True)),
        "evicted_context_ms": by_label(s, s.context),
        "reconcile_max_err_ms": known(s.reconcile),
        "preemptions": run.preemptions,
        "hist": histogram_object(s),
    }
