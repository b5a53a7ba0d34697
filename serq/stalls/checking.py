"""Whether a log can be true: the first thing in it that cannot is named with table, row and reason.

In: a `Log` as it was read. Out: the same, or a `SerqError`. `CHECKS` is the order; each check looks at one table and
may rely on those before it.

Boundaries are compared with a slack of a nanosecond: an engine that adds up durations is out by a few units in the
last place where one that keeps time stamps is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from serq.stalls.log import COLUMNS, EAGER, KINDS, NO_DECODE, Log, Place, refuse, row_of_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]
    BoolArray = NDArray[np.bool_]

SLACK = 1e-9
"""Seconds by which a boundary may be out of order."""

EXACT = 2.0**53
"""Up to here doubles hold every whole number, so that two requests cannot become one."""

MAY_BE_MISSING = {("evictions", 2), ("requests", 4)}
"""Table and column where NaN means that something has not happened."""

WHOLE = {
    "steps": (2, 3, 4, 5, 6),
    "segs": (0, 1),
    "gcs": (2,),
    "emissions": (0, 2),
    "evictions": (0,),
    "requests": (0, 2, 3),
    "trace": (0,),
}
"""Columns of counts and identities."""


class Fault(NamedTuple):
    table: str
    row: int
    reason: str


Faults = Iterator[Fault]


def checked(log: Log, place: Place = row_of_table) -> Log:
    """The log itself.

    Args:
        place: names a row for the message.

    Raises:
        SerqError: it cannot be true; one sentence with the first row that is wrong.
    """
    for check in CHECKS:
        for fault in check(log):
            refuse(log.name, f"{place(fault.table, fault.row)}: {fault.reason}")
    if not (isfinite(log.wall) and log.wall >= 0.0):
        refuse(log.name, f"`wall` is {log.wall:g}, not a number of seconds")
    return log


def first(table: str, bad: BoolArray, reason: Callable[[int], str]) -> Faults:
    """The first row for which `bad` holds, if there is one."""
    if bad.any():
        row = int(bad.argmax())
        yield Fault(table, row, reason(row))


def value_of(title: str, values: FloatArray, what: str = "") -> Callable[[int], str]:
    """The reason that a value of this column is wrong by itself."""
    return lambda row: f"`{title}` is {values[row]!s}{what}"


def backwards(start: FloatArray, end: FloatArray) -> Callable[[int], str]:
    return lambda row: f"it ends ({end[row]!s} s) before it starts ({start[row]!s} s)"


def check_numbers(log: Log) -> Faults:
    """Every number is finite, and counts and identities are whole."""
    for name, columns in COLUMNS.items():
        table: FloatArray = getattr(log, name)
        for column, title in enumerate(columns):
            values = table[:, column]
            bad = np.isinf(values) if (name, column) in MAY_BE_MISSING else ~np.isfinite(values)
            yield from first(name, bad, value_of(title, values))
            if column in WHOLE[name]:
                bad = (values != np.floor(values)) | (np.abs(values) > EXACT)
                yield from first(name, bad, value_of(title, values, ", not a whole number up to 2^53"))


def check_steps(log: Log) -> Faults:
    """Iterations end after they start, one after the other, and say of their graph what can be."""
    t0, t1, decodes, _, graph, _, _ = log.steps.T
    yield from first("steps", t1 < t0, backwards(t0, t1))
    early = np.zeros(len(t0), dtype=bool)
    early[1:] = t0[1:] < t1[:-1] - SLACK
    yield from first(
        "steps",
        early,
        lambda row: f"it starts ({t0[row]!s} s) before the step above it ends ({t1[row - 1]!s} s)",
    )
    for column in (2, 3, 5, 6):
        counts = log.steps[:, column]
        yield from first("steps", counts < 0, value_of(COLUMNS["steps"][column], counts, ", a negative count"))
    what = f", neither {NO_DECODE} (no decode), {EAGER} (eager) nor a padded size"
    yield from first("steps", graph < NO_DECODE, value_of("graph", graph, what))
    yield from first(
        "steps",
        (graph == NO_DECODE) & (decodes > 0),
        lambda row: f"`graph` is {NO_DECODE} (no decode), but `decodes` is {decodes[row]:g}",
    )


def check_segments(log: Log) -> Faults:
    """Segments lie in their iterations and beside each other."""
    step, kind, t0, t1 = log.segs.T
    yield from step_exists("segs", step, len(log.steps))
    what = ", none of 0 tok, 1 swap, 2 prefill, 3 decode"
    yield from first("segs", (kind < 0) | (kind >= len(KINDS)), value_of("kind", kind, what))
    yield from first("segs", t1 < t0, backwards(t0, t1))
    rows = step.astype(np.intp)
    start, end = log.steps[rows, 0], log.steps[rows, 1]
    yield from first(
        "segs",
        (t0 < start - SLACK) | (t1 > end + SLACK),
        lambda row: f"{t0[row]!s}-{t1[row]!s} s is outside of step {step[row]:g} ({start[row]!s}-{end[row]!s} s)",
    )
    yield from first(
        "segs",
        (kind == KINDS.index("decode")) & (log.steps[rows, 4] == NO_DECODE),
        lambda row: f"a decode segment in step {step[row]:g}, whose `graph` is {NO_DECODE} (no decode)",
    )
    order = np.lexsort((t1, t0))
    over = np.flatnonzero(t0[order[1:]] < t1[order[:-1]] - SLACK)
    if len(over):
        above, row = int(order[over[0]]), int(order[over[0] + 1])
        yield Fault("segs", row, f"it starts ({t0[row]!s} s) inside of row {above} ({t0[above]!s}-{t1[above]!s} s)")


def check_pauses(log: Log) -> Faults:
    """Pauses end after they start."""
    t0, t1, generation = log.gcs.T
    yield from first("gcs", t1 < t0, backwards(t0, t1))
    yield from first("gcs", generation < 0, value_of("generation", generation))


def check_requests(log: Log) -> Faults:
    """A request stands once, and does not answer before it arrives."""
    request, arrival, _, _, token = log.requests.T
    order = np.argsort(request, kind="stable")
    twice = np.flatnonzero(request[order[1:]] == request[order[:-1]])
    if len(twice):
        above, row = int(order[twice[0]]), int(order[twice[0] + 1])
        yield Fault("requests", row, f"request {request[row]:.0f} stands in row {above}, too")
    yield from first(
        "requests",
        token < arrival - SLACK,
        lambda row: f"the first token ({token[row]!s} s) is before the arrival ({arrival[row]!s} s)",
    )


def check_emissions(log: Log) -> Faults:
    """Tokens are emitted in their iterations, by known requests."""
    request, time, step = log.emissions.T
    yield from request_exists("emissions", log, request)
    yield from step_exists("emissions", step, len(log.steps))
    rows = step.astype(np.intp)
    start, end = log.steps[rows, 0], log.steps[rows, 1]
    yield from first(
        "emissions",
        (time < start - SLACK) | (time > end + SLACK),
        lambda row: f"its time ({time[row]!s} s) is outside of step {step[row]:g} ({start[row]!s}-{end[row]!s} s)",
    )


def check_evictions(log: Log) -> Faults:
    """Evictions end after they start, of known requests, one at a time of each."""
    request, evicted, readmitted = log.evictions.T
    yield from request_exists("evictions", log, request)
    yield from first("evictions", readmitted < evicted, backwards(evicted, readmitted))
    end = np.where(np.isnan(readmitted), np.inf, readmitted)
    order = np.lexsort((end, evicted, request))
    same = request[order[1:]] == request[order[:-1]]
    over = np.flatnonzero(same & (evicted[order[1:]] < end[order[:-1]] - SLACK))
    if len(over):
        above, row = int(order[over[0]]), int(order[over[0] + 1])
        until = "never readmitted" if np.isnan(readmitted[above]) else f"until {readmitted[above]!s} s"
        yield Fault(
            "evictions",
            row,
            f"request {request[row]:.0f} is evicted ({evicted[row]!s} s) while it is evicted (row {above}, {until})",
        )


def step_exists(table: str, step: FloatArray, n_steps: int) -> Faults:
    what = f"which is no row of `steps` (0 to {n_steps - 1})" if n_steps else "and `steps` has no rows"
    yield from first(table, (step < 0) | (step >= n_steps), lambda row: f"`step` is {step[row]:g}, {what}")


def request_exists(table: str, log: Log, request: FloatArray) -> Faults:
    known = np.sort(log.requests[:, 0])
    at = np.minimum(np.searchsorted(known, request), max(len(known) - 1, 0))
    bad = known[at] != request if len(known) else np.ones(len(request), dtype=bool)
    yield from first(table, bad, lambda row: f"request {request[row]:.0f} is unknown: it is not in `requests`")


CHECKS = (
    check_numbers,
    check_steps,
    check_segments,
    check_pauses,
    check_requests,
    check_emissions,
    check_evictions,
)
