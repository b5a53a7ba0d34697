"""`serq draw` as a user meets it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import serq
from serq.draw.render import find_renderers
from tests.cli.serq_command import COMMAND, ENGINE, ENVIRONMENT
from tests.cli.serq_command import serq as command

needs_graphviz = pytest.mark.skipif(not find_renderers(), reason="no Graphviz is found (`pip install 'serq[draw]'`)")


@needs_graphviz
@pytest.mark.parametrize(
    ("suffix", "begins"), [("svg", b"<svg "), ("png", b"\x89PNG"), ("pdf", b"%PDF-"), ("dot", b"digraph")]
)
def test_the_suffix_names_the_format(suffix: str, begins: bytes, tmp_path: Path) -> None:
    out = tmp_path / f"picture.{suffix}"
    ended = command("draw", ENGINE, "--out", str(out))
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert out.read_bytes().startswith(begins)
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_the_options_reach_the_picture() -> None:
    dark = command("draw", ENGINE, "--format", "dot", "--style", "dark", "--set", "Lambda=1.25")
    assert dark.code == 0
    assert dark.out == serq.draw(ENGINE, format="dot", style="dark", sets={"Lambda": "1.25"})
    assert "Lambda = 1.25 a second" in dark.out


def test_without_graphviz_the_source_is_printed(tmp_path: Path) -> None:
    """The DOT source goes to standard output; what is missing, and how to get it, to the other. Nothing is written."""
    hidden = "import sys; sys.executable = '/nowhere/python'; from serq.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", hidden, "draw", ENGINE, "--out", str(tmp_path / "x.png")],
        env={**ENVIRONMENT, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stdout == serq.draw(ENGINE, format="dot")
    assert "serq[draw]" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--format", "gif"], 2, "'gif' is not one of"),
        (["--out", "picture.gif"], 2, "`.gif` names no format"),
        (["--out", "picture"], 2, "a name without a suffix"),
        (["--style", "blue"], 2, "'blue' is not one of"),
        (["--out", "no/such/folder/x.dot"], 1, "no/such/folder"),
        (["--set", "Lamda=1"], 1, "`Lamda`"),
    ],
)
def test_what_is_refused(options: list[str], code: int, said: str) -> None:
    ended = command("draw", ENGINE, *options)
    assert ended.code == code
    assert said in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk() -> None:
    """What cannot be written is said."""
    with Path("/dev/full").open("w") as full:
        words = [*COMMAND, "draw", ENGINE, "--format", "dot"]
        ended = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, check=False)
    assert ended.returncode == 1
    assert "no space left" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_session_alone() -> None:
    alone = command("draw", ENGINE, "--format", "dot", "--session")
    assert alone.out == serq.draw(ENGINE, format="dot", session=True)
    assert "cluster_server" not in alone.out


def test_the_format_goes_before_the_suffix(tmp_path: Path) -> None:
    out = tmp_path / "picture.svg"
    assert command("draw", ENGINE, "--out", str(out), "--format", "dot").code == 0
    assert out.read_text() == serq.draw(ENGINE, format="dot")


@pytest.mark.parametrize("options", [["--set", "Lamda=1"], ["--style", "blue"]])
def test_what_is_refused_leaves_the_file(options: list[str], tmp_path: Path) -> None:
    """A picture that cannot be drawn does not cost the one that was there."""
    out = tmp_path / "picture.dot"
    out.write_text("before")
    assert command("draw", ENGINE, "--out", str(out), *options).code != 0
    assert out.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
