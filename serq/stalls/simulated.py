"""What a simulated run says of its gaps: the figures that a measured log has, from buckets in place of gaps.

In: the kernel's `GapRecords` and a `Report`. Out: a `SimulatedRun`, whose `stalls` are like those of a measured run. A
bucket holds gaps within 1 % of each other: percentiles are exact to that, sums and counts exactly.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from math import floor, nan
from typing import TYPE_CHECKING, NamedTuple

from serq.kernel.recording import GAP_EDGES
from serq.stalls.figures import BIN_EDGES, QUANTILES, Bin, Cause, StallFigures

if TYPE_CHECKING:
    from serq.kernel.recording import GapBucket, GapRecord, GapRecords
    from serq.results.report import Report

MS = 1e3
"""Milliseconds in a second."""

KERNEL = 0
"""Place of `kernel` among the kernel's labels; a gap without a cause is counted there."""

LETTERS = {
    "prefill": "P",
    "preempt": "S",
    "recompute": "R",
    "unserved": "U",
    "blocked": "B",
    "away": "A",
    "graph": "C",
    "gc": "G",
    "tok": "T",
}
"""Letters that bars give causes; a stall of another name gets one of its own letters, or any that is free."""


class SimulatedRun(NamedTuple):
    """One simulated run. Milliseconds.

    Attributes:
        name: what the run is called.
        rung, seed: as given; outside of a ladder the rung is the engine's name.
        ttft_p50, ttft_p99: of the turns that got a token; NaN without any.
        stalls: figures of the gaps, of all engines or of one.
        preemptions: of all pools, from the start of the run.
    """

    name: str
    rung: str | None
    seed: int
    ttft_p50: float
    ttft_p99: float
    stalls: StallFigures
    preemptions: int


def by_engine(gaps: GapRecords, *, members: bool = False) -> dict[str, GapRecords]:
    """The records of each engine with gaps, by name; those of a family together, or each member's."""
    found: dict[str, list[GapRecord]] = {}
    for engine in gaps.engines:
        if engine.buckets:
            own = members and engine.index is not None
            found.setdefault(f"{engine.name}[{engine.index}]" if own else engine.name, []).append(engine)
    return {name: gaps._replace(engines=tuple(engines)) for name, engines in found.items()}


def simulated_run(report: Report, gaps: GapRecords, *, name: str, rung: str | None = None) -> SimulatedRun:
    """The figures of a run."""
    # Not as an array: NumPy takes longer to import than many runs take.
    ttft = sorted(report.client["ttft"]._samples.values)
    return SimulatedRun(
        name=name,
        rung=rung,
        seed=report.seed,
        ttft_p50=MS * quantile(ttft, 50.0),
        ttft_p99=MS * quantile(ttft, 99.0),
        stalls=stall_figures(gaps),
        preemptions=sum(pool.preemptions for pool in report.pools),
    )


def engine_runs(report: Report, *, members: bool = False, seeded: bool = False) -> list[SimulatedRun]:
    """The figures of each engine of a run whose gaps were divided.

    Args:
        members: each member of a family by itself, not all together.
        seeded: name the seed, too.
    """
    assert report.gaps is not None
    suffix = f", seed {report.seed}" if seeded else ""
    found = by_engine(report.gaps, members=members)
    return [simulated_run(report, gaps, name=f"{name}{suffix}", rung=name) for name, gaps in found.items()]


