"""`serq new`: what it writes, and what it refuses to."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.cli.serq_command import serq


@pytest.mark.parametrize("name", ["demo", "demo.sq"])
def test_writes(name: str, tmp_path: Path) -> None:
    """The name may have its ending; the commands that are printed and stand in the program work."""
    ended = serq("new", name, cwd=tmp_path)
    assert ended.code == 0
    assert ended.out.startswith("wrote demo.sq; next:\n  serq check demo.sq\n")
    assert os.listdir(tmp_path) == ["demo.sq"]
    text = (tmp_path / "demo.sq").read_text()
    assert text.startswith("// demo: chat sessions at one vLLM engine.\n")
    commands = re.findall(r"^//   serq (.*)$", text, re.MULTILINE)
    assert [f"  serq {command}" for command in commands] == ended.out.splitlines()[1:]
    for command in commands:
        assert serq(*command.replace("2000", "200").replace("warmup 200", "warmup 20").split(), cwd=tmp_path).code == 0


def test_choices(tmp_path: Path) -> None:
    """Engine and clients are chosen; a trace is written beside the program and found there."""
    ended = serq("new", tmp_path / "demo", "--engine", "sarathi", "--workload", "trace")
    assert ended.out.startswith(f"wrote {tmp_path}/demo.sq and {tmp_path}/demo-sessions.csv; next:\n")
    assert sorted(os.listdir(tmp_path)) == ["demo-sessions.csv", "demo.sq"]
    assert serq("run", tmp_path / "demo.sq", "--horizon", 50).code == 0


@pytest.mark.parametrize("there", ["demo.sq", "demo-sessions.csv"])
def test_overwrites_nothing(there: str, tmp_path: Path) -> None:
    """If a file is there already nothing is written, neither program nor trace."""
    (tmp_path / there).write_text("mine")
    ended = serq("new", "demo", "--workload", "trace", cwd=tmp_path)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == f"serq: there is a file `{there}` already\nhelp: choose another name, or move the file away\n"
    assert os.listdir(tmp_path) == [there]
    assert (tmp_path / there).read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere/demo", "cannot write to `nowhere/demo.sq`: no such file or directory"),
        ("demo/", "`demo/.sq` is no name for a program"),
        (".sq", "`.sq` is no name for a program"),
        ("a\nb", "the name of a program has neither quotes nor characters that cannot be printed"),
        ('a"b', "the name of a program has neither quotes nor characters that cannot be printed"),
        ("a" * 300, "file name too long"),
    ],
)
def test_bad_names(name: str, message: str, tmp_path: Path) -> None:
    """A name that cannot be is refused in one sentence, and nothing is written."""
    ended = serq("new", name, cwd=tmp_path)
    assert (ended.code, ended.out) == (1, "")
    assert message in ended.err.splitlines()[0]
    assert os.listdir(tmp_path) == []


def test_usage(tmp_path: Path) -> None:
    """An engine that is not there is a wrong command line, and the engines are listed."""
    ended = serq("new", "demo", "--engine", "none", cwd=tmp_path)
    assert ended.code == 2
    assert "vllm" in ended.err
    assert os.listdir(tmp_path) == []
