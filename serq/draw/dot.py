"""DOT source of a picture, made with the `graphviz` package.

In: a `Picture` and a style. Out: text, the same for the same picture: nodes in the order of the program, under names
made from the program's.
"""

from __future__ import annotations

from graphviz import Digraph

from serq.draw.labels import escape, font, heading, paragraph, row, stack, table, wrap
from serq.draw.model import Card, Frame, Link, Picture, Unit, Way
from serq.draw.style import FONT, LARGE, SIZE, SMALL, Style

KINDS = {"fifo": "fifo", "ps": "processor sharing", "delay": "delay", "engine": "engine", "pool": "pool"}
"""What a unit is called beside its name."""
TITLES = {"request": "request", "response": "response", "end": "session ends", "fork": "fork", "join": "join: all legs"}
"""Texts of cards without one of their own."""


def dot_source(picture: Picture, style: Style) -> str:
    """The DOT source of a picture."""
    return _Writer(picture, style).write()


class _Writer:
    def __init__(self, picture: Picture, style: Style) -> None:
        self.picture = picture
        self.style = style
        self.cards = {card.id: card for card in picture.cards}
        self.cards_in: dict[str, list[Card]] = {frame.id: [] for frame in picture.frames}
        self.units_in: dict[str, list[Unit]] = {frame.id: [] for frame in picture.frames}
        for card in picture.cards:
            if card.frame is not None:
                self.cards_in[card.frame].append(card)
        for unit in picture.units:
            self.units_in[unit.frame].append(unit)
        self.frames = {frame.id: frame for frame in picture.frames}

    def write(self) -> str:
        style = self.style
        graph = Digraph(
            "serq",
            graph_attr={
                "rankdir": "TB",
                "bgcolor": style.page,
                "color": style.line,
                "fontcolor": style.ink,
                "fontname": FONT,
                "fontsize": f"{SIZE}",
                "nodesep": "0.35",
                "ranksep": "0.4",
                "pad": "0.2",
                "newrank": "true",
                "labelloc": "b",
                "labeljust": "l",
            },
            node_attr={
                "shape": "plain",
                "color": style.line,
                "fontcolor": style.ink,
                "fontname": FONT,
                "fontsize": f"{SIZE}",
            },
            edge_attr={
                "color": style.way,
                "fontcolor": style.ink,
                "fontname": FONT,
                "fontsize": f"{SMALL}",
                "arrowsize": "0.7",
            },
        )
        self.lane(graph, "client", "client", style.client, style.client_line)
        self.lane(graph, "server", "server", style.server, style.server_line)
        for way in self.picture.ways:
            self.way(graph, way)
        for tie in self.picture.ties:
            self.tie(graph, tie.card, tie.unit)
        for link in self.picture.links:
            self.link(graph, link)
        if self.picture.notes:
            graph.attr(label=self.notes())
        return str(graph.source)

    def notes(self) -> str:
        lines: list[str] = []
        for note in self.picture.notes:
            lines += wrap(note, 110) if not lines or len(lines[-1]) + len(note) > 100 else []
            if lines[-1] not in wrap(note, 110):
                lines[-1] += f"    {note}"
        return f"<{font(paragraph(lines, 130), colour=self.style.quiet, size=SMALL)}>"

    # ------------------------------------------------------------ lanes and frames

    def lane(self, graph: Digraph, lane: str, title: str, fill: str, line: str) -> None:
        cards = [card for card in self.picture.cards if card.lane == lane]
        frames = [frame for frame in self.picture.frames if frame.lane == lane]
        if not cards and not frames:
            return
        with graph.subgraph(name=f"cluster_{lane}") as inner:
            self.cluster(inner, f"<{font(title, bold=True, size=LARGE, colour=self.style.quiet)}>", fill, line)
            for card in cards:
                if card.frame is None:
                    self.card(inner, card)
            for frame in frames:
                self.frame(inner, frame)

    def cluster(self, graph: Digraph, label: str, fill: str, line: str, doubled: bool = False) -> None:
        graph.attr(
            label=label,
            style="rounded,filled",
            fillcolor=fill,
            color=line,
            labelloc="t",
            labeljust="l",
            margin="10",
            penwidth="2.4" if doubled else "1",
        )

    def frame(self, graph: Digraph, frame: Frame) -> None:
        cards, units = self.cards_in[frame.id], self.units_in[frame.id]
        if self.merged(frame):
            self.node(graph, self.node_of_unit(units[0]), self.own(units[0], cards))
            return
        with graph.subgraph(name=f"cluster_{frame.id}") as inner:
            label = self.frame_label(frame) if frame.kind != "own" else ""
            self.cluster(inner, label, self.style.frame, self.style.frame_line, frame.count is not None)
            for card in cards:
                self.card(inner, card)
            self.node(inner, frame.id, stack([(unit.id, self.unit(unit)) for unit in units]))
            if cards:
                with inner.subgraph() as same:
                    same.attr(rank="same")
                    same.node(cards[0].id)
                    same.node(frame.id)

    def merged(self, frame: Frame) -> bool:
        """Whether a frame is drawn as a single node: its only unit, with what happens there."""
        return frame.kind == "own" and len(self.units_in[frame.id]) == 1 and len(self.cards_in[frame.id]) <= 1

    def frame_label(self, frame: Frame) -> str:
        style = self.style
        count = "" if frame.count is None else f" × {frame.count}"
        note = font(escape(frame.note), colour=style.quiet, size=SMALL)
        lines = [f"{note}&#160; {font(escape(frame.title + count), bold=True, size=LARGE)}"]
        for fact in frame.facts:
            lines.append(font(escape(f"{fact.verb} = {fact.lines[0]}"), size=SMALL))
        cells = "".join(f'<TR><TD ALIGN="LEFT">{line}</TD></TR>' for line in lines)
        return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1">{cells}</TABLE>>'

    # ------------------------------------------------------------ nodes

    def node(self, graph: Digraph, name: str, label: str, **settings: str) -> None:
        graph.node(name, label=f"<{label}>", **settings)

    def card(self, graph: Digraph, card: Card) -> None:
        style = self.style
        text = font(escape(card.title or TITLES.get(card.kind, "")))
        match card.kind:
            case "steps":
                self.node(graph, card.id, table(self.rows(card), line=style.line, fill=style.card))
            case "arrivals":
                head = heading("", "sessions arrive", style, style.pill)
                whole = f'<TR><TD COLSPAN="2" ALIGN="LEFT" BALIGN="LEFT">{paragraph(card.title.splitlines())}</TD></TR>'
                self.node(graph, card.id, table([head, whole, *self.rows(card)], line=style.line, fill=style.card))
            case "route":
                head = heading(card.title, "routing", style, style.choice)
                self.node(graph, card.id, table([head, *self.rows(card)], line=style.choice_line, fill=style.card))
            case "decision":
                label = paragraph(wrap(card.title, 34))
                shape = {"shape": "hexagon", "style": "filled", "fillcolor": style.choice, "color": style.choice_line}
                self.node(graph, card.id, label, margin="0.02,0.04", **shape)
            case "chance":
                shape = {"shape": "diamond", "style": "filled", "fillcolor": style.choice, "color": style.choice_line}
                graph.node(card.id, label="", width="0.3", height="0.3", **shape)
            case _:
                shape = {"shape": "box", "style": "rounded,filled", "fillcolor": style.pill, "color": style.line}
                self.node(graph, card.id, text, margin="0.12,0.04", height="0.25", width="0.3", **shape)

    def rows(self, card: Card) -> list[str]:
        return [row(step, self.style) for step in card.rows]

    def colours(self, unit: Unit) -> tuple[str, str]:
        """Fill and line of a kind of unit."""
        style = self.style
        match unit.kind:
            case "engine":
                return style.engine, style.engine_line
            case "pool":
                return style.pool, style.pool_line
        return style.stage, style.stage_line

    def unit_rows(self, unit: Unit) -> list[str]:
        fill = self.colours(unit)[0]
        count = "" if unit.count is None else f" × {unit.count}"
        rows = [heading(unit.title + count, KINDS[unit.kind], self.style, fill)]
        for fact in unit.facts:
            rows.append(row(fact, self.style, fill=self.style.cache if fact.verb == "evicts" and unit.caches else None))
        return rows

    def unit(self, unit: Unit) -> str:
        return table(self.unit_rows(unit), line=self.colours(unit)[1], fill=self.style.card)

    def own(self, unit: Unit, cards: list[Card]) -> str:
        """A unit that stands for itself, with the steps that happen there."""
        rows = self.unit_rows(unit)
        if cards and cards[0].rows:
            rows += ["<HR/>", *self.rows(cards[0])] if unit.facts else self.rows(cards[0])
        return table(rows, line=self.colours(unit)[1], fill=self.style.card)

    def node_of_unit(self, unit: Unit) -> str:
        """The node that a unit is, or is in."""
        frame = self.frames[unit.frame]
        if not self.merged(frame):
            return frame.id
        cards = self.cards_in[frame.id]
        return cards[0].id if cards else unit.id

    def end_of_unit(self, unit: Unit) -> str:
        node = self.node_of_unit(unit)
        return f"{node}:{unit.id}" if node == unit.frame else node

    # ------------------------------------------------------------ edges

    def way(self, graph: Digraph, way: Way) -> None:
        style = self.style
        settings: dict[str, str] = {}
        match way.kind:
            case "next":
                settings = {"weight": "8"}
            case "back":
                settings = {"style": "dashed", "color": style.back, "fontcolor": style.back}
            case "leg":
                settings = {"color": style.leg, "fontcolor": style.leg}
            case "request":
                settings = {"penwidth": "2", "minlen": "0", "weight": "1"}
            case "response":
                settings = {"penwidth": "2", "constraint": "false"}
        if way.label:
            settings["label"] = f"<{paragraph(wrap(way.label, 30))}>"
        graph.edge(way.tail, way.head, **settings)

    def tie(self, graph: Digraph, card: str, unit_id: str) -> None:
        unit = next(unit for unit in self.picture.units if unit.id == unit_id)
        if self.node_of_unit(unit) == card:
            return
        settings = {"style": "dotted", "color": self.style.tie, "arrowhead": "none", "penwidth": "1.4"}
        if self.cards[card].frame != unit.frame:
            settings["constraint"] = "false"
        graph.edge(card, self.end_of_unit(unit), **settings)

    def link(self, graph: Digraph, link: Link) -> None:
        units = {unit.id: unit for unit in self.picture.units}
        colour = self.style.copy if link.kind == "copy" else self.style.tie
        settings = {"color": colour, "penwidth": "1.6", "weight": "0"}
        if link.label:
            settings |= {"label": f"<{escape(link.label)}>", "fontcolor": colour}
        graph.edge(self.end_of_unit(units[link.tail]), self.end_of_unit(units[link.head]), **settings)
