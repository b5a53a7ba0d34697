"""SVG of a laid-out drawing.

In: a `Drawing` made in the light style. Out: one SVG document, without scripts and without anything to load. Colours
stand at the shapes; with `auto` a stylesheet changes them role by role where a viewer prefers a dark page. Every text
has its width, so it keeps to its box whatever font the viewer has.
"""

from __future__ import annotations

from collections.abc import Iterable

from serq.draw.labels import escape
from serq.draw.layout import Curve, Drawing, Ellipse, Pen, Point, Polygon, Shape, Text
from serq.draw.style import DARK, LIGHT, Style

FONTS = "Helvetica, Arial, 'Liberation Sans', sans-serif"
ROLES = {value: role for role, value in zip(Style._fields, LIGHT, strict=True)}
"""Roles of the colours of the light style."""


def svg(drawing: Drawing, style: str, title: str) -> str:
    """The document.

    Args:
        drawing: in the colours of the light style.
        style: `light`, `dark` or `auto`.
        title: told by readers that do not show pictures.
    """
    return _Svg(style).document(drawing, title)


class _Svg:
    def __init__(self, style: str) -> None:
        self.auto = style == "auto"
        self.colours = DARK if style == "dark" else LIGHT

    def document(self, drawing: Drawing, title: str) -> str:
        wide, high = number(drawing.width), number(drawing.height)
        size = f'width="{wide}" height="{high}" viewBox="0 0 {wide} {high}"'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{FONTS}">',
            f"<title>{escape(title)}</title>",
            *([self.stylesheet()] if self.auto else []),
            f'<rect width="{wide}" height="{high}"{self.colour("fill", LIGHT.page)}/>',
        ]
        for group in drawing.groups:
            lines.append(f'<g class="{group.kind}" id="{escape(group.name)}">')
            lines += [self.shape(shape) for shape in group.shapes]
            lines.append("</g>")
        return "\n".join([*lines, "</svg>", ""])

    def stylesheet(self) -> str:
        """The dark colours, for viewers that ask for them."""
        rules = "".join(
            f".{prop[0]}-{role}{{{prop}:{value}}}"
            for role, value in zip(Style._fields, DARK, strict=True)
            for prop in ("fill", "stroke")
        )
        return f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"

    def colour(self, *settings: str | None) -> str:
        """Attributes for properties with their colours; a colour of the style is marked with its role."""
        text, roles = "", []
        for name, value in zip(settings[::2], settings[1::2], strict=True):
            role = None if value is None else ROLES.get(value)
            shown = value if role is None else getattr(self.colours, role)
            text += f' {name}="{shown or "none"}"'
            if role is not None and name is not None:
                roles.append(f"{name[0]}-{role}")
        return f'{text} class="{" ".join(roles)}"' if self.auto and roles else text

    def pen(self, pen: Pen) -> str:
        text = self.colour("fill", pen.fill, "stroke", pen.line)
        if pen.width != 1.0:
            text += f' stroke-width="{number(pen.width)}"'
        if pen.dash:
            text += f' stroke-dasharray="{" ".join(number(part) for part in pen.dash)}"'
        return text

    def shape(self, shape: Shape) -> str:
        match shape:
            case Curve(points, pen):
                return f'<path d="M{place(points[0])}C{places(points[1:])}"{self.pen(pen)}/>'
            case Polygon(points, closed, pen):
                return f'<{"polygon" if closed else "polyline"} points="{places(points)}"{self.pen(pen)}/>'
            case Ellipse((x, y), (rx, ry), pen):
                centre = f'cx="{number(x)}" cy="{number(y)}"'
                return f'<ellipse {centre} rx="{number(rx)}" ry="{number(ry)}"{self.pen(pen)}/>'
            case Text():
                return self.text(shape)

    def text(self, text: Text) -> str:
        x, y = text.left
        weight = ' font-weight="bold"' if text.bold else ""
        return (
            f'<text x="{number(x)}" y="{number(y)}" textLength="{number(text.width)}" lengthAdjust="spacingAndGlyphs" '
            f'font-size="{number(text.size)}"{weight}{self.colour("fill", text.colour)}>{escape(text.text)}</text>'
        )


def number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def place(point: Point) -> str:
    return f"{number(point[0])},{number(point[1])}"


def places(points: Iterable[Point]) -> str:
    return " ".join(place(point) for point in points)
