"""Text files written whole or not at all: in place of others, or new."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from serq.diagnostics import Diagnostic, SerqError
from serq.files import reason


def replace_text(path: str, text: str) -> None:
    """Put a text in place of the one in the file at `path`, which keeps its mode; a link keeps leading to it.

    The text is written beside the file and moved there when it is complete, so that a reader never sees half of it.

    Raises:
        SerqError: it cannot be written.
    """
    target = os.path.realpath(path)
    try:
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        with _draft(target, text) as draft:
            os.chmod(draft, stat.S_IMODE(os.stat(target).st_mode))
            os.replace(draft, target)
    except OSError as error:
        raise SerqError(Diagnostic("file", f"cannot write to `{path}`: {reason(error)}")) from None


def create_text(path: str, text: str) -> None:
    """Make a new file.

    Raises:
        SerqError: there is one of that name, or it cannot be written.
    """
    try:
        with _draft(path, text) as draft:
            # Unlike a move, a link is refused if somebody has made such a file by now.
            os.link(draft, path)
    except FileExistsError:
        hint = "choose another name, or move the file away"
        raise SerqError(Diagnostic("file", f"there is a file `{path}` already", hint=hint)) from None
    except (OSError, ValueError) as error:
        raise SerqError(Diagnostic("file", f"cannot write to `{path}`: {reason(error)}")) from None


@contextmanager
def _draft(target: str, text: str) -> Iterator[str]:
    """A complete file beside `target`, which is gone afterwards if it is still there."""
    draft = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.{os.getpid()}")
    with open(draft, "xb") as file:
        try:
            file.write(text.encode())
            file.close()
            yield draft
        finally:
            with suppress(OSError):
                os.unlink(draft)
