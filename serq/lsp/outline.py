"""The outline of a program: what it declares, one within the other, and what an editor can fold."""

from __future__ import annotations

from serq.lsp.recover import Reading
from serq.record import Record
from serq.source import Span

NAMED = {
    "let": "constant",
    "def": "definition",
    "device": "device",
    "time_resource": "time resource",
    "capacity": "capacity",
    "engine": "engine",
    "queue_engine": "engine",
    "request": "request",
    "schedule": "schedule",
    "state": "register",
    "pool": "pool",
    "stage": "stage",
    "queue": "queue",
    "entry": "entry",
    "workload": "workload",
    "init": "block",
    "turn_block": "block",
    "session": "block",
    "server": "server",
    "gauge": "gauge",
    "claim": "claim",
}
"""The rules of the grammar that an outline shows, and what it calls them."""

FIRST = (
    "time_resource",
    "capacity",
    "entry",
    "request",
    "schedule",
    "workload",
    "init",
    "turn_block",
    "session",
    "server",
)
"""Those that are called by their first word; the others by their second."""


class Entry(Record):
    """An item of the outline.

    Attributes:
        name: what it is called.
        kind: what it is.
        whole: its text.
        word: its name in it.
        inner: what is within it.
    """

    name: str
    kind: str
    whole: Span
    word: Span
    inner: list[Entry]


def outline(reading: Reading) -> list[Entry]:
    """What the program declares, in the order of the text."""
    tokens = reading.concrete.tokens
    waiting: list[Entry] = []
    for part in reading.concrete.parts:
        if part.rule not in NAMED:
            continue
        at = part.first if part.rule in FIRST else min(part.first + 1, part.last - 1)
        whole = Span(tokens.starts[part.first], tokens.ends[part.last - 1])
        inner: list[Entry] = []
        while waiting and waiting[-1].whole.start >= whole.start:
            inner.insert(0, waiting.pop())
        name = reading.text[slice(*tokens.span(at))]
        if part.rule == "queue_engine":
            name, at = "engine", part.first
        waiting.append(Entry(name, NAMED[part.rule], whole, tokens.span(at), inner))
    return waiting


def folds(reading: Reading) -> list[Span]:
    """The braces that stand on several lines, opening and closing one included."""
    found, waiting = [], []
    tokens = reading.concrete.tokens
    for start, kind in zip(tokens.starts, tokens.kinds, strict=True):
        if kind == "{":
            waiting.append(start)
        elif kind == "}" and waiting:
            opener = waiting.pop()
            if "\n" in reading.text[opener:start]:
                found.append(Span(opener, start + 1))
    return sorted(found)
