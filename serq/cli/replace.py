"""Text files written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from serq.diagnostics import Diagnostic, SerqError
from serq.files import reason


def replace_text(path: str, text: str) -> None:
    """Put a text in place of the one in the file at `path`, which keeps its mode; a link keeps leading to it.

    The text is written beside the file and moved there when it is complete, so that a reader never sees half of it.

    Raises:
        SerqError: it cannot be written.
    """
    target = os.path.realpath(path)
    draft = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.{os.getpid()}")
    try:
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        with open(draft, "xb") as file:
            try:
                file.write(text.encode())
                file.close()
                os.chmod(draft, stat.S_IMODE(os.stat(target).st_mode))
                os.replace(draft, target)
            except BaseException:
                with suppress(OSError):
                    os.unlink(draft)
                raise
    except OSError as error:
        raise SerqError(Diagnostic("file", f"cannot write to `{path}`: {reason(error)}")) from None
