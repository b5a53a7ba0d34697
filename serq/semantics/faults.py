"""The one helper through which every stage of the semantics complains, and suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from serq.diagnostics import Diagnostic, Label, SerqError
from serq.source import Span


def refuse(
    kind: str, message: str, span: Span | None, *, hint: str | None = None, labels: tuple[Label, ...] = ()
) -> NoReturn:
    """Refuse the program.

    The compiler adds the text that `span` is in. `span` is None only where no place makes sense.
    """
    raise SerqError(Diagnostic(kind, message, span, labels, hint))


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint that names the known name nearest to `name`, or None if none is near."""
    best = min(((_distance(name, other), other) for other in known if other != name), default=None)
    if best is None or best[0] > max(1, len(name) // 3):
        return None
    return f"did you mean `{best[1]}`?"


def _distance(a: str, b: str) -> int:
    """Edits (insert, delete, replace, swap neighbours) that turn `a` into `b`."""
    if abs(len(a) - len(b)) > max(1, len(a) // 3):
        return len(a) + len(b)
    before, row = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i] + [0] * len(b)
        for j, y in enumerate(b, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[j] = min(row[j], older[j - 2] + 1)
    return row[-1]
