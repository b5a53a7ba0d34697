"""The report for a terminal: the figures of `text`, in the same decimals, as rich tables.

In: a `Report` and a rich console. Out: what the console prints. This is the only module of the room that imports rich.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from serq.report import tables
from serq.report.remarks import remarks

if TYPE_CHECKING:
    from serq.results.report import Report


def print_report(report: Report, console: Console) -> None:
    """Print the report; a table wider than the console is printed in full all the same."""
    say(console, Text(tables.run_line(report)))
    for table in tables.tables(report):
        say(console, Text())
        say(console, rich_table(table))
    found = remarks(report)
    if found:
        say(console, Text())
    for remark in found:
        say(console, Text.assemble((remark.line, "bold red" if remark.is_fault else "yellow")))


def rich_table(table: tables.Table) -> RichTable:
    shown = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    for column, title in enumerate(table.header):
        left = column < table.left
        shown.add_column(
            Text(title), justify="left" if left else "right", style="cyan" if column == 0 else "", no_wrap=True
        )
    for row in table.rows:
        shown.add_row(*map(Text, row))
    return shown


def say(console: Console, content: Text | RichTable) -> None:
    """Print `content` whole: cutting a figure off to fit the window would be worse than a long line."""
    width = max(console.width, console.measure(content).maximum)
    console.print(content, width=width, crop=False, overflow="ignore", no_wrap=True)
