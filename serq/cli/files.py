"""Files that commands write: whole, or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

from serq.diagnostics import Diagnostic, SerqError
from serq.files import reason


def write_file(path: str, content: str | bytes) -> None:
    """Write a file beside its place and move it there when it is complete.

    Raises:
        SerqError: it cannot be written; what was there before still is.
    """
    place = Path(path)
    draft = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        if place.is_dir():
            refuse(path, "it is a directory")
        draft.write_bytes(content if isinstance(content, bytes) else content.encode())
        draft.replace(place)
    except OSError as error:
        refuse(path, reason(error))
    finally:
        draft.unlink(missing_ok=True)


def refuse(path: str, why: str) -> NoReturn:
    raise SerqError(Diagnostic("file", f"cannot write to `{path}`: {why}"))
