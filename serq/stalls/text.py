"""The report on measured runs: tables, bars, and what a reader must know beside them.

In: measured runs. Out: lines. Tables have a row a run; bars are a rung's, since what they show is which causes a bin
holds, and that adds up over runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from serq.stalls.bars import added, histogram_lines
from serq.stalls.causes import count_and_time
from serq.stalls.ladder import AnyRun, Rung, composition_table, ladder_table, rungs
from serq.stalls.lines import NOTE, TITLE, Line, Table, line, ms, percent, plain, reconciled, titled
from serq.stalls.runs import MeasuredRun


def report_lines(runs: Sequence[MeasuredRun]) -> list[Line]:
    """The whole report."""
    ladder = rungs(runs)
    lines = titled("inter-token latency, ms", tail_table(runs))
    for rung in ladder:
        lines += histogram_of(rung)
    lines += titled("the tail: gaps at or above p99, by primary cause and by time", cause_table(runs))
    lines += titled("the engine", engine_table(runs))
    lines += [line(""), *(line(text) for text in reconciliation(runs))]
    lines += [line(text, NOTE) for run in runs for text in remarks(run)]
    if len(runs) > 1:
        lines += titled("the ladder, ms: median [least-greatest] of a rung's runs", ladder_table(ladder))
        lines += titled("the tail's time, %: median of a rung's runs", composition_table(ladder))
    return lines[1:]


def report_text(runs: Sequence[MeasuredRun]) -> str:
    """The whole report as plain text."""
    return plain(report_lines(runs))


def called(run: MeasuredRun) -> str:
    """Rung and seed, or the name of the log where it does not say them."""
    if run.rung is None:
        return run.name
    return run.rung if run.seed is None else f"{run.rung}, seed {run.seed}"


def tail_table(runs: Sequence[MeasuredRun]) -> Table:
    header = ("run", "requests", "tokens", "gaps", "tok/s", "p50", "p90", "p99", "p99.9", "max", "ttft p50", "ttft p99")
    return Table(header, [tail_row(run) for run in runs])


def tail_row(run: MeasuredRun) -> tuple[str, ...]:
    s = run.stalls
    return (
        *(called(run), str(run.n_requests), str(run.n_tokens), str(s.n_gaps), ms(run.tokens_per_second)),
        *map(ms, (s.p50, s.p90, s.p99, s.p999, s.max, run.ttft_p50, run.ttft_p99)),
    )


def histogram_of(rung: Rung[AnyRun]) -> list[Line]:
    """The bars of a rung's runs, their tokens added; nothing for a rung without gaps."""
    stalls = [run.stalls for run in rung.runs]
    if not any(one.n_gaps for one in stalls):
        return []
    title = f"{rung.name}: tokens by gap and primary cause"
    if len(stalls) > 1:
        title += f", {len(stalls)} runs together"
    return [line(""), line(title, TITLE), *histogram_lines(stalls[0].causes, added([one.histogram for one in stalls]))]


def cause_table(runs: Sequence[MeasuredRun]) -> Table:
    """For each run the tail's count and its time side by side."""
    return count_and_time([(called(run), run.stalls) for run in runs])


def engine_table(runs: Sequence[MeasuredRun]) -> Table:
    header = (
        *("run", "preempted", "eager", "max batch", "gc 0/1/2", "gen 2, ms", "at start-up"),
        *("kernel% clean", "kernel% tail"),
    )
    return Table(header, [engine_row(run) for run in runs])


def engine_row(run: MeasuredRun) -> tuple[str, ...]:
    return (
        *(called(run), str(run.preemptions), str(run.eager_steps), str(run.max_decodes)),
        *("/".join(str(n) for _, n in run.gc_counts), longest(run.full_serving), longest(run.full_startup)),
        *(percent(run.stalls.kernel_share_clean), percent(run.stalls.kernel_share_tail)),
    )


def longest(pauses: tuple[float, ...]) -> str:
    """Up to two durations, or how many there were and the longest."""
    if not pauses:
        return "-"
    if len(pauses) <= 2:
        return " ".join(f"{pause:.1f}" for pause in pauses)
    return f"{len(pauses)}, up to {max(pauses):.1f}"


def reconciliation(runs: Sequence[MeasuredRun]) -> Iterator[str]:
    """How far parts and gaps agree, and whether every skipped iteration is explained."""
    gaps = sum(run.stalls.n_gaps for run in runs)
    if not gaps:
        yield "reconciliation: no request emitted two tokens, so there is no gap to take apart"
        return
    skipped = sum(run.skipped for run in runs)
    yield reconciled(gaps, max(run.stalls.reconcile for run in runs if run.stalls.n_gaps))
    yield f"gaps that skip iterations without a recorded eviction: {skipped}"


def remarks(run: MeasuredRun) -> Iterator[str]:
    """What would mislead a reader who does not know it."""
    if not run.stalls.n_gaps:
        yield f"remark: {called(run)}: no gaps, since no request emitted two tokens"
    if run.skipped:
        yield (
            f"remark: {called(run)}: {run.skipped} gaps skip iterations without a recorded eviction: either the log "
            "misses evictions, or the engine left running requests out of its batch"
        )
    if run.eager_steps and run.baseline is None:
        yield (
            f"remark: {called(run)}: no captured iteration to compare {run.eager_steps} eager ones with; "
            "their decodes count as kernel"
        )
