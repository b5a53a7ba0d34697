"""Every gap as a row of CSV or Parquet."""

from __future__ import annotations

import csv as csv_module
import io

import numpy as np
import pytest

from serq.stalls import export
from serq.stalls.export import add_log, csv, parquet
from serq.stalls.log import Log
from serq.stalls.partition import partition
from serq.stalls.timeline import LABELS, PREEMPT
from tests.unit.stalls.logs import random_log, regular_log

LOGS = [
    regular_log('a,"b"', 1),
    random_log(4),
    random_log(7)._replace(request_names=("é", "b", "c", "d", "e", "f"), name="names"),
]


def rows(*logs: Log) -> list[dict[str, str]]:
    file = io.BytesIO()
    with csv(file) as add:
        for log in logs:
            add_log(add, log, partition(log))
    return list(csv_module.DictReader(io.StringIO(file.getvalue().decode())))


def test_csv() -> None:
    """A row a gap, log by log, in order of request and time: its ends, its parts, its cause, its context."""
    found = rows(*LOGS)
    cuts = [partition(log) for log in LOGS]
    assert len(found) == sum(len(cut.row) for cut in cuts)
    parts = np.concatenate([cut.parts for cut in cuts]) * 1e3
    np.testing.assert_allclose([[float(row[f"{label}_ms"]) for label in LABELS] for row in found], parts, atol=1e-9)
    for name, values in {
        "start_s": np.concatenate([cut.gaps.start for cut in cuts]),
        "end_s": np.concatenate([cut.gaps.end for cut in cuts]),
        "first_step": np.concatenate([cut.gaps.first_step for cut in cuts]),
        "last_step": np.concatenate([cut.gaps.last_step for cut in cuts]),
    }.items():
        assert [float(row[name]) for row in found] == values.tolist()
    for row in found:
        context = sum(float(row[f"context_{label}_ms"]) for label in LABELS)
        assert context <= float(row[f"{LABELS[PREEMPT]}_ms"]) + 1e-6
    assert sum(float(row["context_prefill_ms"]) for row in found) > 0
    assert {row["rung"] for row in found} == {'a,"b"', ""}
    assert {row["request"] for row in found if row["run"] == "names"} <= {"é", "b", "c", "d", "e", "f"}
    assert {row["primary"] for row in found} >= {"clean", "gc", "preempt"}


def test_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many rows are made at a time does not show."""
    whole = rows(*LOGS)
    monkeypatch.setattr(export, "CHUNK", 7)
    assert rows(*LOGS) == whole


def test_no_gaps() -> None:
    """Without gaps a file has its header."""
    file = io.BytesIO()
    empty = random_log(1, emissions=())
    with csv(file) as add:
        add_log(add, empty, partition(empty))
    assert file.getvalue().startswith(b"run,rung,seed,request,start_s,")
    assert file.getvalue().count(b"\n") == 1


def test_parquet() -> None:
    """Parquet has the rows of CSV, unrounded."""
    reading = pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    with parquet(file) as add:
        for log in (*LOGS, random_log(1, emissions=())):
            add_log(add, log, partition(log))
    table = reading.read_table(io.BytesIO(file.getvalue())).to_pylist()
    assert [row["request"] for row in table] == [row["request"] for row in rows(*LOGS)]
    gaps = np.concatenate([partition(log).lengths for log in LOGS]) * 1e3
    assert [row["gap_ms"] for row in table] == gaps.tolist()
