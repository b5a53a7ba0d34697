"""Programs made faulty: tokens dropped, doubled, exchanged, characters changed, in programs of the corpus."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from serq.source import Source
from serq.syntax.lexer import tokenize

CHARACTERS = "(){}[],;:?.~+-*/^=<>!&|#%\"' \t\n\r\0_09aZé²\u2028\U0001f600"
WORDS = "set run hold let def use fn main from in by cache reserve prefix at max sum share else turn args kvt x 1 0.5"


def mutants(texts: list[str], seed: int) -> Iterator[str]:
    """Endless texts, each a program of `texts` with one to three faults."""
    rng = random.Random(seed)
    while True:
        text = rng.choice(texts)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            text = rng.choice(_CHANGES)(text, rng)
        yield text


def _spans(text: str) -> list[tuple[int, int]]:
    """The tokens of a text; of one that has none, its characters."""
    try:
        tokens = tokenize(Source("mutant", text))
    except ValueError:
        return [(i, i + 1) for i in range(len(text))] or [(0, 0)]
    return list(zip(tokens.starts, tokens.ends, strict=True))


def _drop(text: str, rng: random.Random) -> str:
    start, end = rng.choice(_spans(text))
    return text[:start] + text[end:]


def _double(text: str, rng: random.Random) -> str:
    start, end = rng.choice(_spans(text))
    return f"{text[:end]} {text[start:]}"


def _exchange(text: str, rng: random.Random) -> str:
    spans = _spans(text)
    (a, b), (c, d) = sorted((rng.choice(spans), rng.choice(spans)))
    return text if b > c else f"{text[:a]} {text[c:d]} {text[b:c]} {text[a:b]} {text[d:]}"


def _replace(text: str, rng: random.Random) -> str:
    start, end = rng.choice(_spans(text))
    return f"{text[:start]} {rng.choice(WORDS.split() + list(CHARACTERS))} {text[end:]}"


def _change_character(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(CHARACTERS) + text[at + rng.randrange(2) :]


def _cut(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text) + 1)]


def _repeat(text: str, rng: random.Random) -> str:
    spans = _spans(text)
    (a, _), (_, d) = sorted((rng.choice(spans), rng.choice(spans)))
    return text[:a] + text[a:d] * rng.choice((2, 3, 50)) + text[d:]


_CHANGES: tuple[Callable[[str, random.Random], str], ...] = (
    _drop,
    _double,
    _exchange,
    _replace,
    _change_character,
    _cut,
    _repeat,
)
