"""What must hold of every layout, as one helper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from serq.compiler import compile_source
from serq.diagnostics import SerqError
from serq.fmt import format_text
from serq.fmt.text import said
from serq.source import Source
from serq.syntax import nodes
from serq.syntax.lexer import tokenize
from tests.syntax.trees import parsed, without_places

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted(
    path
    for folder in ("tests/conformance", "tests/syntax", "examples", "docs")
    for path in (ROOT / folder).rglob("*.sq")
)


def well_formed(paths: list[Path]) -> list[tuple[str, str]]:
    """Names and texts of the programs that parse."""
    found = []
    for path in paths:
        text = path.read_text()
        try:
            format_text(text)
        except SerqError:
            continue
        found.append((path.relative_to(ROOT).as_posix(), text))
    return found


def words(text: str) -> list[str]:
    """The spelling of a text's tokens."""
    plain = text.removeprefix("\ufeff")
    tokens = tokenize(Source("test", plain))
    return [plain[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True)]


def tree(text: str) -> Any:
    """The syntax tree without places; what is wrong with it if there is none."""
    try:
        return without_places(without_faults(parsed(text.removeprefix("\ufeff"))))
    except SerqError as error:
        return error.kind, error.message


def without_faults(part: Any) -> Any:
    """The tree with the faults of bodies that do not parse, which know their places, taken out."""
    if isinstance(part, nodes.Unreadable):
        return "unreadable"
    if isinstance(part, tuple) and hasattr(part, "_fields"):
        return part._replace(**{name: without_faults(getattr(part, name)) for name in part._fields})
    return tuple(map(without_faults, part)) if isinstance(part, tuple) else part


def meaning(text: str) -> Any:
    """What the compiler makes of a text, or what it has against it."""
    try:
        return compile_source(text.removeprefix("\ufeff"))
    except SerqError as error:
        return error.kind, error.message


def check(text: str) -> str:
    """The layout of a text, after a look at what must hold of it."""
    formatted = format_text(text)
    assert words(formatted) == words(text)
    assert said(formatted) == said(text)
    assert format_text(formatted) == formatted
    assert formatted.endswith("\n")
    assert not formatted.endswith("\n\n")
    assert all(line == line.rstrip(" \t") for line in formatted.split("\n"))
    return formatted
