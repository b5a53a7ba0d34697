"""Boxes: what a card, a unit or a frame's title looks like, as Graphviz labels and shapes."""

from __future__ import annotations

from collections.abc import Sequence

from serq.draw.labels import (
    APART,
    RULE,
    beneath,
    escape,
    font,
    heading,
    heading_width,
    paragraph,
    paragraph_width,
    row,
    stack,
    table,
)
from serq.draw.model import Card, Frame, Row, Unit
from serq.draw.style import LARGE, SIZE, SMALL, Style
from serq.draw.units import CACHE

KINDS = {"fifo": "fifo", "ps": "processor sharing", "delay": "delay", "engine": "engine", "pool": "pool"}
"""What a unit is called beside its name."""
TITLES = {"request": "request", "response": "response", "end": "session ends", "fork": "fork", "join": "join: all legs"}
"""Texts of cards without one of their own."""
NARROW = 190.0
"""Points that a line of a decision has."""
COLUMN = 5
"""Units in a column of a stack, before it begins another."""
DOUBLE = 2.4
"""Width of the border of what stands for several."""


class Boxes:
    """Makes boxes in one style; each is a label (in Graphviz's HTML-like form) and settings of the node."""

    def __init__(self, style: Style) -> None:
        self.style = style

    # ------------------------------------------------------------ cards

    def card(self, card: Card) -> tuple[str, dict[str, str]]:
        style = self.style
        match card.kind:
            case "steps":
                return table(self.rows(card.rows), line=style.line, fill=style.card), {}
            case "arrivals":
                law = card.title.splitlines()
                shown = f'<TR><TD COLSPAN="2" ALIGN="LEFT" BALIGN="LEFT">{paragraph(law)}</TD></TR>'
                columns = beneath(card.rows, max(heading_width("sessions", "arrive"), paragraph_width(law)))
                rows = [heading("sessions", "arrive", style), shown, *self.rows(card.rows, columns)]
                return table(rows, line=style.line, fill=style.pill), {}
            case "route":
                columns = beneath(card.rows, heading_width(card.title, "routing"))
                rows = [heading(card.title, "routing", style), *self.rows(card.rows, columns)]
                return table(rows, line=style.choice_line, fill=style.choice), {}
            case "decision":
                return paragraph([card.title], NARROW), {**self.choice("hexagon"), "margin": "0.02,0.04"}
            case "chance":
                return "", {**self.choice("diamond"), "width": "0.3", "height": "0.3"}
        shape = {"shape": "box", "style": "rounded,filled", "fillcolor": style.pill, "color": style.line}
        size = {"margin": "0.12,0.04", "height": "0.25", "width": "0.3"}
        return escape(card.title or TITLES[card.kind]), {**shape, **size}

    def choice(self, shape: str) -> dict[str, str]:
        style = self.style
        return {"shape": shape, "style": "filled", "fillcolor": style.choice, "color": style.choice_line}

    def rows(self, rows: Sequence[Row], columns: tuple[float, float] = (0, 0)) -> list[str]:
        fills = [self.style.cache if step.verb == CACHE else None for step in rows]
        return [row(step, self.style, fill, columns) for step, fill in zip(rows, fills, strict=True)]

    def label(self, text: str, colour: str) -> str:
        """What is written on a way."""
        shown = font(paragraph([text], NARROW), colour=colour, size=SMALL)
        return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="3"><TR><TD>{shown}</TD></TR></TABLE>'

    # ------------------------------------------------------------ units

    def unit(self, unit: Unit, rows: Sequence[Row] = (), columns: tuple[float, float] | None = None) -> str:
        """A unit, with the steps that happen there; `columns` are the widths that units of a stack have together."""
        style = self.style
        fill, line = {"engine": (style.engine, style.engine_line), "pool": (style.pool, style.pool_line)}.get(
            unit.kind, (style.stage, style.stage_line)
        )
        columns = columns or beneath((*unit.facts, *rows), heading_width(named(unit), KINDS[unit.kind]))
        parts = [heading(named(unit), KINDS[unit.kind], style), *self.rows(unit.facts, columns)]
        if rows:
            parts += [RULE, *self.rows(rows, columns)]
        return table(parts, line=line, fill=fill, width=DOUBLE if unit.count is not None else 1)

    def stack(self, frame: Frame, units: Sequence[Unit]) -> str:
        """The units of a frame below one another, under its title if it has one."""
        wide = max(heading_width(named(unit), KINDS[unit.kind]) for unit in units)
        columns = beneath([fact for unit in units for fact in unit.facts], wide)
        cells = [(unit.id, self.unit(unit, columns=columns)) for unit in units]
        title = [("", self.title(frame))] if frame.kind in ("device", "queue") else []
        parts = [cells[i : i + COLUMN] for i in range(0, len(cells), COLUMN)]
        return stack([title + parts[0], *parts[1:]])

    def title(self, frame: Frame) -> str:
        """A frame's title, and the time functions of its device."""
        style = self.style
        count = "" if frame.count is None else f" × {frame.count}"
        note = font(escape(frame.note), colour=style.quiet, size=SMALL)
        cells = (
            f'<TR><TD ALIGN="LEFT">{font(escape(frame.title + count), bold=True, size=LARGE)}{APART}{note}</TD></TR>'
        )
        for fact in frame.facts:
            text = paragraph([f"{fact.verb} = {fact.lines[0]}"])
            cells += f'<TR><TD ALIGN="LEFT" BALIGN="LEFT">{font(text, size=SIZE)}</TD></TR>'
        return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2">{cells}</TABLE>'


def named(unit: Unit) -> str:
    """A unit's name, with the number of a family's members."""
    return unit.title if unit.count is None else f"{unit.title} × {unit.count}"
