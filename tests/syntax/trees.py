"""Helpers for tests of syntax trees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from serq.diagnostics import SerqError
from serq.source import Source, Span
from serq.syntax import nodes
from serq.syntax.parse import parse

HERE = Path(__file__).parent
CORPUS = [*sorted((HERE.parent / "conformance").glob("*/*.sq")), HERE / "stalls.sq"]


def parsed(text: str) -> nodes.Program:
    return parse(Source("test", text))


def fault_of(text: str) -> SerqError | None:
    """Why a text is refused, or None."""
    try:
        parsed(text)
    except SerqError as error:
        return error
    return None


def without_places(tree: Any) -> Any:
    """The tree as plain tuples with class names, and without what tells places in the text."""
    if isinstance(tree, Span):
        return None
    if isinstance(tree, tuple):
        name = [type(tree).__name__] if hasattr(tree, "_fields") else []
        return (*name, *[without_places(part) for part in tree])
    return tree


def texts_of(tree: Any, text: str) -> list[tuple[str, str]]:
    """Class name and spanned text of every node that has a span, in order of the fields."""
    found = []
    if isinstance(tree, tuple) and not isinstance(tree, Span):
        span = getattr(tree, "span", None)
        if isinstance(span, Span):
            found.append((type(tree).__name__, text[span.start : span.end]))
        for part in tree:
            found += texts_of(part, text)
    return found
