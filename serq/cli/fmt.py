"""`serq fmt`: give programs the one layout."""

from __future__ import annotations

import sys
from difflib import unified_diff

import click

from serq.cli.output import FAILED, report_error, write
from serq.cli.programs import STANDARD_INPUT
from serq.cli.replace import replace_text
from serq.diagnostics import Diagnostic, SerqError
from serq.files import decode_text, read_text
from serq.fmt import format_text

EPILOG = """\b
Examples:
  serq fmt program.sq
  serq fmt --check examples/*.sq
  serq fmt --diff program.sq
  serq fmt - < program.sq

\b
Exit codes:
  0 done     1 a program does not parse, or cannot be read or written; with --check also: one would change
  2 usage    130 interrupted"""


@click.command("fmt", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True))
@click.option("--check", is_flag=True, help="Write nothing; name the files that would change, and exit with 1.")
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
@click.pass_context
def command(ctx: click.Context, files: tuple[str, ...], check: bool, diff: bool) -> None:
    """Give programs the one layout: two blanks, one statement a line, comments where they are.

    Each FILE is rewritten in place and named if it changes. - stands for standard input, whose layout goes to standard
    output. A program that does not parse is left alone, and its fault is told. A layout changes no word and no comment,
    so the program means and does what it did.
    """
    code = 0
    for file in dict.fromkeys(files):
        shown = "<stdin>" if file == STANDARD_INPUT else file
        try:
            text = read_standard_input() if file == STANDARD_INPUT else read_text(file)
            formatted = format_text(text, shown)
            changed = formatted != text
            if diff:
                write(difference(text, formatted, shown))
            if check:
                code = FAILED if changed else code
                if changed and not diff:
                    write(f"{shown}\n")
            elif not diff and file == STANDARD_INPUT:
                write(formatted)
            elif not diff and changed:
                replace_text(file, formatted)
                write(f"formatted {file}\n")
        except SerqError as error:
            code = report_error(error, shown)
    ctx.exit(code)


def read_standard_input() -> str:
    """The program on standard input.

    Raises:
        SerqError: it is closed, or not UTF-8.
    """
    if sys.stdin is None:
        raise SerqError(Diagnostic("file", "standard input is closed, and a program is to be read from it"))
    return decode_text(sys.stdin.buffer.read(), "<stdin>")


def difference(before: str, after: str, name: str) -> str:
    """What changes, as a unified diff; empty if nothing does."""
    old, new = [text.replace("\r\n", "\n").splitlines(keepends=True) for text in (before, after)]
    shown = unified_diff(old, new, name, f"{name} (formatted)")
    return "".join([line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in shown])
