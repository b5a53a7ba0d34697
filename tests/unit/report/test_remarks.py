"""Each remark says what, where and how many, and is there only when it should be."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from serq.kernel.recording import ChangePoints, OverCap
from serq.report.remarks import CHECKS, FAULTS, remarks
from tests.recordings import claim, pool, report, samples, stage

WIDE = [0.0] * 20 + [1.0] * 20

CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "stuck": ({"pools": (pool(name="kv", stuck=3),)}, ["pool kv", "3 sessions", "capacity"]),
    "rejected": ({"pools": (pool(name="kv", index=2, rejected=1),)}, ["pool kv[2]", "1 session ", "`cap`"]),
    "over-cap": ({"pools": (pool(over_cap=OverCap("reqs", 18.5)),)}, ["pool p", "queue of reqs", "18.5 units"]),
    "growth-stalled": (
        {"pools": (pool(growing_at_end=2, growing_stalled=True),)},
        ["pool p", "2 in number", "`preempt`"],
    ),
    "deadlock": (
        {"deadlocked": 7, "deadlock_pool": ("kv", 3)},
        ["pool `kv`", "7 sessions", "hold it (3)", "`preempt`"],
    ),
    "idle-with-work": ({"stages": (stage(name="llm", idle_with_work=True),)}, ["engine llm", "`schedule`"]),
    "no-turn-finished": (
        {"client": (samples("ttft", ()), samples("tpot", ()), samples("response", ()))},
        ["no turn", "40 begun", "40 sessions"],
    ),
    "claim": ({"claims": (claim(result="fails", failures=3, first=2.5),)}, ["claim c", "3 of 8 iterations", "at 2.5"]),
    "never-executed": ({"observes": (samples("a", ()), samples("b", ()))}, ["observe a, b", "branches"]),
    "few-samples": ({"observes": (samples("a", [1.0] * 39), samples("b"))}, ["a (39)", "fewer than 40", "--horizon"]),
    "wide-interval": ({"observes": (samples("a", WIDE),)}, ["a (±48 %)", "10 % of the mean", "--horizon"]),
}


@pytest.mark.parametrize("kind", CASES)
def test_remark(kind: str) -> None:
    """The situation gives one remark of its kind, which names the place, the number and what to do."""
    changes, words = CASES[kind]
    (remark,) = remarks(report(**changes))
    assert remark.kind == kind
    assert remark.is_fault == (kind in FAULTS)
    assert remark.line.startswith("fault: " if kind in FAULTS else "note: ")
    assert "\n" not in remark.line
    for word in words:
        assert word in remark.line


def test_every_check_is_tested() -> None:
    """No check without a case, and every kind that is called a fault exists."""
    assert len(CASES) == len(CHECKS)
    assert set(FAULTS) <= set(CASES)


def test_nothing_to_remark() -> None:
    """A run in which all went well has none, whatever its claims that hold and its rows that are merely empty."""
    fine = report(
        observes=(samples("x"),),
        claims=(claim(), claim(name="w", kind="some_iteration", result="witnessed", failures=3, first=1.0)),
        gauges=(ChangePoints("g", array("d", [0.0]), array("d", [0.0])),),
        pools=(pool(growing_at_end=1),),
        stages=(stage(),),
    )
    assert remarks(fine) == []


def test_nobody_came() -> None:
    """Where no session arrived, that no turn finished is no fault."""
    empty = (samples("ttft", ()), samples("tpot", ()), samples("response", ()))
    assert remarks(report(client=empty, arrivals=0, turns=0)) == []


def test_claims_in_their_words() -> None:
    """Each kind of claim fails in its own words."""
    lines = [
        remark.message
        for remark in remarks(
            report(
                claims=(
                    claim(kind="some_iteration", result="not_witnessed"),
                    claim(name="d", kind="at_end", result="fails", checked=1, failures=1, first=100.0),
                    claim(name="e", result="out_of_scope"),
                )
            )
        )
    ]
    assert lines == ["claim c: not witnessed in 8 iterations", "claim d: fails at the end of the run"]
