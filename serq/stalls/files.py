"""Logs from files and to files, and whatever else the room writes: whole, or not at all.

In: a path. Out: a checked `Log`; or a file. This is where the room opens files.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from serq.diagnostics import Diagnostic, SerqError
from serq.files import reason
from serq.stalls.jsonl import read_jsonl
from serq.stalls.log import Log, refuse
from serq.stalls.npz import read_npz, write_npz

JSON_LINES = (".jsonl", ".ndjson")
SUFFIXES = (".npz", *JSON_LINES)


def read_log(path: str | os.PathLike[str]) -> Log:
    """Read and check the log in a file.

    Raises:
        SerqError: it cannot be read, is in neither format, or cannot be true. The message names file, table and row.
    """
    name = os.fspath(path)
    suffix = os.path.splitext(name)[1].lower()
    if suffix not in SUFFIXES:
        refuse(name, f"a log is a file whose name ends in {', '.join(SUFFIXES)}")
    try:
        file = open(path, "rb")
    except (OSError, ValueError) as error:  # ValueError: a path that no system has
        refuse(name, f"it cannot be read: {reason(error)}")
    with file:
        return read_jsonl(file, name) if suffix in JSON_LINES else read_npz(file, name)


def write_log(log: Log, path: str | os.PathLike[str]) -> None:
    """Write a log as NumPy arrays, compressed; the names of requests, which an `.npz` has no place for, are left out.

    Raises:
        SerqError: it cannot be written; what was there before still is.
    """
    with whole_file(path) as file:
        write_npz(log, file)


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its place when it is complete, and does not when anything goes wrong.

    Raises:
        SerqError: it cannot be written; what was there before still is.
    """
    place = Path(path)
    draft = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        if place.is_dir():
            raise IsADirectoryError("it is a directory")
        with draft.open("wb") as file:
            yield file
        draft.replace(place)
    except (OSError, ValueError) as error:
        if isinstance(error, SerqError):
            raise
        raise SerqError(Diagnostic("file", f"cannot write to `{os.fspath(path)}`: {reason(error)}")) from None
    finally:
        draft.unlink(missing_ok=True)
