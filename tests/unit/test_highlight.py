"""Programs in colour: nothing of the text is lost, and what is a keyword is told by its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from pygments.token import Comment, Error, Keyword, Name, Text

from serq.highlight import SerqLexer

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for folder in ("tests", "docs", "examples") for path in ROOT.glob(f"{folder}/**/*.sq"))
FAULTY = ROOT / "tests" / "errors"


def lexed(text: str) -> list[tuple[object, str]]:
    return [(kind, found) for _, kind, found in SerqLexer().get_tokens_unprocessed(text)]


def of_kind(text: str, kind: object) -> list[str]:
    return [found for token, found in lexed(text) if token in kind]  # type: ignore[operator]


@pytest.mark.parametrize("folder", ["tests", "docs", "examples"])
def test_nothing_is_lost(folder: str) -> None:
    """The tokens of every program are its text, and none is an error where the program has none of spelling."""
    for path in ROOT.glob(f"{folder}/**/*.sq"):
        text = path.read_text()
        assert "".join(found for _, found in lexed(text)) == text, path
        if not path.is_relative_to(FAULTY):
            assert not of_kind(text, Error), path


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        ("fn main() { let let = 3; stage run : fifo; }", ["fn", "main", "let", "stage", "fifo"]),
        ("set first = head + tail;", ["set"]),
        ("schedule { advance running by (-admission); }", ["schedule", "advance", "running", "by"]),
        ("pool kv on gpu { block 16; queue by (waited); }", ["pool", "on", "block", "queue", "by"]),
        ("queue by (block);", ["queue", "by"]),
        ("prefill (prompt - cached) growing kv;", ["prefill", "growing"]),
        ("max j in 4 (max(j, 2))", ["max", "in"]),
        ("engine llm on gpu { … tokens cap 8; }", ["engine", "on", "tokens", "cap"]),
        ("stall gc (stall(1)); set stall = stall;", ["stall", "set"]),
        ("engine e on d { stall cap (1); stall stall (2); }", ["engine", "on", "cap", "stall"]),
        ("fn main() { stage s : fifo; stage stage }", ["fn", "main", "stage", "fifo", "stage"]),
    ],
)
def test_keywords(text: str, keywords: list[str]) -> None:
    """Words are keywords where the parser takes them so, also in parts of programs; after a fault by spelling."""
    assert of_kind(text, Keyword) == keywords


def test_names() -> None:
    """Names that the language supplies, functions, distributions and calls are told apart."""
    text = "set x = min(used(kv), now) + ~exp(mine(y)) + batch.tokens; // end"
    assert of_kind(text, Name.Builtin) == ["min", "used", "now", "exp", "batch"]
    assert of_kind(text, Name.Builtin.Pseudo) == ["now", "batch"]
    assert of_kind(text, Name.Function) == ["mine"]
    assert of_kind(text, Name.Attribute) == ["tokens"]
    assert of_kind(text, Comment) == ["// end"]


def test_faults() -> None:
    """What begins no token is an error and nothing else is; dots for what is left out are text."""
    assert of_kind("let x = 3 % 4;", Error) == ["%"]
    assert of_kind("server { … }", Text) == [" ", " ", "…", " "]
    assert lexed("") == []
