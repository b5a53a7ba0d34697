"""Text files at the edge: read whole, or refused in one sentence.

In: a path. Out: its text, or a `SerqError` that says what is wrong with it and where. (Not with pathlib, which takes
5 ms of every start.)
"""

from __future__ import annotations

import os

from serq.diagnostics import Diagnostic, SerqError
from serq.source import Source, Span


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of the file at `path`.

    Raises:
        SerqError: it cannot be read, or is not UTF-8.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (OSError, ValueError) as error:  # ValueError: a path that no system has
        raise SerqError(Diagnostic("file", f"cannot read `{os.fspath(path)}`: {reason(error)}")) from None
    return decode_text(data, os.fspath(path))


def decode_text(data: bytes, name: str) -> str:
    """The text in the bytes of the file called `name`.

    Raises:
        SerqError: with the place of the first byte that is not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        start = len(data[: error.start].decode())
        source = Source(name, data.decode(errors="replace"))
        message = f"byte {data[error.start]:#04x} is not UTF-8 text"
        hint = "save the file as UTF-8"
        raise SerqError(Diagnostic("encoding", message, Span(start, start + 1), hint=hint, source=source)) from None


def reason(error: OSError | ValueError) -> str:
    """What went wrong with a file, in words."""
    return (getattr(error, "strerror", None) or str(error)).lower()
