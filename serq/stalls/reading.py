"""`read_log`: a log from a file, by its suffix.

In: a path. Out: a checked `Log`. This is where the room opens files.
"""

from __future__ import annotations

import os

from serq.files import reason
from serq.stalls.jsonl import read_jsonl
from serq.stalls.log import Log, refuse
from serq.stalls.npz import read_npz

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
