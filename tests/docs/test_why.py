"""The numbers on the page that says why to trust serq are those of the tests."""

from __future__ import annotations

import json
import re

import pytest

from tests.conformance.test_conformance import CASES, LONG
from tests.docs.pages import ROOT
from tests.errors import test_semantic_errors, test_syntax_errors
from tests.property import test_random_programs
from tests.random_programs import PROFILES
from tests.unit.stalls.test_partition import SEEDS

PAGE = (ROOT / "docs/why-trust-it.md").read_text()
CHUNKS = [*test_semantic_errors.CHUNKS, *test_syntax_errors.CHUNKS]
REFUSED = [path for path in CASES if "error" in json.loads(path.read_text())]
LONG_CASES = [path for path in CASES if path.parent.name in LONG]
FORMULAS = [
    name
    for file in ("test_queues", "test_examples")
    for name in re.findall(r"^def (test_\w+)", (ROOT / f"tests/theory/{file}.py").read_text(), re.MULTILINE)
]


@pytest.mark.parametrize(
    "text",
    [
        f"| {len(CASES) - len(REFUSED)} programs |",
        f"| {len(REFUSED)} programs |",
        f"{len(CASES) - len(LONG_CASES)} of the {len(CASES)} above",
        f"60 random programs of each of {len(PROFILES)} kinds",
        f"| {len(FORMULAS)} tests |",
        f"| {sum(chunk.expected is not None for chunk in CHUNKS)} programs |",
        f"{len(SEEDS)} random logs",
    ],
)
def test_counted(text: str) -> None:
    """What the page counts is what there is."""
    assert text in PAGE


def test_random_programs_of_each_kind() -> None:
    """Sixty random programs of each kind are tried, unless more are asked for."""
    assert test_random_programs.PROGRAMS >= 60


def test_commands() -> None:
    """Every folder, file and module that the page's commands name exists."""
    named = set(re.findall(r"tests/[\w/.]+", " ".join(re.findall(r"^    .*$", PAGE, re.MULTILINE))))
    modules = set(re.findall(r"-m (tests[\w.]+)", PAGE))
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert [name for name in modules if not (ROOT / (name.replace(".", "/") + ".py")).exists()] == []
