"""What holds for the picture of every program: all is named once, nothing overlaps, every format says the same."""

from __future__ import annotations

import re
import xml.etree.ElementTree as Xml
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pytest

import serq
from serq.draw.layout import Curve, Drawing, Ellipse, Group, Point, Polygon, Text
from serq.draw.render import find_renderers, lay_out
from serq.draw.style import DARK, LARGE, LIGHT, Style
from serq.drawing import pictured, source_of

ROOT = Path(__file__).resolve().parents[2]
SHOWN = sorted([*ROOT.glob("examples/*.sq"), *ROOT.glob("docs/tutorial/programs/*.sq")])
CORPUS = [
    *[
        path.with_suffix(".sq")
        for path in sorted(ROOT.glob("tests/conformance/*/*.json"))
        if '"report"' in path.read_text()
    ],
    ROOT / "tests/syntax/stalls.sq",
]
"""The programs that run, of those with known figures; stalls wherever they may stand."""
SLACK = 1.0
"""Points by which boxes may touch: letters do not fill theirs."""

needs_graphviz = pytest.mark.skipif(not find_renderers(), reason="no Graphviz is found (`pip install 'serq[draw]'`)")


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


def stem(path: Path) -> str:
    return path.stem


@cache
def compiled(path: Path) -> serq.Program:
    return serq.compile(source=path.read_text(), horizon=1)


@cache
def laid_out(path: Path) -> Drawing:
    return lay_out(source_of(pictured(compiled(path), False), "light"), find_renderers())


def texts(group: Group) -> list[Text]:
    return [shape for shape in group.shapes if isinstance(shape, Text)]


def all_texts(drawing: Drawing) -> list[Text]:
    return [text for group in drawing.groups for text in texts(group)]


def box_of(text: Text) -> Box:
    """Where its letters are, from the line that capitals reach to the baseline."""
    x, y = text.left
    return Box(x, y - 0.7 * text.size, x + text.width, y)


def around(points: Sequence[Point]) -> Box:
    across, down = zip(*points, strict=True)
    return Box(min(across), min(down), max(across), max(down))


def outline(group: Group) -> Box | None:
    """What the shapes of a node or a frame fill; None for the label of a way, which has none."""
    drawn = [point for shape in group.shapes if isinstance(shape, Curve | Polygon) for point in shape.points]
    for shape in group.shapes:
        if isinstance(shape, Ellipse):
            (x, y), (rx, ry) = shape.centre, shape.radii
            drawn += [(x - rx, y - ry), (x + rx, y + ry)]
    return around(drawn) if drawn else None


def overlap(a: Box, b: Box) -> bool:
    wide = min(a.right, b.right) - max(a.left, b.left)
    high = min(a.bottom, b.bottom) - max(a.top, b.top)
    return wide > SLACK and high > SLACK


def inside(box: Box, room: Box) -> bool:
    across = room.left - SLACK <= box.left and box.right <= room.right + SLACK
    return across and room.top - SLACK <= box.top and box.bottom <= room.bottom + SLACK


# ---------------------------------------------------------------- places


@needs_graphviz
@pytest.mark.parametrize("path", SHOWN + CORPUS, ids=stem)
def test_places(path: Path) -> None:
    """No text lies over another or leaves its box or the page, and boxes lie beside each other or in their frames."""
    drawing = laid_out(path)
    page = Box(0, 0, drawing.width, drawing.height)
    words = [(text.text, box_of(text)) for text in all_texts(drawing)]
    assert words
    assert [(a, b) for (a, p), (b, q) in combinations(words, 2) if overlap(p, q)] == []
    assert [text for text, box in words if not inside(box, page)] == []
    nodes, frames = boxes(drawing, "node"), boxes(drawing, "frame")
    assert [(a, b) for (a, p), (b, q) in combinations(nodes.items(), 2) if overlap(p, q)] == []
    for group in drawing.groups:
        own = outline(group) if group.kind in ("node", "frame") else None
        if own is not None:
            # What is told of a device stands above its units, in its frame.
            rooms = (own, frames.get(f"cluster_{group.name}", own))
            assert [t.text for t in texts(group) if not any(inside(box_of(t), room) for room in rooms)] == []
    for (_, a), (_, b) in combinations(frames.items(), 2):
        assert not overlap(a, b) or inside(a, b) or inside(b, a)
    for box in nodes.values():
        assert [name for name, frame in frames.items() if overlap(box, frame) and not inside(box, frame)] == []


