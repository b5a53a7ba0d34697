"""What the gallery shows, and how it is made: reports beside the programs, the figures of its page, pictures.

    python -m tests.examples.gallery [--check] [NAME ...]

`examples/NAME.txt` is a transcript: a line `$ serq run examples/NAME.sq ...`, below it what the command prints, and
perhaps another command with its report. `examples/README.md` has tables of figures: the first cell of the heading is a
command in backticks, the other cells end with the place of a figure in the report (`client.ttft.mean`,
`stage.llm.utilization`, `pool.kv[1].preemptions`); each row begins with the words that it adds to the command.

The page shows pictures, too: `examples/pictures/NAME.svg` is what `serq draw examples/NAME.sq` writes.

Without `--check` all are made anew, of all examples or of those named. With it nothing is written; what differs is
listed, and the exit status is 1. (Pictures differ with the Graphviz that lays them out; what they say does not.)
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
import shlex
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from serq.cli.main import status

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
PAGE = EXAMPLES / "README.md"
PROGRAMS = sorted(EXAMPLES.glob("*.sq"))
PICTURE = re.compile(r"\(pictures/([\w-]+)\.svg\)")
"""A picture that the page shows, by the name of its program."""

CODE = re.compile(r"`([^`]+)`")
PROGRAM = re.compile(r"examples/([\w-]+)\.sq")


@cache
def output(command: str) -> str:
    """What `serq ...` prints, run from the folder of the project; it must end well."""
    words = shlex.split(command)
    assert words[0] == "serq", command
    words = [str(ROOT / word) if word.startswith("examples/") else word for word in words[1:]]
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")
    err = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = status(words)
    assert code == 0, f"{command}: {err.getvalue()}"
    out.flush()
    printed = out.buffer.getvalue()
    return printed.decode()


def report(command: str) -> dict[str, Any]:
    """The report of a command `serq run ...`, as JSON tells it."""
    found: dict[str, Any] = json.loads(output(command.replace("serq run ", "serq run --json ", 1)))
    return found


class Part(NamedTuple):
    """A command of a transcript and what it prints."""

    command: str
    printed: str


def transcript(text: str) -> list[Part]:
    """The commands of a transcript with what stands below each."""
    pieces = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
    assert not pieces[0], f"a transcript begins with a command: {pieces[0][:40]!r}"
    return [
        Part(command, printed.removesuffix("\n") + "\n")
        for command, printed in zip(pieces[1::2], pieces[2::2], strict=True)
    ]


def transcribe(commands: list[str]) -> str:
    """The transcript of commands."""
    return "\n".join(f"$ {command}\n{output(command)}" for command in commands)


TABLES = {"stage": "stages", "pool": "pools", "observe": "observes", "gauge": "gauges", "client": "client"}


def value(found: dict[str, Any], place: str) -> float | None:
    """The figure at a place of a report: `turns`, `client.ttft.mean`, `pool.Q.kv[1].preemptions`. None for null."""
    if "." not in place:
        figure: float | None = found[place]
        return figure
    kind, _, rest = place.partition(".")
    named, _, last = rest.rpartition(".")
    table = found[TABLES[kind]]
    if isinstance(table, dict):
        figure = table[named][last]
    else:
        name, _, index = named.removesuffix("]").partition("[")
        rows = [row for row in table if row["name"] == name and row["index"] == (int(index) if index else None)]
        figure = rows[0][last]
    return figure


def shown(figure: float | None) -> str:
    """A figure as the page shows it: counts in full, the rest to three significant digits."""
    if figure is None:
        return "-"
    if isinstance(figure, int) or figure == 0:
        return str(int(figure))
    return f"{figure:.{max(0, 2 - math.floor(math.log10(abs(figure))))}f}"


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


class Row(NamedTuple):
    """A row of a table of figures: its line in the page, its command, and the places of its figures."""

    line: int
    command: str
    places: list[str]


def rows(lines: list[str]) -> Iterator[Row]:
    """The rows of all tables of figures."""
    heading: list[str] | None = None
    for number, line in enumerate(lines):
        if not line.startswith("|"):
            heading = None
        elif heading is None:
            heading = cells(line)
        elif heading[0].startswith("`serq run ") and not line.startswith("|-"):
            added = CODE.match(cells(line)[0])
            command = " ".join([heading[0].strip("`"), *([added[1]] if added else [])])
            yield Row(number, command, [CODE.findall(cell)[-1] for cell in heading[1:]])


def measured(row: Row) -> list[str]:
    """The figures of a row as the page shows them."""
    found = report(row.command)
    return [shown(value(found, place)) for place in row.places]


def page(text: str, wanted: set[str]) -> str:
    """The page with the figures of the wanted programs (all, if none is named) made anew."""
    lines = text.splitlines()
    for row in rows(lines):
        named = PROGRAM.search(row.command)
        if not wanted or (named and named[1] in wanted):
            lines[row.line] = f"| {' | '.join([cells(lines[row.line])[0], *measured(row)])} |"
    return "\n".join(lines) + "\n"


def made(wanted: set[str]) -> Iterator[tuple[Path, str]]:
    """Every file that is made, with what it should hold."""
    for program in PROGRAMS:
        beside = program.with_suffix(".txt")
        if not wanted or program.stem in wanted:
            yield beside, transcribe([part.command for part in transcript(beside.read_text())])
    yield PAGE, page(PAGE.read_text(), wanted)
    for name in pictures():
        if not wanted or name in wanted:
            yield EXAMPLES / f"pictures/{name}.svg", output(f"serq draw examples/{name}.sq")


def pictures() -> list[str]:
    """Names of the programs whose pictures the page shows."""
    return sorted(set(PICTURE.findall(PAGE.read_text())))


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    differing = [
        (path, text)
        for path, text in made(set(arguments) - {"--check"})
        if not path.exists() or path.read_text() != text
    ]
    for path, text in differing:
        print(path.relative_to(ROOT), "differs" if check else "made anew")
        if not check:
            path.write_text(text)
    return 1 if check and differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
