"""Labels: rows of text as Graphviz's HTML-like tables.

In: rows, titles. Out: the text of a table. Long texts are wrapped where an expression may be broken; what a name may
hold is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable

from serq.draw.metrics import text_width
from serq.draw.model import Row
from serq.draw.style import LARGE, SIZE, SMALL, Style

WIDTH = 250.0
"""Points that a line of a card has."""
PADDING = 4
"""Points around a text in its cell: what keeps it off the round corners."""
APART = "   "
"""Between a name and what it is."""
INDENT = "  "
"""Before the further lines of a wrapped text."""
REPLACED = "\N{REPLACEMENT CHARACTER}"


def escape(text: str) -> str:
    """Text as it stands in a label."""
    shown = "".join(letter if letter.isprintable() else REPLACED for letter in text)
    for letter, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        shown = shown.replace(letter, entity)
    return shown


def wrap(text: str, width: float = WIDTH) -> list[str]:
    """The text in lines of at most `width` points, broken at blanks; further lines are indented.

    A word that is longer is broken where it must be.
    """
    margin = text[: len(text) - len(text.lstrip(" "))]
    lines: list[str] = []
    line = margin
    for word in text.split():
        while word:
            longer = f"{line} {word}" if line.strip() else line + word
            if text_width(longer, SIZE) <= width:
                line, word = longer, ""
            elif line.strip():
                lines.append(line)
                line = margin + INDENT
            else:
                part = fitting(word, width - text_width(line, SIZE))
                lines.append(line + part)
                line, word = margin + INDENT, word[len(part) :]
    return [*lines, line] if line.strip() or not lines else lines


def fitting(word: str, width: float) -> str:
    """The beginning of a word that is at most so wide, and at least one letter."""
    end = len(word)
    while end > 1 and text_width(word[:end], SIZE) > width:
        end -= 1
    return word[:end]


def paragraph(lines: Iterable[str], width: float = WIDTH) -> str:
    """Lines, wrapped, to the left of their cell."""
    return "".join(f'{escape(part) or " "}<BR ALIGN="LEFT"/>' for line in lines for part in wrap(line, width))


def paragraph_width(lines: Iterable[str], width: float = WIDTH) -> float:
    """Width of a cell with these lines."""
    return max(text_width(part, SIZE) for line in lines for part in wrap(line, width)) + 2 * PADDING


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


def row(step: Row, style: Style, fill: str | None = None, columns: tuple[float, float] = (0, 0)) -> str:
    """A row of a table: the word for the step, and the rest of it, on a ground of its own if there is a `fill`.

    Args:
        columns: least widths of the two.
    """
    word = font(escape(step.verb), colour=style.quiet, size=SMALL) or " "
    text = paragraph(step.lines)
    if fill is not None:
        cell = f'<TR><TD ALIGN="LEFT" BALIGN="LEFT">{text}</TD></TR>'
        plain = 'BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="2" STYLE="ROUNDED"'
        text = f'<TABLE {plain} BGCOLOR="{fill}">{cell}</TABLE>'
    first, second = (f' WIDTH="{width:.0f}"' if width else "" for width in columns)
    return (
        f'<TR><TD ALIGN="RIGHT" VALIGN="TOP"{first}>{word}</TD><TD ALIGN="LEFT" BALIGN="LEFT"{second}>{text}</TD></TR>'
    )


def columns_of(rows: Iterable[Row]) -> tuple[float, float]:
    """Widths of the two columns that rows of several tables need, so that the tables line up."""
    words, lines = [0.0], [0.0]
    for step in rows:
        words.append(text_width(step.verb, SMALL) + 2 * PADDING + 2)
        lines += [text_width(part, SIZE) + 2 * PADDING + 8 for line in step.lines for part in wrap(line)]
    return max(words), max(lines)


def beneath(rows: Iterable[Row], width: float) -> tuple[float, float]:
    """Widths of the two columns of rows below a row that is `width` points wide: the second has what is left."""
    first, second = columns_of(rows)
    return first, max(second, width - first)


def heading(title: str, note: str, style: Style) -> str:
    """The first row of a table: a name, and what it is."""
    beside = font(escape(note), colour=style.quiet, size=SMALL)
    text = f"{font(escape(title), bold=True, size=LARGE)}{APART if title and beside else ''}{beside}"
    return f'<TR><TD COLSPAN="2" ALIGN="LEFT" CELLPADDING="{PADDING + 1}">{text}</TD></TR>'


def heading_width(title: str, note: str) -> float:
    """Width of such a row."""
    return text_width(title, LARGE, bold=True) + text_width(APART, SIZE) + text_width(note, SMALL) + 2 * PADDING + 2


RULE = "<HR/>"
"""A line between rows."""


def table(rows: Iterable[str], *, line: str, fill: str, width: float = 1) -> str:
    """A table of rows, with round corners; its border is `width` points wide."""
    return (
        f'<TABLE BORDER="{width:g}" CELLBORDER="0" CELLSPACING="0" CELLPADDING="{PADDING}" STYLE="ROUNDED" '
        f'COLOR="{line}" BGCOLOR="{fill}">{"".join(rows)}</TABLE>'
    )


def stack(columns: Iterable[Iterable[tuple[str, str]]]) -> str:
    """Columns of tables, each in a cell with a port (none if its name is empty)."""
    shown = []
    for column in columns:
        cells = ""
        for port, inner in column:
            at = f' PORT="{port}"' if port else ""
            cells += f"<TR><TD{at}>{inner}</TD></TR>"
        plain = 'BORDER="0" CELLBORDER="0" CELLSPACING="4" CELLPADDING="0"'
        shown.append(f'<TD VALIGN="TOP"><TABLE {plain}>{cells}</TABLE></TD>')
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR>{"".join(shown)}</TR></TABLE>'
