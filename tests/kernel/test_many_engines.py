"""Many engines behind a router: the ways through a run agree, whatever their number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import serq
from serq.kernel import simulate
from serq.results.report import Report

FLEET = (Path(__file__).resolve().parents[2] / "benchmarks" / "fleet.sq").read_text()


def report(replicas: int, horizon: float, load: float, **switches: bool) -> str:
    """The report of the fleet of benchmarks/, as JSON."""
    text = FLEET.replace("let N = 64;", f"let N = {replicas};")
    program = serq.compile(source=text, horizon=horizon, warmup=horizon / 10, sets={"Lambda": load})
    return Report._of_recording(simulate(program.ir, **switches), program.provenance).json()


@pytest.mark.parametrize(
    ("replicas", "horizon", "load"),
    [(2, 60, 0.5), (9, 20, 0.5), (3, 200, 3.0), (70, 4, 1.0), (1000, 0.5, 0.5)],
)
def test_ways_agree(replicas: int, horizon: float, load: float) -> None:
    """Stepping from event to event, with conservation verified after each, gives the bytes of the fast way.

    With 1000 engines the stages that are due take more than one word of words.
    """
    usual = report(replicas, horizon, load)
    assert report(replicas, horizon, load, fast_forward=False) == usual
    assert report(replicas, horizon, load, fast_forward=False, fleet=False) == usual
    if replicas < 1000:
        assert report(replicas, horizon, load, checked=True) == usual


def test_every_engine_serves() -> None:
    """Least work left spreads the turns: all of 1000 engines iterate, each its own row of the report."""
    figures = json.loads(report(1000, 1.0, 20.0))
    engines = [stage for stage in figures["stages"] if stage["name"] == "rep"]
    assert [stage["index"] for stage in engines] == list(range(1000))
    assert all(stage["iterations"] > 0 for stage in engines)
    assert figures["turns"] > 1000
