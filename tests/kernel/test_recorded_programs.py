"""The kernel gives the conformance corpus's figures for its programs in the intermediate representation.

tests/golden/ir holds the programs as IR, tests/conformance the figures.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from serq.diagnostics import SerqError
from serq.ir.json import load
from serq.kernel import simulate
from serq.results.provenance import Provenance
from serq.results.report import Report
from serq.trace import read_trace
from tests.figures import differences

TESTS = Path(__file__).resolve().parent.parent
PROGRAMS = sorted((TESTS / "golden" / "ir").glob("*.json"))


def run(path: Path, **options: bool) -> str:
    """The report of a program in the IR, as JSON."""
    ir = load(path.read_text())
    folder = path.stem.split("--")[0]
    trace = read_trace(str(TESTS / "conformance" / folder / ir.trace)) if ir.trace else None
    recording = simulate(ir, trace=trace, **options)
    assert ir.horizon is not None
    settings = Provenance("", "", (), (), None, ir.seed, ir.horizon, ir.warmup, ir.arrivals)
    return Report._of_recording(recording, settings).json()


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_figures(path: Path) -> None:
    """Every figure of the case agrees, with conservation verified after every event of the shorter runs."""
    folder, name = path.stem.split("--", 1)
    case = json.loads((TESTS / "conformance" / folder / f"{name}.json").read_text())
    if case.get("error"):
        with pytest.raises(SerqError):
            run(path)
        return
    found = list(differences(case["report"], json.loads(run(path, checked=folder != "chapter5"))))
    assert not found


@pytest.mark.parametrize(
    "path",
    [p for p in PROGRAMS if p.stem.startswith(("engine--", "pools--")) or p.stem.startswith("chapter5--cliff-1.8")],
    ids=lambda path: path.stem,
)
def test_ways_agree(path: Path) -> None:
    """Fast-forward, stepping, and visiting every run in every iteration give the same report to the last bit."""
    try:
        fast = run(path)
    except SerqError:
        return
    assert run(path, fast_forward=False) == fast
    assert run(path, fast_forward=False, fleet=False) == fast
