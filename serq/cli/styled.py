"""Lines of pieces with roles for a terminal: each role in a style of rich."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from serq.stalls.bars import CLEAN_LETTER
from serq.stalls.lines import CAUSE, HEAD, NAME, NOTE, TITLE, Line

WIDE = 1000
"""Columns to print in: cutting a figure off to fit the window would be worse than a long line."""

STYLES = {
    HEAD: "bold",
    TITLE: "bold underline",
    NAME: "cyan",
    NOTE: "yellow",
    f"{CAUSE}P": "bright_blue",
    f"{CAUSE}S": "red",
    f"{CAUSE}C": "magenta",
    f"{CAUSE}G": "yellow",
    f"{CAUSE}T": "green",
    CAUSE + CLEAN_LETTER: "dim",
}
OTHER_CAUSE = "bright_cyan"


def styled(lines: Iterable[Line]) -> str:
    """The lines with the escape sequences of the terminal on standard output."""
    console = Console(width=WIDE)
    with console.capture() as capture:
        for line in lines:
            console.print(Text.assemble(*((piece.text, style(piece.role)) for piece in line)), soft_wrap=True)
    return capture.get()


def style(role: str) -> str:
    return STYLES.get(role, OTHER_CAUSE if role.startswith(CAUSE) else "")
