"""Many runs of the demonstrator engine: a ladder of rungs and seeds, and what rate the machine sustains.

In: rungs, seeds and a rate. Out: logs in a folder. A machine's pace drifts, so the seeds are gone through one after the
other, each with all rungs, and each begins with another rung: a slow quarter of an hour does not fall on one rung. A
log that is there, whole and of the same settings, is not made again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from serq.cli.nano_runs import make_run
from serq.diagnostics import SerqError
from serq.nano.rungs import RUNGS, slug
from serq.nano.workload import mean_output_tokens
from serq.stalls.files import read_log
from serq.stalls.log import Log

SATURATING = 30.0
"""Requests a second that no machine serves."""

STRIDE = 3
"""By so many rungs each seed begins further on; it has no divisor in common with the number of all rungs."""


class Cell(NamedTuple):
    """A run of a ladder."""

    rung: str
    seed: int
    position: int

    def path(self, folder: Path) -> Path:
        return folder / f"{slug(self.rung)}__s{self.seed}.npz"


def order(rungs: Sequence[str], seeds: Sequence[int]) -> list[Cell]:
    """Every rung with every seed, in the order in which they run."""
    cells: list[Cell] = []
    for number, seed in enumerate(seeds):
        for place in range(len(rungs)):
            rung = rungs[(place + STRIDE * number) % len(rungs)]
            cells.append(Cell(rung, seed, len(cells) + 1))
    return cells


def is_there(path: Path, cell: Cell, duration: float, rate: float) -> bool:
    """Whether a whole log of this run is in a file already."""
    if not path.exists():
        return False
    try:
        config = read_log(path).config
    except SerqError:
        return False
    wanted = {"rung": cell.rung, "seed": cell.seed, "duration": duration, "rate": rate}
    return not config.get("interrupted") and all(config.get(name) == value for name, value in wanted.items())


def make_ladder(cells: Sequence[Cell], folder: Path, duration: float, rate: float) -> tuple[list[Path], int]:
    """Make the runs that are not there yet; all logs, rung by rung, and how many were there.

    Raises:
        Interrupted: by Ctrl-C; the log of the run that was interrupted is made again next time.
        SerqError: a run could not be made.
    """
    kept = 0
    for cell in cells:
        path = cell.path(folder)
        if is_there(path, cell, duration, rate):
            kept += 1
            continue
        job = {"rung": cell.rung, "seed": cell.seed, "duration": duration, "rate": rate, "out": str(path)}
        title = f"{cell.position} of {len(cells)}: {cell.rung}, seed {cell.seed}"
        make_run({**job, "position": cell.position}, title)
    by_rung = sorted(cells, key=lambda cell: (RUNGS.index(cell.rung), cell.seed))
    return [cell.path(folder) for cell in by_rung], kept


class Pace(NamedTuple):
    """Requests a second that the machine serves: median, least and greatest of several measurements."""

    median: float
    least: float
    greatest: float


def sustained(seconds: float, rounds: int) -> Pace:
    """Let the engine with all remedies serve as fast as it can.

    With them nothing is lost to preemption or to batches without a graph, so this is what the machine can do; the
    baseline falls behind where a swell goes beyond it.

    Raises:
        Interrupted: by Ctrl-C.
    """
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for number in range(rounds):
            path = Path(folder) / f"{number}.npz"
            job = {"rung": RUNGS[-1], "seed": number + 1, "duration": seconds, "rate": SATURATING, "out": str(path)}
            make_run({**job, "until": seconds}, f"{number + 1} of {rounds}")
            found.append(tokens_a_second(read_log(path)) / mean_output_tokens())
    return Pace(median(found), min(found), max(found))


def tokens_a_second(log: Log) -> float:
    """Tokens a second of a full engine: after the first quarter, in which the batch fills up."""
    begin = log.wall / 4
    return float((log.emissions[:, 1] >= begin).sum()) / (log.wall - begin)
