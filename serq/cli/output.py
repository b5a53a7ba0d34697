"""What the command line prints: results on standard output, everything else on standard error."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from importlib.machinery import EXTENSION_SUFFIXES

import click

import serq
from serq.diagnostics import SerqError, render

FAILED = 1
INTERRUPTED = 130

COMPILED = "program"
"""Name that the compiler gives to the text of a program, whatever file it came from."""

PROGRAM_FILE = "serq.file"
"""Key of a context's `meta`: the name by which messages call the program."""

NAMED_IN_MESSAGE = ("file", "settings", "trace")
"""Kinds of errors that are not about the program's text, or name their file themselves."""


def write(text: str) -> None:
    """Write to standard output, whole; what its encoding does not have becomes `?`.

    Raises:
        OSError: it cannot be written; a BrokenPipeError if nobody reads it any more.
    """
    if sys.stdout is None:  # the process was started without one
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    sys.stdout.write(text)
    sys.stdout.flush()


def write_bytes(content: bytes) -> None:
    """Write to standard output as it is.

    Raises:
        OSError: it cannot be written; a BrokenPipeError if nobody reads it any more.
    """
    if sys.stdout is not None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def say(text: str) -> None:
    """Write a line to standard error."""
    click.echo(text, err=True)


def report_error(error: SerqError, program: str | None) -> int:
    """Print what is wrong with the program of that name, or with a run or another file; the exit code."""
    fault = error.diagnostic
    if fault.span is not None and fault.source is not None:
        file = program if fault.source.name == COMPILED else fault.source.name
    else:
        file = None if fault.kind in NAMED_IN_MESSAGE else program
    say(render(fault, file or "serq"))
    return FAILED


def report_usage(error: click.UsageError) -> int:
    """Print what is wrong with a command line, and how it should be; the exit code."""
    say(f"serq: {error.format_message()}")
    if error.ctx is not None:
        say(error.ctx.get_usage())
        say(f"help: `{error.ctx.command_path} --help` explains the options")
    return error.exit_code


def report_failure(message: str, code: int = FAILED, hint: str | None = None) -> int:
    """Print one sentence; the exit code."""
    silence()
    say(f"serq: {message}")
    if hint is not None:
        say(f"help: {hint}")
    return code


def silence() -> int:
    """Drop what is left in the buffer of standard output, which nobody can take; the exit code."""
    with suppress(AttributeError, OSError, ValueError):  # there may be no standard output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED


def kernel_is_compiled() -> bool:
    """Whether the kernel runs compiled; read off its files, so that nothing is loaded."""
    kernel = os.path.join(os.path.dirname(serq.__file__), "kernel")
    return any(os.path.exists(os.path.join(kernel, f"loop{suffix}")) for suffix in EXTENSION_SUFFIXES)
