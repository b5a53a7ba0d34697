"""What a run leaves behind: plain data, no estimators.

Samples are kept in `array.array`s (`d` doubles, `q` 64-bit integers), so that a run needs no NumPy; the results room
wraps them when somebody asks. All times are simulated seconds.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple

GAP_EDGES = (0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.4, 0.8)
"""Seconds between the bins of a histogram of gaps, which are counted apart even inside a bucket."""

KEPT_AT_ONCE = 65536
"""Gaps that gather before they are handed out, where every gap is wanted."""


class Samples(NamedTuple):
    """Samples in order of recording, four arrays of one length.

    Attributes:
        values: the sampled values.
        times: when each was recorded.
        sessions: serial of the session that recorded it.
        turns: that session's turn number then.
    """

    name: str
    values: array[float]
    times: array[float]
    sessions: array[int]
    turns: array[int]


class ChangePoints(NamedTuple):
    """A gauge: value `values[i]` holds from `times[i]` until the next time."""

    name: str
    times: array[float]
    values: array[float]


class ClaimRecord(NamedTuple):
    name: str
    kind: str
    result: str
    checked: int
    failures: int
    first: float | None
    note: str | None


class StageRecord(NamedTuple):
    """Figures of one stage; the fields are those of the report (docs/semantics/figures.md)."""

    name: str
    index: int | None  # type: ignore[assignment]
    mean_number: float
    utilization: float
    completed: int
    throughput: float
    mean_wait: float
    mean_service: float
    iterations: int
    prefill_only: float
    decode_only: float
    mixed: float
    mean_decodes: float
    mean_decode_batch: float
    mean_decode_step: float
    mean_itl: float
    itl_p50: float
    itl_p99: float
    idle_with_work: bool


class GapBucket(NamedTuple):
    """Gaps of one engine whose lengths share a bucket of ratio 1.01.

    Attributes:
        least, greatest: shortest and longest gap, seconds.
        total: sum of the gaps, seconds.
        parts: of each label the sum of its parts, seconds.
        causes: of each label the gaps whose primary cause it is; under `kernel` those without one.
        edge: the one of `GAP_EDGES` that lies in the bucket, infinite if none does.
        above: as `causes`, but only of gaps of at least `edge`.
    """

    number: int
    count: int  # type: ignore[assignment]
    least: float
    greatest: float
    total: float
    parts: tuple[float, ...]
    causes: tuple[int, ...]
    edge: float
    above: tuple[int, ...]


class GapRecord(NamedTuple):
    """The inter-token gaps of one engine, divided by cause.

    Attributes:
        buckets: in order of length.
        context: of each label, what the engine did while requests waited preempted, summed over them; seconds.
    """

    name: str
    index: int | None  # type: ignore[assignment]
    buckets: tuple[GapBucket, ...]
    context: tuple[float, ...]


class GapRecords(NamedTuple):
    """All gaps of a run, divided by cause.

    Attributes:
        labels: names of the parts, `kernel` first; the declared stalls last.
        engines: in program order.
        error: greatest difference between a gap and the sum of its parts, relative to the gap.
    """

    labels: tuple[str, ...]
    engines: tuple[GapRecord, ...]
    error: float


class KeptGaps(NamedTuple):
    """Some gaps of a run, one by one: columns of one length, in order of time.

    Attributes:
        times: when each gap ended, seconds.
        sessions, turns: serial of the session, and its turn number then.
        engines: number of the engine's stage in the program.
        gaps: seconds.
        parts: a column a label, in the order of `GapRecords.labels`; seconds.
        causes: place of the primary cause among the labels; of `kernel` without one.
    """

    times: array[float]
    sessions: array[int]
    turns: array[int]
    engines: array[int]
    gaps: array[float]
    parts: tuple[array[float], ...]
    causes: array[int]


class OverCap(NamedTuple):
    """At the end of the run the head of pool `queue` asks for `need` units, more than the pool's capacity."""

    queue: str
    need: float


class PoolRecord(NamedTuple):
    """Figures of one pool; the fields are those of the report (docs/semantics/figures.md)."""

    name: str
    index: int | None  # type: ignore[assignment]
    mean_used: float
    mean_cached: float
    mean_queue: float
    mean_holders: float
    mean_wait: float
    admissions: int
    evicted_entries: int
    evicted_units: float
    preemptions: int
    spills: int
    rejected: int
    stuck: int
    over_cap: OverCap | None
    growing_at_end: int
    growing_stalled: bool


class Recording(NamedTuple):
    """A whole run.

    Attributes:
        end: when it ended; equals the horizon unless a number of arrivals was asked for.
        events: entries taken from the event list.
        observes: samples by observation, in program order, recorded after the warm-up.
        client: samples of `ttft`, `tpot` and `response`, in this order.
        live: sessions alive at the end.
        deadlocked: sessions and legs that wait for each other at the end, and would for ever.
        gaps: the inter-token gaps by cause, if that was asked for.
        deadlock_pool: a pool that is held by those who wait for it, and the number of its holders; or None.
    """

    end: float
    events: int
    arrivals: int
    ended: int
    turns: int
    mean_live: float
    live: int
    observes: tuple[Samples, ...]
    client: tuple[Samples, ...]
    gauges: tuple[ChangePoints, ...]
    claims: tuple[ClaimRecord, ...]
    stages: tuple[StageRecord, ...]
    pools: tuple[PoolRecord, ...]
    deadlocked: int = 0
    deadlock_pool: tuple[str, int] | None = None
    gaps: GapRecords | None = None
