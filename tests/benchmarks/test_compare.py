"""The benchmark runs, and says what it compares."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ALONE = {name: value for name, value in os.environ.items() if name != "ORACLE_PYTHON"}


def output(*options: str) -> str:
    command = [sys.executable, "benchmarks/compare.py", "--quick", "--rounds", "1", "--only", "1024", *options]
    return subprocess.run(command, cwd=ROOT, env=ALONE, capture_output=True, text=True, check=True).stdout


def test_alone() -> None:
    """Without another implementation it says so, and prints serq's own times, of runs, commands and threads."""
    text = output()
    assert "nothing to compare with" in text
    assert re.search(r"^1024 slots +[\d.]+ +[\d.]+ +\d+ +[1-9]\d+$", text, re.M)
    for name in ("serq --version", "serq check", "threads"):
        assert re.search(rf"^{name} .*[\d.]+", text, re.M)


def test_side_by_side() -> None:
    """With one it prints both times and their ratio; here serq takes both sides."""
    text = output("--oracle", sys.executable, "--module", "serq", "--oracle-rounds", "1")
    assert re.search(r"^1024 slots( +[\d.]+ +[\d.]+ +\d+){2} +\d+\.\d +[1-9]\d+$", text, re.M)
    assert "DIFFER" not in text
