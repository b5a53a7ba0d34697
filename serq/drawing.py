"""The public function `draw`: a program as a picture.

In: a path, a text or a compiled `Program`. Out: SVG or DOT source as text, PNG or PDF as bytes. A drawing depends on
the program and the options alone: nothing is run, and no horizon is needed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from serq.draw.dot import dot_source
from serq.draw.model import Picture
from serq.draw.pdf import pdf
from serq.draw.picture import picture
from serq.draw.render import find_renderers, lay_out, pixels
from serq.draw.style import DARK, LIGHT
from serq.draw.svg import svg
from serq.program import Program, Settings, build, checked_definitions, checked_sets, names_ir, read_program, refuse

FORMATS = ("svg", "png", "pdf", "dot")
STYLES = ("auto", "light", "dark")


def draw(
    program: str | os.PathLike[str] | Program | None = None,
    *,
    source: str | None = None,
    sets: Mapping[str, float | str] = {},
    defs: Mapping[str, str] = {},
    format: str = "svg",  # noqa: A002 (the name of the option)
    style: str = "auto",
    session: bool = False,
) -> str | bytes:
    """Draw a program: its devices, engines and pools, a request's way through them, and the session that sends it.

    Args:
        program: path of a program text or of a representation (`.json`), or a compiled program; this or `source`.
        source: text of the program.
        sets, defs: as for `serq.compile`; not for a compiled program.
        format: `svg`, `png`, `pdf`, or `dot` for the source that Graphviz lays out.
        style: `light`, `dark`, or `auto`: an SVG that follows its viewer, light in the other formats.
        session: draw the client's side alone.

    Returns:
        Text for `svg` and `dot`, bytes for `png` and `pdf`.

    Raises:
        SerqError: (a ValueError) the program is refused, an option makes no sense, or no Graphviz is found.
        TypeError: a value has the wrong type.
    """
    if format not in FORMATS:
        refuse(f"there is no format `{format}`", f"choose one of {', '.join(FORMATS)}")
    if style not in STYLES:
        refuse(f"there is no style `{style}`", f"choose one of {', '.join(STYLES)}")
    if (program is None) == (source is None):
        refuse("give either a program or a source text", '`draw("program.sq")` or `draw(source=text)`')
    if isinstance(program, Program):
        if sets or defs:
            refuse("a compiled program has its arguments already", "give them to `compile`")
    else:
        settings = Settings(sets=checked_sets(sets), defs=checked_definitions(defs))
        text = read_program(program) if program is not None else str(source)
        program = build(text, settings, is_ir=program is not None and names_ir(program))
    return drawn(program, format, style, session, find_renderers())


def drawn(program: Program, form: str, style: str, session: bool, renderers: Sequence[str]) -> str | bytes:
    """A compiled program in a format, drawn by one of the renderers.

    Raises:
        SerqError: no renderer does it.
    """
    shown = pictured(program, session)
    if form == "dot":
        return source_of(shown, style)
    if form == "png":
        return pixels(source_of(shown, style), renderers)
    # Laid out in the light style: the writers change the colours.
    drawing = lay_out(source_of(shown, "light"), renderers)
    return svg(drawing, style, "a session" if session else "a deployment") if form == "svg" else pdf(drawing, style)


def pictured(program: Program, session: bool) -> Picture:
    """What a picture of the program shows."""
    ir, captions = program.captioned()
    return picture(ir, captions, session=session)


def source_of(shown: Picture, style: str) -> str:
    return dot_source(shown, DARK if style == "dark" else LIGHT)
