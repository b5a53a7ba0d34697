"""The tail's count beside its time, by cause: they disagree, and both are true.

In: `StallFigures` of any source, with what they are called. Out: a `Table`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan

from serq.stalls.figures import CLEAN, StallFigures
from serq.stalls.lines import Table, ms, percent


def count_and_time(named: Sequence[tuple[str, StallFigures]], *, first: str = "run", hide: bool = False) -> Table:
    """Rows of each figures' tail: gaps by primary cause, time by label; and all time by label.

    Args:
        named: at least one; all with the same causes.
        first: header of the first column.
        hide: leave out causes that take no time anywhere.
    """
    n_causes = len(named[0][1].causes)
    shown = [i for i in range(n_causes) if not hide or any(takes_time(stalls, i) for _, stalls in named)]
    header = ("", "total", *(named[0][1].causes[i].name for i in shown), CLEAN, "kernel", "residual")
    rows = [row for name, stalls in named for row in rows_of(name, stalls, shown)]
    return Table((first, *header), rows, left=2)


def takes_time(stalls: StallFigures, cause: int) -> bool:
    return stalls.all_share[cause] > 0 or stalls.context[cause] > 0


def rows_of(name: str, stalls: StallFigures, shown: Sequence[int]) -> Iterator[tuple[str, ...]]:
    n_causes = len(stalls.causes)

    def times(values: Sequence[str]) -> tuple[str, ...]:
        """A row by label: being clean takes no time."""
        return (*(values[i] for i in shown), "", *values[n_causes:])

    def gaps(values: Sequence[str]) -> tuple[str, ...]:
        """A row by cause."""
        return (*(values[i] for i in shown), values[n_causes], "", "")

    tail = sum(stalls.tail_count)
    yield (name, "tail gaps", str(tail), *gaps([str(n) for n in stalls.tail_count]))
    yield ("", "tail gaps, %", "", *gaps([percent(n / tail if tail else nan) for n in stalls.tail_count]))
    yield ("", "tail time, %", f"{ms(stalls.tail_time)} ms", *times([percent(share) for share in stalls.tail_share]))
    yield ("", "all time, %", "", *times([percent(share) for share in stalls.all_share]))
    if any(stalls.context):
        yield ("", "ran while evicted, ms", ms(sum(stalls.context)), *times([ms(value) for value in stalls.context]))
