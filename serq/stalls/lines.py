"""Lines of text whose pieces have roles, so that one layout serves a pipe and a terminal.

In: cells and strings. Out: `Line`s. Plain text is their pieces put together; a terminal gives each role a style.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, isfinite, log10
from typing import NamedTuple

HEAD, NAME, TITLE, NOTE, CAUSE = "head", "name", "title", "note", "cause "
"""Roles: a table's header, what a row is about, a title, a remark; a cause's role is `CAUSE` and its letter."""


class Piece(NamedTuple):
    text: str
    role: str = ""


Line = tuple[Piece, ...]


class Table(NamedTuple):
    """A header and rows of as many cells; the first `left` columns are aligned to the left, the others to the right."""

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    left: int = 1


def plain(lines: Iterable[Line]) -> str:
    """The text, ending with a newline."""
    return "".join("".join(piece.text for piece in line).rstrip() + "\n" for line in lines)


def line(text: str, role: str = "") -> Line:
    return (Piece(text, role),)


def table_lines(table: Table) -> list[Line]:
    """Header, dashes and rows; a column is as wide as its widest cell, two blanks stand between columns."""
    widths = [max(map(len, column)) for column in zip(table.header, *table.rows, strict=True)]
    dashes = tuple("-" * width for width in widths)
    return [
        line(aligned(table.header, widths, table.left), HEAD),
        line(aligned(dashes, widths, table.left)),
        *(row_line(row, widths, table.left) for row in table.rows),
    ]


def titled(title: str, table: Table) -> list[Line]:
    """An empty line, a title, a table."""
    return [line(""), line(title, TITLE), *table_lines(table)]


def reconciled(n_gaps: int, worst: float) -> str:
    """How far parts and gaps agree: `worst` ms, told as the next power of ten, for its digits are rounding noise."""
    within = 10.0 ** ceil(log10(worst)) if worst > 0 else 0.0
    return f"reconciliation: the parts of {n_gaps} gaps sum to the gaps within {within:g} ms"


def row_line(cells: Sequence[str], widths: list[int], left: int) -> Line:
    text = aligned(cells, widths, left)
    return (Piece(text[: widths[0]], NAME), Piece(text[widths[0] :]))


def aligned(cells: Sequence[str], widths: list[int], left: int) -> str:
    return "  ".join(
        cell.ljust(width) if column < left else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )


def ms(value: float) -> str:
    """Milliseconds with some four digits; `-` where there are none."""
    if not isfinite(value):
        return "-"
    return f"{value:.{2 if abs(value) < 100 else 1 if abs(value) < 1000 else 0}f}"


def percent(share: float) -> str:
    """A share in percent, a decimal; `-` where there is none, and no sign on a zero."""
    if not isfinite(share):
        return "-"
    shown = f"{100 * share:.1f}"
    return shown.removeprefix("-") if float(shown) == 0 else shown
