"""`serq new`: write a program to start from."""

from __future__ import annotations

import os
from contextlib import suppress

import click

from serq.cli.output import write
from serq.cli.replace import create_text
from serq.diagnostics import Diagnostic, SerqError
from serq.starters import ENGINES, WORKLOADS, next_commands, starter

EPILOG = """\b
Examples:
  serq new chat
  serq new agents.sq --engine sglang --workload agents"""

SUFFIX = ".sq"


@click.command("new", epilog=EPILOG)
@click.argument("name", type=click.Path())
@click.option("--engine", type=click.Choice(list(ENGINES)), default="vllm", show_default=True, help="The engine.")
@click.option("--workload", type=click.Choice(list(WORKLOADS)), default="chat", show_default=True, help="The clients.")
def command(name: str, engine: str, workload: str) -> None:
    """Write NAME.sq, a commented program of one engine and its clients that runs as it is.

    The engine is set up as it sets itself up; each number says for which of its settings it stands. With
    `--workload trace` the recorded sessions are written beside it, as NAME-sessions.csv. No file is overwritten.
    """
    stem = name.removesuffix(SUFFIX)
    check_name(stem)
    program = starter(stem, engine, workload)
    file = stem + SUFFIX
    sessions = os.path.join(os.path.dirname(file), program.trace_name)
    if program.trace is not None:
        create_text(sessions, program.trace)
    try:
        create_text(file, program.text)
    except SerqError:
        if program.trace is not None:
            with suppress(OSError):
                os.unlink(sessions)
        raise
    also = "" if program.trace is None else f" and {sessions}"
    commands = "".join([f"  {line}\n" for line in next_commands(stem, WORKLOADS[workload].rate)])
    write(f"wrote {file}{also}; next:\n{commands}")


def check_name(stem: str) -> None:
    """Refuse a name that is none, or that could not stand in the program.

    Raises:
        SerqError: it is empty or a folder's, or has characters that end a comment or a text.
    """
    if not os.path.basename(stem):
        raise SerqError(Diagnostic("file", f"`{stem}{SUFFIX}` is no name for a program", hint="serq new NAME"))
    if not stem.isprintable() or '"' in stem:
        message = "the name of a program has neither quotes nor characters that cannot be printed"
        raise SerqError(Diagnostic("file", message))
