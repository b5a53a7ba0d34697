"""The glossary: a sorted table, whose terms lead to where they are shown and whose code is what serq knows."""

from __future__ import annotations

import re

import pytest

import serq
from serq.cli.main import COMMANDS
from serq.semantics.meanings import all_meanings
from tests.docs.pages import ROOT
from tests.docs.test_reference import options

ROWS = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", (ROOT / "docs/glossary.md").read_text(), re.MULTILINE)[1:]
RESULTS = (serq.Report, serq.Observe, serq.Gauge, serq.Stage, serq.Pool)


def known() -> set[str]:
    """Words of the language, figures, and options of the command line."""
    words = {word for meaning in all_meanings() for word in meaning.name.split()}
    figures = {name for result in RESULTS for name in dir(result)} | {"ttft", "tpot", "response"}
    return words | figures | {word for name in COMMANDS for word in options(name)} | {"std/kvt"}


def test_order() -> None:
    """The terms stand in the order of the alphabet, each once."""
    terms = [term.lower() for term, _, _ in ROWS]
    assert len(terms) > 50
    assert terms == sorted(set(terms))


@pytest.mark.parametrize("row", ROWS, ids=[term for term, _, _ in ROWS])
def test_term(row: tuple[str, str, str]) -> None:
    """Every term leads to a page, and its code is known to the compiler, the report or the command line."""
    term, _, shown = row
    assert "](" in shown, term
    prose = re.sub(r"\[`[^\]]*\]", "", shown)
    code = {word for part in re.findall(r"`([^`]+)`", prose) for word in part.split()}
    assert code - known() == set()
