"""`Rng`: the generator of a run, for programs in Python that reproduce its draws.

In: a seed. Out: the numbers of the stream of that seed (serq.kernel.streams), in the order of the calls. A run of
seed s draws its arrivals from `Rng(s)`, a session's statements from `Rng(substream_seed(s, serial, 0, 2))`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from operator import index

import cython

if not cython.compiled:
    from serq.kernel.memory import words
    from serq.kernel.streams import (
        STREAM_WORDS,
        draw_bernoulli,
        draw_erlang,
        draw_exp,
        draw_h2,
        draw_uniform,
        seed_stream,
        uniform,
    )
    from serq.kernel.streams import next_u32 as word
    from serq.kernel.streams import next_u64 as two_words


class Rng:
    """ChaCha with 12 rounds, seeded by `seed` (0 to 2^64 - 1) as rand 0.9's `StdRng::seed_from_u64`.

    Raises:
        TypeError: a seed or an integer bound is not an integer.
        OverflowError: it is negative or too large.
        ValueError: a range is empty, or not finite.
    """

    def __init__(self, seed: int) -> None:
        if not cython.compiled:
            self.words = words(STREAM_WORDS)
        seed_stream(self.words, 0, unsigned(seed, 64))

    def next_u32(self) -> int:
        """The next word of the stream, 0 to 2^32 - 1."""
        return word(self.words, 0)

    def next_u64(self) -> int:
        """The next two words as one number, the low word first."""
        return two_words(self.words, 0)

    def random_f64(self) -> float:
        """A multiple of 2^-53 in [0, 1): the U of which all draws of a program are made."""
        return uniform(self.words, 0)

    def range_f64(self, low: float, high: float) -> float:
        """A number from `low` to `high`, both included: two words."""
        if not (isfinite(low) and isfinite(high)):
            raise ValueError(f"the range from {low} to {high} is not finite")
        low, high = float(low), float(high)
        if not (low <= high and isfinite(high - low)):
            raise ValueError(f"no number can be drawn from {low} to {high}")
        return (two_words(self.words, 0) >> 12) * 2.0**-52 * (high - low) + low

    def range_u32(self, low: int, high: int) -> int:
        """An integer from `low` to `high`, both included: one word, seldom two."""
        return integer_between(low, high, 32, self.next_u32)

    def range_u64(self, low: int, high: int) -> int:
        """An integer from `low` to `high`, both included: two words, seldom four."""
        return integer_between(low, high, 64, self.next_u64)

    def draw(self, law: str, *parameters: float) -> float:
        """A draw as a program writes it: `draw("exp", 2)` is `~exp(2)`.

        Raises:
            ValueError: an unknown law, or a wrong number of parameters.
        """
        if len(parameters) != PARAMETERS.get(law):
            known = ", ".join(f"{name} of {count}" for name, count in PARAMETERS.items())
            raise ValueError(f"`{law}` of {len(parameters)} is no law; the laws and their parameters are {known}")
        first = float(parameters[0])
        last = float(parameters[len(parameters) - 1])
        if law == "exp":
            return draw_exp(self.words, 0, first)
        if law == "uniform":
            return draw_uniform(self.words, 0, first, last)
        if law == "erlang":
            return draw_erlang(self.words, 0, first, last)
        if law == "h2":
            return draw_h2(self.words, 0, first, last)
        if law == "bernoulli":
            return draw_bernoulli(self.words, 0, first)
        return first


PARAMETERS = {"exp": 1, "det": 1, "uniform": 2, "erlang": 2, "h2": 2, "bernoulli": 1}


def unsigned(value: int, bits: int) -> int:
    number = index(value)
    if not 0 <= number < 1 << bits:
        raise OverflowError(f"{number} is not between 0 and 2^{bits} - 1")
    return number


def integer_between(low: int, high: int, bits: int, draw: Callable[[], int]) -> int:
    """As `below` of serq.kernel.streams, for draws of either width and ranges that need not start at 0."""
    low, high = unsigned(low, bits), unsigned(high, bits)
    n = high - low + 1
    if n < 1:
        raise ValueError(f"no integer can be drawn from {low} to {high}")
    if n == 1 << bits:
        return draw()
    product = draw() * n
    rest = product & ((1 << bits) - 1)
    # The second draw is made only where its carry can matter.
    carry = rest > (1 << bits) - n and rest + (draw() * n >> bits) >> bits
    return low + (product >> bits) + carry
