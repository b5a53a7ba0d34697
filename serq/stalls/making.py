"""`make_log`: a log from arrays that an engine's author has at hand.

In: arrays. Out: a checked `Log` with copies of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from serq.stalls.checking import checked
from serq.stalls.log import COLUMNS, Log, log_of, table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def make_log(
    *,
    steps: ArrayLike,
    segs: ArrayLike,
    emissions: ArrayLike,
    requests: ArrayLike,
    gcs: ArrayLike = (),
    evictions: ArrayLike = (),
    trace: ArrayLike = (),
    wall: float | None = None,
    config: Mapping[str, Any] = MappingProxyType({}),
    name: str = "log",
) -> Log:
    """A log of these tables, checked; `Log` and docs/stalls/log.md describe their columns.

    Args:
        wall: seconds of the run; the end of the last iteration if not given.
        config: settings of the engine; `rung`, `seed` and `duration` are read.
        name: what messages and tables call the log.

    Raises:
        SerqError: a table has another shape, or the log cannot be true; the message names table and row.
    """
    given: dict[str, ArrayLike] = {
        "steps": steps,
        "segs": segs,
        "gcs": gcs,
        "emissions": emissions,
        "evictions": evictions,
        "requests": requests,
        "trace": trace,
    }
    tables = {array: table(name, array, given[array]).copy() for array in COLUMNS}
    return checked(log_of(tables, wall, MappingProxyType(dict(config)), name))
