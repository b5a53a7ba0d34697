"""The book shows what serq does: its programs compile, its commands run and print what stands below them."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import serq
from serq.draw.render import find_renderers
from serq.syntax import roles
from tests.docs.pages import BOOK, DOCUMENTS, DRAWN, REFUSED, ROOT, Block, blocks, carry_out, name, runs
from tests.figures import differences

SHOWN = [block for path in DOCUMENTS for block in blocks(path) if block.language == "serq"]
PROGRAMS = sorted(ROOT.glob("docs/tutorial/programs/*.sq"))


def told(block: Block) -> str:
    return block.name


@pytest.mark.parametrize("block", [b for b in SHOWN if b.is_program and b.title != REFUSED], ids=told)
def test_programs(block: Block) -> None:
    """Every program shown compiles."""
    assert serq.compile(source=block.text, horizon=1).ir.blocks


@pytest.mark.parametrize("block", [b for b in SHOWN if b.title == REFUSED], ids=told)
def test_refused_programs(block: Block) -> None:
    """Every program said to be refused is, with the message shown below it."""
    with pytest.raises(serq.SerqError) as refused:
        serq.compile(source=block.text, horizon=1)
    assert block.shown == f"{refused.value}\n"


def stem(path: Path) -> str:
    return path.stem


def quotable(path: Path) -> list[str]:
    """The programs that a page may quote from: its own, the tutorial's of the same number, examples it links to."""
    own = [block.text for block in blocks(path) if block.is_program]
    linked = re.findall(r"\]\(((?:\.\./)*examples/[\w-]+\.sq)\)", path.read_text())
    others = [program for program in PROGRAMS if program.stem == path.stem] + [path.parent / name for name in linked]
    return own + [program.read_text() for program in others]


@pytest.mark.parametrize("block", [b for b in SHOWN if not b.is_program], ids=told)
def test_parts(block: Block) -> None:
    """Every part of a program is quoted from a program of the page."""
    assert any(is_part(block.text, program) for program in quotable(block.path))


def is_part(part: str, program: str) -> bool:
    """Whether the tokens of `part` follow each other in `program`, with anything in place of a `…`."""
    pattern = " .*?".join(re.escape(words(piece)) for piece in part.split("…"))
    return re.search(pattern, words(program)) is not None


def words(text: str) -> str:
    """The tokens of a text, each with a blank before it; comments and layout do not count."""
    return "".join(f" {text[token.start : token.end]}" for token in roles.tokens(text))


@pytest.mark.parametrize(
    "path", [path for path in BOOK if path.parent.name == "tutorial" and path.stem != "index"], ids=name
)
def test_chapters(path: Path) -> None:
    """Every chapter of the tutorial shows the whole text of its program."""
    program = ROOT / f"docs/tutorial/programs/{path.stem}.sq"
    assert program.read_text() in [block.text for block in blocks(path)]


@pytest.mark.skipif(not find_renderers(), reason="no Graphviz is found (`pip install 'serq[draw]'`)")
@pytest.mark.parametrize("path", DRAWN, ids=stem)
def test_pictures(path: Path) -> None:
    """Every picture of a program says what its drawing says (`python -m tests.docs.rewrite`), and a page shows it."""
    program, session = DRAWN[path]
    kept = re.findall(">([^<]+)</text>", path.read_text())
    assert kept == re.findall(">([^<]+)</text>", str(serq.draw(program, session=session)))
    assert any(f"](pictures/{path.name})" in page.read_text() for page in path.parents[1].glob("*.md"))


RUNS = [run for path in BOOK for run in runs(path)]


@pytest.mark.parametrize(("block", "files"), RUNS, ids=[block.name for block, _ in RUNS])
def test_runs(block: Block, files: dict[str, str], tmp_path: Path) -> None:
    """Every command and every Python program runs, and prints what stands below it (`python -m tests.docs.rewrite`)."""
    printed = carry_out(block, files, tmp_path)
    if block.output is not None:
        assert block.shown == printed


@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="mkdocs is not installed (`make docs`)")
def test_build(tmp_path: Path) -> None:
    """The book builds, and nothing in it is strange to mkdocs."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert '<span class="k">stage</span>' in (tmp_path / "site" / "tutorial" / "01-queue.html").read_text()


RECORDED = [
    (path, case)
    for path in sorted((ROOT / "tests/docs/figures").glob("*.json"))
    for case in json.loads(path.read_text())
]


@pytest.mark.parametrize(("path", "case"), RECORDED, ids=[f"{path.stem} {case['run']}" for path, case in RECORDED])
def test_chapters_against_another_implementation(path: Path, case: dict[str, Any]) -> None:
    """Every chapter's program gives the figures recorded from an independent implementation."""
    program = serq.compile(ROOT / f"docs/tutorial/programs/{path.stem}.sq", **case["run"])
    assert not list(differences(case["report"], json.loads(serq.run(program).json())))


def test_every_chapter_is_recorded() -> None:
    """None of the tutorial's programs lacks such figures."""
    assert {path.stem for path in PROGRAMS} == {path.stem for path, _ in RECORDED}
