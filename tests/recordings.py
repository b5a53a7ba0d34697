"""Recordings of runs that nobody made, for tests of what is done with them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import nan
from typing import Any

from serq.kernel.recording import ClaimRecord, PoolRecord, Recording, Samples, StageRecord
from serq.results.provenance import Provenance
from serq.results.report import Report

HORIZON = 100.0


def samples(name: str, values: Sequence[float] = (1.0,) * 40) -> Samples:
    """`values` recorded at seconds 0, 1, ... by sessions 0, 1, ... in their first turns."""
    n = len(values)
    times, sessions = array("d", map(float, range(n))), array("q", range(n))
    return Samples(name, array("d", values), times, sessions, array("q", [1] * n))


def stage(**changes: Any) -> StageRecord:
    """A stage that is no engine and saw no job."""
    fields: dict[str, Any] = dict.fromkeys(StageRecord._fields, 0.0)
    fields |= {"name": "s", "index": None, "completed": 0, "iterations": 0, "idle_with_work": False}
    fields |= dict.fromkeys(("mean_decode_batch", "mean_decode_step", "mean_itl", "itl_p50", "itl_p99"), nan)
    return StageRecord(**(fields | changes))


def pool(**changes: Any) -> PoolRecord:
    """A pool that nobody asked for."""
    fields: dict[str, Any] = dict.fromkeys(PoolRecord._fields, 0)
    fields |= dict.fromkeys(("mean_used", "mean_cached", "mean_queue", "mean_holders", "evicted_units"), 0.0)
    fields |= {"name": "p", "index": None, "mean_wait": nan, "over_cap": None, "growing_stalled": False}
    return PoolRecord(**(fields | changes))


def claim(**changes: Any) -> ClaimRecord:
    """A claim about every iteration that holds."""
    fields: dict[str, Any] = {"name": "c", "kind": "every_iteration", "result": "holds", "checked": 8, "failures": 0}
    return ClaimRecord(**({"first": None, "note": None} | fields | changes))


def report(**changes: Any) -> Report:
    """The report of a run in which 40 turns went through nothing and nothing is remarkable."""
    fields: dict[str, Any] = dict.fromkeys(Recording._fields, ())
    fields |= {"end": HORIZON, "events": 41, "arrivals": 40, "ended": 40, "turns": 40, "mean_live": 0.0, "live": 0}
    fields |= {"deadlocked": 0, "deadlock_pool": None}
    fields["client"] = (samples("ttft", ()), samples("tpot", ()), samples("response"))
    warmup = changes.pop("warmup", 0.0)
    provenance = Provenance("1.2.3", "text", (), (), None, 1, HORIZON, warmup, None)
    return Report._of_recording(Recording(**(fields | changes)), provenance)
