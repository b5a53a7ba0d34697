"""One run's time, cut into pieces that carry one label each, and how much of a label lies between two instants.

In: a checked `Log`. Out: a `Timeline`, and from it the parts of any span of time. This is the partition's rule for an
instant, without anyone being evicted: a garbage-collection pause comes before the segment it fell into, a segment gives
its label, and what nothing covers is `residual`. A piece of an eager decode is shared between `graph` and `kernel`; the
share is its iteration's, so it is known only after the pauses have been taken out of that iteration.

The time of a label up to each piece's start is kept as a sum and the rounding error of that sum. Differences of two
such sums are then as exact as if the pieces between had been added alone: in an hours-long log the sum itself is known
to a picosecond only, which would show in every gap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from serq.stalls.log import EAGER, KINDS, Log

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]
    IntArray = NDArray[np.intp]
    BoolArray = NDArray[np.bool_]

LABELS = ("prefill", "preempt", "graph", "gc", "tok", "kernel", "residual")
"""The labels in order: the causes, then the forward pass of the decodes, then what nothing covers."""

PREFILL, PREEMPT, GRAPH, GC, TOK, KERNEL, RESIDUAL = range(len(LABELS))

LABEL_OF_KIND = np.array([{"tok": TOK, "swap": PREEMPT, "prefill": PREFILL, "decode": KERNEL}[kind] for kind in KINDS])


class Baseline(NamedTuple):
    """Seconds that the decodes of a captured iteration take: `slope * size + intercept`."""

    slope: float
    intercept: float


class Timeline(NamedTuple):
    """Pieces of time, one after the other.

    Attributes:
        edges: seconds at which pieces begin, and the end of the last, increasing; shape (n_pieces + 1,).
        label: place in `LABELS` of each piece, `KERNEL` for all decodes; shape (n_pieces,).
        excess: share of a piece that is `graph`; 0 but in eager decodes. Shape (n_pieces,).
        baseline: what eager iterations were compared with; None if there is nothing to compare with.
    """

    edges: FloatArray
    label: NDArray[np.int8]
    excess: FloatArray
    baseline: Baseline | None


def make_timeline(log: Log, baseline: Baseline | None = None) -> Timeline:
    """Cut the time of a run into pieces, from the first thing that happened to the last.

    Args:
        baseline: what a captured iteration takes; fitted over those of the log if not given.
    """
    segments = log.segs[log.segs[:, 3] > log.segs[:, 2]]
    segments = segments[np.argsort(segments[:, 2], kind="stable")]
    pauses = merged(log.gcs[:, :2])
    times = log.emissions[:, 1]
    ends = [times.min(), times.max()] if len(times) else []
    edges = np.unique(np.concatenate([segments[:, 2], segments[:, 3], pauses.ravel(), ends]))
    left, length = edges[:-1], np.diff(edges)

    paused = inside(left, pauses[:, 0], pauses[:, 1])[1]
    segment, covered = inside(left, segments[:, 2], segments[:, 3])
    label = np.full(len(left), RESIDUAL, dtype=np.int8)
    label[covered] = LABEL_OF_KIND[segments[segment[covered], 1].astype(np.intp)]
    label[paused] = GC

    decode = np.flatnonzero(label == KERNEL)
    step = segments[segment[decode], 0].astype(np.intp)
    full: FloatArray = np.bincount(step, weights=length[decode], minlength=len(log.steps)).astype(np.float64)
    baseline = baseline or fit_baseline(log, full)
    excess = np.zeros(len(left))
    excess[decode] = excess_of_steps(log.steps, full, baseline)[step]
    return Timeline(edges, label, excess, baseline)


def merged(intervals: FloatArray) -> FloatArray:
    """Their union as intervals that neither overlap nor touch, in order; shape (n, 2)."""
    intervals = intervals[intervals[:, 1] > intervals[:, 0]]
    if not len(intervals):
        return intervals
    intervals = intervals[np.argsort(intervals[:, 0], kind="stable")]
    reached = np.maximum.accumulate(intervals[:, 1])
    new = np.flatnonzero(intervals[1:, 0] > reached[:-1])
    return np.column_stack((intervals[np.append(0, new + 1), 0], reached[np.append(new, len(intervals) - 1)]))


def inside(times: FloatArray, start: FloatArray, end: FloatArray) -> tuple[IntArray, BoolArray]:
    """For each time the last interval that has begun, and whether it goes on; intervals in order of their start."""
    last = np.searchsorted(start, times, side="right") - 1
    begun = last >= 0
    begun[begun] = times[begun] < end[last[begun]]
    return last, begun


def fit_baseline(log: Log, full: FloatArray) -> Baseline | None:
    """The straight line, by least squares, of the decodes' pause-free time against the padded size.

    Over the captured iterations that recorded a decode. With one size only the line is level, at the mean. None
    without any: then nothing is known about what an eager iteration should have taken.

    Args:
        full: pause-free seconds of each iteration's decodes, shape (n_steps,).
    """
    decoded = np.zeros(len(full), dtype=bool)
    decoded[log.segs[log.segs[:, 1] == KINDS.index("decode"), 0].astype(np.intp)] = True
    captured = decoded & (log.steps[:, 4] > EAGER)
    if not captured.any():
        return None
    size, taken = log.steps[captured, 4], full[captured]
    size_mean, mean = size.mean(), taken.mean()
    spread = ((size - size_mean) ** 2).sum()
    slope = ((size - size_mean) * (taken - mean)).sum() / spread if spread > 0 else 0.0
    return Baseline(float(slope), float(mean - slope * size_mean))


def excess_of_steps(steps: FloatArray, full: FloatArray, baseline: Baseline | None) -> FloatArray:
    """Share of each iteration's decodes that is more than the baseline; 0 for captured iterations. Shape (n_steps,).

    A line that falls below 0 for a batch counts as 0 there: no more than all of the time is excess.
    """
    share = np.zeros(len(steps))
    if baseline is not None:
        eager = (steps[:, 4] == EAGER) & (full > 0)
        base = np.maximum(baseline.slope * steps[eager, 2] + baseline.intercept, 0.0)
        share[eager] = np.maximum(full[eager] - base, 0.0) / full[eager]
    return share


def weight(timeline: Timeline, label: int) -> FloatArray:
    """Share of each piece that has this label; shape (n_pieces,)."""
    if label == GRAPH:
        return timeline.excess
    own: FloatArray = (timeline.label == label).astype(np.float64)
    return own - timeline.excess if label == KERNEL else own


def parts(timeline: Timeline, start: FloatArray, end: FloatArray) -> FloatArray:
    """Seconds of each label in each span [start, end]; shape (n_spans, n_labels).

    Args:
        start, end: seconds, not outside of the timeline; shape (n_spans,).
    """
    result = np.zeros((len(start), len(LABELS)))
    n_pieces = len(timeline.label)
    if n_pieces == 0 or len(start) == 0:
        return result
    length = np.diff(timeline.edges)
    first = np.minimum(np.searchsorted(timeline.edges, start, side="right") - 1, n_pieces - 1)
    last = np.minimum(np.searchsorted(timeline.edges, end, side="right") - 1, n_pieces - 1)
    before, after = start - timeline.edges[first], end - timeline.edges[last]
    for label in range(len(LABELS)):
        share = weight(timeline, label)
        if share.any():
            total, error = running_sum(share * length)
            pieces = (total[last] - total[first]) + (error[last] - error[first])
            result[:, label] = pieces + (share[last] * after - share[first] * before)
    return result


def running_sum(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sums of the first 0, 1, ... values, and what rounding took from each; shapes (n + 1,).

    Source: the error of one addition as in Knuth, The Art of Computer Programming 2, 4.2.2; `cumsum` adds from left to
    right, so its errors can be told afterwards, all at once.
    """
    total = np.concatenate(([0.0], np.cumsum(values)))
    before, after = total[:-1], total[1:]
    added = after - before
    error = (before - (after - added)) + (values - added)
    return total, np.concatenate(([0.0], np.cumsum(error)))
