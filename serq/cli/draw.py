"""`serq draw`: a program as a picture."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from serq.cli.files import write_file
from serq.cli.options import COMPILE_OPTIONS, PATH, ProgramCommand, with_options
from serq.cli.output import say, write, write_bytes
from serq.cli.programs import load_program
from serq.diagnostics import SerqError
from serq.draw.render import MISSING, find_renderers
from serq.drawing import FORMATS, STYLES, drawn

SUFFIXES = {".svg": "svg", ".png": "png", ".pdf": "pdf", ".dot": "dot", ".gv": "dot"}
BINARY = ("png", "pdf")

EPILOG = """\b
Examples:
  serq draw program.sq > program.svg
  serq draw program.sq --out program.png --style dark
  serq draw program.sq --session --format dot | dot -Tpdf > session.pdf"""

FORMAT_HELP = "What to write.  [default: by the suffix of --out, else svg]"
OUT_HELP = "Write to a file instead of standard output."
STYLE_HELP = "Colours; auto is an SVG that follows its viewer, and light in the other formats.  [default: auto]"


@click.command("draw", cls=ProgramCommand, epilog=EPILOG)
@with_options(COMPILE_OPTIONS)
@click.option("--format", "form", type=click.Choice(FORMATS), help=FORMAT_HELP)
@click.option("--out", type=PATH, metavar="PATH", help=OUT_HELP)
@click.option("--style", type=click.Choice(STYLES), default="auto", help=STYLE_HELP)
@click.option("--session", is_flag=True, help="Draw the client's side alone: sessions without the server.")
@click.pass_context
def command(ctx: click.Context, /, form: str | None, out: str | None, style: str, session: bool, **_: object) -> None:
    """Draw FILE: devices, engines and pools, a request's way through them, and the session that sends it.

    FILE is a program text (.sq), an intermediate representation (.json), or - for standard input. Nothing is run.
    SVG, PNG and PDF need Graphviz: a `dot` on the path, or the wheel that `pip install 'serq[draw]'` brings.
    """
    form = form or format_of(ctx, out)
    if out is None and form in BINARY and (sys.stdout is None or sys.stdout.isatty()):
        message = f"a {form.upper()} is nothing for a terminal: add `--out picture.{form}`, or redirect the output"
        raise click.UsageError(message, ctx)
    program = load_program(ctx, needs_horizon=False)
    try:
        drawing = drawn(program, form, style, session, find_renderers())
    except SerqError as error:
        if error.diagnostic.kind != MISSING:
            raise
        write(str(drawn(program, "dot", style, session, ())))
        say("serq: the picture is not rendered; its DOT source is on standard output instead")
        raise
    if out is not None:
        write_file(out, drawing)
    elif isinstance(drawing, bytes):
        write_bytes(drawing)
    else:
        write(drawing)


def format_of(ctx: click.Context, out: str | None) -> str:
    """The format that the suffix of a file names; without a file, SVG."""
    if out is None:
        return "svg"
    suffix = Path(out).suffix
    if suffix.lower() not in SUFFIXES:
        listed = ", ".join(f"`{known}`" for known in SUFFIXES)
        what = f"the suffix `{suffix}`" if suffix else "a name without a suffix"
        message = f"`{os.path.basename(out)}`: {what} names no format; use {listed}, or say `--format`"
        raise click.UsageError(message, ctx)
    return SUFFIXES[suffix.lower()]
