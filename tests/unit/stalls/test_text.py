"""The report on stalls as text.

`python -m tests.unit.stalls.test_text` makes the golden file anew.
"""

from __future__ import annotations

from math import nan
from pathlib import Path

import pytest

from serq.stalls.bars import WIDTH, added, apportioned, bar
from serq.stalls.figures import MEASURED_CAUSES
from serq.stalls.ladder import composition, rungs, spread, spread_of
from serq.stalls.lines import ms, percent
from serq.stalls.runs import MeasuredRun, measure
from serq.stalls.text import called, report_text
from tests.unit.stalls.logs import random_log, regular_log

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "stalls" / "ladder.txt"


def runs() -> list[MeasuredRun]:
    return [measure(regular_log(rung, seed, batch)) for rung, seed, batch in LOGS]


LOGS = [("baseline", 1, 4), ("baseline", 3, 4), ("+small batches", 2, 2), ("baseline", 2, 4)]


def test_golden() -> None:
    """The whole report on several runs: a row a run, bars and ladder by rung in the order of their first runs."""
    assert report_text(runs()) == GOLDEN.read_text()


def test_one_run_has_no_ladder() -> None:
    """What compares configurations is left out where there is nothing to compare."""
    text = report_text(runs()[:1])
    assert text.startswith("inter-token latency, ms\nrun ")
    assert "ladder" not in text
    assert "the engine" in text


def test_bars() -> None:
    """A bar has 36 letters in proportion to the tokens, in the order of the causes; none for no tokens."""
    letters = "".join(piece.text for piece in bar(MEASURED_CAUSES, (100, 0, 50, 0, 0, 50)))
    assert letters == "P" * 18 + "C" * 9 + "·" * 9
    assert bar(MEASURED_CAUSES, (0, 0, 0, 0, 0, 0)) == ()
    assert bar(MEASURED_CAUSES, (1, 0, 0, 0, 0, 10**6))[0].text == "·" * WIDTH


@pytest.mark.parametrize("counts", [(1, 1, 1), (7, 5, 11, 2), (1, 0, 10**9), (0, 0), (35, 1), (5, 5, 5, 5, 5, 5, 5)])
def test_apportioned(counts: tuple[int, ...]) -> None:
    """The cells sum to the width, and each is its share rounded up or down."""
    cells, total = apportioned(counts, WIDTH), sum(counts)
    assert sum(cells) == (WIDTH if total else 0)
    assert all(abs(cell - WIDTH * n / total) < 1 for cell, n in zip(cells, counts, strict=True) if total)
    assert all(cell == 0 for cell, n in zip(cells, counts, strict=True) if n == 0)


def test_numbers() -> None:
    """Milliseconds have some four digits, shares one decimal; what does not exist is a dash."""
    assert [ms(value) for value in (0.0, 9.876, 99.994, 123.45, 1234.5, nan)] == [
        *("0.00", "9.88", "99.99", "123.5", "1234", "-"),
    ]
    assert [percent(value) for value in (0.0, -1e-9, 0.12345, 1.0, nan)] == ["0.0", "0.0", "12.3", "100.0", "-"]


def test_spread() -> None:
    """Median and range over the runs that have the figure; one run has no range."""
    assert spread(spread_of([3.0, 1.0, nan, 2.0])) == "2.00 [1.00-3.00]"
    assert spread(spread_of([3.0])) == "3.00"
    assert spread(spread_of([nan])) == "-"


def test_rungs() -> None:
    """Runs of one rung are repetitions; a run that names none is alone, whatever it is called."""
    named, other = runs()[0], measure(random_log(3))
    ladder = rungs([named, other, other._replace(name="baseline"), named])
    assert [(rung.name, len(rung.runs)) for rung in ladder] == [("baseline", 2), ("log", 1), ("baseline", 1)]
    assert composition(ladder[0]) == list(named.stalls.tail_share)
    assert (called(named), called(other)) == ("baseline, seed 1", "log")


def test_added() -> None:
    """Bins of several runs hold the tokens of all."""
    one, other = (run.stalls.histogram for run in runs()[:2])
    both = added([one, other])
    assert [b.n_tokens for b in both] == [a.n_tokens + b.n_tokens for a, b in zip(one, other, strict=True)]


def test_remarks() -> None:
    """A reader is told what would mislead: no gaps, iterations left out, nothing to compare eager ones with."""
    empty = report_text([measure(random_log(1, emissions=()))])
    assert "no request emitted two tokens" in empty
    skipping = measure(random_log(13, evictions=()))
    assert skipping.skipped
    assert f"{skipping.skipped} gaps skip iterations without a recorded eviction" in report_text([skipping])
    log = regular_log("baseline", 1)
    steps = log.steps.copy()
    steps[:, 4] = 0
    eager = measure(random_log(1, steps=steps, segs=log.segs, emissions=log.emissions, evictions=(), gcs=()))
    assert "no captured iteration to compare 200 eager ones with" in report_text([eager])
    assert "remark" not in report_text(runs())


if __name__ == "__main__":
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(report_text(runs()))
