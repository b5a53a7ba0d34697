"""The README shows what serq does: its program is the example's, its commands run, its report is what a run prints."""

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


def commands(start: str) -> list[str]:
    """The indented lines that begin with `start`, without a comment behind them."""
    lines = (line.strip() for line in README.splitlines() if line.startswith(f"    {start}"))
    return [line.split("  #")[0].strip() for line in lines]


def serq(command: str) -> str:
    words = [sys.executable, "-m", *command.split()]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_program() -> None:
    """The program in the README is the example's, without the comment at its top."""
    text = (ROOT / "examples" / "chat.sq").read_text()
    assert fenced("serq") == [text[text.index("fn main") :]]


def test_report() -> None:
    """The command under the program prints the report under the command."""
    (command,) = commands("serq run examples/")
    assert serq(command) == fenced("text")[0]
    assert f"$ {command}\n{serq(command)}" == (ROOT / "examples" / "chat.txt").read_text()


@pytest.mark.parametrize("command", [line for line in commands("serq ") if "examples/" not in line])
def test_commands(command: str) -> None:
    """The other commands run."""
    assert serq(command)


def test_options() -> None:
    """The table names every option of `run`."""
    table = README[README.index("| Option of") : README.index("A program is a file")]
    options = set(re.findall(r"^ +(?:-\w, )?(--\w+)", serq("serq run --help"), re.MULTILINE)) - {"--help"}
    assert {"--horizon", "--strict"} <= options
    assert options == set(re.findall(r"`(--\w+)", table))


def test_targets() -> None:
    """The make targets that README and CONTRIBUTING name exist."""
    made = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:^    |`)make (\w+)", README + (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE))
    assert {"demo", "test", "check", "bench"} <= named <= made


@pytest.mark.parametrize("code", fenced("python"))
def test_python(code: str) -> None:
    """What it shows of Python runs, and prints what it is about."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.fullmatch(r"[\d.]+ \d+\n", done.stdout)
