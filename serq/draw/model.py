"""The model of a picture: what is shown, before anything is laid out.

A picture has two lanes. The client's shows a session: how it arrives, its turns, tool calls, loops, its end. The
server's shows a request from the moment a turn sends it to its response.

- A *card* is a straight stretch of statements at one place, a row each, or a single thing such as a decision.
- A *way* leads from one card to the next.
- A *unit* is a pool, a stage or an engine, or a family of them, with what is declared of it.
- A *frame* holds what belongs together: a device or a queue with its units, and the cards that happen there. A pool or
  stage of its own has a frame to itself.
- A *tie* joins a card to a unit that it uses elsewhere, a *link* two units.

Everything is immutable and in the order of the program; identifiers are letters, digits and `_`.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One step: a word for it, and the rest of it in lines that are not yet wrapped."""

    verb: str
    lines: tuple[str, ...]


class Card(NamedTuple):
    """A node of the flow.

    Attributes:
        kind: `steps`, or a single thing: `arrivals`, `request`, `response`, `end`, `decision`, `chance`, `route`,
            `fork`, `join`.
        lane: `client` or `server`.
        frame: where it happens, or None: at no place of its own.
        title: its text if it is no card of steps.
    """

    id: str
    kind: str
    lane: str
    frame: str | None
    title: str
    rows: tuple[Row, ...]


class Way(NamedTuple):
    """From one card to another.

    Attributes:
        kind: `next`; `back`, of a loop; `leg`, of a fork; `request` and `response`, between the server and the first
            turn that calls it.
    """

    tail: str
    head: str
    kind: str
    label: str


class Unit(NamedTuple):
    """A pool, a stage or an engine, or a family of them.

    Attributes:
        kind: `pool`, `fifo`, `ps`, `delay` or `engine`.
        base: number of its first member among the pools or the stages of the representation.
        count: members of the family; None if it is none.
        title: name within its frame.
        facts: what is declared of it, one a row.
        caches: whether requests leave prefixes cached in this pool.
    """

    id: str
    kind: str
    base: int
    count: int | None  # type: ignore[assignment]
    frame: str
    title: str
    facts: tuple[Row, ...]
    caches: bool


class Frame(NamedTuple):
    """What belongs together.

    Attributes:
        kind: `device`; `queue`; `own` for a pool or a stage at which one card happens, or none; `beside` for all the
            others, which stand beside the cards that use them.
        lane: the lane it is drawn in.
        title, note: its name, and what it is in smaller type.
        count: members, if it is a family of frames.
        facts: its time functions.
    """

    id: str
    kind: str
    lane: str
    title: str
    note: str
    count: int | None  # type: ignore[assignment]
    facts: tuple[Row, ...]


class Tie(NamedTuple):
    """A card uses a unit: `takes` it, or something else of it."""

    card: str
    unit: str


class Link(NamedTuple):
    """From unit to unit: `spill`, of evicted prefixes; `copy`, of a transfer between pools."""

    tail: str
    head: str
    kind: str


class Picture(NamedTuple):
    """The whole.

    Attributes:
        notes: constants and definitions that the picture's texts speak of, as `name = value`.
    """

    cards: tuple[Card, ...]
    ways: tuple[Way, ...]
    units: tuple[Unit, ...]
    frames: tuple[Frame, ...]
    ties: tuple[Tie, ...]
    links: tuple[Link, ...]
    notes: tuple[str, ...]