def boxes(drawing: Drawing, kind: str) -> dict[str, Box]:
    found = {group.name: outline(group) for group in drawing.groups if group.kind == kind}
    return {name: box for name, box in found.items() if box is not None}


@needs_graphviz
@pytest.mark.parametrize("path", SHOWN + CORPUS, ids=stem)
def test_ways(path: Path) -> None:
    """No way, tie or link runs over a box or a label that it does not lead to."""
    drawing = laid_out(path)
    nodes = {group.name: outline(group) or around(corners(group)) for group in drawing.groups if group.kind == "node"}
    for group in drawing.groups:
        if group.kind == "way":
            others = [(name, box) for name, box in nodes.items() if name not in group.name.split("-")]
            points = [point for shape in group.shapes if isinstance(shape, Curve) for point in along(shape)]
            assert [(group.name, name) for name, box in others if any(within(point, box) for point in points)] == []


def corners(group: Group) -> list[Point]:
    """Corners of the texts of a group without an outline."""
    boxes = [box_of(text) for text in texts(group)]
    return [point for box in boxes for point in ((box.left, box.top), (box.right, box.bottom))]


def along(curve: Curve) -> list[Point]:
    """Points on cubic curves."""
    found = []
    for i in range(0, len(curve.points) - 3, 3):
        a, b, c, d = curve.points[i : i + 4]
        for t in (k / 30 for k in range(31)):
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
            x, y = (sum(w * p[axis] for w, p in zip(weights, (a, b, c, d), strict=True)) for axis in (0, 1))
            found.append((x, y))
    return found


def within(point: Point, box: Box) -> bool:
    x, y = point
    return box.left + SLACK < x < box.right - SLACK and box.top + SLACK < y < box.bottom - SLACK


# ---------------------------------------------------------------- names


class Names(NamedTuple):
    """What a program calls its pools and stages, each family once.

    Attributes:
        queues: names of the queues, with the number of their members (None for a queue alone).
    """

    families: dict[str, int | None]
    queues: dict[str, int | None]


def names(program: serq.Program) -> Names:
    _, captions = program.captioned()
    roles = {} if captions is None else captions.roles
    families: dict[str, int | None] = {}
    for member in (*program.ir.stages, *program.ir.pools):
        families[member.name] = None if member.index is None else (families.get(member.name) or 0) + 1
    heads = {name.partition(".")[0]: count for name, count in families.items() if "." in name}
    return Names(families, heads | {name: count for name, count in families.items() if name in roles})


def titled(name: str, count: int | None) -> str:
    return name if count is None else f"{name} × {count}"


def titles(program: serq.Program) -> Counter[str]:
    """The titles that its picture should have."""
    families, queues = names(program)
    found = Counter(titled(name, count) for name, count in queues.items())
    for name, count in families.items():
        queue = name.partition(".")[0]
        found[name.removeprefix(f"{queue}.") if queue in queues else titled(name, count)] += 1
    _, captions = program.captioned()
    for device in () if captions is None else captions.devices:
        found[device.name] += device.engine not in queues
    return +found


@pytest.mark.parametrize("path", SHOWN + CORPUS, ids=stem)
def test_names(path: Path) -> None:
    """Every pool, stage, engine, queue and device is named once, a family with its size."""
    program = compiled(path)
    written = source_of(pictured(program, False), "light")
    bold = re.findall(rf'<FONT POINT-SIZE="{LARGE}"><B>(.*?)</B></FONT>', written)
    shown = Counter(title for title in bold if title != "sessions" and not title.startswith("choose "))
    assert shown == titles(program)
    assert ("sessions" in bold) == any("arrive" in row for row in written.splitlines())


