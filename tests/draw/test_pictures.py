"""What must hold for every picture: all is named, nothing overlaps, every format says the same."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as Xml
from pathlib import Path
from typing import NamedTuple

import pytest

import serq
from serq.draw.layout import Curve, Drawing, Group, Polygon, Text
from serq.draw.render import find_renderers, lay_out
from serq.draw.style import DARK, LIGHT, Style
from serq.drawing import pictured, source_of

ROOT = Path(__file__).resolve().parents[2]
SHOWN = sorted([*ROOT.glob("examples/*.sq"), *ROOT.glob("docs/tutorial/programs/*.sq")])
CORPUS = [
    path
    for path in sorted(ROOT.glob("tests/conformance/deployments/*.sq"))
    if '"error"' not in path.with_suffix(".json").read_text()
]
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


def compiled(path: Path) -> serq.Program:
    return serq.compile(source=path.read_text(), horizon=1)


def laid_out(path: Path) -> Drawing:
    return lay_out(source_of(pictured(compiled(path), False), "light"), find_renderers())


def texts(drawing: Drawing) -> list[Text]:
    return [shape for group in drawing.groups for shape in group.shapes if isinstance(shape, Text)]


def box_of(text: Text) -> Box:
    """Where its letters are, from the line that capitals reach to the baseline."""
    x, y = text.left
    return Box(x, y - 0.7 * text.size, x + text.width, y)


def overlap(a: Box, b: Box) -> bool:
    wide = min(a.right, b.right) - max(a.left, b.left)
    high = min(a.bottom, b.bottom) - max(a.top, b.top)
    return wide > SLACK and high > SLACK


def inside(box: Box, room: Box) -> bool:
    across = room.left - SLACK <= box.left and box.right <= room.right + SLACK
    return across and room.top - SLACK <= box.top and box.bottom <= room.bottom + SLACK


def outline(group: Group) -> Box | None:
    """What the shapes of a node or a frame fill."""
    points = [point for shape in group.shapes if isinstance(shape, Curve | Polygon) for point in shape.points]
    if not points:
        return None
    across, down = zip(*points, strict=True)
    return Box(min(across), min(down), max(across), max(down))


@needs_graphviz
@pytest.mark.parametrize("path", SHOWN + CORPUS, ids=stem)
def test_no_text_overlaps_another(path: Path) -> None:
    shown = [(text.text, box_of(text)) for text in texts(laid_out(path)) if text.text.strip()]
    assert shown
    assert [(a, b) for (a, p), (b, q) in itertools.combinations(shown, 2) if overlap(p, q)] == []


@needs_graphviz
@pytest.mark.parametrize("path", SHOWN + CORPUS, ids=stem)
def test_every_text_is_in_its_box(path: Path) -> None:
    """No text leaves its node at a side, and none leaves the page."""
    drawing = laid_out(path)
    for group in drawing.groups:
        room = outline(group) if group.kind == "node" else None
        for text in [shape for shape in group.shapes if isinstance(shape, Text)]:
            box = box_of(text)
            assert inside(box, Box(0, 0, drawing.width, drawing.height)), text.text
            if room is not None:
                assert inside(box, room._replace(top=0, bottom=drawing.height)), text.text


def words_of(path: Path) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", source_of(pictured(compiled(path), False), "light")).split())


@pytest.mark.parametrize("path", SHOWN + CORPUS, ids=stem)
def test_every_pool_and_stage_is_drawn(path: Path) -> None:
    """Each pool, stage and engine stands once, under its name; a family once, with its count."""
    program = compiled(path)
    shown = pictured(program, False)
    units, members = shown.units, {frame.id: frame.count or 1 for frame in shown.frames}
    for kind, declared in (("pool", program.ir.pools), ("stage", program.ir.stages)):
        covered = sorted(
            number
            for unit in units
            if (unit.kind == "pool") == (kind == "pool")
            for number in range(unit.base, unit.base + (unit.count or members[unit.frame]))
        )
        named = [i for i, one in enumerate(declared) if one.name != "tool"]
        assert [i for i in covered if i in named] == named
        assert len(set(covered)) == len(covered)
    written = words_of(path)
    for unit in units:
        assert unit.title.split(".")[-1].split("[")[0] in written


@needs_graphviz
@pytest.mark.parametrize("path", SHOWN, ids=stem)
def test_formats(path: Path) -> None:
    """SVG is well-formed, loads nothing and has every text of the layout; PNG and PDF are what they say."""
    program = compiled(path)
    for session in (False, True):
        svg = serq.draw(program, session=session)
        assert isinstance(svg, str)
        tree = Xml.fromstring(svg)
        assert not re.search(r"(href|src|url\()", svg)
        assert float(tree.attrib["width"]) > 0
    shown = [element.text for element in Xml.fromstring(str(serq.draw(program))).iter() if element.tag.endswith("text")]
    assert shown == [text.text for text in texts(laid_out(path))]
    png, pdf = serq.draw(program, format="png"), serq.draw(program, format="pdf")
    assert isinstance(png, bytes)
    assert (png[:6], png[-8:]) == (b"\x89PNG\r\n", b"IEND\xaeB`\x82")
    assert isinstance(pdf, bytes)
    assert (pdf[:5], pdf.rstrip()[-5:]) == (b"%PDF-", b"%%EOF")


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


@pytest.mark.parametrize("style", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read(style: Style) -> None:
    """Text has the contrast that WCAG 2.1 asks for (AA: 4.5) on every ground that it stands on."""
    for ground in ("page", "card", "client", "server", "frame", "engine", "pool", "cache", "stage", "choice", "pill"):
        assert contrast(style.ink, getattr(style, ground)) >= 4.5, ground
    for ground in ("page", "card", "client", "server", "frame", "engine", "pool", "stage", "choice", "pill"):
        assert contrast(style.quiet, getattr(style, ground)) >= 3.0, ground
