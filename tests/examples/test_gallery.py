"""The gallery keeps what it promises: each report is what a run prints, each figure of the page is measured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from serq.draw.render import find_renderers
from tests.examples.gallery import (
    CODE,
    EXAMPLES,
    PAGE,
    PROGRAM,
    PROGRAMS,
    Row,
    cells,
    measured,
    output,
    pictures,
    rows,
    transcribe,
    transcript,
)

TEXT = PAGE.read_text()
LINES = TEXT.splitlines()
ROWS = list(rows(LINES))
ENTRIES = [line for line in LINES if line.startswith("| [")]
"""The lines of the tables of programs: program, what it models, what to learn, what to vary."""


def stem(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", PROGRAMS, ids=stem)
def test_report(path: Path) -> None:
    """Each program has its report beside it: what the commands at the top of each part print, to the byte."""
    text = path.with_suffix(".txt").read_text()
    commands = [part.command for part in transcript(text)]
    assert commands
    assert all(command.startswith(f"serq run examples/{path.name} ") for command in commands)
    assert text == transcribe(commands)


@pytest.mark.parametrize("path", PROGRAMS, ids=stem)
def test_program(path: Path) -> None:
    """Each program opens with what it models, has the one layout, compiles and draws."""
    text = path.read_text()
    assert text.startswith("// ")
    assert re.search(r"^// Vary: ", text, re.MULTILINE), "it says what to vary"
    assert re.search(r"^// Models: ", text, re.MULTILINE), "it says what it models"
    assert all(len(line) <= 100 for line in text.splitlines())
    name = f"examples/{path.name}"
    assert output(f"serq check {name}").startswith("OK")
    assert output(f"serq fmt --check {name}") == ""
    assert output(f"serq draw --format dot {name}").startswith("digraph")


def test_all_are_listed() -> None:
    """The page lists every program once, and the folder holds nothing else."""
    listed = re.findall(r"\]\((.+?\.sq)\)", "\n".join(cells(line)[0] for line in ENTRIES))
    assert sorted(listed) == [path.name for path in PROGRAMS]
    others = (
        {path.name for path in EXAMPLES.iterdir()}
        - {"README.md", "pictures"}
        - {f"{path.stem}.txt" for path in PROGRAMS}
    )
    assert {name for name in others if not name.endswith((".sq", ".csv"))} == set()
    assert all(name in "".join(p.read_text() for p in PROGRAMS) for name in others if name.endswith(".csv"))


@pytest.mark.skipif(not find_renderers(), reason="no Graphviz is found (`pip install 'serq[draw]'`)")
@pytest.mark.parametrize("name", pictures())
def test_pictures(name: str) -> None:
    """Each picture of the page says what the drawing of its program says (`python -m tests.examples.gallery`)."""
    kept = (EXAMPLES / f"pictures/{name}.svg").read_text()
    assert words(kept) == words(output(f"serq draw examples/{name}.sq"))


def test_no_picture_is_idle() -> None:
    """The folder of pictures holds those of the page, one a theme."""
    assert sorted(path.name for path in (EXAMPLES / "pictures").iterdir()) == [f"{name}.svg" for name in pictures()]
    assert len(pictures()) == TEXT.count("\n## ")


def words(svg: str) -> list[str]:
    return re.findall(">([^<]+)</text>", svg)


@pytest.mark.parametrize("row", ROWS, ids=[row.command.removeprefix("serq run examples/") for row in ROWS])
def test_figures(row: Row) -> None:
    """Each figure of the page's tables is what its command measures."""
    assert cells(LINES[row.line])[1:] == measured(row)


def figures_of(program: str) -> set[str]:
    """All figures that the page's tables show for a program."""
    named = [(row, PROGRAM.search(row.command)) for row in ROWS]
    return {cell for row, found in named if found and found[1] == program for cell in cells(LINES[row.line])[1:]}


@pytest.mark.parametrize("line", ENTRIES, ids=[cells(line)[0].split("]")[0].strip("[`") for line in ENTRIES])
def test_entries(line: str) -> None:
    """An entry's lesson quotes a measured figure of its program, and the command that varies it runs."""
    program, _, lesson, vary = cells(line)
    quoted = set(re.findall(r"\*\*([\d.]+)", lesson))
    assert quoted
    assert quoted <= figures_of(re.findall(r"\((.+)\.sq\)", program)[0])
    (command,) = (code for code in CODE.findall(vary) if code.startswith("serq run "))
    assert output(command)
