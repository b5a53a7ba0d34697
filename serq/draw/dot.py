"""DOT source of a picture, made with the `graphviz` package.

In: a `Picture` and a style. Out: text, the same for the same picture: nodes in the order of the program, under names
made from the program's.
"""

from __future__ import annotations

from collections.abc import Iterable

from graphviz import Digraph

from serq.draw.boxes import DOUBLE, Boxes
from serq.draw.labels import escape, font, wrap
from serq.draw.metrics import text_width
from serq.draw.model import Card, Frame, Link, Picture, Tie, Unit, Way
from serq.draw.style import FONT, LARGE, SIZE, SMALL, Style

NOTES, GAP = 620.0, font(" " * 4, size=SIZE)
"""Points that a line of notes has, and what stands between two of them."""


def dot_source(picture: Picture, style: Style) -> str:
    """The DOT source of a picture."""
    return _Writer(picture, style).write()


class _Writer:
    def __init__(self, picture: Picture, style: Style) -> None:
        self.picture = picture
        self.style = style
        self.boxes = Boxes(style)
        self.cards = {card.id: card for card in picture.cards}
        self.units = {unit.id: unit for unit in picture.units}
        self.cards_in: dict[str, list[Card]] = {frame.id: [] for frame in picture.frames}
        self.units_in: dict[str, list[Unit]] = {frame.id: [] for frame in picture.frames}
        for card in picture.cards:
            if card.frame is not None:
                self.cards_in[card.frame].append(card)
        for unit in picture.units:
            self.units_in[unit.frame].append(unit)
        self.frames = {frame.id: frame for frame in picture.frames}
        self.ways = {
            "next": {"weight": "8"},
            "back": {"style": "dashed", "color": style.back},
            "leg": {"color": style.leg},
            "request": {"penwidth": "2", "minlen": "0"},
            "response": {"penwidth": "2", "constraint": "false"},
        }

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
                "outputorder": "edgesfirst",
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
        self.lane(graph, "client", style.client, style.client_line)
        self.lane(graph, "server", style.server, style.server_line)
        for i, way in enumerate(self.picture.ways):
            self.way(graph, way, label_name(i))
        for tie in first_ties(tie for tie in self.picture.ties if self.near(tie)):
            self.tie(graph, tie)
        for frame in self.picture.frames:
            self.level(graph, frame)
        for link in self.picture.links:
            self.link(graph, link)
        if self.picture.notes:
            graph.attr(label=self.notes())
        return str(graph.source)

    def notes(self) -> str:
        """The notes, as many to a line as have room."""
        lines: list[str] = []
        rest = 0.0
        for note in self.picture.notes:
            for part in wrap(note, NOTES):
                width = text_width(part, SIZE) + 20
                if width > rest:
                    lines.append("")
                    rest = NOTES
                rest -= width
                lines[-1] += f"{GAP if lines[-1] else ''}{escape(part.strip())}"
        text = "".join(f'{line}<BR ALIGN="LEFT"/>' for line in lines)
        return f"<{font(text, colour=self.style.quiet, size=SMALL)}>"

    # ------------------------------------------------------------ lanes and frames

    def lane(self, graph: Digraph, lane: str, fill: str, line: str) -> None:
        cards = [card for card in self.picture.cards if card.lane == lane]
        frames = [frame for frame in self.picture.frames if frame.lane == lane]
        if not cards and not frames:
            return
        with graph.subgraph(name=f"cluster_{lane}") as inner:
            title = font(lane, bold=True, size=LARGE, colour=self.style.quiet)
            self.cluster(inner, f"<{title}>", fill, line, "1")
            for card in cards:
                if card.frame is None:
                    self.card(inner, card)
            for frame in frames:
                self.frame(inner, frame)
            self.labels(inner, lane)

    def cluster(self, graph: Digraph, label: str, fill: str, line: str, width: str) -> None:
        graph.attr(
            label=label,
            style="rounded,filled",
            fillcolor=fill,
            color=line,
            labelloc="t",
            labeljust="l",
            margin="10",
            penwidth=width,
        )

    def frame(self, graph: Digraph, frame: Frame) -> None:
        """A frame: a single node, a stack beside the cards, or a box around both."""
        cards, units = self.cards_in[frame.id], self.units_in[frame.id]
        if frame.kind == "own":
            rows = cards[0].rows if cards else ()
            self.node(graph, self.node_of(units[0]), self.boxes.unit(units[0], rows))
        elif frame.kind == "beside":
            for card in cards:
                self.card(graph, card)
            self.node(graph, frame.id, self.boxes.stack(frame, units))
        else:
            style, width = self.style, "1" if frame.count is None else f"{DOUBLE}"
            with graph.subgraph(name=f"cluster_{frame.id}") as inner:
                self.cluster(inner, "", style.frame, style.frame_line, width)
                for card in cards:
                    self.card(inner, card)
                self.node(inner, frame.id, self.boxes.stack(frame, units))
                self.labels(inner, frame.id)

    def level(self, graph: Digraph, frame: Frame) -> None:
        """Put the units of a frame to the right of the first card that uses them."""
        if frame.kind == "own":
            return
        units = {unit.id for unit in self.units_in[frame.id]}
        users = [card.id for card in self.cards_in[frame.id]]
        users += [
            tie.card for tie in self.picture.ties if tie.unit in units and self.cards[tie.card].lane == frame.lane
        ]
        if users:
            with graph.subgraph() as same:
                same.attr(rank="same")
                same.edge(users[0], frame.id, style="invis")

    def node(self, graph: Digraph, name: str, label: str, **settings: str) -> None:
        graph.node(name, label=f"<{label}>" if label else "", **settings)

    def card(self, graph: Digraph, card: Card) -> None:
        label, settings = self.boxes.card(card)
        self.node(graph, card.id, label, **settings)

    def node_of(self, unit: Unit) -> str:
        """The node that a unit is, or is in."""
        if self.frames[unit.frame].kind != "own":
            return unit.frame
        cards = self.cards_in[unit.frame]
        return cards[0].id if cards else unit.id

    def end_of(self, unit: Unit) -> str:
        """Where an edge to a unit ends."""
        node = self.node_of(unit)
        return f"{node}:{unit.id}" if node == unit.frame else node

    # ------------------------------------------------------------ edges

    def way(self, graph: Digraph, way: Way, name: str) -> None:
        settings = self.ways[way.kind]
        if not way.label:
            graph.edge(way.tail, way.head, **settings)
            return
        graph.edge(way.tail, name, arrowhead="none", **settings)
        graph.edge(name, way.head, **settings)

    def labels(self, graph: Digraph, place: str) -> None:
        """The labels of the ways inside a frame, or of a lane's others.

        A label is a node on its way: so nothing is laid over it, and it lies over nothing.
        """
        for i, way in enumerate(self.picture.ways):
            if way.label and self.around(way) == place:
                colour = self.ways[way.kind].get("color", self.style.ink)
                self.node(graph, label_name(i), self.boxes.label(way.label, colour))

    def around(self, way: Way) -> str:
        """The frame that holds both ends of a way, or their lane."""
        tail, head = self.cards[way.tail], self.cards[way.head]
        if tail.frame is not None and tail.frame == head.frame and self.frames[tail.frame].kind in ("device", "queue"):
            return tail.frame
        return tail.lane

    def near(self, tie: Tie) -> bool:
        """Whether a card may be joined to a unit by a line: it is in the same frame, or the unit is in none."""
        unit, frame = self.units[tie.unit], self.cards[tie.card].frame
        if self.node_of(unit) == tie.card:
            return False
        return frame == unit.frame or self.frames[unit.frame].kind in ("own", "beside")

    def tie(self, graph: Digraph, tie: Tie) -> None:
        settings = {"style": "dotted", "color": self.style.tie, "arrowhead": "none", "penwidth": "1.4"}
        graph.edge(tie.card, self.end_of(self.units[tie.unit]), constraint="false", **settings)

    def link(self, graph: Digraph, link: Link) -> None:
        tail, head = self.units[link.tail], self.units[link.head]
        if self.node_of(tail) == self.node_of(head):
            return
        colour = self.style.copy if link.kind == "copy" else self.style.tie
        side = ":e" if self.leads(tail.frame, head.frame) else ""
        placed = all(self.cards_in[unit.frame] or self.frames[unit.frame].kind == "beside" for unit in (tail, head))
        settings = {"color": colour, "penwidth": "1.6", "weight": "0", **({"constraint": "false"} if placed else {})}
        graph.edge(self.end_of(tail) + side, self.end_of(head) + side, **settings)

    def leads(self, tail: str, head: str) -> bool:
        """Whether requests come through one frame and then to the other, which is below it: both stack their units."""
        if "own" in (self.frames[tail].kind, self.frames[head].kind):
            return False
        after = {card.id for card in self.cards_in[tail]}
        first = self.cards_in[head][0].id if self.cards_in[head] else ""
        ways = [way for way in self.picture.ways if way.kind in ("next", "leg")]
        found = -1
        while found != len(after):
            found = len(after)
            after |= {way.head for way in ways if way.tail in after}
        return first in after


def first_ties(ties: Iterable[Tie]) -> list[Tie]:
    """Each unit's first: it stands beside this card. Lines to the others would cross the picture, and they name it."""
    first: dict[str, Tie] = {}
    for tie in ties:
        first.setdefault(tie.unit, tie)
    return list(first.values())


def label_name(way: int) -> str:
    """The node of a way's label, by the way's number."""
    return f"way_{way + 1}"
