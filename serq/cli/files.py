"""Files that commands write: whole, or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from serq.diagnostics import Diagnostic, SerqError
from serq.files import reason


def write_file(path: str, content: str | bytes) -> None:
    """Write a file beside its place and move it there when it is complete.

    A link is followed. What is no file, such as a pipe or what lies under /dev, is written to where it is.

    Raises:
        SerqError: it cannot be written; what was there before still is.
    """
    data = content if isinstance(content, bytes) else content.encode()
    try:
        there = mode_of(path)
        if stat.S_ISDIR(there):
            refuse(path, "it is a directory")
        if os.path.abspath(path).startswith("/dev/") or not stat.S_ISREG(there):
            Path(path).write_bytes(data)
        else:
            move_in(Path(path).resolve(), data)
    except SerqError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a path that no system has
        refuse(path, reason(error))


def mode_of(path: str) -> int:
    """What is at a path; a file where there is nothing yet."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return stat.S_IFREG


def move_in(place: Path, data: bytes) -> None:
    draft = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        draft.replace(place)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


def refuse(path: str, why: str) -> NoReturn:
    raise SerqError(Diagnostic("file", f"cannot write to `{path}`: {why}"))
