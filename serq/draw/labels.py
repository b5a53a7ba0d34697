"""Labels: rows of text as Graphviz's HTML-like tables.

In: rows, titles. Out: the text of a table. Long texts are wrapped where an expression may be broken; what a name may
hold is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable

from serq.draw.model import Row
from serq.draw.style import LARGE, SMALL, Style

WIDTH = 46
"""Letters in a line of a card, unless a single word has more."""


def escape(text: str) -> str:
    """Text as it stands in a label."""
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    for letter, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        shown = shown.replace(letter, entity)
    return shown


def wrap(text: str, width: int = WIDTH) -> list[str]:
    """The text in lines of at most `width` letters, broken at blanks; further lines are indented.

    A word that is longer is broken where it must be.
    """
    indent = text[: len(text) - len(text.lstrip(" "))]
    lines: list[str] = []
    line = indent
    for word in text.split():
        while len(word) > width:
            if line.strip():
                lines.append(line)
            lines.append(word[:width])
            word, line = word[width:], f"{indent}  "
        if line.strip() and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = f"{indent}  {word}"
        else:
            line = f"{line} {word}" if line.strip() else line + word
    return [*lines, line] if line.strip() or not lines else lines


def spaced(line: str) -> str:
    """A line in which the blanks at the beginning keep their width."""
    text = line.lstrip(" ")
    return "&#160;" * (len(line) - len(text)) + (escape(text) or "&#160;")


def paragraph(lines: Iterable[str], width: int = WIDTH) -> str:
    """Lines, wrapped, to the left of their cell."""
    return "".join(f'{spaced(part)}<BR ALIGN="LEFT"/>' for line in lines for part in wrap(line, width))


def font(text: str, *, colour: str | None = None, size: float | None = None, bold: bool = False) -> str:
    """Marked text (nothing stays nothing)."""
    if not text:
        return ""
    if bold:
        text = f"<B>{text}</B>"
    settings = "".join(
        f' {name}="{value}"' for name, value in (("COLOR", colour), ("POINT-SIZE", size)) if value is not None
    )
    return f"<FONT{settings}>{text}</FONT>" if settings else text


def row(step: Row, style: Style, width: int = WIDTH, fill: str | None = None) -> str:
    """A row of a table: the word for the step, and the rest of it."""
    background = "" if fill is None else f' BGCOLOR="{fill}"'
    word = font(escape(step.verb), colour=style.quiet, size=SMALL) or "&#160;"
    text = paragraph(step.lines, width)
    return (
        f'<TR><TD ALIGN="RIGHT" VALIGN="TOP"{background}>{word}</TD>'
        f'<TD ALIGN="LEFT" BALIGN="LEFT"{background}>{text}</TD></TR>'
    )


def heading(title: str, note: str, style: Style, fill: str, port: str = "") -> str:
    """The first row of a table: a name, and what it is."""
    at = f' PORT="{port}"' if port else ""
    beside = font(escape(note), colour=style.quiet, size=SMALL)
    text = f"{font(escape(title), bold=True, size=LARGE)}{'&#160;&#160;' if title and beside else ''}{beside}"
    return f'<TR><TD COLSPAN="2" ALIGN="LEFT" BGCOLOR="{fill}"{at}>{text}</TD></TR>'


def table(rows: Iterable[str], *, line: str, fill: str, sides: str = "", port: str = "", border: float = 1) -> str:
    """A table of rows, with round corners."""
    at = f' PORT="{port}"' if port else ""
    return (
        f'<TABLE BORDER="{border:g}" CELLBORDER="0" CELLSPACING="0" CELLPADDING="3" STYLE="ROUNDED" '
        f'COLOR="{line}" BGCOLOR="{fill}"{at}{sides}>{"".join(rows)}</TABLE>'
    )


def stack(tables: Iterable[tuple[str, str]]) -> str:
    """Tables below one another, each in a cell with a port."""
    cells = "".join(f'<TR><TD PORT="{port}" CELLPADDING="0">{inner}</TD></TR>' for port, inner in tables)
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="5" CELLPADDING="0">{cells}</TABLE>'
