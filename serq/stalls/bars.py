"""The histogram of gaps as lines of letters: each bin's tokens by primary cause, in 36 characters.

In: `StallFigures`, of any source. Out: lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from serq.stalls.figures import CLEAN, Bin, Cause, StallFigures
from serq.stalls.lines import CAUSE, HEAD, Line, Piece, line

WIDTH = 36
"""Characters of a bar."""

CLEAN_LETTER = "·"


def histogram_lines(causes: tuple[Cause, ...], bins: Sequence[Bin]) -> list[Line]:
    """A line a bin, and below them what the letters mean. Bins after the last token are left out."""
    bins = bins[: max((i + 1 for i, one in enumerate(bins) if one.n_tokens), default=0)]
    counts = [str(one.n_tokens) for one in bins]
    width = max(map(len, ["tokens", *counts]))
    lines = [line(f"{'ms':>8}  {'tokens':>{width}}", HEAD)]
    for one, count in zip(bins, counts, strict=True):
        lines.append((Piece(f"{edges(one):>8}  {count:>{width}}  "), *bar(causes, one.by_cause)))
    return [*lines, legend(causes, width + 12)]


def edges(one: Bin) -> str:
    return f"{one.low:g}-{one.high:g}" if isfinite(one.high) else f"{one.low:g}-"


def legend(causes: tuple[Cause, ...], indent: int) -> Line:
    names = [(cause.letter, cause.name) for cause in causes] + [(CLEAN_LETTER, CLEAN)]
    pieces = [Piece(" " * indent)]
    for letter, name in names:
        pieces += [Piece(letter, CAUSE + letter), Piece(f" {name}  ")]
    return tuple(pieces)


def bar(causes: tuple[Cause, ...], by_cause: Sequence[int], width: int = WIDTH) -> Line:
    """Letters of the causes in proportion to their tokens, in order; nothing for no tokens."""
    letters = [*(cause.letter for cause in causes), CLEAN_LETTER]
    cells = apportioned(by_cause, width)
    return tuple(Piece(letter * n, CAUSE + letter) for letter, n in zip(letters, cells, strict=True) if n)


def apportioned(counts: Sequence[int], width: int) -> list[int]:
    """`width` in proportion to the counts, as whole numbers; what rounding down leaves goes where it took most."""
    total = sum(counts)
    if total == 0:
        return [0] * len(counts)
    cells = [width * count // total for count in counts]
    remainders = sorted(range(len(counts)), key=lambda i: (-(width * counts[i] % total), i))
    for i in remainders[: width - sum(cells)]:
        cells[i] += 1
    return cells


def added(histograms: Sequence[tuple[Bin, ...]]) -> tuple[Bin, ...]:
    """The bins of several runs, their tokens added."""
    return tuple(
        Bin(same[0].low, same[0].high, tuple(map(sum, zip(*(one.by_cause for one in same), strict=True))))
        for same in zip(*histograms, strict=True)
    )


def titled(title: str, stalls: StallFigures) -> list[Line]:
    return [line(title), *histogram_lines(stalls.causes, stalls.histogram)]
