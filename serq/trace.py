"""Traces: recorded sessions, read from CSV.

In: lines `session,turn,new,out,think[,forced]`. Out: the sessions in order, each the rows of its turns. A session is
a run of consecutive lines with one session number; the turn cell is for human readers and is not looked at. Empty
lines, lines that start with `#`, and header lines (they start with `session`) are passed over.
docs/semantics/traces.md tells how sessions of a run are given those of a trace.
"""

from __future__ import annotations

import os
from typing import TypeAlias

from serq.diagnostics import Diagnostic, SerqError
from serq.files import read_text
from serq.ir.nodes import BUILT_IN_ATTRIBUTES, Batch, Ir, PresetSession, Sessions

TraceRow: TypeAlias = tuple[float, float, float, float]
"""`new`, `out`, `think` and `forced` of one turn."""

COLUMNS = ("session", "turn", "new", "out", "think", "forced")
HINT = "a line is " + ",".join(COLUMNS[:5]) + "[,forced]"


def read_trace(path: str | os.PathLike[str]) -> list[list[TraceRow]]:
    """The sessions in the trace at `path`, each a list of (new, out, think, forced).

    Raises:
        SerqError: the file cannot be read, holds no session, or a line is not as it must be.
    """
    return parse_trace(read_text(path), os.fspath(path))


def parse_trace(text: str, name: str) -> list[list[TraceRow]]:
    """The sessions in `text`; `name` is what errors call it."""
    sessions: list[list[TraceRow]] = []
    latest: float | None = None
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if not line or line.startswith(("#", "session")):
            continue
        cells = line.split(",")
        if len(cells) not in (5, 6):
            raise refusal(name, number, f"has {len(cells)} cells where 5 or 6 are wanted")
        session = session_number(cell_value(cells, 0, name, number))
        values = [cell_value(cells, column, name, number) for column in range(2, len(cells))]
        if session != latest:
            sessions.append([])
            latest = session
        sessions[-1].append((values[0], values[1], values[2], values[3] if len(values) == 4 else 0.0))
    if not sessions:
        raise SerqError(Diagnostic("trace", f"trace {name} holds no session", hint=HINT))
    return sessions


def inline_trace(ir: Ir, sessions: list[list[TraceRow]]) -> Ir:
    """`ir` with the sessions of its ordered trace written into it, in place of its arrivals.

    Raises:
        SerqError: which sessions a run gets, and when, is not the trace's alone to say.
    """
    if not ir.trace_ordered:
        raise SerqError(Diagnostic("settings", "the trace is not `ordered`: each run draws the sessions that it gets"))
    if not isinstance(ir.arrival, Batch):
        message = "sessions can be written out only for `arrive batch`, where all are there at the start"
        raise SerqError(Diagnostic("settings", message))
    slots = [BUILT_IN_ATTRIBUTES.index(name) for name in ("new", "out", "think", "forced")]
    corpus = [tuple(tuple(zip(slots, row, strict=True)) for row in rows) for rows in sessions]
    presets = tuple(PresetSession((), corpus[serial % len(corpus)]) for serial in range(ir.arrival.count))
    return ir._replace(arrival=Sessions(presets), trace=None, trace_ordered=False)


def session_number(cell: float) -> float:
    """The session number that a cell stands for: truncated, 0 if negative or NaN, at most 2^64."""
    return min(cell, 2.0**64) // 1.0 if cell > 0.0 else 0.0


def cell_value(cells: list[str], column: int, name: str, line: int) -> float:
    cell = cells[column]
    # `float` also takes blanks around, `_` between digits and digits of other scripts.
    if cell.isascii() and "_" not in cell and cell == cell.strip():
        try:
            return float(cell)
        except ValueError:
            pass
    raise refusal(name, line, f"has `{cell}` in column {column + 1} (`{COLUMNS[column]}`) where a number is wanted")


def refusal(name: str, line: int, what: str) -> SerqError:
    return SerqError(Diagnostic("trace", f"trace {name}: line {line} {what}", hint=HINT))
