"""The random streams and laws, against vectors made with the reference, against theory, and compiled against not."""

from __future__ import annotations

import json
import math
import re
import struct
from pathlib import Path

import pytest

VECTORS = Path(__file__).parents[2] / "conformance/rng-vectors.json"


@pytest.fixture(scope="module")
def vectors():
    return json.loads(VECTORS.read_text())


def number(text):
    """The value of a parameter in a vector: a literal, or a difference of two."""
    terms = [float(term) for term in text.split(" - ")]
    return terms[0] - sum(terms[1:])


def test_words_and_numbers(kernel, vectors):
    """The generator gives the words of StdRng, and numbers of two words straddle its blocks."""
    rng = kernel("rng").Rng
    for vector in vectors["generator"]:
        seed = int(vector["seed"])
        pairs, words, uniforms = rng(seed), rng(seed), rng(seed)
        u64 = [pairs.next_u64() for _ in range(33)]
        u32 = [words.next_u32() for _ in range(65)]
        assert [*u64[:6], u64[7], u64[8], u64[32]] == [
            int(x) for x in vector["first_u64"] + vector["u64_number_8_9_33_counting_from_1"]
        ]
        assert [*u32[:6], u32[15], u32[16], u32[64]] == (
            vector["first_u32"] + vector["u32_number_16_17_65_counting_from_1"]
        )
        assert [uniforms.random_f64() for _ in vector["first_f64"]] == vector["first_f64"]


def test_interleaved_calls(kernel, vectors):
    """Numbers of one and of two words share one sequence of words, without alignment."""
    vector = vectors["interleaved"]
    stream = kernel("rng").Rng(int(vector["seed"]))
    assert [str(getattr(stream, f"next_{call}")()) for call in vector["calls"]] == vector["values"]


def test_seeds_of_streams(kernel, vectors):
    """Each stream of a run has the seed, and so the numbers, that the vectors give."""
    streams, rng = kernel("streams"), kernel("rng").Rng
    for vector in vectors["mix"]:
        assert streams.mix(int(vector["x"])) == int(vector["M"])
    for vector in vectors["substreams"]:
        seed = streams.substream_seed(int(vector["seed"]), vector["serial"], vector["turn"], vector["kind"])
        stream = rng(seed)
        assert str(seed) == vector["stream_seed"]
        assert [stream.random_f64() for _ in vector["first_f64"]] == vector["first_f64"]
    for vector in vectors["machine_streams"]:
        own_seed = {"arrival": int, "machine": streams.machine_seed, "eviction": streams.eviction_seed}
        seed = own_seed.get(vector["stream"], streams.trace_seed)(int(vector["seed"]))
        assert str(seed) == vector["stream_seed"]


def test_integer_ranges(kernel, vectors):
    """An integer range takes one word, and a second one only where its carry is open."""
    for vector in vectors["integer_range"]:
        stream = kernel("rng").Rng(int(vector["stream_seed"]))
        values = vector["values_0_to_n_minus_1"]
        assert [stream.range_u32(0, vector["n"] - 1) for _ in values] == values


def test_laws(kernel, vectors):
    """Each law gives the vectors' values and leaves the stream at the vectors' place."""
    streams, rng = kernel("streams"), kernel("rng").Rng
    for vector in vectors["distributions"]:
        law, parameters = re.fullmatch(r"~(\w+)\((.*)\)", vector["expression"]).groups()
        parameters = [number(text) for text in parameters.split(",")]
        for serial, value in enumerate(vector["samples_of_serial_0_to_3"]):
            stream = rng(streams.substream_seed(int(vector["seed"]), serial, 0, 1))
            assert stream.draw(law, *parameters) == value
            assert stream.random_f64() == vector["next_uniform_of_the_stream"][serial]


MEAN_AND_VARIANCE = [
    ("exp", (2.0,), 2.0, 4.0),
    ("det", (3.0,), 3.0, 0.0),
    ("uniform", (1.0, 5.0), 3.0, 16 / 12),
    ("erlang", (4.0, 2.0), 2.0, 1.0),
    ("h2", (2.0, 5.0), 2.0, 20.0),
    ("bernoulli", (0.3,), 0.3, 0.21),
]


@pytest.mark.parametrize(("law", "parameters", "mean", "variance"), MEAN_AND_VARIANCE)
def test_moments(kernel, law, parameters, mean, variance):
    """Each law has the mean and the variance of its definition, within five standard errors."""
    n = 4000
    stream = kernel("rng").Rng(11)
    values = [stream.draw(law, *parameters) for _ in range(n)]
    squares = [(value - mean) ** 2 for value in values]
    spread = math.sqrt(sum((square - variance) ** 2 for square in squares) / n)
    assert abs(sum(values) / n - mean) <= 5 * math.sqrt(variance / n)
    assert abs(sum(squares) / n - variance) <= 5 * spread / math.sqrt(n)


ODD = [0.0, -0.0, 1.0, -1.0, 0.5, 3.9, 1e-310, 1e300, -1e300, math.inf, -math.inf, math.nan]


def test_laws_of_odd_parameters(both):
    """Infinite, vanishing and undefined parameters give the same bits compiled and uncompiled, and never an error."""
    compiled, plain = both("rng")
    for law in ("exp", "uniform", "h2", "erlang", "bernoulli"):
        for first in ODD:
            for last in ODD if law in ("uniform", "h2", "erlang") else [None]:
                parameters = (first,) if last is None else (first, last)
                values = [module.Rng(5).draw(law, *parameters) for module in (compiled, plain)]
                assert struct.pack("<d", values[0]) == struct.pack("<d", values[1]), (law, parameters)


def test_long_streams(both):
    """A long mixture of calls gives the same bits compiled and uncompiled."""
    compiled, plain = (module.Rng(2**64 - 1) for module in both("rng"))
    for i in range(300):
        for call in ("random_f64", "next_u32"):
            assert getattr(compiled, call)() == getattr(plain, call)()
        for law, parameters in (("erlang", (i % 5, 2.0)), ("h2", (1.0, i / 50)), ("exp", (i,))):
            assert compiled.draw(law, *parameters) == plain.draw(law, *parameters)


def test_endless_erlang_is_not_a_number(kernel):
    """A sum of infinitely many draws is not begun."""
    assert math.isnan(kernel("rng").Rng(1).draw("erlang", math.inf, 2.0))
