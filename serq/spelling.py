"""Near misses: what a misspelt name may have been meant to be."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 60
"""Characters of a name beyond which none is like it."""


def suggest(name: str, known: Iterable[str]) -> str | None:
    """A hint naming the known name nearest to `name`, or None if none is near; of equally near ones the first."""
    best: str | None = None
    least = max(1, len(name) // 3) + 1
    for other in known if len(name) <= LONGEST else ():
        if other != name and abs(len(other) - len(name)) < least:
            edits = _edits(name, other)
            if edits < least:
                best, least = other, edits
    return None if best is None else f"did you mean `{best}`?"


def _edits(a: str, b: str) -> int:
    """Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`."""
    older: list[int] = []
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i] + [0] * len(b)
        for j, y in enumerate(b, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[j] = min(row[j], older[j - 2] + 1)
    return row[-1]
