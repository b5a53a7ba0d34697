"""The figures of one run's gaps: percentiles, shares of time by label, counts by primary cause, the histogram.

What is defined here is `StallFigures`, whose tables and pictures (serq.stalls.text, .page, .plot) are the same
whatever the gaps came from. Times are milliseconds, since that is what a gap is told in.

Two things can make one. `serq.stalls.counting` takes gaps one by one, as a measured log gives them. A source that keeps
no gaps makes a `StallFigures` of its own; it must provide

- its causes, a name and a letter each, in the order in which a tie between the largest parts is decided: `kernel` and
  `residual` follow them as labels and are none themselves;
- percentiles of the gap, and which gaps are the tail: those at or above the 99th (from buckets of ratio 1.01: the
  buckets at or above the one that holds it);
- the sum of each label over all gaps and over the tail, as shares of the gaps' own time: the labels sum to 1;
- the count by primary cause, of the tail and of each bin of `BIN_EDGES`; `clean` last;
- the median share of `kernel`, over clean gaps and over the tail; NaN where that is not known;
- the sum of each label of the context.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

QUANTILES = (50.0, 90.0, 99.0, 99.9)
TAIL = 99.0
"""Percentile from which a gap belongs to the tail."""

MIN_PART = 1.0
"""Milliseconds that a part must have to be the primary cause of its gap."""

MIN_SHARE = 0.25
"""Share of its gap that a part must have to be the primary cause."""

BIN_EDGES = (0.0, 5.0, 10.0, 15.0, 20.0, 30.0, 50.0, 80.0, 120.0, 200.0, 400.0, 800.0, inf)
"""Milliseconds; a bin holds its lower edge and not its upper one."""

CLEAN = "clean"
KERNEL = "kernel"
RESIDUAL = "residual"


class Cause(NamedTuple):
    """What a part of a gap can be due to, and the letter that stands for it in bars."""

    name: str
    letter: str


MEASURED_CAUSES = (
    Cause("prefill", "P"),
    Cause("preempt", "S"),
    Cause("graph", "C"),
    Cause("gc", "G"),
    Cause("tok", "T"),
)
"""The causes of a measured log, in order."""

MEASURED_CLASSES = (*(cause.name for cause in MEASURED_CAUSES), CLEAN)
"""What a gap of a measured log can be counted as."""


class Bin(NamedTuple):
    """Gaps from `low` up to `high` ms, by primary cause, `clean` last."""

    low: float
    high: float
    by_cause: tuple[int, ...]

    @property
    def n_tokens(self) -> int:
        return sum(self.by_cause)


class StallFigures(NamedTuple):
    """What a run's gaps say. Tuples by label are in the order of `labels`, those by cause in that of `classes`.

    Attributes:
        causes: the causes, in order.
        n_gaps: number of gaps.
        p50, p90, p99, p999, max: of the gaps, ms; linear between neighbours; NaN without gaps.
        tail_share: share of the tail's time by label; NaN without gaps.
        all_share: share of all gaps' time by label.
        tail_time: ms of the tail's gaps together.
        tail_count: gaps of the tail by primary cause.
        all_count: gaps by primary cause.
        kernel_share_clean, kernel_share_tail: median share of `kernel` in a clean gap, and in one of the tail.
        context: ms by label that the engine ran while the requests of gaps were evicted.
        histogram: one bin after the other, `BIN_EDGES`.
        reconcile: greatest difference between a gap and the sum of its parts, ms.
    """

    causes: tuple[Cause, ...]
    n_gaps: int
    p50: float
    p90: float
    p99: float
    p999: float
    max: float
    tail_share: tuple[float, ...]
    all_share: tuple[float, ...]
    tail_time: float
    tail_count: tuple[int, ...]
    all_count: tuple[int, ...]
    kernel_share_clean: float
    kernel_share_tail: float
    context: tuple[float, ...]
    histogram: tuple[Bin, ...]
    reconcile: float

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the labels: the causes, `kernel`, `residual`."""
        return (*(cause.name for cause in self.causes), KERNEL, RESIDUAL)

    @property
    def classes(self) -> tuple[str, ...]:
        """What a gap can be counted as: a cause, or `clean`."""
        return (*(cause.name for cause in self.causes), CLEAN)
