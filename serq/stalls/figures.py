"""The figures of one run's gaps: percentiles, shares of time by label, counts by primary cause, the histogram.

In: gaps with their parts. Out: `StallFigures`, whose tables and pictures (serq.stalls.text, .page, .plot) are the same
whatever the gaps came from. Times are milliseconds, since that is what a gap is told in.

Two things can make one. `figures` takes gaps one by one, as a measured log gives them. A source that keeps no gaps
makes a `StallFigures` of its own; it must provide

- its causes, a name and a letter each, in the order in which a tie between the largest parts is decided: `kernel` and
  `residual` follow them as labels and are none themselves;
- percentiles of the gap, and which gaps are the tail: those at or above the 99th (from buckets of ratio 1.01: the
  buckets at or above the one that holds it);
- the sum of each label over all gaps and over the tail, as shares of the gaps' own time: the labels sum to 1;
- the count by primary cause, of the tail and of each bin of `BIN_EDGES`; `clean` last;
- the median share of `kernel`, over clean gaps and over the tail; NaN where that is not known;
- the sum of each label of the context.

`primary_cause` is the rule for one gap, for any causes.
"""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]
    IntArray = NDArray[np.intp]

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


def primary_cause(parts: FloatArray, length: FloatArray, n_causes: int) -> IntArray:
    """Place of each gap's primary cause; `n_causes` for a clean gap. Shape (n,).

    The largest part among the causes, the first of equals, if it is at least `MIN_PART` and at least `MIN_SHARE` of
    the gap.

    Args:
        parts: ms by label, causes first; shape (n, n_labels).
        length: ms of each gap, shape (n,).
    """
    causes = parts[:, :n_causes]
    largest = causes.argmax(axis=1)
    part = np.take_along_axis(causes, largest[:, np.newaxis], axis=1)[:, 0]
    return np.where((part >= MIN_PART) & (part >= MIN_SHARE * length), largest, n_causes)


def figures(
    causes: tuple[Cause, ...], parts: FloatArray, length: FloatArray, row: NDArray[np.integer], context: FloatArray
) -> StallFigures:
    """The figures of gaps that are known one by one.

    Args:
        parts: ms by label in the order of `StallFigures.labels`; shape (n_rows, n_labels).
        length: ms of a gap with these parts, shape (n_rows,).
        row: the row of each gap, shape (n_gaps,); a row may stand for many gaps, or for none.
        context: ms by label, of any gaps; shape (n, n_labels).
    """
    n_causes, n_rows = len(causes), len(length)
    count = np.bincount(row, minlength=n_rows)
    gaps = length[row]
    p50, p90, p99, p999 = np.percentile(gaps, QUANTILES) if len(gaps) else (nan,) * len(QUANTILES)
    primary = primary_cause(parts, length, n_causes)
    in_tail = length >= p99
    tail = np.where(in_tail, count, 0)
    clean = (primary == n_causes) & (length > 0)
    share = np.divide(parts[:, n_causes], length, out=np.zeros(n_rows), where=length > 0)
    used = count > 0
    off = np.abs(length - parts.sum(axis=1))[used]
    return StallFigures(
        causes=causes,
        n_gaps=len(gaps),
        p50=float(p50),
        p90=float(p90),
        p99=float(p99),
        p999=float(p999),
        max=float(gaps.max()) if len(gaps) else nan,
        tail_share=shares(parts, length, tail),
        all_share=shares(parts, length, count),
        tail_time=float(tail @ length),
        tail_count=counts(primary, tail, n_causes),
        all_count=counts(primary, count, n_causes),
        kernel_share_clean=median(share, row[clean[row]]),
        kernel_share_tail=median(share, row[(in_tail & (length > 0))[row]]),
        context=tuple(float(ms) for ms in context.sum(axis=0)),
        histogram=histogram(primary, length, count, n_causes),
        reconcile=float(off.max()) if len(off) else nan,
    )


def shares(parts: FloatArray, length: FloatArray, count: IntArray) -> tuple[float, ...]:
    """Share of the time of `count` gaps of each row, by label; NaN if they take none."""
    total = float(count @ length)
    return tuple(float(ms) / total if total > 0 else nan for ms in count @ parts)


def counts(primary: IntArray, count: IntArray, n_causes: int) -> tuple[int, ...]:
    """Gaps by primary cause, `clean` last."""
    return tuple(int(n) for n in np.bincount(primary, weights=count, minlength=n_causes + 1))


def median(share: FloatArray, rows: NDArray[np.integer]) -> float:
    return float(np.median(share[rows])) if len(rows) else nan


def histogram(primary: IntArray, length: FloatArray, count: IntArray, n_causes: int) -> tuple[Bin, ...]:
    n_bins = len(BIN_EDGES) - 1
    place = np.searchsorted(BIN_EDGES, length, side="right") - 1
    table = np.bincount(place * (n_causes + 1) + primary, weights=count, minlength=n_bins * (n_causes + 1))
    by_bin = table.reshape(n_bins, n_causes + 1)
    return tuple(Bin(BIN_EDGES[i], BIN_EDGES[i + 1], tuple(int(n) for n in by_bin[i])) for i in range(n_bins))
