"""`serq ir`: print the intermediate representation of a program."""

from __future__ import annotations

import click

from serq.cli.options import COMPILE_OPTIONS, RUN_OPTIONS, ProgramCommand, with_options
from serq.cli.output import write
from serq.cli.programs import load_program
from serq.trace import read_trace

EPILOG = """\b
Examples:
  serq ir program.sq --horizon 20000 > program.json
  serq run program.json --seed 2"""


@click.command("ir", cls=ProgramCommand, epilog=EPILOG)
@with_options(RUN_OPTIONS, COMPILE_OPTIONS)
@click.option("--inline-trace", is_flag=True, help="Write the sessions of an ordered trace into the representation.")
@click.pass_context
def command(ctx: click.Context, /, inline_trace: bool, **_: object) -> None:
    """Print the intermediate representation of FILE as JSON, the settings of the run included.

    `serq run` takes it in place of the program text; arguments and definitions are then fixed, the settings of the
    run are not. FILE is a program text (.sq), a representation (.json), or - for standard input.
    """
    program = load_program(ctx, needs_horizon=True)
    if inline_trace and program.trace_path is not None:
        program = program.with_sessions(read_trace(program.trace_path))
    write(program.to_json() + "\n")
