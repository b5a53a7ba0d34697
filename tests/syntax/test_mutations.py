"""Whatever stands in a file, it is a program or it is refused at a place, in a sentence, soon.

    python -m tests.syntax.test_mutations 20000 [seed]

tries more than the tests do.
"""

from __future__ import annotations

import sys
import time
from itertools import islice

import pytest

from serq.compiler import compile_source
from serq.diagnostics import SerqError
from tests.syntax.mutations import mutants
from tests.syntax.trees import CORPUS

TEXTS = [path.read_text() for path in CORPUS]
PLACELESS = {"missing-main", "nesting", "two-meanings"}
"""Kinds of faults that no token shows: what is missing, and a constant called like an attribute of every session."""


def fault_of_program(text: str) -> SerqError | None:
    try:
        compile_source(text, horizon=1.0)
    except SerqError as error:
        return error
    return None


def check(text: str) -> None:
    """Compile a text; refuse only as the module says."""
    started = time.perf_counter()
    error = fault_of_program(text)
    assert time.perf_counter() - started < 1
    if error is None:
        return
    assert error.message
    if error.line is None or error.column is None:
        assert error.kind in PLACELESS
        return
    lines = text.split("\n")
    assert 1 <= error.line <= len(lines)
    assert 1 <= error.column <= len(lines[error.line - 1]) + 1


@pytest.mark.parametrize("seed", range(10))
def test_mutants(seed: int) -> None:
    """Programs with a few faults."""
    for text in islice(mutants(TEXTS, seed), 60):
        check(text)


@pytest.mark.slow
def test_many_mutants() -> None:
    """The same, longer."""
    for text in islice(mutants(TEXTS, 1000), 3000):
        check(text)


if __name__ == "__main__":
    count, seed = int(sys.argv[1]), int((*sys.argv, "0")[2])
    for number, mutant in enumerate(islice(mutants(TEXTS, seed), count)):
        try:
            check(mutant)
        except BaseException:
            print(f"mutant {number}:\n{mutant}")
            raise
