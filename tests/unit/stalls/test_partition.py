"""What holds for the partition of every log, and that it is what its rules say."""

from __future__ import annotations

import numpy as np
import pytest

from serq.stalls.partition import Partition, partition
from serq.stalls.timeline import LABELS, PREEMPT, Baseline, parts, running_sum
from tests.unit.stalls.logs import random_log, shuffled
from tests.unit.stalls.obvious import Obvious

SEEDS = range(200)
PICOSECOND = 1e-12


def by_gap(cut: Partition) -> dict[tuple[float, float, float], list[np.ndarray]]:
    """Parts by request and times; a request may emit several tokens at one instant."""
    found: dict[tuple[float, float, float], list[np.ndarray]] = {}
    for key, row in zip(zip(cut.gaps.request, cut.gaps.start, cut.gaps.end, strict=True), cut.parts, strict=True):
        found.setdefault(tuple(map(float, key)), []).append(row)  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_rules(seed: int) -> None:
    """Gaps, parts and context are what the rules give, instant by instant, in exact fractions."""
    log = random_log(seed)
    obvious = Obvious(log)
    line = obvious.baseline()
    cut = partition(log)
    if line is None:
        assert cut.timeline.baseline is None
    else:
        assert cut.timeline.baseline == pytest.approx(line, rel=1e-9, abs=1e-15)
    expected = obvious.gaps(cut.timeline.baseline)
    found = zip(cut.gaps.request, cut.gaps.start, cut.gaps.end, strict=True)
    assert list(found) == [(gap.request, gap.start, gap.end) for gap in expected]
    context = np.zeros_like(cut.parts)
    context[cut.evicted] = cut.context
    for table, by_label in ((cut.parts, [gap.parts for gap in expected]), (context, [gap.context for gap in expected])):
        wanted = np.array([[float(sums[label]) for label in LABELS] for sums in by_label]).reshape(-1, len(LABELS))
        np.testing.assert_allclose(table, wanted, rtol=0, atol=1e-15)


@pytest.mark.parametrize("seed", SEEDS)
def test_sums(seed: int) -> None:
    """The parts of a gap sum to it, its context to the time that its request was evicted, and none is negative."""
    cut = partition(random_log(seed))
    np.testing.assert_allclose(cut.parts.sum(axis=1), cut.lengths, rtol=0, atol=1e-15)
    assert cut.parts.min(initial=0) > -1e-16
    assert cut.context.min(initial=0) > -1e-16
    assert (cut.context.sum(axis=1) <= cut.parts[cut.evicted, PREEMPT] + 1e-15).all()


@pytest.mark.parametrize("seed", range(60))
def test_shift(seed: int) -> None:
    """Four hours later the parts are the same, but for the rounding of the times themselves."""
    now, later = (partition(random_log(seed, shift)) for shift in (0.0, 4 * 3600.0))
    np.testing.assert_allclose(later.parts, now.parts, rtol=0, atol=60 * PICOSECOND)
    assert abs(later.parts.sum(axis=1) - later.lengths).max(initial=0) < PICOSECOND


@pytest.mark.parametrize("seed", range(60))
def test_order_of_rows(seed: int) -> None:
    """The order of the rows says nothing, but for that of the iterations."""
    log = random_log(seed)
    expected, found = by_gap(partition(log)), by_gap(partition(shuffled(log, seed)))
    assert found.keys() == expected.keys()
    for key, rows in expected.items():
        np.testing.assert_allclose(found[key], rows, rtol=0, atol=1e-15)


@pytest.mark.parametrize("seed", range(60))
def test_splitting(seed: int) -> None:
    """The parts of a span are those of its two halves together, wherever it is cut."""
    cut = partition(random_log(seed))
    if not len(cut.gaps.request):
        return
    start, end = cut.gaps.start, cut.gaps.end
    middle = np.random.default_rng(seed).uniform(start, end)
    whole = parts(cut.timeline, start, end)
    halves = parts(cut.timeline, start, middle) + parts(cut.timeline, middle, end)
    np.testing.assert_allclose(halves, whole, rtol=0, atol=1e-15)


def test_long_log() -> None:
    """After hours of iterations, a gap's parts are as exact as its time stamps."""
    rng = np.random.default_rng(1)
    n = 200_000
    starts = np.cumsum(rng.exponential(0.08, n))
    ends = starts + np.diff(starts, append=starts[-1] + 1) * rng.uniform(0.2, 0.9, n)
    steps = np.column_stack((starts, ends, np.ones(n), np.zeros(n), np.full(n, 16), np.zeros(n), np.zeros(n)))
    log = random_log(
        1,
        steps=steps,
        segs=np.column_stack((np.arange(n), np.full(n, 3), starts, ends)),
        emissions=np.column_stack((np.zeros(n), ends, np.arange(n))),
        evictions=(),
        gcs=(),
    )
    cut = partition(log)
    assert log.wall > 4 * 3600
    assert np.abs(cut.parts.sum(axis=1) - cut.lengths).max() < PICOSECOND
    np.testing.assert_allclose(cut.parts[:, LABELS.index("kernel")], (ends - starts)[1:], rtol=0, atol=PICOSECOND)


def test_running_sum() -> None:
    """A running sum and its error together are the exact sum."""
    values = np.array([1e16, 1.0, -1e16, 1.0, 1e-3])
    total, error = running_sum(values)
    assert (total + error)[3:].tolist() == [1.0, 2.0, 2.001]


def test_given_baseline() -> None:
    """A baseline that is given is taken, whatever the log would say."""
    line = Baseline(1e-4, 2e-3)
    assert partition(random_log(3), line).timeline.baseline == line


def test_shared_rows() -> None:
    """Gaps that begin and end together share a row, unless the request was evicted."""
    log = random_log(7)
    cut = partition(log)
    keys = list(zip(cut.gaps.first.tolist(), cut.gaps.last.tolist(), strict=True))
    lost = set(cut.evicted.tolist())
    kept = [(key, row) for i, (key, row) in enumerate(zip(keys, cut.row.tolist(), strict=True)) if i not in lost]
    next_stamp = {key: row for key, row in kept if key[1] == key[0] + 1}
    assert all(next_stamp[key] == row for key, row in kept if key in next_stamp)
    assert len(next_stamp) < len(kept)
