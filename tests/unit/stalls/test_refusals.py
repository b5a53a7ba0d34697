"""Logs that cannot be true are refused in one line that names table, row and reason."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from serq.diagnostics import SerqError
from serq.stalls.log import COLUMNS, Log
from serq.stalls.making import make_log
from serq.stalls.partition import partition

STEPS = [(0.0, 0.01, 0, 64, -1, 0, 0), (0.01, 0.02, 2, 0, 8, 0, 0), (0.03, 0.04, 2, 0, 0, 1, 0)]
TRUE: dict[str, Any] = {
    "steps": STEPS,
    "segs": [(0, 2, 0.0, 0.01), (1, 0, 0.01, 0.012), (1, 3, 0.012, 0.02), (2, 3, 0.03, 0.039)],
    "gcs": [(0.001, 0.002, 0), (0.0015, 0.003, 2)],
    "emissions": [(4, 0.01, 0), (4, 0.02, 1), (4, 0.039, 2), (9, 0.02, 1), (9, 0.039, 2)],
    "evictions": [(4, 0.02, 0.03), (9, 0.05, np.nan)],
    "requests": [(4, 0.0, 64, 3, 0.01), (9, 0.001, 3, 2, 0.02)],
    "trace": [(4, 0.0, 200, 3), (9, 0.001, 12, 2)],
}


class Change(NamedTuple):
    """A cell that makes the log false, and what is said about it."""

    table: str
    row: int
    column: int
    value: float
    message: str


CHANGES = [
    Change("steps", 1, 1, 0.005, "`steps` row 1: it ends (0.005 s) before it starts (0.01 s)"),
    Change("steps", 2, 0, 0.019, "`steps` row 2: it starts (0.019 s) before the step above it ends (0.02 s)"),
    Change("steps", 0, 0, np.nan, "`steps` row 0: `t0` is nan"),
    Change("steps", 1, 1, np.inf, "`steps` row 1: `t1` is inf"),
    Change("steps", 1, 2, 1.5, "`steps` row 1: `decodes` is 1.5, not a whole number up to 2^53"),
    Change("steps", 1, 2, -1, "`steps` row 1: `decodes` is -1.0, a negative count"),
    Change("steps", 1, 3, -8, "`steps` row 1: `prefill tokens` is -8.0, a negative count"),
    Change("steps", 1, 5, -1, "`steps` row 1: `preempted` is -1.0, a negative count"),
    Change("steps", 1, 4, -2, "`steps` row 1: `graph` is -2.0, neither -1 (no decode), 0 (eager) nor a padded size"),
    Change("steps", 1, 4, -1, "`steps` row 1: `graph` is -1 (no decode), but `decodes` is 2"),
    Change("segs", 1, 0, 3, "`segs` row 1: `step` is 3, which is no row of `steps` (0 to 2)"),
    Change("segs", 1, 0, -1, "`segs` row 1: `step` is -1, which is no row of `steps` (0 to 2)"),
    Change("segs", 1, 0, 0.5, "`segs` row 1: `step` is 0.5, not a whole number up to 2^53"),
    Change("segs", 1, 1, 4, "`segs` row 1: `kind` is 4.0, none of 0 tok, 1 swap, 2 prefill, 3 decode"),
    Change("segs", 1, 3, 0.0, "`segs` row 1: it ends (0.0 s) before it starts (0.01 s)"),
    Change("segs", 3, 3, 0.041, "`segs` row 3: 0.03-0.041 s is outside of step 2 (0.03-0.04 s)"),
    Change("segs", 1, 0, 2, "`segs` row 1: 0.01-0.012 s is outside of step 2 (0.03-0.04 s)"),
    Change("segs", 2, 2, 0.011, "`segs` row 2: it starts (0.011 s) inside of row 1 (0.01-0.012 s)"),
    Change("segs", 0, 1, 3, "`segs` row 0: a decode segment in step 0, whose `graph` is -1 (no decode)"),
    Change("gcs", 1, 1, 0.001, "`gcs` row 1: it ends (0.001 s) before it starts (0.0015 s)"),
    Change("gcs", 0, 2, -1, "`gcs` row 0: `generation` is -1.0"),
    Change("gcs", 0, 2, 0.5, "`gcs` row 0: `generation` is 0.5, not a whole number up to 2^53"),
    Change("gcs", 0, 0, np.nan, "`gcs` row 0: `t0` is nan"),
    Change("emissions", 3, 0, 5, "`emissions` row 3: request 5 is unknown: it is not in `requests`"),
    Change("emissions", 3, 0, 100, "`emissions` row 3: request 100 is unknown: it is not in `requests`"),
    Change(
        "emissions",
        3,
        0,
        2.0**60,
        "`emissions` row 3: `request` is 1.152921504606847e+18, not a whole number up to 2^53",
    ),
    Change("emissions", 3, 1, 0.0205, "`emissions` row 3: its time (0.0205 s) is outside of step 1 (0.01-0.02 s)"),
    Change("emissions", 3, 1, np.nan, "`emissions` row 3: `time` is nan"),
    Change("emissions", 3, 2, 9, "`emissions` row 3: `step` is 9, which is no row of `steps` (0 to 2)"),
    Change("emissions", 3, 2, 0, "`emissions` row 3: its time (0.02 s) is outside of step 0 (0.0-0.01 s)"),
    Change("evictions", 0, 2, 0.01, "`evictions` row 0: it ends (0.01 s) before it starts (0.02 s)"),
    Change("evictions", 0, 1, np.nan, "`evictions` row 0: `evicted` is nan"),
    Change("evictions", 0, 2, np.inf, "`evictions` row 0: `readmitted` is inf"),
    Change("evictions", 1, 0, 7, "`evictions` row 1: request 7 is unknown: it is not in `requests`"),
    Change(
        *("evictions", 1, 0, 4),
        "",  # after the other has ended: true
    ),
    Change("requests", 1, 0, 4, "`requests` row 1: request 4 stands in row 0, too"),
    Change("requests", 1, 4, 0.0005, "`requests` row 1: the first token (0.0005 s) is before the arrival (0.001 s)"),
    Change("requests", 1, 4, np.nan, ""),
    Change("requests", 1, 1, np.nan, "`requests` row 1: `arrival` is nan"),
    Change("trace", 0, 1, np.inf, "`trace` row 0: `arrival` is inf"),
    # A nanosecond is what adding up durations may cost.
    Change("segs", 3, 3, 0.0400000000001, ""),
    Change("segs", 2, 2, 0.0119999999999, ""),
    Change("steps", 2, 0, 0.0299999999999, ""),
    Change("emissions", 3, 1, 0.0200000000001, ""),
]


def refusal(**changes: Any) -> str:
    """What is said of the log with these tables, in place of true ones; empty if it is taken."""
    try:
        partition(make_log(**(TRUE | changes)))
    except SerqError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: f"{change[0]}-{change[1]}-{change[2]}-{change[3]}")
def test_cell(change: Change) -> None:
    """One cell makes a true log false, and the message says which."""
    table = np.array(TRUE[change.table], dtype=float)
    table[change.row, change.column] = change.value
    said = refusal(**{change.table: table})
    assert said == (f"`log`: {change.message}" if change.message else "")


OVERLAP = [(4, 0.015, np.nan), (4, 0.02, 0.03)]

WHOLE_TABLES = [
    ({}, ""),
    (
        {"evictions": OVERLAP},
        "`evictions` row 1: request 4 is evicted (0.02 s) while it is evicted (row 0, never readmitted)",
    ),
    (
        {"evictions": [(4, 0.025, 0.035), (4, 0.02, 0.03)]},
        "`evictions` row 0: request 4 is evicted (0.025 s) while it is evicted (row 1, until 0.03 s)",
    ),
    ({"evictions": [(4, 0.02, 0.03), (9, 0.02, 0.03), (4, 0.03, 0.04)]}, ""),
    (
        {"steps": [row[:6] for row in STEPS]},
        f"`steps` has shape (3, 6), not rows of 7 columns ({', '.join(COLUMNS['steps'])})",
    ),
    ({"gcs": [1.0, 2.0, 0.0]}, "`gcs` has shape (3,), not rows of 3 columns (t0, t1, generation)"),
    ({"gcs": [(1.0, 2.0, 0), (1.0, 2.0)]}, "`gcs` is ragged: its rows have different lengths"),
    ({"gcs": [("a", "b", "c")]}, "`gcs` holds <U1 values, not numbers"),
    ({"gcs": [(1j, 2j, 0)]}, "`gcs` holds complex128 values, not numbers"),
    ({"gcs": [(object(), 1, 2)]}, "`gcs` holds object values, not numbers"),
    ({"requests": ()}, "`emissions` row 0: request 4 is unknown: it is not in `requests`"),
    ({"steps": ()}, "`segs` row 0: `step` is 0, and `steps` has no rows"),
    ({"segs": (), "steps": ()}, "`emissions` row 0: `step` is 0, and `steps` has no rows"),
    ({"wall": -1.0}, "`wall` is -1, not a number of seconds"),
    ({"wall": np.nan}, "`wall` is nan, not a number of seconds"),
]


@pytest.mark.parametrize(("changes", "message"), WHOLE_TABLES)
def test_tables(changes: dict[str, Any], message: str) -> None:
    """Whole tables that no log can have."""
    assert refusal(**changes) == (f"`log`: {message}" if message else "")


def test_first_fault_wins() -> None:
    """The order of the checks: numbers of all tables, then table by table."""
    steps = np.array(STEPS)
    steps[1, 1] = 0.0
    assert "`trace` row 0: `arrival` is nan" in refusal(steps=steps, trace=[(4, np.nan, 1, 1)])
    assert "`steps` row 1" in refusal(steps=steps, gcs=[(2, 1, 0)])


def test_frozen() -> None:
    """A log keeps its own tables, which cannot be written to."""
    segs = np.array(TRUE["segs"], dtype=float)
    log: Log = make_log(**(TRUE | {"segs": segs}))
    segs[:] = 0
    assert log.segs[0, 3] == 0.01
    with pytest.raises(ValueError, match="read-only"):
        log.segs[0, 3] = 1.0
    with pytest.raises(TypeError):
        log.config["rung"] = "other"  # type: ignore[index]
