"""The measured log of one run: tables of numbers, as an engine recorded them.

In: arrays, from a file (serq.stalls.npz, serq.stalls.jsonl) or from whoever calls `make_log`. Out: a `Log` that has
been checked (serq.stalls.checking) and whose arrays cannot be written to.

Times are seconds from the engine's start, by one clock. An iteration is called a step here, as in the arrays' names.
docs/stalls/log.md describes every column and the two file formats.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from serq.diagnostics import Diagnostic, SerqError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    FloatArray = NDArray[np.float64]

COLUMNS = {
    "steps": ("t0", "t1", "decodes", "prefill tokens", "graph", "preempted", "swapped in"),
    "segs": ("step", "kind", "t0", "t1"),
    "gcs": ("t0", "t1", "generation"),
    "emissions": ("request", "time", "step"),
    "evictions": ("request", "evicted", "readmitted"),
    "requests": ("request", "arrival", "prompt tokens", "output tokens", "first token time"),
    "trace": ("request", "arrival", "characters", "output tokens"),
}
"""The tables of a log, and the columns of each."""

REQUIRED = ("steps", "segs", "emissions", "requests")
"""Tables that every log has. Where another is missing, nothing of its kind happened."""

KINDS = ("tok", "swap", "prefill", "decode")
"""Kinds of segments, by their number in `segs`."""

NO_DECODE, EAGER = -1, 0
"""Values of `graph` in `steps` for an iteration without decodes, and for one without a captured graph."""

Place = Callable[[str, int], str]
"""Names a row of a table for a message: by table and row, or by the line that it came from."""


class Log(NamedTuple):
    """One run of an engine. The tables are read-only float64 arrays of shape (rows, columns of `COLUMNS`).

    Attributes:
        steps: one row an iteration, in order of time.
        segs: what an iteration spent its time on; any order, none overlapping another.
        gcs: pauses for garbage collection; any order, they may overlap.
        emissions: one row a token, stamped right after the forward pass that made it; any order.
        evictions: when a request lost its place in the batch, and when it got it back (NaN: never).
        requests: every request that emits or is evicted; first token time NaN before the first token.
        trace: what was asked for; no figure reads it.
        wall: seconds of the run.
        config: settings of the engine; `rung`, `seed` and `duration` are read.
        name: what messages and tables call the log.
        request_names: names of the requests by number, where the engine has names; else empty.
    """

    steps: FloatArray
    segs: FloatArray
    gcs: FloatArray
    emissions: FloatArray
    evictions: FloatArray
    requests: FloatArray
    trace: FloatArray
    wall: float
    config: Mapping[str, Any]
    name: str
    request_names: tuple[str, ...] = ()

    @property
    def rung(self) -> str | None:
        """The configuration that the run belongs to; runs of one rung are repetitions."""
        value = self.config.get("rung")
        return None if value is None else str(value)

    @property
    def seed(self) -> int | str | None:
        value = self.config.get("seed")
        return value if value is None or isinstance(value, int) else str(value)

    @property
    def duration(self) -> float | None:
        """Seconds during which requests arrived, as configured."""
        value = self.config.get("duration")
        return float(value) if isinstance(value, int | float) else None


def refuse(name: str, reason: str) -> NoReturn:
    """Say in one line what is wrong with the log called `name`.

    Raises:
        SerqError: always.
    """
    raise SerqError(Diagnostic("log", f"`{name}`: {reason}"))


def one_line(text: str) -> str:
    """A text of unknown origin as part of a message: its beginning, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:77] + "..."


def row_of_table(table: str, row: int) -> str:
    return f"`{table}` row {row}"


def table(name: str, array: str, values: ArrayLike) -> FloatArray:
    """The table called `array` as doubles with its number of columns.

    Raises:
        SerqError: it holds no numbers, or has another shape.
    """
    width = len(COLUMNS[array])
    try:
        given = np.asarray(values)
    except ValueError:
        refuse(name, f"`{array}` is ragged: its rows have different lengths")
    if given.size == 0:
        return np.zeros((0, width))
    if given.dtype.kind not in "iuf":
        refuse(name, f"`{array}` holds {given.dtype} values, not numbers")
    if given.ndim != 2 or given.shape[1] != width:
        columns = ", ".join(COLUMNS[array])
        refuse(name, f"`{array}` has shape {given.shape}, not rows of {width} columns ({columns})")
    return given.astype(np.float64, copy=False)


def settings(name: str, text: str) -> Mapping[str, Any]:
    """The settings in a text of JSON.

    Raises:
        SerqError: it is no JSON object.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        refuse(name, f"`config` is no JSON: {one_line(str(error))}")
    if not isinstance(value, dict):
        refuse(name, f"`config` is JSON, but no object: {one_line(text)}")
    return MappingProxyType(value)


def last_end(steps: FloatArray) -> float:
    """Seconds until the last iteration ended: the run's, where a log does not say."""
    return float(steps[-1, 1]) if len(steps) else 0.0


def log_of(
    tables: Mapping[str, FloatArray],
    wall: float | None,
    config: Mapping[str, Any],
    name: str,
    request_names: tuple[str, ...] = (),
) -> Log:
    """A log of tables that are its own, unchecked; they are read-only from now on.

    Args:
        wall: seconds of the run; None for the end of the last iteration.
    """
    for array in tables.values():
        array.flags.writeable = False
    seconds = last_end(tables["steps"]) if wall is None else wall
    return Log(
        steps=tables["steps"],
        segs=tables["segs"],
        gcs=tables["gcs"],
        emissions=tables["emissions"],
        evictions=tables["evictions"],
        requests=tables["requests"],
        trace=tables["trace"],
        wall=seconds,
        config=config,
        name=name,
        request_names=request_names,
    )
