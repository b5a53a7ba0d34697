"""`Rng`, the generator that Python programs use: its ranges and its refusals."""

from __future__ import annotations

import math

import pytest

# Made with the reference's Rng(7), called in this order.
RANGES = [
    ("range_u32", 0, 0, 0),
    ("range_u32", 0, 2**32 - 1, 130212073),
    ("range_u32", 5, 2**31 + 6, 306130888),
    ("range_u32", 2**32 - 6, 2**32 - 1, 4294967291),
    ("range_u64", 0, 2**64 - 1, 2631283358781127885),
    ("range_u64", 3, 2**63 + 9, 5003837847727231059),
    ("range_u64", 2**64 - 3, 2**64 - 1, 18446744073709551613),
    ("range_f64", -1.5, 2.25, 2.0667423855080265),
    ("range_f64", 0.0, 1e308, 1.7546163024289263e307),
    ("range_f64", -5e-324, 5e-324, 0.0),
    ("range_f64", 3, 3, 3.0),
]


def test_ranges(kernel):
    """Ranges of all widths give the reference's values and use up as many words."""
    stream = kernel("rng").Rng(7)
    for method, low, high, value in RANGES:
        assert getattr(stream, method)(low, high) == value, (method, low, high)


def test_first_values(kernel):
    """The documented first values of Rng(1)."""
    stream = kernel("rng").Rng(1)
    assert stream.next_u32() == 3543144545
    assert stream.next_u64() == 14703524129167383140
    assert stream.random_f64() == 0.196423164264121
    assert stream.range_f64(0, 1) == 0.21637188350501813
    assert stream.range_u32(0, 9) == 1
    assert stream.range_u64(0, 9) == 2


@pytest.mark.parametrize("seed", [0, 2**64 - 1, True])
def test_seeds(kernel, seed):
    """Every unsigned number of 64 bits is a seed."""
    assert 0.0 <= kernel("rng").Rng(seed).random_f64() < 1.0


@pytest.mark.parametrize(("seed", "error"), [(-1, OverflowError), (2**64, OverflowError), (1.0, TypeError)])
def test_refused_seeds(kernel, seed, error):
    """A seed that is no unsigned number of 64 bits is refused."""
    with pytest.raises(error):
        kernel("rng").Rng(seed)


REFUSED = [
    ("range_u32", 5, 4, ValueError),
    ("range_u32", -1, 4, OverflowError),
    ("range_u32", 0, 2**32, OverflowError),
    ("range_u32", 0.0, 4, TypeError),
    ("range_u64", 5, 4, ValueError),
    ("range_u64", 0, 2**64, OverflowError),
    ("range_f64", 1.0, 0.0, ValueError),
    ("range_f64", -math.inf, 0.0, ValueError),
    ("range_f64", 0.0, math.nan, ValueError),
    ("range_f64", -1.7e308, 1.7e308, ValueError),
    ("range_f64", "0", "1", TypeError),
]


@pytest.mark.parametrize(("method", "low", "high", "error"), REFUSED)
def test_refused_ranges(kernel, method, low, high, error):
    """A range that is empty, infinite or of the wrong type is refused, and no word is used up."""
    stream, other = kernel("rng").Rng(1), kernel("rng").Rng(1)
    with pytest.raises(error):
        getattr(stream, method)(low, high)
    assert stream.next_u32() == other.next_u32()


@pytest.mark.parametrize(("law", "parameters"), [("normal", (1.0,)), ("exp", ()), ("exp", (1.0, 2.0)), ("h2", (1.0,))])
def test_refused_laws(kernel, law, parameters):
    """A law that the language does not have, or a wrong number of parameters, is refused by name."""
    with pytest.raises(ValueError, match=f"`{law}` of {len(parameters)}"):
        kernel("rng").Rng(1).draw(law, *parameters)
