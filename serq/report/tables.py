"""The tables of a report: which figures, in which order, with how many decimals.

In: a `Report`. Out: the line about the run, and `Table`s of cells that are ready to be printed.
docs/semantics/figures.md tells what each column means.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, NamedTuple

from serq.results.json import number

if TYPE_CHECKING:
    from serq.results.report import Claim, Gauge, Observe, Pool, Report, Stage

MIN_DECIMALS = 4
"""Decimals of a row of samples whose interval needs no more to show two significant digits, or that has none."""

ROUNDING = 1e-12
"""Relative size of what summing equal samples leaves of their differences."""


class Table(NamedTuple):
    """A header and rows of as many cells; the first `left` columns are aligned to the left, the others to the right."""

    header: tuple[str, ...]
    rows: list[tuple[str, ...]]
    left: int = 1


def run_line(report: Report) -> str:
    """What was run, for how long, and how much happened."""
    return (
        f"run: horizon {plain(report.horizon)} end {plain(report.end)} warmup {plain(report.warmup)} "
        f"seed {report.seed} events {report.events} arrivals {report.arrivals} ended {report.ended} "
        f"turns {report.turns} mean live {fixed(report.mean_live, 3)}"
    )


def tables(report: Report) -> list[Table]:
    """The tables in order; those without rows are left out."""
    stages = report.stages
    engines = [stage for stage in stages if stage.iterations > 0]
    every = [
        sample_table("observe", list(report.observes.values())),
        sample_table("client", list(report.client.values())),
        gauge_table(list(report.gauges.values())),
        claim_table(list(report.claims.values())),
        stage_table(stages),
        step_table(engines),
        pool_table(report.pools),
    ]
    return [table for table in every if table.rows]


def sample_table(title: str, observes: Sequence[Observe]) -> Table:
    header = (title, "count", "mean", "95% CI", "cv2", "p99")
    return Table(header, [sample_row(observe) for observe in observes])


def sample_row(o: Observe) -> tuple[str, ...]:
    d = decimals(o.mean, o.ci)
    return (o.name, str(o.count), fixed(o.mean, d), f"±{fixed(o.ci, d)}", fixed(o.cv2, 3), fixed(o.p99, d))


def gauge_table(gauges: Sequence[Gauge]) -> Table:
    return Table(("gauge", "mean", "95% CI", "min", "max"), [gauge_row(gauge) for gauge in gauges])


def gauge_row(g: Gauge) -> tuple[str, ...]:
    d = decimals(g.mean, g.ci)
    return (g.name, fixed(g.mean, d), f"±{fixed(g.ci, d)}", fixed(g.min, d), fixed(g.max, d))


def claim_table(claims: Sequence[Claim]) -> Table:
    header = ("claim", "kind", "result", "checked", "failures", "first", "note")
    return Table(header, [claim_row(claim) for claim in claims], left=3)


def claim_row(c: Claim) -> tuple[str, ...]:
    first = "-" if c.first is None else fixed(c.first, 4)
    return (
        *(c.name, c.kind.replace("_", " "), c.result.replace("_", " ")),
        *(str(c.checked), str(c.failures), first, c.note or "-"),
    )


def stage_table(stages: Sequence[Stage]) -> Table:
    header = ("stage", "number", "util", "done", "thru", "wait", "service", "iters")
    return Table(header, [stage_row(stage) for stage in stages])


def stage_row(s: Stage) -> tuple[str, ...]:
    return (
        *(member(s), fixed(s.mean_number, 3), fixed(s.utilization, 3), str(s.completed), fixed(s.throughput, 4)),
        *(fixed(s.mean_wait, 4), fixed(s.mean_service, 4), str(s.iterations)),
    )


def step_table(engines: Sequence[Stage]) -> Table:
    header = (
        *("step", "prefill only", "decode only", "mixed", "idle", "decodes", "decode batch", "decode step"),
        *("itl p50", "itl p99"),
    )
    return Table(header, [step_row(engine) for engine in engines])


def step_row(s: Stage) -> tuple[str, ...]:
    idle = 1.0 - s.prefill_only - s.decode_only - s.mixed
    return (
        *(member(s), fixed(s.prefill_only, 3), fixed(s.decode_only, 3), fixed(s.mixed, 3), fixed(idle, 3)),
        *(fixed(s.mean_decodes, 3), fixed(s.mean_decode_batch, 3), fixed(s.mean_decode_step, 6)),
        *(fixed(s.itl_p50, 6), fixed(s.itl_p99, 6)),
    )


def pool_table(pools: Sequence[Pool]) -> Table:
    header = (
        *("pool", "used", "cached", "queue", "holders", "wait", "admits", "evict(n)", "evict(u)"),
        *("preempt", "spill", "rej", "stuck"),
    )
    return Table(header, [pool_row(pool) for pool in pools])


def pool_row(p: Pool) -> tuple[str, ...]:
    return (
        *(member(p), fixed(p.mean_used, 1), fixed(p.mean_cached, 1), fixed(p.mean_queue, 3), fixed(p.mean_holders, 3)),
        *(fixed(p.mean_wait, 4), str(p.admissions), str(p.evicted_entries), fixed(p.evicted_units, 0)),
        *(str(p.preemptions), str(p.spills), str(p.rejected), str(p.stuck)),
    )


def member(row: Stage | Pool) -> str:
    """`name`, or `name[index]` in a family."""
    return row.name if row.index is None else f"{row.name}[{row.index}]"


def decimals(mean: float, ci: float) -> int:
    """Decimals that show two significant digits of the half-width `ci`, and at least four.

    A half-width that is nothing beside the mean is rounding noise of equal samples, and counts as 0.
    """
    if not isfinite(ci) or ci <= ROUNDING * abs(mean):
        return MIN_DECIMALS
    return max(MIN_DECIMALS, 1 - floor(log10(ci)))


def fixed(value: float, places: int) -> str:
    """`value` with `places` decimals; `NaN`, `inf` or `-inf` where it is no number, no sign on a zero."""
    if value != value:
        return "NaN"
    shown = f"{value:.{places}f}"
    return shown.removeprefix("-") if not shown.strip("-0.") else shown


def plain(value: float) -> str:
    """`value` in full, as in JSON."""
    return number(value) if isfinite(value) else fixed(value, 0)
