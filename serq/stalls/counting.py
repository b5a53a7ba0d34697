"""The figures of gaps that are known one by one.

In: gaps with their parts, as arrays. Out: `StallFigures`. `primary_cause` is the rule for one gap, for any causes.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

import numpy as np

from serq.stalls.figures import BIN_EDGES, MIN_PART, MIN_SHARE, QUANTILES, Bin, Cause, StallFigures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]
    IntArray = NDArray[np.intp]


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
