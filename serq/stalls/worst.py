"""The longest gaps of each primary cause and what the engine ran during each, ready to be drawn.

In: a `Log` and its `Partition`. Out: `WorstGap`s. Gaps that share both ends are one, with the number of their tokens:
when an iteration stalls, so does everyone in it. They are told cause by cause, because otherwise one bad moment, in
which a dozen requests were evicted, would be all that one sees. Time is cut into columns of equal width, and each
column tells the share of every label in it, so that a second's worth of iterations and a single pause are drawn by
the same rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from serq.stalls.counting import primary_cause
from serq.stalls.figures import MEASURED_CAUSES, MEASURED_CLASSES
from serq.stalls.log import Log
from serq.stalls.partition import Partition
from serq.stalls.runs import MS
from serq.stalls.timeline import parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

N_COLUMNS = 160


class WorstGap(NamedTuple):
    """A gap, and what ran.

    Attributes:
        run: what the run is called.
        request: name or number of a request that waited.
        n_tokens: tokens that waited for the same span.
        start: seconds from the engine's start.
        length: ms.
        cause: the primary cause, or `clean`.
        evicted: when the request was evicted, in fractions of the gap.
        columns: share of each label in each column, whoever was evicted; shape (N_COLUMNS, n_labels).
    """

    run: str
    request: str
    n_tokens: int
    start: float
    length: float
    cause: str
    evicted: tuple[tuple[float, float], ...]
    columns: FloatArray


def worst_gaps(run: str, log: Log, cut: Partition, n: int) -> list[WorstGap]:
    """The `n` longest gaps of each primary cause, and of the clean ones, the longest first; of equals the earlier."""
    count = np.bincount(cut.row, minlength=len(cut.length))
    # Some gap of each row, to tell whose it is.
    example = np.zeros(len(cut.length), dtype=np.intp)
    example[cut.row[::-1]] = np.arange(len(cut.row))[::-1]
    primary = primary_cause(cut.table * MS, cut.length * MS, len(MEASURED_CAUSES))
    found = []
    for place, cause in enumerate(MEASURED_CLASSES):
        rows = np.flatnonzero((count > 0) & (cut.length > 0) & (primary == place))
        rows = rows[np.lexsort((cut.gaps.start[example[rows]], -cut.length[rows]))][:n]
        found += [worst_gap(run, cause, log, cut, int(example[row]), int(count[row])) for row in rows]
    return longest(found, n)


def worst_gap(run: str, cause: str, log: Log, cut: Partition, gap: int, n_tokens: int) -> WorstGap:
    request = int(cut.gaps.request[gap])
    start, length = float(cut.gaps.start[gap]), float(cut.length[cut.row[gap]])
    edges = np.linspace(start, float(cut.gaps.end[gap]), N_COLUMNS + 1)
    lost = np.flatnonzero(cut.lost.gap == gap)
    spans = (np.column_stack((cut.lost.start[lost], cut.lost.end[lost])) - start) / length
    return WorstGap(
        run=run,
        request=log.request_names[request] if log.request_names else str(request),
        n_tokens=n_tokens,
        start=start,
        length=length * MS,
        cause=cause,
        evicted=tuple((float(a), float(b)) for a, b in spans),
        columns=parts(cut.timeline, edges[:-1], edges[1:]) / np.diff(edges)[:, np.newaxis],
    )


def longest(gaps: list[WorstGap], n: int) -> list[WorstGap]:
    """Of each cause the `n` longest, all in order of length, the longest first."""
    by_length = sorted(gaps, key=lambda gap: -gap.length)
    return [gap for i, gap in enumerate(by_length) if sum(gap.cause == other.cause for other in by_length[:i]) < n]
