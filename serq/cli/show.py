"""Reports of lines on standard output."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from serq.cli.output import write
from serq.stalls.lines import Line, plain


def show(lines: Sequence[Line]) -> None:
    """Write lines to standard output, in colours if it is a terminal.

    Raises:
        OSError: it cannot be written; a BrokenPipeError if nobody reads it any more.
    """
    if sys.stdout is not None and sys.stdout.isatty():
        # Here because rich takes 60 ms to import, and only a terminal shows what it does.
        from serq.cli.styled import styled

        write(styled(lines))
    else:
        write(plain(lines))
