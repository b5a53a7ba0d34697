"""The README shows what serq does: its program is the example's text, its report what a run prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def serq(command: str) -> str:
    assert command.startswith("serq ")
    words = [sys.executable, "-m", *command.split()]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_program() -> None:
    """The program in the README is the example's."""
    assert fenced("serq") == [(ROOT / "examples" / "chat.sq").read_text()]


def test_report() -> None:
    """The command under the program prints the report under the command."""
    command = next(line.strip() for line in README.splitlines() if line.startswith("    serq run examples/"))
    assert serq(command) == fenced("text")[0]
    assert serq(command) == (ROOT / "examples" / "chat.txt").read_text()


COMMANDS = [line.strip() for line in README.splitlines() if re.match(r"    serq (check|ir)", line)]


@pytest.mark.parametrize("line", COMMANDS)
def test_commands(line: str) -> None:
    """The other commands of the README run."""
    assert serq(line)
