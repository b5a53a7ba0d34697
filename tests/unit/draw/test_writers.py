"""Writers: SVG and PDF of a small layout, and what is read of the one that Graphviz gives."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as Xml
import zlib
from typing import Any

import pytest

from serq.draw.layout import MARGIN, Curve, Drawing, Ellipse, Group, Pen, Polygon, Text, read_layout
from serq.draw.metrics import text_width
from serq.draw.pdf import pdf
from serq.draw.style import DARK, LIGHT
from serq.draw.svg import svg

PEN = Pen(LIGHT.line, LIGHT.card, 2.0, ())
SHAPES = (
    Polygon(((10.0, 10.0), (50.0, 10.0), (50.0, 30.0)), True, PEN),
    Polygon(((0.0, 0.0), (5.0, 5.0)), False, Pen(LIGHT.way, None, 1.0, (5.0, 3.0))),
    Curve(((0.0, 0.0), (1.0, 2.0), (3.0, 4.0), (5.0, 6.0)), Pen(LIGHT.back, None, 1.0, ())),
    Ellipse((20.0, 20.0), (4.0, 2.0), Pen("#123456", None, 1.0, ())),
    Text((12.0, 25.0), 40.0, "a < b & “π”", 11.0, True, LIGHT.ink),
)
DRAWING = Drawing(100.0, 50.0, (Group("node", "n", SHAPES),))


def elements(style: str) -> list[Xml.Element]:
    return list(Xml.fromstring(svg(DRAWING, style, "a <title>")).iter())


def colours(style: str) -> set[str]:
    """Colours that the elements themselves have."""
    return {e.attrib[name] for e in elements(style) for name in ("fill", "stroke") if name in e.attrib} - {"none"}


def test_svg() -> None:
    """Each shape is one element with its colours; a text has its width and its letters."""
    found = elements("light")
    kinds = [e.tag.rpartition("}")[2] for e in found]
    assert kinds == ["svg", "title", "rect", "g", "polygon", "polyline", "path", "ellipse", "text"]
    text = found[-1]
    assert (text.text, text.attrib["textLength"], text.attrib["font-weight"]) == ("a < b & “π”", "40", "bold")
    assert found[1].text == "a <title>"
    assert found[4].attrib == {
        "points": "10,10 50,10 50,30",
        "fill": LIGHT.card,
        "stroke": LIGHT.line,
        "stroke-width": "2",
    }
    assert found[5].attrib["stroke-dasharray"] == "5 3"
    assert found[6].attrib["d"] == "M0,0C1,2 3,4 5,6"


def test_styles_of_svg() -> None:
    """The dark style has the dark colour of each role; a colour without a role stays."""
    assert colours("light") == {LIGHT.page, LIGHT.card, LIGHT.line, LIGHT.way, LIGHT.back, "#123456", LIGHT.ink}
    assert colours("dark") == {DARK.page, DARK.card, DARK.line, DARK.way, DARK.back, "#123456", DARK.ink}
    assert colours("auto") == colours("light")


def test_automatic_style() -> None:
    """With `auto`, a stylesheet for dark pages gives every coloured element the dark colour of its role."""
    text = svg(DRAWING, "auto", "t")
    sheet = re.search(r"<style>@media \(prefers-color-scheme:dark\)\{(.*)\}</style>", text)
    assert sheet is not None
    rules = dict(re.findall(r"\.([fs]-\w+)\{\w+:(#\w+)\}", sheet[1]))
    roles = {value: role for role, value in zip(LIGHT._fields, LIGHT, strict=True)}
    for e in elements("auto"):
        for name in ("fill", "stroke"):
            if e.attrib.get(name) in roles:
                role = f"{name[0]}-{roles[e.attrib[name]]}"
                assert role in e.attrib["class"].split()
                assert rules[role] == getattr(DARK, role[2:])
    assert "<style>" not in svg(DRAWING, "light", "t") + svg(DRAWING, "dark", "t")


def test_colours_have_one_role() -> None:
    """No two roles share a light colour: a drawing is turned from the light style to the dark by its colours."""
    assert len(set(LIGHT)) == len(LIGHT) == len(DARK)
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in (*LIGHT, *DARK))


def page_of(document: bytes) -> str:
    """What a PDF's page draws."""
    (stream,) = re.findall(rb"stream\n(.*?)\nendstream", document, re.DOTALL)
    return zlib.decompress(stream).decode("latin-1")


