"""The gaps between a request's tokens, each taken apart by cause.

In: a checked `Log`. Out: a `Partition`. A gap is the time between two consecutive tokens of one request. While the
request is evicted all of it is `preempt`, and what the engine ran meanwhile is kept beside it, as context; the rest
is cut up by the timeline.

Tokens of one iteration share their stamp, so most gaps of a batch begin and end together. Such gaps share one row of
parts: the work is per iteration, and what is left per token is sorting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from serq.stalls.log import Log
from serq.stalls.timeline import LABELS, PREEMPT, Baseline, Timeline, make_timeline, parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]
    IntArray = NDArray[np.intp]
    SmallArray = NDArray[np.int32]


class Gaps(NamedTuple):
    """Gaps between consecutive tokens of a request, in order of request and time.

    Attributes:
        request: shape (n_gaps,).
        stamps: the instants at which tokens were emitted, seconds, increasing; shape (n_stamps,).
        first, last: places in `stamps` of a gap's two tokens; shape (n_gaps,).
        first_step, last_step: the iterations of these tokens; shape (n_gaps,).
    """

    request: FloatArray
    stamps: FloatArray
    first: SmallArray
    last: SmallArray
    first_step: SmallArray
    last_step: SmallArray

    @property
    def start(self) -> FloatArray:
        """Seconds, shape (n_gaps,)."""
        return self.stamps[self.first]

    @property
    def end(self) -> FloatArray:
        """Seconds, shape (n_gaps,)."""
        return self.stamps[self.last]


class Spans(NamedTuple):
    """Spans of time inside of gaps, in order of gap and time."""

    gap: IntArray
    start: FloatArray
    end: FloatArray


class Partition(NamedTuple):
    """Every gap of a log with its parts, in seconds.

    Attributes:
        timeline: what the parts were cut from.
        gaps: what was taken apart.
        row: where a gap's parts stand in `table`; shape (n_gaps,).
        table: parts in the order of `LABELS`; a row may belong to many gaps, or to none. Shape (n_rows, n_labels).
        length: length of the gaps with these parts, shape (n_rows,).
        evicted: gaps in which the request was evicted, increasing; shape (n_evicted,).
        context: by label, what the engine ran while it was; shape (n_evicted, n_labels).
        lost: when it was.
    """

    timeline: Timeline
    gaps: Gaps
    row: SmallArray
    table: FloatArray
    length: FloatArray
    evicted: IntArray
    context: FloatArray
    lost: Spans

    @property
    def lengths(self) -> FloatArray:
        """Length of each gap, shape (n_gaps,)."""
        return self.length[self.row]

    @property
    def parts(self) -> FloatArray:
        """Parts of each gap in the order of `LABELS`, shape (n_gaps, n_labels)."""
        return self.table[self.row]


def partition(log: Log, baseline: Baseline | None = None) -> Partition:
    """Take every gap of a log apart.

    Args:
        baseline: what a captured iteration takes; fitted over those of the log if not given.

    Source: docs/stalls/measuring.md states the rules.
    """
    gaps = find_gaps(log)
    timeline = make_timeline(log, baseline)
    lost = evicted_spans(log, gaps)
    evicted, whose = np.unique(lost.gap, return_inverse=True)

    # Rows 0, 1, ... are the spans from one stamp to the next. A gap that is none of them, or in which its request was
    # evicted, has a row of its own after these.
    alone = gaps.last != gaps.first + 1
    alone[evicted] = True
    own = np.flatnonzero(alone)
    n_shared = max(len(gaps.stamps) - 1, 0)
    row = gaps.first.copy()
    row[own] = np.arange(n_shared, n_shared + len(own))
    start, end = gaps.stamps[gaps.first[own]], gaps.stamps[gaps.last[own]]

    kept = outside(lost, own, start, end)
    table = np.zeros((n_shared + len(own), len(LABELS)))
    table[:n_shared] = parts(timeline, gaps.stamps[:-1], gaps.stamps[1:])
    np.add.at(table, row[kept.gap], parts(timeline, kept.start, kept.end))
    np.add.at(table[:, PREEMPT], row[lost.gap], lost.end - lost.start)
    context = np.zeros((len(evicted), len(LABELS)))
    np.add.at(context, whose, parts(timeline, lost.start, lost.end))
    length = np.concatenate([np.diff(gaps.stamps), end - start])
    return Partition(timeline, gaps, row, table, length, evicted, context, lost)


def find_gaps(log: Log) -> Gaps:
    """The gaps between consecutive tokens of each request."""
    order = np.lexsort((log.emissions[:, 2], log.emissions[:, 1], log.emissions[:, 0]))
    request, time, step = log.emissions[order].T
    stamps = np.unique(time)
    at = np.searchsorted(stamps, time).astype(np.int32)
    iteration = step.astype(np.int32)
    token = np.flatnonzero(request[1:] == request[:-1])
    return Gaps(request[token], stamps, at[token], at[token + 1], iteration[token], iteration[token + 1])


def evicted_spans(log: Log, gaps: Gaps) -> Spans:
    """When the request of a gap was evicted during it."""
    request, evicted, readmitted = log.evictions[np.lexsort((log.evictions[:, 1], log.evictions[:, 0]))].T
    new = np.append(True, gaps.request[1:] != gaps.request[:-1])[: len(gaps.request)]
    requests = gaps.request[new]
    serial = np.minimum(np.searchsorted(requests, request), max(len(requests) - 1, 0))
    known = requests[serial] == request if len(requests) else np.zeros(len(request), dtype=bool)
    if not known.any():
        return Spans(np.zeros(0, dtype=np.intp), np.zeros(0), np.zeros(0))
    request, serial, evicted = request[known], serial[known], evicted[known]
    readmitted = np.where(np.isnan(readmitted), np.inf, readmitted)[known]
    # Where one eviction follows another at once, rounding may have made them overlap.
    evicted[1:] = np.where(request[1:] == request[:-1], np.maximum(evicted[1:], readmitted[:-1]), evicted[1:])

    # An eviction's gaps are those of its request that end after it begins and begin before it ends. To search by
    # request and time at once, a time is its place among the stamps: whole numbers, which add up without rounding.
    base = len(gaps.stamps) + 1
    offset = (np.cumsum(new) - 1) * base
    begin = np.searchsorted(offset + gaps.last, serial * base + np.searchsorted(gaps.stamps, evicted, side="right"))
    stop = np.searchsorted(offset + gaps.first, serial * base + np.searchsorted(gaps.stamps, readmitted, side="left"))
    count = np.maximum(stop - begin, 0)
    which = np.repeat(np.arange(len(count)), count)
    gap = np.arange(len(which)) + np.repeat(begin - (np.cumsum(count) - count), count)
    start = np.maximum(evicted[which], gaps.stamps[gaps.first[gap]])
    end = np.minimum(readmitted[which], gaps.stamps[gaps.last[gap]])
    return Spans(gap, start, np.maximum(start, end))


def outside(spans: Spans, gaps: IntArray, start: FloatArray, end: FloatArray) -> Spans:
    """What is left of the `gaps`, increasing and each from `start` to `end`, without the `spans` inside of them."""
    # Sorted stably by gap, the first begins before what follows the spans, and the last ends after what precedes them.
    begins = np.argsort(np.concatenate([gaps, spans.gap]), kind="stable")
    ends = np.argsort(np.concatenate([spans.gap, gaps]), kind="stable")
    gap = np.concatenate([gaps, spans.gap])[begins]
    return Spans(gap, np.concatenate([start, spans.end])[begins], np.concatenate([spans.start, end])[ends])