@pytest.mark.parametrize("path", SHOWN + CORPUS, ids=stem)
def test_members(path: Path) -> None:
    """Each member of a family belongs to one unit of the picture."""
    program = compiled(path)
    shown = pictured(program, False)
    frames = {frame.id: frame.count or 1 for frame in shown.frames}
    for pools, declared in ((True, program.ir.pools), (False, program.ir.stages)):
        covered = Counter(
            number
            for unit in shown.units
            if (unit.kind == "pool") == pools
            for number in range(unit.base, unit.base + (unit.count or frames[unit.frame]))
        )
        assert covered == Counter(range(len(declared)))


# ---------------------------------------------------------------- formats and styles


@needs_graphviz
@pytest.mark.parametrize("path", SHOWN, ids=stem)
def test_formats(path: Path) -> None:
    """SVG is well-formed, loads nothing and has every text of the layout; PNG and PDF are what they say."""
    program = compiled(path)
    svg = serq.draw(program)
    assert isinstance(svg, str)
    assert not re.search(r"(href|src|url\(|<script|@import)", svg)
    tree = Xml.fromstring(svg)
    ids = Counter(element.attrib["id"] for element in tree.iter() if "id" in element.attrib)
    assert set(ids.values()) == {1}
    shown = [element.text for element in tree.iter() if element.tag.endswith("text")]
    assert shown == [text.text for text in all_texts(laid_out(path))]
    png, pdf = serq.draw(program, format="png"), serq.draw(program, format="pdf")
    assert isinstance(png, bytes)
    assert (png[:6], png[-8:]) == (b"\x89PNG\r\n", b"IEND\xaeB`\x82")
    assert isinstance(pdf, bytes)
    assert (pdf[:5], pdf.rstrip()[-5:]) == (b"%PDF-", b"%%EOF")


@pytest.mark.parametrize("path", SHOWN + CORPUS, ids=stem)
def test_session(path: Path) -> None:
    """The client's side alone is part of the whole, with nothing of the server."""
    program = compiled(path)
    whole, alone = pictured(program, False), pictured(program, True)
    assert alone.cards == tuple([card for card in whole.cards if card.lane == "client"])
    assert {way for way in alone.ways if way.kind in ("request", "response")} == set()
    assert {frame.lane for frame in alone.frames} <= {"client"}
    assert set(alone.units) <= set(whole.units)
    assert source_of(alone, "light") == source_of(alone, "auto")


@pytest.mark.parametrize("path", SHOWN, ids=stem)
def test_styles_differ_in_colours_alone(path: Path) -> None:
    shown = pictured(compiled(path), False)
    light, dark = source_of(shown, "light"), source_of(shown, "dark")
    assert light != dark
    assert re.sub(r"#[0-9a-f]{6}", "#", light) == re.sub(r"#[0-9a-f]{6}", "#", dark)


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.1 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


GROUNDS = ("page", "card", "client", "server", "frame", "engine", "pool", "stage", "choice", "pill")
WAYS = ("way", "back", "leg", "copy", "tie")


@pytest.mark.parametrize("style", [LIGHT, DARK], ids=["light", "dark"])
def test_contrast(style: Style) -> None:
    """Text and lines have the contrast that WCAG 2.1 asks for: text 4.5 (AA), words beside it and lines 3."""
    for ground in (*GROUNDS, "cache"):
        assert contrast(style.ink, getattr(style, ground)) >= 4.5, ground
    for ground in GROUNDS:
        assert contrast(style.quiet, getattr(style, ground)) >= 3.0, ground
    for line in WAYS:
        for ground in ("client", "server", "frame"):
            assert contrast(getattr(style, line), getattr(style, ground)) >= 3.0, (line, ground)
