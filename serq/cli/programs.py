"""From FILE and the options of a command line to a `Program`."""

from __future__ import annotations

import os
import sys

import click

from serq.cli.options import settings
from serq.cli.output import PROGRAM_FILE
from serq.diagnostics import Diagnostic, SerqError
from serq.files import decode_text
from serq.program import Program, Settings, build, names_ir, read_program

STANDARD_INPUT = "-"


def load_program(ctx: click.Context, *, needs_horizon: bool) -> Program:
    """Compile the program that the command line of `ctx` names, or read its intermediate representation.

    Args:
        needs_horizon: refuse a program text for which no horizon is given. A representation has its own.

    Raises:
        click.UsageError: the settings contradict each other, or there is no horizon.
        SerqError: a file cannot be read, or the program is refused.
    """
    file = ctx.params["file"]
    given = settings(ctx)
    ctx.meta[PROGRAM_FILE] = "<stdin>" if file == STANDARD_INPUT else file
    if file == STANDARD_INPUT:
        if sys.stdin is None:
            raise SerqError(Diagnostic("file", "standard input is closed, and the program is to be read from it"))
        text = decode_text(sys.stdin.buffer.read(), "<stdin>").removeprefix("\ufeff")
        is_ir, directory = text.lstrip().startswith("{"), ""
    else:
        is_ir, directory = names_ir(file), os.path.dirname(file)
        if not is_ir:
            require_horizon(ctx, given, needs_horizon)
        text = read_program(file)
    if not is_ir:
        require_horizon(ctx, given, needs_horizon)
    return build(text, given, is_ir=is_ir, directory=directory)


def require_horizon(ctx: click.Context, given: Settings, needed: bool) -> None:
    if needed and given.horizon is None:
        raise click.UsageError("a program text needs a horizon: add `--horizon T`, in simulated seconds", ctx)
