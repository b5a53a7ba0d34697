"""Deep and long programs: read in time proportional to their length, or refused in one sentence."""

from __future__ import annotations

import threading
import time

import pytest

from serq.compiler import compile_source
from serq.diagnostics import SerqError
from serq.syntax.unparse import unparse
from tests.syntax.trees import fault_of, parsed

DEEP = 10_000


def within(text: str) -> str:
    return f"fn main() {{ server {{ {text} }} }}"


@pytest.mark.parametrize(
    "text",
    [
        "set x = " + "(" * DEEP + "1" + ")" * DEEP + ";",
        "set x = " + "-" * DEEP + "1;",
        "set x = " + "1 ? 1 : " * DEEP + "1;",
        "set x = " + "2 ^ " * DEEP + "1;",
        "set x = " + "f(" * DEEP + "1" + ")" * DEEP + ";",
        "loop { " * DEEP + "}" * DEEP,
        "branch (1) { } else { " * DEEP + "}" * DEEP,
    ],
    ids=["parentheses", "signs", "choices", "powers", "calls", "blocks", "else"],
)
def test_too_deep(text: str) -> None:
    """Ten thousand levels are refused at the token that goes too deep."""
    with pytest.raises(SerqError, match="nested too deeply") as caught:
        parsed(within(text))
    assert (caught.value.kind, caught.value.line) == ("nesting", 1)


@pytest.mark.parametrize("text", ["(" * DEEP, "{" * DEEP, "max j in " * DEEP, "set x = " + "(" * DEEP, "f(" * DEEP])
def test_deep_and_wrong(text: str) -> None:
    """Nor does nesting hide a plain fault."""
    with pytest.raises(SerqError) as caught:
        parsed(within(text))
    assert caught.value.line == 1


@pytest.mark.parametrize(
    "text",
    [
        "set x = " + "1 + " * DEEP + "1;",
        "set x = " + "sum j in 1 (" * 2_000 + "1" + ")" * 2_000 + ";",
        "run s[0" + " + 0" * DEEP + "] (cost(s, 1));",
        "loop { " * 2_000 + "run s (cost(s, 1)); " + "}" * 2_000,
        "hold p (cost(p, 1)) { " * 2_000 + "}" * 2_000,
    ],
    ids=["sum", "aggregates", "index", "loops", "holds"],
)
def test_compiling_in_a_thread(text: str) -> None:
    """A thread has as much room as the program has: deep trees are compiled, or refused in one sentence."""
    program = f"fn main() {{ stage s : fifo; pool p {{ }} workload {{ arrive none; }} server {{ {text} }} }}"
    outcomes: list[object] = []

    def attempt() -> None:
        try:
            outcomes.append(compile_source(program, horizon=1.0))
        except SerqError as error:
            outcomes.append(error.kind)

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    assert len(outcomes) == 1
    assert outcomes[0] == "nesting" or not isinstance(outcomes[0], str)


def test_a_hundred_levels() -> None:
    """What people write is not deep."""
    program = parsed(within("branch (1) { " * 100 + "set x = " + "(" * 100 + "1" + ")" * 100 + ";" + "}" * 100))
    assert parsed(unparse(program)).items


def test_long_chains() -> None:
    """A sum of ten thousand terms is no nesting for the parser, though it is for whoever walks the tree."""
    program = parsed(within("set x = " + "1 + " * DEEP + "1;"))
    with pytest.raises(SerqError, match="nested too deeply"):
        unparse(parsed(within("set x = " + "1 + " * 10 * DEEP + "1;")))
    assert program.items


@pytest.mark.parametrize(
    "text",
    [
        within("set x = 3 * (a + b); " * 2_000),
        within("set x = f(" + "1, " * 10_000 + "1);"),
        "def f(x) { x x } " * 500 + within(""),
        "let x = " + "9" * 40_000 + "; " + within(""),
        "/*" + "*" * 40_000 + "*/" + within(""),
        within("") + " " * 40_000,
        '"' * 40_000,
        "/* " * 20_000,
        "def f() {" + "(" * 20_000,
        within("x" * 40_000 + " y;"),
        "1e" * 20_000,
    ],
    ids=range(11),
)
def test_time_is_linear(text: str) -> None:
    """A text forty kilobytes long is read, or refused, in far less than a second."""
    started = time.perf_counter()
    error = fault_of(text)
    assert error is None or len(str(error)) < 1_000
    assert time.perf_counter() - started < 1
