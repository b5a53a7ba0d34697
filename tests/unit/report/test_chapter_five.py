"""The report of the tutorial's engine chapter, character for character as printed there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import serq
from serq.report.remarks import remarks
from serq.report.rich_tables import terminal_text
from serq.report.text import report_text

ROOT = Path(__file__).resolve().parents[3]
PRINTED = (ROOT / "tests/golden/reports/05-engine.txt").read_text()


@pytest.fixture(scope="module")
def chapter_five() -> serq.Report:
    path = ROOT / "docs/tutorial/programs/05-engine.sq"
    return serq.run(serq.compile(path, horizon=20000, warmup=2000, seed=1))


def test_text_is_as_printed(chapter_five: serq.Report) -> None:
    """The text report is the chapter's block."""
    assert report_text(chapter_five) == PRINTED


def test_nothing_is_remarkable(chapter_five: serq.Report) -> None:
    """The chapter's run has no fault, enough samples and narrow intervals."""
    assert remarks(chapter_five) == []


def test_terminal_shows_the_same_figures(chapter_five: serq.Report, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, however narrow, the same cells stand in the same places."""
    monkeypatch.setenv("COLUMNS", "40")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal_text(chapter_five))
    assert [line.rstrip().replace("─", "-") for line in shown.split("\n")] == [
        re.sub("(?<=-)  (?=-)", "--", line) for line in PRINTED.split("\n")
    ]
