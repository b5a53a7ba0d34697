"""`serq check`: compile a program without running it."""

from __future__ import annotations

import click

from serq.cli.options import COMPILE_OPTIONS, ProgramCommand, with_options
from serq.cli.output import write
from serq.cli.programs import load_program

EPILOG = """\b
Examples:
  serq check program.sq
  serq check program.sq --set blocks=2000*2
  serq check - < program.sq"""


@click.command("check", cls=ProgramCommand, epilog=EPILOG)
@with_options(COMPILE_OPTIONS)
@click.pass_context
def command(ctx: click.Context, /, **_: object) -> None:
    """Compile FILE without running it and print one line about it, or what is wrong with it.

    FILE is a program text (.sq), an intermediate representation (.json), or - for standard input.
    """
    ir = load_program(ctx, needs_horizon=False).ir
    write(
        f"OK: {len(ir.pools)} pool(s), {len(ir.stages)} stage(s), {len(ir.attrs)} attribute(s), "
        f"{len(ir.blocks)} block(s)\n"
    )
