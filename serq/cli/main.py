"""The command `serq`: finds the subcommand, and turns whatever happens into a message and an exit code.

Exit codes: 0 done; 1 the program does not load, is refused or stops, or an output cannot be written; 2 the command
line is wrong; 3 `--strict` and the run has faults; 130 interrupted.

A subcommand `name` is `command` in the module `serq.cli.name`, imported when it is called. So `serq --version` loads
neither the compiler nor the kernel, and this is the only place where commands are loaded by name.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import click

from serq.cli.output import (
    INTERRUPTED,
    PROGRAM_FILE,
    kernel_is_compiled,
    report_error,
    report_failure,
    report_usage,
    say,
    silence,
    write,
)
from serq.diagnostics import SerqError
from serq.files import reason
from serq.version import __version__

COMMANDS = {
    "run": "Simulate a program and print its report.",
    "check": "Compile a program without running it.",
    "draw": "Draw a program: its devices, pools and engines, and a request's way.",
    "stalls": "Tell from an engine's log where the tail of its inter-token latency comes from.",
    "ladder": "Compare configurations: what each change does to the tail.",
    "nano": "Run a small engine on this machine, to measure its stalls.",
    "ir": "Print the intermediate representation of a program.",
    "new": "Write a program to start from.",
    "fmt": "Give programs the one layout.",
    "lsp": "Answer an editor: faults, meanings, completion.",
    "completion": "Print a script that completes serq's commands in a shell.",
}
"""The subcommands in the order of `serq --help`, each with its summary."""

EPILOG = """\b
Examples:
  serq check program.sq
  serq run program.sq --horizon 20000 --warmup 2000
  serq run program.sq --horizon 20000 --json > report.json
  serq run program.sq --horizon 20000 -- --max_seqs 32 --blocks 8000

`serq COMMAND --help` tells more about each command."""


class Serq(click.Group):
    """The group of the commands in `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"serq.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def print_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted:
        slow = "" if kernel_is_compiled() else " (kernel not compiled: runs are about 100 times slower)"
        write(f"serq {__version__}{slow}\n")
        ctx.exit()


SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
VERSION: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False, "help": "Print the version."}


@click.group(cls=Serq, epilog=EPILOG, context_settings=SETTINGS)
@click.option("-V", "--version", callback=print_version, **VERSION)
def serq() -> None:
    """Simulate LLM serving: compile programs that describe a deployment and its clients, and run them."""


def status(words: list[str]) -> int:
    """Exit code of the command line `words`; everything it has to say is printed when this returns."""
    try:
        if "_SERQ_COMPLETE" in os.environ:
            return complete(os.environ["_SERQ_COMPLETE"])
        if not words:
            say(serq.get_help(click.Context(serq, info_name="serq", **SETTINGS)))
            return 2
        with serq.make_context("serq", words) as context:
            return invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        return report_usage(error)
    except KeyboardInterrupt:
        return report_failure("interrupted", INTERRUPTED)
    except BrokenPipeError:
        return silence()
    except OSError as error:
        return report_failure(f"cannot write the output: {reason(error)}")
    except MemoryError:
        return report_failure("out of memory")
    except Exception as error:
        if "SERQ_TRACEBACK" in os.environ:
            raise
        what = f"{type(error).__name__}: {error}"
        return report_failure(f"internal error, a fault of serq and not of the program: {what}", hint=TRACEBACK)


def invoke(context: click.Context) -> int:
    """Call the command; a `SerqError` is printed with the name of the program that the command was reading."""
    try:
        serq.invoke(context)
    except SerqError as error:
        return report_error(error, context.meta.get(PROGRAM_FILE))
    return 0


TRACEBACK = "please report it, with what `SERQ_TRACEBACK=1 serq ...` prints"


def complete(instruction: str) -> int:
    """Answer a shell that completes a command line (the script of `serq completion` asks)."""
    from click.shell_completion import shell_complete

    return shell_complete(serq, {}, "serq", "_SERQ_COMPLETE", instruction)
