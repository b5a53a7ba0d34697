"""`serq fmt`: which files it writes, and what it says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.serq_command import serq

MESSY = "let  a=1;\nfn main(){ }"
NEAT = "let a = 1;\nfn main() { }\n"


def test_rewrites(tmp_path: Path) -> None:
    """Files that change are rewritten and named; others are left alone, and nothing else lies in the folder after."""
    messy, neat = tmp_path / "messy.sq", tmp_path / "neat.sq"
    messy.write_text(MESSY)
    neat.write_text(NEAT)
    before = neat.stat().st_mtime_ns
    assert serq("fmt", messy, neat) == (0, f"formatted {messy}\n", "")
    assert messy.read_text() == neat.read_text() == NEAT
    assert neat.stat().st_mtime_ns == before
    assert sorted(os.listdir(tmp_path)) == ["messy.sq", "neat.sq"]


def test_mode_and_links(tmp_path: Path) -> None:
    """A file keeps its mode, and a link goes on leading to it."""
    file, link = tmp_path / "file.sq", tmp_path / "link.sq"
    file.write_text(MESSY)
    file.chmod(0o640)
    link.symlink_to(file)
    assert serq("fmt", link).code == 0
    assert link.is_symlink()
    assert file.read_text() == NEAT
    assert file.stat().st_mode & 0o777 == 0o640


def test_check(tmp_path: Path) -> None:
    """--check names the files that would change, exits with 1 if there are any, and writes nothing."""
    messy, neat = tmp_path / "messy.sq", tmp_path / "neat.sq"
    messy.write_text(MESSY)
    neat.write_text(NEAT)
    assert serq("fmt", "--check", neat, messy) == (1, f"{messy}\n", "")
    assert serq("fmt", "--check", neat) == (0, "", "")
    assert messy.read_text() == MESSY


def test_diff(tmp_path: Path) -> None:
    """--diff shows what would change and writes nothing; with --check it also sets the exit code."""
    messy = tmp_path / "messy.sq"
    messy.write_text(MESSY)
    shown = serq("fmt", "--diff", messy)
    assert shown.code == 0
    assert shown.out.splitlines()[3:] == [
        "-let  a=1;",
        "-fn main(){ }",
        "\\ No newline at end of file",
        "+let a = 1;",
        "+fn main() { }",
    ]
    assert serq("fmt", "--check", "--diff", messy) == (1, shown.out, "")
    assert messy.read_text() == MESSY


def test_standard_input() -> None:
    """- lays out standard input on standard output."""
    assert serq("fmt", "-", stdin=MESSY) == (0, NEAT, "")
    assert serq("fmt", "--check", "-", stdin=MESSY) == (1, "<stdin>\n", "")
    assert serq("fmt", "--check", "-", stdin=NEAT) == (0, "", "")


def test_line_ends(tmp_path: Path) -> None:
    """Line ends and a byte order mark are kept, byte for byte."""
    file = tmp_path / "file.sq"
    file.write_bytes(b"\xef\xbb\xbf" + MESSY.replace("\n", "\r\n").encode())
    assert serq("fmt", file).code == 0
    assert file.read_bytes() == b"\xef\xbb\xbf" + NEAT.replace("\n", "\r\n").encode()
    assert serq("fmt", "--check", file) == (0, "", "")


def test_faults(tmp_path: Path) -> None:
    """A program that does not parse is left alone and its fault told with its place; the other files are still done."""
    wrong, messy, missing = tmp_path / "wrong.sq", tmp_path / "messy.sq", tmp_path / "missing.sq"
    wrong.write_text("fn main() { let = ; }")
    messy.write_text(MESSY)
    ended = serq("fmt", wrong, missing, tmp_path, messy)
    assert (ended.code, ended.out) == (1, f"formatted {messy}\n")
    assert ended.err.startswith(f"{wrong}:1:17: expected")
    assert f"cannot read `{missing}`: no such file or directory" in ended.err
    assert f"cannot read `{tmp_path}`: is a directory" in ended.err
    assert wrong.read_text() == "fn main() { let = ; }"
    assert messy.read_text() == NEAT


def test_not_text(tmp_path: Path) -> None:
    """A file that is not UTF-8 is refused and left alone."""
    file = tmp_path / "file.sq"
    file.write_bytes(b"fn main() { } // \xff")
    assert serq("fmt", file).code == 1
    assert file.read_bytes().endswith(b"\xff")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_not_writable(tmp_path: Path) -> None:
    """A file that may not be written to is refused in one sentence."""
    file = tmp_path / "file.sq"
    file.write_text(MESSY)
    file.chmod(0o440)
    ended = serq("fmt", file)
    assert ended.code == 1
    assert ended.err == f"serq: cannot write to `{file}`: permission denied\n"


def test_usage() -> None:
    """Without a file there is nothing to do."""
    assert serq("fmt").code == 2
