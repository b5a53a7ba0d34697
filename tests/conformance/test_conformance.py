"""Each case of this folder: NAME.sq with NAME.json, which holds the settings and either figures or a refusal.

`report`: every figure listed must agree, counts exactly, others to a relative 1e-9. `error`: the program must be
refused at `line`, `col`, or anywhere when they are null. The list OPEN names what does not work yet; a case
that begins to pass fails the test until it is taken off its list.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import serq
from serq.kernel import simulate
from serq.results.report import Report
from serq.trace import read_trace
from tests.figures import differences
from tests.random_programs.pool import Worker

HERE = Path(__file__).resolve().parent
CASES = sorted(path for path in HERE.glob("*/*.json") if path.with_suffix(".sq").exists())
SETTINGS = ("seed", "horizon", "warmup", "sets", "arrivals")

OPEN: set[str] = set()
"""None at present."""

LONG = {"chapter5"}
"""Folders whose runs take millions of iterations: the checks between events are left out."""


def name(path: Path) -> str:
    return path.relative_to(HERE).with_suffix("").as_posix()


def case_of(path: Path) -> object:
    marks = [pytest.mark.xfail(reason="not yet supported")] if name(path) in OPEN else []
    return pytest.param(path, id=name(path), marks=marks)


def settings_of(case: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in case["run"].items() if key in SETTINGS and value is not None}


def report(path: Path, case: dict[str, Any], **switches: bool) -> str:
    program = serq.compile(path.with_suffix(".sq"), **settings_of(case))
    trace = None if program.trace_path is None else read_trace(program.trace_path)
    return Report._of_recording(simulate(program.ir, trace=trace, **switches), program.provenance).json()


@pytest.mark.parametrize("path", [case_of(path) for path in CASES])
def test_case(path: Path) -> None:
    """The figures agree, with conservation checked after every event; a refusal is at the token."""
    case = json.loads(path.read_text())
    if "error" in case:
        with pytest.raises(serq.SerqError) as refusal:
            report(path, case, checked=True)
        if case["error"]["line"] is not None:
            place = refusal.value.line, refusal.value.column
            assert place == (case["error"]["line"], case["error"]["col"]), str(refusal.value)
        return
    found = report(path, case, checked=path.parent.name not in LONG)
    assert not list(differences(case["report"], json.loads(found)))


SAMPLE = [p for p in CASES if "report" in json.loads(p.read_text()) and name(p) not in OPEN]


@pytest.mark.parametrize("path", [p for p in SAMPLE if p.parent.name not in LONG], ids=name)
def test_stepping_gives_the_same_bytes(path: Path) -> None:
    """Fast-forward is an optimisation of the loop: without it the report is the same text."""
    case = json.loads(path.read_text())
    assert report(path, case, fast_forward=False) == report(path, case)


def test_uncompiled_gives_the_same_bytes() -> None:
    """The kernel's sources, run by Python itself, give the same text on every fourth case."""
    with Worker("serq", uncompiled=True) as sources:
        for path in [p for p in SAMPLE if p.parent.name not in LONG][::4]:
            case = json.loads(path.read_text())
            if serq.compile(path.with_suffix(".sq"), **settings_of(case)).trace_path is not None:
                continue
            job = {"text": path.with_suffix(".sq").read_text(), "settings": settings_of(case)}
            assert sources.ask(job, limit=60).get("report") == report(path, case), path
