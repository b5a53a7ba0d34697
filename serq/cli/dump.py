"""`serq run --dump DIR`: samples and change points as CSV files.

DIR/NAME.csv for each observation and DIR/client/NAME.csv for each client figure have the columns
`time,session,turn,value`, DIR/gauge/NAME.csv for each gauge `time,value`. Every file is written beside its place and
moved there when all are complete, so a reader never sees half of one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from math import isfinite
from pathlib import Path

from serq.diagnostics import Diagnostic, SerqError
from serq.files import reason
from serq.results.json import number
from serq.results.report import Gauge, Observe, Report


def check_dump(directory: str) -> None:
    """Refuse a directory that cannot be written to, before the run rather than after it.

    Raises:
        SerqError: it is a file, or it or what it would be made in may not be written to.
    """
    place = Path(os.path.abspath(directory))
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        refuse(place, "it is not a directory")
    if not os.access(place, os.W_OK | os.X_OK):
        refuse(place, "permission denied")


def write_dump(report: Report, directory: str) -> None:
    """Write all files, or none if one of them cannot be written.

    Raises:
        SerqError: a file cannot be written.
    """
    moves: list[tuple[Path, Path]] = []
    place = Path(directory)
    try:
        for name, lines in dumps(report):
            place = Path(directory, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            draft = place.with_name(f".{place.name}.{os.getpid()}")
            if place.is_dir():
                refuse(place, "it is a directory")
            moves.append((draft, place))
            with draft.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(lines)
        for draft, place in moves:
            draft.replace(place)
    except OSError as error:
        refuse(place, reason(error))
    finally:
        for draft, _ in moves:
            draft.unlink(missing_ok=True)


def dumps(report: Report) -> Iterator[tuple[str, Iterator[str]]]:
    """Path inside the directory and lines of each file."""
    for observe in report.observes.values():
        yield f"{observe.name}.csv", sample_lines(observe)
    for figure in report.client.values():
        yield f"client/{figure.name}.csv", sample_lines(figure)
    for gauge in report.gauges.values():
        yield f"gauge/{gauge.name}.csv", gauge_lines(gauge)


def sample_lines(observe: Observe) -> Iterator[str]:
    yield "time,session,turn,value\n"
    columns = (observe.times, observe.sessions, observe.turns, observe.samples)
    for time, session, turn, value in zip(*(column.tolist() for column in columns), strict=True):
        yield f"{decimal(time)},{session},{turn},{decimal(value)}\n"


def gauge_lines(gauge: Gauge) -> Iterator[str]:
    yield "time,value\n"
    for time, value in zip(gauge.times.tolist(), gauge.values.tolist(), strict=True):
        yield f"{decimal(time)},{decimal(value)}\n"


def decimal(value: float) -> str:
    """As in the report's JSON; `nan`, `inf` and `-inf` where JSON has null."""
    return number(value) if isfinite(value) else repr(value)


def refuse(place: Path, why: str) -> None:
    raise SerqError(Diagnostic("file", f"cannot write to `{place}`: {why}"))
