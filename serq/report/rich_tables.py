"""The report for a terminal: the figures of `text`, in the same decimals, as rich tables.

In: a `Report`. Out: text with the escape sequences of the terminal on standard output. Only this module of the room
imports rich.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from serq.report import tables
from serq.report.remarks import remarks

if TYPE_CHECKING:
    from serq.results.report import Report


WIDE = 1000
"""Columns to set tables in: cutting a figure off to fit the window would be worse than a long line."""


def terminal_text(report: Report) -> str:
    """The report with the terminal's styles; what is wider than the terminal is set in full all the same."""
    console = Console(width=WIDE)
    with console.capture() as capture:
        console.print(Text(tables.run_line(report)))
        for table in tables.tables(report):
            console.print()
            console.print(rich_table(table))
        found = remarks(report)
        if found:
            console.print()
        for remark in found:
            console.print(Text(remark.line, style="bold red" if remark.is_fault else "yellow"))
    return capture.get()


def rich_table(table: tables.Table) -> RichTable:
    """`table` with two blanks between its columns, as in plain text."""
    shown = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
    for column, title in enumerate(table.header):
        justify: Literal["left", "right"] = "left" if column < table.left else "right"
        shown.add_column(Text(title), justify=justify, style="cyan" if column == 0 else "", no_wrap=True)
    for row in table.rows:
        shown.add_row(*map(Text, row))
    return shown
