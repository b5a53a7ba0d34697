"""What the picture of a program says, without a layout."""

from __future__ import annotations

import serq
from serq.draw.model import Card, Picture, Unit
from serq.drawing import pictured, source_of


def picture(text: str, **settings: object) -> Picture:
    """The picture of a program; statements of a workload or a server alone are put into one."""
    return pictured(serq.compile(source=text, horizon=1, **settings), False)  # type: ignore[arg-type]


def dot(text: str) -> str:
    return source_of(picture(text), "light")


def facts(shown: Picture, title: str) -> dict[str, tuple[str, ...]]:
    """What is told of the unit with this title: the lines of each word (of a word told twice, all)."""
    found: dict[str, tuple[str, ...]] = {}
    for row in unit(shown, title).facts:
        found[row.verb] = (*found.get(row.verb, ()), *row.lines)
    return found


def unit(shown: Picture, title: str) -> Unit:
    (found,) = [one for one in shown.units if one.title == title]
    return found


def steps(shown: Picture, lane: str) -> list[list[str]]:
    """The cards of steps of a lane: for each its rows, as `word: line / line`."""
    cards = [card for card in shown.cards if card.lane == lane and card.kind == "steps"]
    return [rows(card) for card in cards]


def rows(card: Card) -> list[str]:
    return [f"{row.verb}: {' / '.join(row.lines)}" for row in card.rows]


def ways(shown: Picture) -> list[tuple[str, str, str, str]]:
    """The ways between cards, told by their kinds or first rows: from, to, kind, label."""
    named = {card.id: rows(card)[0] if card.kind == "steps" else card.title or card.kind for card in shown.cards}
    return [(named[way.tail], named[way.head], way.kind, way.label) for way in shown.ways]
