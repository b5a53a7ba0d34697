"""Every program that the documents show compiles, runs, draws, and means the same in whatever layout."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest

import serq
from serq.draw.render import find_renderers
from serq.fmt import format_text
from tests.docs.pages import DOCUMENTS, REFUSED, ROOT, blocks
from tests.examples.gallery import EXAMPLES, PROGRAMS
from tests.fmt.checks import words

HORIZON = 20.0
TRACE = EXAMPLES / "replay.csv"


class Shown(NamedTuple):
    """A program that a reader sees.

    Attributes:
        file: where it stands, or None if it stands on a page alone.
    """

    name: str
    text: str
    file: Path | None


def shown() -> list[Shown]:
    """The programs of the gallery and the tutorial, and those that pages show besides."""
    files = [*PROGRAMS, *sorted(ROOT.glob("docs/tutorial/programs/*.sq"))]
    found = {path.read_text(): Shown(path.stem, path.read_text(), path) for path in files}
    for page in DOCUMENTS:
        for block in blocks(page):
            if block.is_program and block.title != REFUSED:
                found.setdefault(block.text, Shown(block.name, block.text, None))
    return list(found.values())


SHOWN = shown()


def figures(text: str, folder: Path) -> dict[str, object]:
    """The report of a short run of a program that stands in `folder`, beside a trace."""
    for name in ("nano.csv", "replay.csv", "sessions.csv"):
        (folder / name).write_text(TRACE.read_text())
    program = folder / "program.sq"
    program.write_text(text)
    report: dict[str, object] = json.loads(serq.run(serq.compile(program, horizon=HORIZON)).json())
    assert report["horizon"] == HORIZON
    return report


@pytest.mark.parametrize("program", SHOWN, ids=[program.name for program in SHOWN])
def test_layout_is_no_meaning(program: Shown, tmp_path: Path) -> None:
    """Without comments and all on one line, and then laid out by `serq fmt`, it gives the same figures."""
    flat = " ".join(words(program.text)) + "\n"
    expected = figures(program.text, tmp_path)
    events = expected["events"]
    assert isinstance(events, int)
    assert events > 0
    for text in (flat, format_text(flat)):
        assert figures(text, tmp_path) == expected


@pytest.mark.skipif(not find_renderers(), reason="no Graphviz is found (`pip install 'serq[draw]'`)")
@pytest.mark.parametrize("program", [p for p in SHOWN if p.file is None], ids=[p.name for p in SHOWN if p.file is None])
def test_pages_draw(program: Shown) -> None:
    """What pages show is drawn, too; the pictures of the files are tested more closely (tests/draw)."""
    assert str(serq.draw(source=program.text)).startswith("<svg ")


def test_the_trace_is_made_as_it_says() -> None:
    """`replay.csv` is what the Python program in its comments prints."""
    lines = TRACE.read_text().splitlines()
    comments = [line.removeprefix("#") for line in lines if line.startswith("#")]
    program = textwrap.dedent("\n".join(line for line in comments if line.startswith("     ")))
    assert "print(" in program
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    data = [line for line in lines if not line.startswith("#")]
    assert data[0] == "session,turn,new,out,think"
    assert printed.splitlines() == data[1:]
