"""The estimators against the slow, obvious way to compute the same figures."""

from __future__ import annotations

import math
import struct
from array import array
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serq.results.estimators import summarise, summarise_gauge

MODERATE = st.floats(-1e6, 1e6).map(lambda x: round(x, 6))
ANY = st.floats(allow_nan=True, allow_infinity=True, width=64)


def total_order(value: float) -> int:
    """A key that sorts doubles as IEEE 754's totalOrder does."""
    (bits,) = struct.unpack(">Q", struct.pack(">d", value))
    return int(~bits if bits >> 63 else bits | 1 << 63) % (1 << 64)


def bits(value: float) -> bytes:
    return struct.pack(">d", value)


@given(st.lists(MODERATE, min_size=2, max_size=60))
def test_mean_and_variance_are_those_of_exact_arithmetic(values: list[float]) -> None:
    """Mean and squared variation agree with exact rational arithmetic to rounding."""
    exact = [Fraction(value) for value in values]
    mean = sum(exact, Fraction(0)) / len(exact)
    variance = sum(((x - mean) ** 2 for x in exact), Fraction(0)) / (len(exact) - 1)
    found = summarise(array("d", values))
    scale = max(map(abs, values)) or 1.0
    assert found.mean == pytest.approx(float(mean), rel=1e-9, abs=1e-12 * scale)
    if abs(mean) > 1e-3 * scale:
        assert found.cv2 == pytest.approx(float(variance / mean**2), rel=1e-9, abs=1e-20)


@given(st.lists(MODERATE, min_size=40, max_size=130))
def test_half_width_is_that_of_twenty_batch_means(values: list[float]) -> None:
    """The half-width is 2.093 sqrt(V / 20) of the means of 20 equal batches, summed from left to right, to the bit."""
    size = len(values) // 20
    means = []
    for batch in range(20):
        total = 0.0
        for value in values[batch * size : (batch + 1) * size]:
            total += value
        means.append(total / size)
    grand = 0.0
    for mean in means:
        grand += mean
    grand /= 20
    squares = 0.0
    for mean in means:
        squares += (mean - grand) * (mean - grand)
    assert summarise(array("d", values)).ci == 2.093 * math.sqrt(squares / 19 / 20)


@given(st.lists(ANY, min_size=1, max_size=250))
def test_percentile_is_a_rank_in_total_order(values: list[float]) -> None:
    """The percentile is the ceil(0.99 n)-th sample in IEEE total order, NaN and the two zeros included."""
    rank = max(1, math.ceil(0.99 * len(values)))
    expected = sorted(values, key=total_order)[rank - 1]
    assert bits(summarise(array("d", values)).p99) == bits(expected)


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (100, 99), (101, 100), (200, 198), (1000, 990)])
def test_percentile_rank(n: int, rank: int) -> None:
    """No interpolation: of 1 to n the percentile is the rank itself."""
    assert summarise(array("d", range(n, 0, -1))).p99 == rank


def test_too_few_samples() -> None:
    """Without samples all is NaN; one has no variance; below 40 the interval is infinite; 40 have one."""
    nothing = summarise(array("d"))
    assert math.isnan(nothing.mean)
    assert math.isnan(nothing.cv2)
    assert math.isnan(nothing.p99)
    assert nothing.ci == math.inf
    one = summarise(array("d", [3.0]))
    assert (one.mean, one.ci, one.p99) == (3.0, math.inf, 3.0)
    assert math.isnan(one.cv2)
    assert summarise(array("d", [1.0] * 39)).ci == math.inf
    assert summarise(array("d", [1.0] * 40)).ci == 0.0


def test_variation_of_mean_zero() -> None:
    """By the division: NaN where all samples are 0, infinite where only their mean is."""
    assert math.isnan(summarise(array("d", [0.0, 0.0])).cv2)
    assert summarise(array("d", [-1.0, 1.0])).cv2 == math.inf


def time_average(times: list[float], values: list[float], start: float, end: float) -> Fraction:
    """Exact time average of a step function, NaN excluded from its values."""
    area = Fraction(0)
    for i, value in enumerate(values):
        a = max(times[i], start)
        b = min(times[i + 1] if i + 1 < len(times) else end, end)
        if b > a:
            area += Fraction(value) * (Fraction(b) - Fraction(a))
    return area / (Fraction(end) - Fraction(start))


@st.composite
def signals(draw: st.DrawFn) -> tuple[list[float], list[float], float, float]:
    gaps = draw(st.lists(st.floats(0.01, 30.0), max_size=40))
    times = [0.0]
    for gap in gaps:
        times.append(times[-1] + gap)
    values = draw(st.lists(st.floats(-100.0, 100.0), min_size=len(times), max_size=len(times)))
    warmup = draw(st.floats(0.0, 50.0))
    end = max(times[-1], warmup + draw(st.floats(1.0, 100.0)))
    return times, values, warmup, end


@given(signals())
def test_gauge_is_a_time_average(signal: tuple[list[float], list[float], float, float]) -> None:
    """Mean, least and greatest are those of the pieces after the warm-up; the interval that of twenty windows."""
    times, values, warmup, end = signal
    found = summarise_gauge(array("d", times), array("d", values), warmup, end)
    assert found.mean == pytest.approx(float(time_average(times, values, warmup, end)), rel=1e-9, abs=1e-9)
    stops = [*times[1:], end]
    seen = [v for t, stop, v in zip(times, stops, values, strict=True) if min(stop, end) > max(t, warmup)]
    assert (found.min, found.max) == (min(seen), max(seen))
    edges = [warmup + k * ((end - warmup) / 20) for k in range(20)] + [end]
    windows = [float(time_average(times, values, a, b)) for a, b in pairwise(edges)]
    grand = math.fsum(windows) / 20
    half_width = 2.093 * math.sqrt(math.fsum((x - grand) ** 2 for x in windows) / 19 / 20)
    assert found.ci == pytest.approx(half_width, rel=1e-6, abs=1e-7)


def test_gauge_with_nan() -> None:
    """A NaN makes mean and interval NaN, and is passed over by least and greatest."""
    found = summarise_gauge(array("d", [0.0, 1.0, 2.0]), array("d", [5.0, math.nan, 7.0]), 0.0, 3.0)
    assert math.isnan(found.mean)
    assert math.isnan(found.ci)
    assert (found.min, found.max) == (5.0, 7.0)
    nothing = summarise_gauge(array("d", [0.0]), array("d", [math.nan]), 0.0, 3.0)
    assert math.isnan(nothing.min)
    assert math.isnan(nothing.max)


def test_gauge_before_the_warmup_counts_not() -> None:
    """What a gauge showed before the warm-up ended leaves no trace, and an empty piece none either."""
    found = summarise_gauge(array("d", [0.0, 10.0]), array("d", [1000.0, 2.0]), 10.0, 20.0)
    assert found == (2.0, 0.0, 2.0, 2.0)
