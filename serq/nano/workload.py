"""What the clients ask for: a trace of requests, a function of seed, duration and rate; and the texts of the prompts.

In: a seed, seconds, requests a second. Out: `Arrival`s in order of time.

Arrivals are a Poisson process whose rate swells: candidates come at the greatest rate, and each is kept with the share
that the rate has of it at that time. Each property has a random stream of its own, so that none depends on how many
draws another took.
"""

from __future__ import annotations

from functools import cache
from math import pi, sin
from typing import NamedTuple

import numpy as np

SWELL_SECONDS = 15.0
SWELL = 0.6
"""The arrival rate goes up and down by this share of it in `SWELL_SECONDS`."""

LN_MEAN, LN_SIGMA = 6.9, 0.6
"""Characters of a prompt are log-normal."""

PASTES = 0.01
"""Share of prompts into which someone pastes a document ..."""

PASTE = (150_000, 400_000)
"""... of so many characters."""

MEAN_OUTPUT, MIN_OUTPUT, MAX_OUTPUT = 280.0, 16, 1000
"""Output tokens: exponential, shifted, cut off."""

CORPUS_SEED = 7
CORPUS_CHARACTERS = 900_000
N_WORDS = 6000


class Arrival(NamedTuple):
    """A request as its client sends it.

    Attributes:
        request: its number, from 0.
        time: seconds from the start.
        characters: of the prompt.
        output_tokens: after which it ends.
        offset: where its prompt begins in the corpus.
    """

    request: int
    time: float
    characters: int
    output_tokens: int
    offset: int


def rate_at(time: float, rate: float) -> float:
    """Requests a second at a time, in a swell around `rate`."""
    return rate * (1.0 + SWELL * sin(2.0 * pi * time / SWELL_SECONDS))


def make_trace(seed: int, duration: float, rate: float) -> list[Arrival]:
    """The requests that arrive before `duration`, in order."""
    gaps, kept, length, paste, pasted, output, place = (
        np.random.default_rng(stream) for stream in np.random.SeedSequence(seed).spawn(7)
    )
    greatest = rate * (1.0 + SWELL)
    trace: list[Arrival] = []
    time = gaps.exponential(1.0 / greatest)
    while time < duration:
        if kept.random() * greatest < rate_at(time, rate):
            characters = max(1, round(length.lognormal(LN_MEAN, LN_SIGMA)))
            if paste.random() < PASTES:
                characters = int(pasted.integers(PASTE[0], PASTE[1], endpoint=True))
            tokens = min(MAX_OUTPUT, MIN_OUTPUT + int(output.exponential(MEAN_OUTPUT)))
            offset = int(place.integers(0, CORPUS_CHARACTERS - characters % CORPUS_CHARACTERS))
            trace.append(Arrival(len(trace), float(time), characters, tokens, offset))
        time += gaps.exponential(1.0 / greatest)
    return trace


def mean_output_tokens() -> float:
    """Tokens of an output on average, from its law."""
    cut = MAX_OUTPUT - MIN_OUTPUT
    # The expectation of floor(X) is the sum of P(X >= k) over whole k; that of the smaller of it and `cut` ends there.
    return MIN_OUTPUT + float(np.exp(-np.arange(1, cut + 1) / MEAN_OUTPUT).sum())


def prompt_text(arrival: Arrival) -> str:
    """The prompt of a request."""
    return corpus()[arrival.offset : arrival.offset + arrival.characters]


@cache
def corpus() -> str:
    """Text without meaning: words of syllables, few of them often and many of them rarely, with some punctuation."""
    rng = np.random.default_rng(CORPUS_SEED)
    syllables = [onset + vowel for onset in "bcdfghjklmnprstvwz" for vowel in ("a", "e", "i", "o", "u", "an", "er")]
    words = [
        "".join(syllables[i] for i in rng.integers(0, len(syllables), size=size))
        for size in rng.integers(1, 5, size=N_WORDS)
    ]
    weight = 1.0 / np.arange(5, N_WORDS + 5)
    # A word and what follows it have some six characters.
    drawn = rng.choice(N_WORDS, size=CORPUS_CHARACTERS // 3, p=weight / weight.sum())
    ends = rng.choice([" ", " ", " ", " ", " ", " ", " ", ", ", ". ", ".\n"], size=len(drawn))
    text = "".join([words[word] + str(end) for word, end in zip(drawn.tolist(), ends.tolist(), strict=True)])
    return text[:CORPUS_CHARACTERS]
