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
INDENT = "  "
"""Before the further lines of a wrapped text."""
BLANK = "\N{NO-BREAK SPACE}"
"""What those blanks are in a drawing: Graphviz keeps it at the beginning of a line."""
REPLACED = "\N{REPLACEMENT CHARACTER}"


def escape(text: str) -> str:
    """Text as it stands in a label."""
    shown = "".join(letter if letter.isprintable() or letter == BLANK else REPLACED for letter in text)
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


def spaced(line: str) -> str:
    """A line in which the blanks at the beginning keep their width."""
    text = line.lstrip(" ")
    return "&#160;" * (len(line) - len(text)) + (escape(text) or "&#160;")


def paragraph(lines: Iterable[str], width: float = WIDTH) -> str:
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


def row(step: Row, style: Style, fill: str | None = None, columns: tuple[float, float] = (0, 0)) -> str:
    """A row of a table: the word for the step, and the rest of it, on a ground of its own if there is a `fill`.

    Args:
        columns: least widths of the two.
    """
    word = font(escape(step.verb), colour=style.quiet, size=SMALL) or "&#160;"
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
        words.append(text_width(step.verb, SMALL) + 8)
        lines += [text_width(part, SIZE) + 14 for line in step.lines for part in wrap(line)]
    return max(words), max(lines)


def heading(title: str, note: str, style: Style) -> str:
    """The first row of a table: a name, and what it is."""
    beside = font(escape(note), colour=style.quiet, size=SMALL)
    text = f"{font(escape(title), bold=True, size=LARGE)}{'&#160;&#160;' if title and beside else ''}{beside}"
    return f'<TR><TD COLSPAN="2" ALIGN="LEFT">{text}</TD></TR>'


RULE = "<HR/>"
"""A line between rows."""


def table(rows: Iterable[str], *, line: str, fill: str, width: float = 1) -> str:
    """A table of rows, with round corners; its border is `width` points wide."""
    return (
        f'<TABLE BORDER="{width:g}" CELLBORDER="0" CELLSPACING="0" CELLPADDING="3" STYLE="ROUNDED" '
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
