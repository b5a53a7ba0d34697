"""Printing a tree and parsing the text gives the tree back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serq.diagnostics import SerqError
from serq.source import Span
from serq.syntax import nodes
from serq.syntax.unparse import BINARY_LEVELS, expression, unparse
from tests.syntax.trees import CORPUS, parsed, without_places

WHOLE = (Path(__file__).parent / "whole_language.sq").read_text()
NOWHERE = Span(0, 0)


def back(text: str) -> tuple[object, object]:
    tree = parsed(text)
    return without_places(parsed(unparse(tree))), without_places(tree)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_corpus(path: Path) -> None:
    """Every program of the conformance corpus that parses survives printing."""
    text = path.read_text()
    try:
        parsed(text)
    except SerqError:
        assert path.stem.startswith(("refuse", "error")) or "error" in path.with_suffix(".json").read_text()
        return
    printed, tree = back(text)
    assert printed == tree


def test_every_construct() -> None:
    """So does a program with every construct of the grammar."""
    printed, tree = back(WHOLE)
    assert printed == tree


def test_every_node_is_tried() -> None:
    """The program above holds every class of nodes."""
    seen = set()

    def visit(tree: object) -> None:
        seen.add(type(tree).__name__)
        if isinstance(tree, tuple):
            for part in tree:
                visit(part)

    visit(parsed(WHOLE))
    defined = {name for name, value in vars(nodes).items() if hasattr(value, "_fields")}
    classes = defined - {"Diagnostic", "Record", "Span"}
    assert classes - seen == {"Unreadable"}


def test_unreadable_definition() -> None:
    """A definition that could not be read has no text to print."""
    with pytest.raises(ValueError, match="`f`"):
        unparse(parsed("def f() { 1 + } fn main() { }"))


def word(text: str) -> nodes.Name:
    return nodes.Name(text, NOWHERE)


names = st.sampled_from(["a", "let", "max", "in", "_x1", "été"]).map(word)
numbers = st.floats(min_value=0, allow_nan=False).map(lambda value: nodes.Number(value, NOWHERE))
references = st.builds(nodes.Ref, names, st.none(), names, st.none(), st.just(NOWHERE))
groups = st.builds(nodes.Group, st.one_of(names, references), st.just(NOWHERE))


def compound(inner: st.SearchStrategy[nodes.Expr]) -> st.SearchStrategy[nodes.Expr]:
    place = st.just(NOWHERE)
    several = st.lists(inner, max_size=3).map(tuple)
    member = st.builds(nodes.Ref, names, inner, st.one_of(st.none(), names), st.none(), place)
    terms = inner.map(lambda tree: nodes.Group(tree, NOWHERE) if isinstance(tree, nodes.Ref) else tree)
    aggregate = st.builds(nodes.Aggregate, st.sampled_from(["max", "min", "sum"]).map(word), names, terms, inner, place)
    operators = st.sampled_from(sorted(BINARY_LEVELS))
    return st.one_of(
        st.builds(nodes.Unary, st.sampled_from("-!"), inner, place),
        st.builds(nodes.Binary, operators, inner, inner, place),
        st.builds(nodes.Conditional, inner, inner, inner, place),
        st.builds(nodes.Draw, names, several, place),
        st.builds(nodes.Call, names, st.lists(st.one_of(inner, member), max_size=3).map(tuple), place),
        aggregate,
    )


expressions = st.recursive(st.one_of(names, numbers, references, groups), compound, max_leaves=25)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(expressions)
def test_expressions(tree: nodes.Expr) -> None:
    """Any expression survives: the parentheses printed are those that precedence needs."""
    let = parsed(f"let v = {expression(tree)};\nfn main() {{ }}").before[0]
    assert isinstance(let, nodes.Let)
    assert without_places(let.value) == without_places(tree)
