"""Every gap with its parts, as rows for other tools: CSV, or Parquet through pyarrow.

In: chunks of rows as columns, such as those of a log and its partition. Out: bytes in an open file. Rows are made some
ten thousand at a time, so that a long log takes no more memory for being exported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from serq.stalls.counting import primary_cause
from serq.stalls.extras import extra
from serq.stalls.figures import MEASURED_CAUSES, MEASURED_CLASSES
from serq.stalls.log import Log
from serq.stalls.partition import Partition
from serq.stalls.runs import MS
from serq.stalls.timeline import LABELS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Columns = dict[str, NDArray[Any]]

CHUNK = 50_000
"""Rows made at a time."""

PICOSECOND = 9
"""Decimals of a millisecond in CSV: no clock is better, and doubles of an hour are not either."""

Add = Callable[["Columns"], None]
"""Adds rows to a file."""


def add_log(add: Add, log: Log, cut: Partition) -> None:
    """Add the gaps of a log to a file."""
    for chunk in chunks(log, cut):
        add(chunk)


def chunks(log: Log, cut: Partition) -> Iterator[Columns]:
    """The rows of a log, in order of request and time, as columns; see docs/stalls/log.md for what they hold."""
    primary = primary_cause(cut.table * MS, cut.length * MS, len(MEASURED_CAUSES))
    for first in range(0, max(len(cut.row), 1), CHUNK):
        yield columns(log, cut, slice(first, first + CHUNK), primary)


def columns(log: Log, cut: Partition, rows: slice, primary: NDArray[np.intp]) -> Columns:
    gaps, row = cut.gaps, cut.row[rows]
    n = len(row)
    request = gaps.request[rows].astype(np.int64)
    parts = cut.table[row]
    context = np.zeros((n, len(LABELS)))
    evicted = slice(*np.searchsorted(cut.evicted, (rows.start, rows.start + n)))
    context[cut.evicted[evicted] - rows.start] = cut.context[evicted]
    return {
        "run": np.full(n, log.name),
        "rung": np.full(n, log.rung or ""),
        "seed": np.full(n, "" if log.seed is None else str(log.seed)),
        # Text also where requests have numbers: a file may hold logs of both kinds.
        "request": np.array(log.request_names)[request] if log.request_names else request.astype(np.str_),
        "start_s": gaps.stamps[gaps.first[rows]],
        "end_s": gaps.stamps[gaps.last[rows]],
        "first_step": gaps.first_step[rows],
        "last_step": gaps.last_step[rows],
        "gap_ms": cut.length[row] * MS,
        **{f"{label}_ms": parts[:, i] * MS for i, label in enumerate(LABELS)},
        "primary": np.array(MEASURED_CLASSES)[primary[row]],
        **{f"context_{label}_ms": context[:, i] * MS for i, label in enumerate(LABELS)},
    }


@contextmanager
def csv(file: IO[bytes]) -> Iterator[Add]:
    """A CSV file in UTF-8 with a header line; names are quoted where they must be."""
    started = False

    def add(chunk: Columns) -> None:
        nonlocal started
        if not started:
            file.write((",".join(chunk) + "\n").encode())
            started = True
        cells = [texts(name, column) for name, column in chunk.items()]
        file.writelines((",".join(row) + "\n").encode() for row in zip(*cells, strict=True))

    yield add


def texts(name: str, column: NDArray[Any]) -> list[str]:
    """The cells of a column: numbers in full, but milliseconds to a picosecond."""
    if column.dtype.kind == "f":
        values = np.round(column, PICOSECOND) if name.endswith("_ms") else column
        return [repr(value).removesuffix(".0") for value in values.tolist()]
    if column.dtype.kind == "i":
        return list(map(str, column.tolist()))
    known = {text: quoted(text) for text in np.unique(column).tolist()}
    return [known[text] for text in column.tolist()]


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\r\n') else text


@contextmanager
def parquet(file: IO[bytes]) -> Iterator[Add]:
    """A Parquet file.

    Raises:
        SerqError: pyarrow is not installed.
    """
    what = ("parquet", "a Parquet file", "export to a name that ends in .csv")
    pa: Any = extra("pyarrow", *what)
    pq: Any = extra("pyarrow.parquet", *what)
    writer: Any = None

    def add(chunk: Columns) -> None:
        nonlocal writer
        table = pa.table({name: pa.array(column) for name, column in chunk.items()})
        writer = writer or pq.ParquetWriter(file, table.schema)
        writer.write_table(table)

    try:
        yield add
    finally:
        if writer is not None:
            writer.close()


FORMATS: dict[str, Callable[[IO[bytes]], AbstractContextManager[Add]]] = {".csv": csv, ".parquet": parquet}
"""By suffix, what opens an export in a file."""
