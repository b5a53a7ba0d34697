"""Logs in JSON Lines: one object a line and event, for engines that log as they go.

In: an open file, read line by line. Out: a checked `Log`. A line is an object with one member, whose name is the kind
of the event and whose value holds its fields: `{"gc": {"t0": 1.25, "t1": 1.5, "generation": 2}}`. `EVENTS` lists the
kinds; docs/stalls/log.md explains them. Lines may come in any order, with two exceptions: the n-th `step` is the n-th
iteration, and a readmission follows its eviction.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping
from math import nan
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from serq.files import reason
from serq.stalls.checking import checked
from serq.stalls.log import COLUMNS, EAGER, KINDS, NO_DECODE, Log, log_of, one_line, refuse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

Fields = Mapping[str, Any]


class Event(NamedTuple):
    """The fields of a kind of event: those that it must have, and those that it may have, with what else they are."""

    needed: tuple[str, ...]
    optional: Fields = MappingProxyType({})


EVENTS = {
    "config": Event(()),
    "request": Event(("request", "arrival"), {"prompt": 0, "output": None, "first_token": None}),
    "step": Event(("t0", "t1", "decodes"), {"prefill": 0, "graph": None, "preempted": 0, "swapped_in": 0}),
    "segment": Event(("step", "kind", "t0", "t1")),
    "gc": Event(("t0", "t1"), {"generation": 0}),
    "token": Event(("request", "time", "step")),
    "tokens": Event(("requests", "time", "step")),
    "eviction": Event(("request", "time"), {"readmitted": None}),
    "readmission": Event(("request", "time")),
    "trace": Event(("request", "arrival"), {"characters": 0, "output": 0}),
    "wall": Event(("seconds",)),
}
"""The kinds of events. A `config` may have any fields."""

EXAMPLE = '`{"gc": {"t0": 1.25, "t1": 1.5}}`'


class LineError(Exception):
    """What is wrong with the line that is being read."""


def read_jsonl(file: Iterable[bytes], name: str) -> Log:
    """The log in an open file.

    Raises:
        SerqError: a line is no event, or the log cannot be true. The message names the line.
    """
    reader = Reader()
    try:
        for line in file:
            reader.read(line)
    except LineError as fault:
        refuse(name, f"line {reader.line}: {fault}")
    except OSError as error:
        refuse(name, f"it cannot be read after line {reader.line}: {reason(error)}")
    return checked(reader.log(name), reader.place)


class Reader:
    """The tables of a log in the making: their rows as flat arrays, and the line that each row came from."""

    def __init__(self) -> None:
        self.line = 0
        self.rows = {table: array("d") for table in COLUMNS}
        self.lines = {table: array("q") for table in COLUMNS}
        self.names: dict[str, int] = {}
        self.numbered = False
        self.evicted: dict[float, int] = {}
        self.config: dict[str, Any] = {}
        self.wall: float | None = None

    def read(self, line: bytes) -> None:
        """Take in the event of the next line; an empty one holds none.

        Raises:
            LineError: it is no event.
        """
        self.line += 1
        if not line.strip():
            return
        try:
            event = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise LineError(f"it is no JSON: {one_line(str(error))}") from None
        if not (isinstance(event, dict) and len(event) == 1):
            raise LineError(f"an event is an object with one member, such as {EXAMPLE}")
        ((kind, given),) = event.items()
        if kind not in EVENTS:
            raise LineError(f"there is no event `{one_line(kind)}`; there are {', '.join(EVENTS)}")
        self.take(kind, completed(kind, given))

    def take(self, kind: str, f: Fields) -> None:
        """Take in an event with all the fields of its kind."""
        match kind:
            case "config":
                self.config.update(f)
            case "request":
                row = (self.request(f), *numbers(f, "arrival", "prompt", "output", "first_token"))
                self.add("requests", row)
            case "step":
                self.add("steps", (*numbers(f, "t0", "t1", "decodes", "prefill"), *graph_and_moves(f)))
            case "segment":
                self.add("segs", (*numbers(f, "step"), kind_number(f), *numbers(f, "t0", "t1")))
            case "gc":
                self.add("gcs", numbers(f, "t0", "t1", "generation"))
            case "token":
                self.add("emissions", (self.request(f), *numbers(f, "time", "step")))
            case "tokens":
                if not isinstance(f["requests"], list):
                    raise LineError("`requests` is no list")
                time, step = numbers(f, "time", "step")
                for request in f["requests"]:
                    self.add("emissions", (self.identity(request), time, step))
            case "eviction":
                self.evict(self.request(f), *numbers(f, "time", "readmitted"))
            case "readmission":
                self.readmit(self.request(f), *numbers(f, "time"))
            case "trace":
                self.add("trace", (self.request(f), *numbers(f, "arrival", "characters", "output")))
            case "wall":
                (self.wall,) = numbers(f, "seconds")

    def add(self, table: str, row: tuple[float, ...]) -> None:
        self.rows[table].extend(row)
        self.lines[table].append(self.line)

    def evict(self, request: float, time: float, readmitted: float) -> None:
        if request in self.evicted:
            raise LineError(
                f"the request is evicted already, since line {self.lines['evictions'][self.evicted[request]]}"
            )
        if readmitted != readmitted:
            self.evicted[request] = len(self.lines["evictions"])
        self.add("evictions", (request, time, readmitted))

    def readmit(self, request: float, time: float) -> None:
        if request not in self.evicted:
            raise LineError("the request is not evicted")
        self.rows["evictions"][3 * self.evicted.pop(request) + 2] = time

    def request(self, fields: Fields) -> float:
        return self.identity(fields["request"])

    def identity(self, request: object) -> float:
        """The number of a request, which has a number or a name."""
        if isinstance(request, str):
            if self.numbered:
                raise LineError(f"the request has the name {one_line(request)!r}, while those before have numbers")
            return float(self.names.setdefault(request, len(self.names)))
        if self.names:
            raise LineError(f"the request {one_line(json.dumps(request))} has no name, while those before have names")
        self.numbered = True
        return number("request", request)

    def place(self, table: str, row: int) -> str:
        """Names a row for a message."""
        return f"line {self.lines[table][row]} (`{table}` row {row})"

    def log(self, name: str) -> Log:
        """What has been read, unchecked."""
        tables = {table: np.frombuffer(rows).reshape(-1, len(COLUMNS[table])) for table, rows in self.rows.items()}
        tables["requests"] = with_outputs(tables["requests"], tables["emissions"])
        return log_of(tables, self.wall, MappingProxyType(self.config), name, tuple(self.names))


def completed(kind: str, given: object) -> Fields:
    """All the fields of an event.

    Raises:
        LineError: one is missing, or there is one that no such event has.
    """
    if not isinstance(given, dict):
        raise LineError(f"the value of `{kind}` is no object of fields, as in {EXAMPLE}")
    if kind == "config":
        return given
    needed, optional = EVENTS[kind]
    for key in needed:
        if key not in given:
            raise LineError(f"`{kind}` has no field `{key}`")
    for key in given:
        if key not in needed and key not in optional:
            raise LineError(f"`{kind}` knows no field `{one_line(key)}`; it has {', '.join((*needed, *optional))}")
    return {**optional, **given}


def number(key: str, value: object) -> float:
    """A number of JSON; NaN for null."""
    if value is None:
        return nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise LineError(f"`{key}` is {json.dumps(value)[:40]}, not a number")
    try:
        return float(value)
    except OverflowError:
        raise LineError(f"`{key}` is a number of {len(str(value))} digits") from None


def numbers(fields: Fields, *keys: str) -> tuple[float, ...]:
    return tuple(number(key, fields[key]) for key in keys)


def kind_number(fields: Fields) -> float:
    kind = fields["kind"]
    if kind not in KINDS:
        raise LineError(f"there is no kind of segment {json.dumps(kind)[:40]}; there are {', '.join(KINDS)}")
    return float(KINDS.index(kind))


def graph_and_moves(fields: Fields) -> tuple[float, ...]:
    """`graph`, by default that of an engine without captured graphs; then `preempted` and `swapped in`."""
    graph, *moves = numbers(fields, "graph", "preempted", "swapped_in")
    if graph != graph:
        graph = float(EAGER if fields["decodes"] else NO_DECODE)
    return (graph, *moves)


def with_outputs(requests: FloatArray, emissions: FloatArray) -> FloatArray:
    """The table `requests`, where NaN stands for an output and a first token that are to be taken from the tokens."""
    requests = requests.copy()
    order = np.lexsort((emissions[:, 1], emissions[:, 0]))
    who, at, count = np.unique(emissions[order, 0], return_index=True, return_counts=True)
    place = np.searchsorted(who, requests[:, 0])
    found = np.flatnonzero(place < len(who))
    found = found[who[place[found]] == requests[found, 0]]
    output, first = np.zeros(len(requests)), np.full(len(requests), nan)
    output[found] = count[place[found]]
    first[found] = emissions[order[at[place[found]]], 1]
    requests[:, 3] = np.where(np.isnan(requests[:, 3]), output, requests[:, 3])
    requests[:, 4] = np.where(np.isnan(requests[:, 4]), first, requests[:, 4])
    return requests
