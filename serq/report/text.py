"""The report as plain text.

In: a `Report`. Out: lines. Each table is a header, a line of dashes and its rows; a column is as wide as its widest
cell, two blanks stand between columns. The remarks follow below the tables, one a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq.report.remarks import remarks
from serq.report.tables import Table, run_line, tables

if TYPE_CHECKING:
    from serq.results.report import Report


def report_text(report: Report) -> str:
    """The whole report, ending with a newline."""
    sections = [run_line(report), *(table_text(table) for table in tables(report))]
    found = remarks(report)
    if found:
        sections.append("\n".join(remark.line for remark in found))
    return "\n\n".join(sections) + "\n"


def table_text(table: Table) -> str:
    """The lines of one table, without a newline at the end."""
    widths = [max(map(len, column)) for column in zip(table.header, *table.rows, strict=True)]
    dashes = tuple("-" * width for width in widths)
    return "\n".join(row_text(row, widths, table.left) for row in (table.header, dashes, *table.rows))


def row_text(cells: tuple[str, ...], widths: list[int], left: int) -> str:
    aligned = (
        cell.ljust(width) if column < left else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join(aligned).rstrip()
