"""The partition of single gaps, by hand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from serq.stalls.log import Log
from serq.stalls.partition import partition
from serq.stalls.timeline import LABELS, Baseline
from tests.unit.stalls.logs import CAPTURED, Step, one_gap


class Case(NamedTuple):
    log: Log
    baseline: tuple[float, float] | None
    parts: dict[str, float]
    context: dict[str, float]


CASES = {
    # Charging the eviction and what ran meanwhile would put 70 ms into this gap of 40.
    "eviction is counted once": Case(
        one_gap(
            [Step(0, 30, [("prefill", 0, 30)]), Step(30, 40, [("decode", 30, 40)], CAPTURED, 1)],
            (0, 40),
            evictions=[(0, 30)],
        ),
        (0, 10),
        {"preempt": 30, "kernel": 10},
        {"prefill": 30},
    ),
    # Comparing the whole segment with the baseline, pause included, would make an excess of the pause.
    "a pause makes no graph excess": Case(
        one_gap([Step(0, 30, [("decode", 0, 30)], 0, 1)], (0, 30), pauses=[(5, 25)]),
        (0, 10),
        {"gc": 20, "kernel": 10},
        {},
    ),
    "real excess survives a pause": Case(
        one_gap([Step(0, 40, [("decode", 0, 40)], 0, 1)], (0, 40), pauses=[(10, 20)]),
        (0, 10),
        {"gc": 10, "graph": 20, "kernel": 10},
        {},
    ),
    "part of a segment in the gap": Case(
        one_gap([Step(0, 40, [("decode", 0, 40)], 0, 1)], (20, 40)),
        (0, 10),
        {"graph": 15, "kernel": 5},
        {},
    ),
    "a pause outside of segments": Case(
        one_gap(
            [Step(0, 45, [("decode", 0, 10)], CAPTURED, 1), Step(45, 50, [("decode", 45, 50)], CAPTURED, 1)],
            (10, 50),
            pauses=[(12, 40)],
        ),
        (0, 5),
        {"gc": 28, "kernel": 5, "residual": 7},
        {},
    ),
    "a mixed iteration": Case(
        one_gap(
            [Step(0, 50, [("tok", 0, 5), ("swap", 5, 7), ("prefill", 7, 40), ("decode", 40, 48)], CAPTURED, 1)],
            (0, 50),
        ),
        (0, 8),
        {"tok": 5, "preempt": 2, "prefill": 33, "kernel": 8, "residual": 2},
        {},
    ),
    "the baseline is that of the batch, not of a padded size": Case(
        one_gap([Step(0, 40, [("decode", 0, 40)], 0, 5)], (0, 40)),
        (2, 10),
        {"graph": 20, "kernel": 20},
        {},
    ),
    "an eager iteration faster than the baseline": Case(
        one_gap([Step(0, 8, [("decode", 0, 8)], 0, 1)], (0, 8)),
        (0, 10),
        {"kernel": 8},
        {},
    ),
    "a baseline below 0 makes all of it excess, and no more": Case(
        one_gap([Step(0, 8, [("decode", 0, 8)], 0, 30)], (0, 8)),
        (-1, 10),
        {"graph": 8},
        {},
    ),
    "the baseline is fitted over captured iterations, without their pauses": Case(
        one_gap(
            [Step(0, 10, [("decode", 0, 10)], CAPTURED, 1), Step(10, 40, [("decode", 10, 40)], 0, 20)],
            (10, 40),
            pauses=[(2, 6)],
        ),
        None,
        {"graph": 24, "kernel": 6},
        {},
    ),
    "nothing captured, so nothing to compare with": Case(
        one_gap([Step(0, 40, [("decode", 0, 40)], 0, 1)], (0, 40)), None, {"kernel": 40}, {}
    ),
    "a captured iteration without a decode is no point of the line": Case(
        one_gap(
            [
                Step(0, 10, [("decode", 0, 10)], 8, 8),
                Step(10, 12, [], CAPTURED, 16),
                Step(12, 42, [("decode", 12, 42)], 0, 1),
            ],
            (12, 42),
        ),
        None,
        {"graph": 20, "kernel": 10},
        {},
    ),
    "pauses inside of each other count once": Case(
        one_gap([Step(0, 20, [("decode", 0, 20)], CAPTURED, 1)], (0, 20), pauses=[(2, 10), (4, 6), (9, 12), (12, 13)]),
        None,
        {"gc": 11, "kernel": 9},
        {},
    ),
    "a pause over the ends of gap, iteration and segment": Case(
        one_gap([Step(5, 20, [("prefill", 6, 20)])], (5, 20), pauses=[(0, 8), (18, 30)]),
        None,
        {"gc": 5, "prefill": 10},
        {},
    ),
    "a pause during an eviction is context": Case(
        one_gap(
            [Step(0, 20, [("prefill", 0, 18)]), Step(20, 30, [("decode", 20, 30)], CAPTURED, 1)],
            (0, 30),
            pauses=[(4, 7), (19, 22)],
            evictions=[(2, 21)],
        ),
        None,
        {"prefill": 2, "preempt": 19, "gc": 1, "kernel": 8},
        {"prefill": 13, "gc": 5, "residual": 1},
    ),
    "evictions one after the other": Case(
        one_gap([Step(0, 30, [("prefill", 0, 30)])], (0, 30), evictions=[(2, 5), (5, 5), (5, 9), (12, 13)]),
        None,
        {"prefill": 22, "preempt": 8},
        {"prefill": 8},
    ),
    "never readmitted": Case(
        one_gap([Step(0, 30, [("prefill", 0, 30)])], (0, 30), evictions=[(20, np.nan)]),
        None,
        {"prefill": 20, "preempt": 10},
        {"prefill": 10},
    ),
    "evicted before the gap until after it": Case(
        one_gap([Step(0, 30, [("tok", 0, 30)])], (5, 25), evictions=[(1, 28)]), None, {"preempt": 20}, {"tok": 20}
    ),
    "an eviction that ends where the gap begins is none of the gap": Case(
        one_gap([Step(0, 30, [("tok", 0, 30)])], (5, 25), evictions=[(1, 5), (25, 28)]), None, {"tok": 20}, {}
    ),
    "two decode segments of an iteration share its excess": Case(
        one_gap([Step(0, 40, [("decode", 0, 10), ("decode", 20, 40)], 0, 1)], (0, 40)),
        (0, 15),
        {"graph": 15, "kernel": 15, "residual": 10},
        {},
    ),
    "nothing recorded": Case(one_gap([Step(0, 30)], (3, 28)), None, {"residual": 25}, {}),
    "two tokens at one instant": Case(one_gap([Step(0, 30, [("tok", 0, 30)])], (9, 9)), None, {}, {}),
}


def in_ms(row: np.ndarray) -> dict[str, float]:
    return dict(zip(LABELS, (1e3 * row).tolist(), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    """Every label's part is what the rules say, to 1e-12 ms, and so is the context."""
    case = CASES[name]
    line = None if case.baseline is None else Baseline(*(ms / 1e3 for ms in case.baseline))
    cut = partition(case.log, line)
    zeros = dict.fromkeys(LABELS, 0.0)
    assert len(cut.parts) == 1
    assert in_ms(cut.parts[0]) == pytest.approx(zeros | case.parts, abs=1e-12)
    assert in_ms(cut.context.sum(axis=0)) == pytest.approx(zeros | case.context, abs=1e-12)
    assert len(cut.evicted) == bool(case.context)
