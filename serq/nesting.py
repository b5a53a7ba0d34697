"""Deep nesting: room for the recursive passes, and a plain refusal where it ends.

Expressions, blocks and IR documents are trees that the passes walk recursively. Python's default limit of about a
thousand frames would stop at programs that people do generate (a sum of a thousand terms is a tree a thousand
levels deep), so every entry point that walks such a tree does it inside `room_to_recurse`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from serq.diagnostics import Diagnostic, SerqError

FRAMES = 12_000
"""Frames allowed. The walks recurse in Python code, whose frames live on the heap; what recurses in C (the JSON
scanner) needs a few hundred bytes a level of the 8 MB that a thread's stack has."""


@contextmanager
def room_to_recurse() -> Iterator[None]:
    """Raise the recursion limit within the block, and turn its end into a refusal.

    Raises:
        SerqError: something was nested more deeply than the walks can follow.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, FRAMES))
    try:
        yield
    except RecursionError:
        raise SerqError(Diagnostic("nesting", "the program is nested too deeply", hint=_HINT)) from None
    finally:
        sys.setrecursionlimit(before)


_HINT = "split a long expression with `set`, or write repeated terms as an aggregate: `sum j in 100 (...)`"
