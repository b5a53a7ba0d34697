"""Configurations beside each other: what a change did to the tail, from several runs of each.

In: measured runs. Out: `Rung`s, in the order in which they first occur. The run is the unit of evidence: one pause
stalls a whole batch, so the gaps of a run are no independent samples. A figure of a rung is therefore the median of
its runs' figures, with the least and the greatest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite, nan
from statistics import median
from typing import Generic, NamedTuple, Protocol, TypeVar

from serq.stalls.figures import StallFigures
from serq.stalls.lines import Table, ms, percent


class Run(Protocol):
    """What a ladder reads of a run, measured or simulated. Milliseconds."""

    @property
    def name(self) -> str: ...
    @property
    def rung(self) -> str | None: ...
    @property
    def ttft_p50(self) -> float: ...
    @property
    def stalls(self) -> StallFigures: ...


AnyRun = TypeVar("AnyRun", bound=Run)


class Spread(NamedTuple):
    """A figure of several runs; NaN without any."""

    median: float
    least: float
    greatest: float


def spread_of(values: Iterable[float]) -> Spread:
    """Median, least and greatest of those values that are numbers."""
    known = [value for value in values if isfinite(value)]
    return Spread(median(known), min(known), max(known)) if known else Spread(nan, nan, nan)


class Rung(NamedTuple, Generic[AnyRun]):
    """The runs of one configuration."""

    name: str
    runs: tuple[AnyRun, ...]


def rungs(runs: Sequence[AnyRun]) -> list[Rung[AnyRun]]:
    """The runs by rung; a run that names none is one of its own."""
    groups: dict[tuple[bool, str], list[AnyRun]] = {}
    for run in runs:
        groups.setdefault((run.rung is None, run.name if run.rung is None else run.rung), []).append(run)
    return [Rung(name, tuple(members)) for (_, name), members in groups.items()]


FIGURES: dict[str, Callable[[Run], float]] = {
    "p50": lambda run: run.stalls.p50,
    "p99": lambda run: run.stalls.p99,
    "p99.9": lambda run: run.stalls.p999,
    "max": lambda run: run.stalls.max,
    "ttft p50": lambda run: run.ttft_p50,
}


def ladder_table(ladder: Sequence[Rung[AnyRun]]) -> Table:
    """A row a rung: median [least-greatest] of its runs, ms."""
    rows = [
        (rung.name, str(len(rung.runs)), *(spread(spread_of(map(figure, rung.runs))) for figure in FIGURES.values()))
        for rung in ladder
    ]
    return Table(("rung", "runs", *FIGURES), rows)


def composition_table(ladder: Sequence[Rung[AnyRun]]) -> Table:
    """A row a rung: share of the tail's time by label, median of its runs, %."""
    labels = ladder[0].runs[0].stalls.labels
    return Table(("rung", *labels), [(rung.name, *map(percent, composition(rung))) for rung in ladder])


def composition(rung: Rung[AnyRun]) -> list[float]:
    """Share of the tail's time by label: the median of the rung's runs."""
    by_label = zip(*(run.stalls.tail_share for run in rung.runs), strict=True)
    return [spread_of(shares).median for shares in by_label]


def spread(value: Spread) -> str:
    if not isfinite(value.median):
        return "-"
    if value.least == value.greatest:
        return ms(value.median)
    return f"{ms(value.median)} [{ms(value.least)}-{ms(value.greatest)}]"
