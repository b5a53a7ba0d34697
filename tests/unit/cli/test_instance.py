"""Instance files: arguments and settings, and where a bad one is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from serq.cli.instance import read_instance
from serq.diagnostics import SerqError


def test_an_instance(tmp_path: Path) -> None:
    """Arguments and settings in any order, with comments; of a repeated one the last."""
    path = tmp_path / "i.sq"
    path.write_text(
        "// a large pool\nlet blocks = 8000; let x = -.5e1;\nrun { horizon 2e4; seed 7; }\n"
        "let let = inf; run { warmup 0; arrivals 500; seed 8; } let blocks = 9;"
    )
    assert read_instance(str(path)) == (
        {"blocks": 9.0, "x": -5.0, "let": float("inf")},
        {"horizon": 20000.0, "seed": 8, "warmup": 0.0, "arrivals": 500},
    )
    path.write_text("")
    assert read_instance(str(path)) == ({}, {})


@pytest.mark.parametrize(
    ("text", "line", "column", "found"),
    [
        ("let a = b;", 1, 9, "`b`"),
        ("let a 3;", 1, 7, "`3`"),
        ("let a = 3", 1, 10, "the end"),
        ("let = 3;", 1, 5, "`=`"),
        ("run {\n  horizont 3;\n}", 2, 3, "`horizont`"),
        ("run { horizon -3; }", 1, 15, "`-3`"),
        ("run { horizon 0; }", 1, 15, "`0`"),
        ("run { warmup inf; }", 1, 14, "`inf`"),
        ("run { seed 1.5; }", 1, 12, "`1.5`"),
        ("run { arrivals 0; }", 1, 16, "`0`"),
        (f"run {{ seed {1 << 64}; }}", 1, 12, f"`{1 << 64}`"),
        ("run { horizon 3;", 1, 17, "the end"),
        ("walk { }", 1, 1, "`walk`"),
        ("let a = 3;; ", 1, 11, "`;`"),
    ],
)
def test_refusals(tmp_path: Path, text: str, line: int, column: int, found: str) -> None:
    """What does not belong is named with its place, and what is wanted there."""
    path = tmp_path / "i.sq"
    path.write_text(text)
    with pytest.raises(SerqError) as refusal:
        read_instance(str(path))
    assert (refusal.value.line, refusal.value.column) == (line, column)
    assert refusal.value.message.startswith(f"found {found}")
