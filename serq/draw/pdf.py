"""PDF of a laid-out drawing: one page, vectors and text.

In: a `Drawing` made in the light style. Out: a PDF 1.4 document. It uses three of the fonts that every reader has, so
none is embedded: Helvetica, its bold, and Symbol for Greek letters. Other letters outside of Windows-1252 are shown as
`?`; SVG and PNG have them.

Source: PDF Reference, version 1.4.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from itertools import groupby

from serq.draw.layout import Curve, Drawing, Ellipse, Pen, Point, Polygon, Shape, Text
from serq.draw.metrics import text_width
from serq.draw.style import DARK, LIGHT
from serq.draw.svg import ROLES

GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρςστυφχψωΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ",
        "abgdezhqiklmnxoprVstufcywABGDEZHQIKLMNXOPRSTUFCYW",
        strict=True,
    )
)
"""Greek letters, as the font Symbol numbers them."""
ROUND = 0.5523
"""How far the controls of a curve reach that stands for a quarter of a circle."""


def pdf(drawing: Drawing, style: str) -> bytes:
    """The document; `style` is `dark`, or anything else for light."""
    page = _Page(drawing, style)
    content = zlib.compress("\n".join(page.content()).encode("latin-1"), 9)
    size = f"{drawing.width:.2f} {drawing.height:.2f}"
    fonts = "/F1 5 0 R /F2 6 0 R /F3 7 0 R"
    text = "<</Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding>>"
    return document(
        [
            b"<</Type /Catalog /Pages 2 0 R>>",
            b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
            f"<</Type /Page /Parent 2 0 R /MediaBox [0 0 {size}] /Contents 4 0 R "
            f"/Resources <</Font <<{fonts}>>>>>>".encode(),
            b"<</Length %d /Filter /FlateDecode>>\nstream\n%s\nendstream" % (len(content), content),
            (text % "Helvetica").encode(),
            (text % "Helvetica-Bold").encode(),
            b"<</Type /Font /Subtype /Type1 /BaseFont /Symbol>>",
        ]
    )


def document(objects: list[bytes]) -> bytes:
    """Numbered objects, the first one the catalogue, as a file."""
    text = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    places = []
    for number, thing in enumerate(objects, start=1):
        places.append(len(text))
        text += b"%d 0 obj\n%s\nendobj\n" % (number, thing)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    trailer = b"trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (count, len(text))
    return b"%sxref\n0 %d\n0000000000 65535 f \n%s%s" % (text, count, table, trailer)


class _Page:
    def __init__(self, drawing: Drawing, style: str) -> None:
        self.drawing = drawing
        self.colours = DARK if style == "dark" else LIGHT

    def content(self) -> Iterator[str]:
        drawing = self.drawing
        yield f"{self.colour(LIGHT.page)} rg 0 0 {drawing.width:.2f} {drawing.height:.2f} re f"
        for group in drawing.groups:
            for shape in group.shapes:
                yield self.shape(shape)

    def colour(self, value: str) -> str:
        """Red, green and blue as numbers, of the style's colour for the role."""
        if value in ROLES:
            value = getattr(self.colours, ROLES[value])
        return " ".join(f"{int(value[i : i + 2], 16) / 255:.3f}" for i in (1, 3, 5))

    def at(self, point: Point) -> str:
        return f"{point[0]:.2f} {self.drawing.height - point[1]:.2f}"

    def shape(self, shape: Shape) -> str:
        match shape:
            case Curve(points, pen):
                return self.painted(self.curve(points), pen)
            case Polygon(points, closed, pen):
                lines = " ".join(f"{self.at(p)} l" for p in points[1:])
                return self.painted(f"{self.at(points[0])} m {lines}{' h' if closed else ''}", pen)
            case Ellipse(centre, radii, pen):
                return self.painted(self.curve(ellipse(centre, radii)), pen)
            case Text():
                return self.text(shape)

    def curve(self, points: Iterable[Point]) -> str:
        first, *rest = [self.at(p) for p in points]
        parts = " ".join(f"{' '.join(rest[i : i + 3])} c" for i in range(0, len(rest), 3))
        return f"{first} m {parts}"

    def painted(self, path: str, pen: Pen) -> str:
        """A path, filled and drawn as the pen says."""
        settings = f"{pen.width:g} w [{' '.join(f'{part:g}' for part in pen.dash)}] 0 d"
        if pen.line is not None:
            settings += f" {self.colour(pen.line)} RG"
        if pen.fill is not None:
            settings += f" {self.colour(pen.fill)} rg"
        paint = {(True, True): "B", (True, False): "S", (False, True): "f", (False, False): "n"}
        return f"{settings} {path} {paint[pen.line is not None, pen.fill is not None]}"

    def text(self, text: Text) -> str:
        """The text, stretched to its width."""
        natural = text_width(text.text, text.size, text.bold)
        scale = 100.0 * text.width / natural if natural else 100.0
        runs = []
        for greek, letters in groupby(text.text, lambda letter: letter in GREEK):
            part = "".join(letters)
            font = "F3" if greek else "F2" if text.bold else "F1"
            shown = "".join(GREEK[letter] for letter in part) if greek else part
            runs.append(f"/{font} {text.size:g} Tf ({literal(shown)}) Tj")
        return f"BT {self.colour(text.colour)} rg {scale:.2f} Tz {self.at(text.left)} Td {' '.join(runs)} ET"


def literal(text: str) -> str:
    """Text as it stands between the parentheses of a PDF string."""
    coded = text.encode("cp1252", errors="replace").decode("latin-1")
    for mark in "\\()":
        coded = coded.replace(mark, f"\\{mark}")
    return coded


def ellipse(centre: Point, radii: Point) -> tuple[Point, ...]:
    """An ellipse as four curves."""
    (x, y), (rx, ry) = centre, radii
    cx, cy = rx * ROUND, ry * ROUND
    return (
        (x + rx, y),
        *((x + rx, y + cy), (x + cx, y + ry), (x, y + ry)),
        *((x - cx, y + ry), (x - rx, y + cy), (x - rx, y)),
        *((x - rx, y - cy), (x - cx, y - ry), (x, y - ry)),
        *((x + cx, y - ry), (x + rx, y - cy), (x + rx, y)),
    )
