"""What the documents promise: links lead somewhere, programs compile, and the reference pages name everything."""

from __future__ import annotations

import doctest
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import serq
from tests.docs.pages import DOCUMENTS, ROOT, name

SOURCES = sorted(ROOT.glob("serq/**/*.py"))


def fenced(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)


def missing(words: set[str], page: str) -> set[str]:
    """Those of `words` that stand nowhere on the page as a word of code."""
    code = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", (ROOT / page).read_text()))))
    return words - code


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_links(path: Path) -> None:
    """Every link to a file of the project leads to one."""
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text())
    lost = [t for t in targets if "://" not in t and not (path.parent / t).exists()]
    assert not lost


def test_pages_named_in_sources() -> None:
    """Every page that a docstring names exists."""
    named = {page for path in SOURCES for page in re.findall(r"docs/[\w/]+\.md", path.read_text())}
    assert named
    assert not [page for page in sorted(named) if not (ROOT / page).exists()]


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if ">>> " in path.read_text()], ids=name)
def test_dialogues(path: Path) -> None:
    """Every dialogue with Python goes as shown."""
    examples = "\n".join(fenced(path, "python"))
    test = doctest.DocTestParser().get_doctest(examples, {}, name(path), str(path), 0)
    result = doctest.DocTestRunner().run(test)
    assert result.attempted > 0
    assert result.failed == 0


def test_trace(tmp_path: Path) -> None:
    """The trace on its page can be read, and is what its text says."""
    (text,) = fenced(ROOT / "docs/semantics/traces.md", "csv")
    (tmp_path / "t.csv").write_text(text)
    assert serq.read_trace(tmp_path / "t.csv") == [[(512, 80, 2.5, 0), (64, 120, 0, 0)], [(900, 40, 0, 0)]]


def keys(value: object) -> Iterator[str]:
    """The keys of all objects inside a JSON value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


REPORTED = """
fn main() {
  stage s : fifo;
  pool p { cap 2; }
  workload { arrive batch(3); }
  server { hold p (cost(p, 1)) { run s (cost(s, 1)); } observe seen = now; }
  gauge queueing = queue(s);
  claim done : at end (total(seen) > 0);
}
"""


def test_every_figure_is_explained() -> None:
    """The page on figures names every key of a report's JSON."""
    report = json.loads(serq.run(serq.compile(source=REPORTED, horizon=10)).json())
    found = set(keys(report)) - {"seen", "queueing"}
    assert {"ttft", "itl_p99", "growing_stalled", "failures"} <= found
    assert not missing(found, "docs/semantics/figures.md")


def test_every_part_of_the_representation_is_explained() -> None:
    """The page on the representation names every key that the corpus's programs have in theirs."""
    found = {key for path in ROOT.glob("tests/golden/ir/*.json") for key in keys(json.loads(path.read_text()))}
    assert {"Hold", "Step", "Binary", "reserve_held"} <= found
    slots = {key for key in found if key.startswith("slot_")} - {"slot_cached", "slot_computed"}
    assert not missing(found - slots, "docs/ir.md")
