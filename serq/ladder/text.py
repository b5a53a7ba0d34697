"""What a ladder of simulated runs says: as lines, and as an object of JSON.

In: a plan and its runs. Out: the tables of measured ladders (serq.stalls.ladder), under what each rung changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from serq.ladder.plan import Plan
from serq.stalls.ladder import FIGURES, Rung, composition, composition_table, ladder_table, rungs, spread_of
from serq.stalls.lines import NOTE, TITLE, Line, Table, line, table_lines
from serq.stalls.objects import known
from serq.stalls.simulated import SimulatedRun

RUN_KEYS = ("seed", "itl_p50", "itl_p90", "itl_p99", "itl_p999", "itl_max", "ttft_p50", "ttft_p99")


def ladder_lines(plan: Plan, runs: Sequence[SimulatedRun]) -> list[Line]:
    """The whole report."""
    ladder = rungs(runs)
    n_seeds = len(plan.seeds)
    over = f"median [least-greatest] of {n_seeds} seeds" if n_seeds > 1 else f"seed {plan.seeds[0]}"
    lines = [line(f"{plan.program}: what each rung changes, and keeps from those above", TITLE)]
    lines += table_lines(Table(("rung", "changes"), [(rung.name, rung.changes or "-") for rung in plan.rungs], left=2))
    lines += [line(""), line(f"inter-token latency, ms: {over}", TITLE), *table_lines(ladder_table(ladder))]
    lines += [line(""), line("p99 and p99.9 beside the rung above: median ratio, seed by seed", TITLE)]
    lines += table_lines(change_table(ladder))
    lines += [line(""), line("the tail (gaps at or above p99), % of its time by cause: median of the runs", TITLE)]
    lines += table_lines(composition_table(ladder))
    lines += [line(""), line("Percentiles come from buckets of ratio 1.01: they are exact to 1 %.", NOTE)]
    return lines


def change_table(ladder: Sequence[Rung[SimulatedRun]]) -> Table:
    """A row a rung: what became of the percentiles, each seed with itself."""
    rows = []
    for before, rung in zip([None, *ladder], ladder, strict=False):
        cells = ("-", "-") if before is None else tuple(ratio(before, rung, name) for name in ("p99", "p99.9"))
        rows.append((rung.name, *cells))
    return Table(("rung", "p99", "p99.9"), rows)


def ratio(before: Rung[SimulatedRun], rung: Rung[SimulatedRun], name: str) -> str:
    """The median over the seeds of a figure's ratio."""
    figure = FIGURES[name]
    pairs = [(figure(a), figure(b)) for a, b in zip(before.runs, rung.runs, strict=True)]
    known_pairs = [b / a for a, b in pairs if a > 0]
    return f"{median(known_pairs):.3f}" if known_pairs else "-"


def ladder_object(plan: Plan, runs: Sequence[SimulatedRun]) -> dict[str, Any]:
    """The same for machines: each rung with its spreads and its runs, milliseconds and shares of 1."""
    return {
        "program": plan.program,
        "horizon": plan.horizon,
        "warmup": plan.warmup,
        "seeds": list(plan.seeds),
        "rungs": [
            {
                "name": rung.name,
                "set": dict(planned.sets),
                "def": dict(planned.defs),
                **{name: spread_object(rung, name) for name in FIGURES},
                "tail_share": dict(
                    zip(rung.runs[0].stalls.labels, map(known, composition(rung)), strict=True),
                ),
                "runs": [run_figures(run) for run in rung.runs],
            }
            for planned, rung in zip(plan.rungs, rungs(runs), strict=True)
        ],
    }


def spread_object(rung: Rung[SimulatedRun], name: str) -> dict[str, float | None]:
    found = spread_of(map(FIGURES[name], rung.runs))
    return {key: known(value) for key, value in found._asdict().items()}


def run_figures(run: SimulatedRun) -> dict[str, Any]:
    stalls = run.stalls
    values = (stalls.p50, stalls.p90, stalls.p99, stalls.p999, stalls.max, run.ttft_p50, run.ttft_p99)
    return {
        **dict(zip(RUN_KEYS, (run.seed, *map(known, values)), strict=True)),
        "gaps": stalls.n_gaps,
        "preemptions": run.preemptions,
        "tail_share": dict(zip(stalls.labels, map(known, stalls.tail_share), strict=True)),
        "tail_count": dict(zip(stalls.classes, stalls.tail_count, strict=True)),
    }
