"""Loops over samples, against the obvious slow ways, and compiled against not."""

from __future__ import annotations

import math
import random
import struct
from array import array

import pytest

SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, -math.nan, 5e-324, -5e-324, 1.7e308]


def samples(seed):
    """A list of up to 200 samples: continuous, or with many ties, or with infinities and NaN of both signs."""
    source = random.Random(seed)
    n = source.choice([1, 2, 19, 20, 39, 40, 41, source.randrange(1, 200)])
    draws = [
        lambda: source.expovariate(3.0),
        lambda: float(source.randrange(-2, 3)),
        lambda: source.choice(SPECIAL),
        lambda: struct.unpack("<d", source.randbytes(8))[0],
    ]
    kinds = source.sample(draws, source.randrange(1, 3))
    return array("d", [source.choice(kinds)() for _ in range(n)])


def bits(*values):
    return struct.pack(f"<{len(values)}d", *values)


def total_order(x):
    """Sort key of the IEEE total order."""
    number = struct.unpack("<q", struct.pack("<d", x))[0]
    return number if number >= 0 else -(2**63) - 1 - number


@pytest.mark.parametrize("seed", range(40))
def test_quantile_rank_sorts(kernel, seed):
    """The k-th smallest is what stands k-th after sorting, with NaN by its sign and -0 below 0."""
    values = samples(seed)
    ordered = sorted(values, key=total_order)
    for k in range(1, len(values) + 1):
        assert bits(kernel("statistics").quantile_rank(values, k)) == bits(ordered[k - 1])


@pytest.mark.parametrize("k", [0, 4, -1])
def test_quantile_rank_outside(kernel, k):
    """There is no sample before the first or behind the last."""
    with pytest.raises(ValueError, match=f"sample number {k} among 3"):
        kernel("statistics").quantile_rank(array("d", [1.0, 2.0, 3.0]), k)


def test_batches(kernel):
    """Twenty batches of equal size; samples left over at the end do not count; none with fewer than 20 samples."""
    half_width = kernel("statistics").batch_half_width
    source = random.Random(1)
    values = [source.gauss(5.0, 2.0) for _ in range(59)]
    means = [(values[2 * i] + values[2 * i + 1]) / 2 for i in range(20)]
    variance = sum((mean - sum(means) / 20) ** 2 for mean in means) / 19
    assert half_width(array("d", values)) == pytest.approx(2.093 * math.sqrt(variance / 20), rel=1e-13)
    assert half_width(array("d", values)) == half_width(array("d", values[:40]))
    assert half_width(array("d", values[:19])) == math.inf
    assert half_width(array("d", [3.0] * 20)) == 0.0


def test_welford(kernel):
    """Mean and squared deviations, also where the plain sum of squares would lose all digits."""
    values = [1e9 + i % 7 for i in range(700)]
    mean, squares = kernel("statistics").welford(array("d", values))
    assert mean == pytest.approx(1e9 + 3, rel=1e-15)
    assert squares == pytest.approx(700 * 4.0, rel=1e-6)
    assert kernel("statistics").welford(array("d")) == (0.0, 0.0)


@pytest.mark.parametrize("seed", range(40))
def test_same_bits(both, seed):
    """Compiled and uncompiled loops give the same doubles, up to which NaN it is."""
    values = samples(seed)
    results = [(*module.welford(values), module.batch_half_width(values)) for module in both("statistics")]
    for compiled, plain in zip(*results, strict=True):
        assert bits(compiled) == bits(plain) or (math.isnan(compiled) and math.isnan(plain))


def test_other_arrays(kernel):
    """An array of integers is refused, not read as doubles."""
    for function in (kernel("statistics").welford, kernel("statistics").batch_half_width):
        with pytest.raises(TypeError):
            function(array("q", [1] * 20))


@pytest.mark.parametrize("seed", range(20))
def test_windows_have_the_same_bits(both, seed):
    """Compiled and uncompiled, a signal has the same integrals, extremes and windows."""
    values = samples(seed)
    times = array("d", [0.75 * i for i in range(len(values))])
    results = []
    for module in both("statistics"):
        areas = array("d", [0.0] * 20)
        results.append([*module.window_integrals(times, values, 3.0, 100.0, areas), *areas])
    for compiled, plain in zip(*results, strict=True):
        assert bits(compiled) == bits(plain) or (math.isnan(compiled) and math.isnan(plain))
