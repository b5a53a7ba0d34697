"""A laid-out drawing: shapes and texts with their places, read from what Graphviz writes as JSON.

In: the JSON of `dot -Tjson`, whose drawing operations follow the xdot format (Graphviz documentation, output formats,
"xdot"). Out: a `Drawing`, from which SVG and PDF are written. Places are in points, from the upper left corner.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from serq.draw.metrics import text_width
from serq.draw.style import SIZE

MARGIN = 12.0
"""Points around the drawing."""

Point: TypeAlias = tuple[float, float]
DASHES = {"dashed": (5.0, 3.0), "dotted": (1.0, 3.0)}


class Pen(NamedTuple):
    """How a shape is drawn.

    Attributes:
        line, fill: colours as `#rrggbb`, or None for none.
        dash: lengths drawn and left out; empty for a solid line.
    """

    line: str | None
    fill: str | None
    width: float
    dash: tuple[float, ...]


class Curve(NamedTuple):
    """Cubic curves: the first point, then two controls and an end for each."""

    points: tuple[Point, ...]
    pen: Pen


class Polygon(NamedTuple):
    """Straight lines; closed unless it is a `line`."""

    points: tuple[Point, ...]
    closed: bool
    pen: Pen


class Ellipse(NamedTuple):
    centre: Point
    radii: Point
    pen: Pen


class Text(NamedTuple):
    """A piece of text on its baseline, from `left` on, `width` points wide."""

    left: Point
    width: float
    text: str
    size: float
    bold: bool
    colour: str


Shape: TypeAlias = Curve | Polygon | Ellipse | Text


class Group(NamedTuple):
    """What belongs to a node, an edge or a frame."""

    kind: str
    name: str
    shapes: tuple[Shape, ...]


class Drawing(NamedTuple):
    width: float
    height: float
    groups: tuple[Group, ...]


def read_layout(text: str) -> Drawing:
    """The drawing that Graphviz laid out.

    Raises:
        ValueError: the text is no such JSON.
    """
    graph = json.loads(text)
    if not isinstance(graph, dict) or "bb" not in graph:
        raise ValueError("no layout in it")
    left, bottom, right, top = [float(value) for value in graph["bb"].split(",")]
    reader = _Reader(left - MARGIN, top + MARGIN)
    objects, edges = graph.get("objects", []), graph.get("edges", [])
    frames = [reader.group("frame", thing["name"], thing) for thing in objects if "nodes" in thing or "bb" in thing]
    ways = [reader.group("way", name, edge) for name, edge in zip(names_of(edges, objects), edges, strict=True)]
    nodes = [reader.group("node", thing["name"], thing) for thing in objects if "nodes" not in thing]
    label = Group("notes", "notes", tuple(reader.shapes(graph.get("_ldraw_", []))))
    groups = [group for group in (*frames, *ways, *nodes, label) if group.shapes]
    return Drawing(right - left + 2 * MARGIN, top - bottom + 2 * MARGIN, tuple(groups))


def names_of(edges: list[dict[str, Any]], objects: list[dict[str, Any]]) -> list[str]:
    """A name for each edge, of those of its ends; the second between the same two has a number."""
    names = {thing["_gvid"]: thing["name"] for thing in objects if "_gvid" in thing}
    found: list[str] = []
    times: Counter[str] = Counter()
    for edge in edges:
        name = f"{names[edge['tail']]}-{names[edge['head']]}"
        times[name] += 1
        found.append(name if times[name] == 1 else f"{name}-{times[name]}")
    return found


class _Reader:
    """Reads drawing operations; `left` and `top` are where the drawing begins, in Graphviz's places."""

    def __init__(self, left: float, top: float) -> None:
        self.left = left
        self.top = top

    def group(self, kind: str, name: str, thing: dict[str, Any]) -> Group:
        parts = ("_draw_", "_tdraw_", "_hdraw_", "_ldraw_", "_tldraw_", "_hldraw_")
        return Group(kind, name, tuple([shape for part in parts for shape in self.shapes(thing.get(part, []))]))

    def point(self, place: list[float]) -> Point:
        return round(place[0] - self.left, 2), round(self.top - place[1], 2)

    def shapes(self, operations: list[dict[str, Any]]) -> Iterator[Shape]:
        line: str | None = "#000000"
        fill: str | None = None
        dash: tuple[float, ...] = ()
        width, size, bold = 1.0, float(SIZE), False
        for operation in operations:
            kind = operation["op"]
            pen = Pen(line, fill if kind in "BPE" else None, width, dash)
            match kind:
                case "c":
                    line = colour(operation)
                case "C":
                    fill = colour(operation)
                case "S":
                    style = operation["style"]
                    if style.startswith("setlinewidth("):
                        width = float(style[13:-1])
                    else:
                        dash = DASHES.get(style, ())
                case "F":
                    size = float(operation["size"])
                case "t":
                    bold = bool(int(operation["fontchar"]) & 1)
                case "b" | "B":
                    yield Curve(tuple([self.point(p) for p in operation["points"]]), pen)
                case "p" | "P" | "L":
                    yield Polygon(tuple([self.point(p) for p in operation["points"]]), kind != "L", pen)
                case "e" | "E":
                    x, y, rx, ry = operation["rect"]
                    yield Ellipse(self.point([x, y]), (rx, ry), pen)
                case "T":
                    x, y = self.point(operation["pt"])
                    wide = float(operation["width"])
                    start = x - wide * {"l": 0.0, "c": 0.5, "r": 1.0}[operation["align"]]
                    if operation["text"].strip():
                        yield indented(Text((start, y), wide, operation["text"], size, bold, line or "#000000"))


def indented(text: Text) -> Text:
    """The text from its first letter on: viewers of SVG leave out the blanks before it."""
    rest = text.text.lstrip(" ")
    whole = text_width(text.text, text.size, text.bold)
    blank = text.width * text_width(text.text[: len(text.text) - len(rest)], text.size, text.bold) / whole
    return text._replace(text=rest, left=(round(text.left[0] + blank, 2), text.left[1]), width=text.width - blank)


def colour(operation: dict[str, Any]) -> str | None:
    """A colour, or None if it is transparent."""
    text = str(operation.get("color", "#000000"))
    return None if len(text) == 9 and text.endswith("00") else text[:7]