def test_pdf() -> None:
    """The table at the end finds every object, and the page has the drawing's size, shapes and letters."""
    document = pdf(DRAWING, "light")
    start = int(document.rsplit(b"startxref\n", 1)[1].split()[0])
    entries = document[start:].split(b"\n")[3:]
    for number, entry in enumerate(entries[:7], start=1):
        assert document[int(entry[:10]) :].startswith(b"%d 0 obj" % number)
    assert b"/MediaBox [0 0 100.00 50.00]" in document
    page = page_of(document)
    assert "10.00 40.00 m 50.00 40.00 l 50.00 20.00 l h B" in page
    assert "[5 3] 0 d" in page
    assert re.findall(r"/(F\d) [\d.]+ Tf \((.*?)\) Tj", page) == [("F2", "a < b & \x93"), ("F3", "p"), ("F2", "\x94")]


def test_styles_of_pdf() -> None:
    ink = " ".join(f"{int(DARK.ink[i : i + 2], 16) / 255:.3f}" for i in (1, 3, 5))
    assert ink in page_of(pdf(DRAWING, "dark"))
    assert ink not in page_of(pdf(DRAWING, "light"))
    assert pdf(DRAWING, "auto") == pdf(DRAWING, "light")


@pytest.mark.parametrize("text", ["(", ")", "\\", "a) Tj (b"])
def test_strings_of_pdf(text: str) -> None:
    """A parenthesis or a backslash does not end a string."""
    shape = Text((0.0, 0.0), 40.0, text, 11.0, False, LIGHT.ink)
    page = page_of(pdf(Drawing(10.0, 10.0, (Group("node", "n", (shape,)),)), "light"))
    (string,) = re.findall(r"Tf \((.*)\) Tj", page)
    assert re.sub(r"\\(.)", r"\1", string) == text


# ---------------------------------------------------------------- what Graphviz answers


def operation(kind: str, **settings: Any) -> dict[str, Any]:
    return {"op": kind, **settings}


def layout(*operations: dict[str, Any]) -> Drawing:
    node = {"name": "n", "_ldraw_": list(operations)}
    return read_layout(json.dumps({"bb": "0,0,200,100", "objects": [node]}))


def text_at(x: float, align: str, text: str, width: float) -> dict[str, Any]:
    return operation("T", pt=[x, 90.0], align=align, width=width, text=text)


def test_places_are_from_the_upper_left_corner() -> None:
    drawing = layout(operation("F", size=11.0), text_at(10.0, "l", "word", 20.0))
    assert (drawing.width, drawing.height) == (200 + 2 * MARGIN, 100 + 2 * MARGIN)
    assert drawing.groups[0].shapes == (Text((10.0 + MARGIN, 10.0 + MARGIN), 20.0, "word", 11.0, False, "#000000"),)


@pytest.mark.parametrize(("align", "left"), [("l", 100.0), ("c", 90.0), ("r", 80.0)])
def test_alignment(align: str, left: float) -> None:
    (shape,) = layout(text_at(100.0, align, "word", 20.0)).groups[0].shapes
    assert isinstance(shape, Text)
    assert shape.left[0] == left + MARGIN


def test_blanks_before_a_text_are_room() -> None:
    """Viewers of SVG leave out blanks at the beginning; the letters still stand where they were."""
    whole = text_width("    in", 11.0)
    (shape,) = layout(operation("F", size=11.0), text_at(0.0, "l", "    in", whole)).groups[0].shapes
    assert isinstance(shape, Text)
    assert shape.text == "in"
    assert shape.left[0] == pytest.approx(MARGIN + text_width("    ", 11.0), abs=0.01)
    assert shape.width == pytest.approx(text_width("in", 11.0))


def test_nothing_invisible_is_drawn() -> None:
    """Blanks alone are no text; a transparent colour is none."""
    square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
    drawing = layout(
        operation("c", color="#00000000"),
        operation("C", color="#ffffffff"),
        operation("P", points=square),
        text_at(0.0, "l", "   ", 10.0),
    )
    (shape,) = drawing.groups[0].shapes
    assert isinstance(shape, Polygon)
    assert (shape.pen.line, shape.pen.fill) == (None, "#ffffff")


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", "no JSON"])
def test_no_layout(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_layout(text)
