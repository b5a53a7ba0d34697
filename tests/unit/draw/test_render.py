"""Renderers: which is taken, and what is said when one fails."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from serq.diagnostics import SerqError
from serq.draw import render
from serq.draw.render import find_renderers, lay_out, pixels

SOURCE = "digraph { a }"
LAYOUT = '{"bb": "0,0,10,20"}'
PNG = "\x89PNG"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole path, with no program beside Python either."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    return tmp_path


def program(place: Path, body: str) -> str:
    """A program that does what Python's `body` says."""
    place.write_text(f"#!{INTERPRETER}\nimport sys\n{body}\n")
    place.chmod(0o755)
    return str(place)


INTERPRETER = sys.executable


def says(text: str) -> str:
    return f"sys.stdin.read(); sys.stdout.buffer.write({text!r}.encode('latin-1'))"


def test_none(folder: Path) -> None:
    assert find_renderers() == ()
    with pytest.raises(SerqError, match="no Graphviz") as refused:
        lay_out(SOURCE, ())
    assert refused.value.diagnostic.kind == render.MISSING
    assert "pip install" in str(refused.value.diagnostic.hint)


def test_a_system_dot_comes_first(folder: Path) -> None:
    """`dot` is taken before the wheel's program, which is found on the path or beside Python."""
    pure = program(folder / "graphviz-pure", says("{}"))
    assert find_renderers() == (pure,)
    dot = program(folder / "dot", says("{}"))
    assert find_renderers() == (dot, pure)


def test_beside_python(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = folder / "bin"
    beside.mkdir()
    pure = program(beside / "graphviz-pure", says("{}"))
    monkeypatch.setattr(sys, "executable", str(beside / "python"))
    assert find_renderers() == (pure,)


BROKEN = {
    "fails": ("sys.exit('cannot start\\nmore')", "cannot start"),
    "fails silently": ("sys.exit(3)", "exit status 3"),
    "says nothing": ("sys.stdin.read()", "dot` "),
    "says something else": (says("<svg/>"), "dot` "),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_the_next_is_tried(folder: Path, fault: str) -> None:
    """A program that does not do it is no obstacle while another does."""
    broken = program(folder / "dot", BROKEN[fault][0])
    assert lay_out(SOURCE, (broken, program(folder / "good", says(LAYOUT)))).groups == ()
    assert pixels(SOURCE, (broken, program(folder / "good", says(PNG)))).startswith(b"\x89PNG")


@pytest.mark.parametrize("fault", BROKEN)
def test_what_is_said(folder: Path, fault: str) -> None:
    """If none does, each fault is told with its program, and how to go on."""
    body, words = BROKEN[fault]
    broken = program(folder / "dot", body)
    for work in (lay_out, pixels):
        with pytest.raises(SerqError) as refused:
            work(SOURCE, (broken,))
        said = refused.value.diagnostic
        assert said.kind == "renderer"
        assert words in said.message
        assert broken in said.message
        assert said.hint == render.BROKEN


def test_a_program_that_cannot_be_run(folder: Path) -> None:
    (folder / "dot").write_text("no program")
    with pytest.raises(SerqError, match="dot` failed"):
        lay_out(SOURCE, (str(folder / "dot"),))


def test_patience_has_an_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that does not answer is given up, and the hint says what to draw instead."""
    monkeypatch.setattr(render, "SECONDS", 0.2)
    slow = program(folder / "dot", "import time; time.sleep(60)")
    with pytest.raises(SerqError, match="did not lay the picture out") as refused:
        lay_out(SOURCE, (slow,))
    assert "--session" in str(refused.value.diagnostic.hint)


def test_the_source_is_read_as_utf8(folder: Path) -> None:
    told = program(folder / "dot", f"assert sys.stdin.buffer.read().decode() == 'π'; print('{LAYOUT}')")
    assert lay_out("π", (told,)).width > 10
    assert os.listdir(folder) == ["dot"]