def quantile(values: Sequence[float], percent: float) -> float:
    """Linear between neighbours, of increasing values; NaN without any."""
    if not values:
        return nan
    place = percent / 100 * (len(values) - 1)
    below = floor(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def causes_of(labels: Sequence[str]) -> tuple[Cause, ...]:
    """The causes among the kernel's labels, each with a letter of its own."""
    taken = {LETTERS[label] for label in labels if label in LETTERS}
    found = []
    for label in labels[KERNEL + 1 :]:
        letter = LETTERS.get(label) or next(
            (c for c in (label.upper() + "DEFHIJKLMNOQVWXYZ123456789") if c.isalnum() and c not in taken), "?"
        )
        taken.add(letter)
        found.append(Cause(label, letter))
    return tuple(found)


def merged(gaps: GapRecords) -> list[GapBucket]:
    """The buckets of all engines together, in order of length."""
    found: dict[int, GapBucket] = {}
    for bucket in (bucket for engine in gaps.engines for bucket in engine.buckets):
        other = found.get(bucket.number)
        found[bucket.number] = bucket if other is None else sum_of(other, bucket)
    return [found[number] for number in sorted(found)]


def sum_of(a: GapBucket, b: GapBucket) -> GapBucket:
    return a._replace(
        count=a.count + b.count,
        least=min(a.least, b.least),
        greatest=max(a.greatest, b.greatest),
        total=a.total + b.total,
        parts=tuple(x + y for x, y in zip(a.parts, b.parts, strict=True)),
        causes=tuple(x + y for x, y in zip(a.causes, b.causes, strict=True)),
        above=tuple(x + y for x, y in zip(a.above, b.above, strict=True)),
    )


def stall_figures(gaps: GapRecords) -> StallFigures:
    """The figures of all engines' gaps."""
    buckets = merged(gaps)
    n_gaps = sum(bucket.count for bucket in buckets)
    p50, p90, p99, p999 = (at_rank(buckets, percent / 100 * (n_gaps - 1)) for percent in QUANTILES)
    tail = buckets[p99.place :]
    greatest = MS * buckets[-1].greatest if buckets else nan
    context = zip(*(engine.context for engine in gaps.engines), strict=True)
    return StallFigures(
        causes=causes_of(gaps.labels),
        n_gaps=n_gaps,
        p50=MS * p50.length,
        p90=MS * p90.length,
        p99=MS * p99.length,
        p999=MS * p999.length,
        max=greatest,
        tail_share=shares(gaps, tail),
        all_share=shares(gaps, buckets),
        tail_time=MS * sum(bucket.total for bucket in tail),
        tail_count=counts(gaps, tail),
        all_count=counts(gaps, buckets),
        kernel_share_clean=nan,
        kernel_share_tail=nan,
        context=in_order([MS * sum(values) for values in context]),
        histogram=histogram(gaps, buckets),
        reconcile=gaps.error * greatest,
    )


class Ranked(NamedTuple):
    """A gap by its rank: seconds, and the place of its bucket."""

    length: float
    place: int


def at_rank(buckets: Sequence[GapBucket], rank: float) -> Ranked:
    """The gap of a rank from 0, linear between neighbours as `numpy.percentile` has it. NaN without any.

    Within a bucket gaps are taken as evenly spread. The place is that of the first bucket with gaps not below it.
    """
    if not buckets:
        return Ranked(nan, 0)
    below = floor(rank)
    one = whole_rank(buckets, below)
    if rank == below:
        return one
    other = whole_rank(buckets, below + 1)
    return Ranked(one.length + (rank - below) * (other.length - one.length), other.place)


def whole_rank(buckets: Sequence[GapBucket], rank: int) -> Ranked:
    before = 0
    for place, bucket in enumerate(buckets):
        if rank < before + bucket.count:
            part = (rank - before) / max(bucket.count - 1, 1)
            return Ranked(bucket.least + part * (bucket.greatest - bucket.least), place)
        before += bucket.count
    return Ranked(buckets[-1].greatest, len(buckets) - 1)


def in_order(values: Sequence[float]) -> tuple[float, ...]:
    """From the kernel's order of labels to that of the figures: the causes, `kernel`, `residual`."""
    return (*values[KERNEL + 1 :], values[KERNEL] if values else 0.0, 0.0)


def shares(gaps: GapRecords, buckets: Sequence[GapBucket]) -> tuple[float, ...]:
    total = sum(bucket.total for bucket in buckets)
    sums = [sum(bucket.parts[label] for bucket in buckets) for label in range(len(gaps.labels))]
    return in_order([value / total if total > 0 else nan for value in sums])


def counts(gaps: GapRecords, buckets: Iterable[GapBucket]) -> tuple[int, ...]:
    """Gaps by primary cause, clean ones last."""
    return counted(gaps, (bucket.causes for bucket in buckets))


def counted(gaps: GapRecords, by_label: Iterable[Sequence[int]]) -> tuple[int, ...]:
    sums = [0] * len(gaps.labels)
    for causes in by_label:
        for label, count in enumerate(causes):
            sums[label] += count
    return (*sums[KERNEL + 1 :], sums[KERNEL])


def histogram(gaps: GapRecords, buckets: Sequence[GapBucket]) -> tuple[Bin, ...]:
    """The buckets in bins; of one across an edge the kernel has counted what is above."""
    bins: list[list[Sequence[int]]] = [[] for _ in BIN_EDGES[1:]]
    for bucket in buckets:
        place = bisect_right(GAP_EDGES, bucket.least)
        if bucket.least < bucket.edge <= bucket.greatest:
            bins[place + 1].append(bucket.above)
            bins[place].append([a - b for a, b in zip(bucket.causes, bucket.above, strict=True)])
        else:
            bins[place].append(bucket.causes)
    return tuple(
        Bin(low, high, counted(gaps, held)) for low, high, held in zip(BIN_EDGES, BIN_EDGES[1:], bins, strict=False)
    )
