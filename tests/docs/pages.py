"""The pages of the book, cut into blocks, and what running a block gives.

What a fenced block is follows from what it says:

- ```` ```serq ```` with `fn main` is a whole program. Commands after it find it as `program.sq`, or under the name in
  its title. With the title `refused` it does not compile.
- ```` ```serq ```` without is a part: each of its lines stands in a whole program of the page, or in the program of
  docs/tutorial/programs that the page is about, with `…` for what is left out.
- Any block with a file's name as its title is that file.
- ```` ```sh ```` and ```` ```python ```` are run, in a folder with docs/ and examples/ in it. A ```` ```text ```` that
  directly follows is what they print.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
BOOK = sorted(ROOT.glob("docs/**/*.md"))
DOCUMENTS = sorted([*ROOT.glob("*.md"), *BOOK, *ROOT.glob("benchmarks/*.md"), *ROOT.glob("examples/*.md")])

DRAWN = {
    **{
        ROOT / f"docs/tutorial/pictures/{path.stem}.svg": (path, False)
        for path in sorted(ROOT.glob("docs/tutorial/programs/*.sq"))
    },
    ROOT / "docs/pictures/session-cap.svg": (ROOT / "examples/session-cap.sq", True),
}
"""The book's pictures of programs: each with its program, and whether it shows its sessions alone."""

FENCE = re.compile(r'^```(\w+)(?: title="([^"]*)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
PROGRAM = "program.sq"
REFUSED = "refused"
RUN = ("sh", "python")
PATIENCE = 120.0


class Block(NamedTuple):
    """A fenced block.

    Attributes:
        line: where its text begins, from 1.
        start, end: its text in the page.
        output: the block that shows what it prints, or None.
    """

    path: Path
    language: str
    title: str
    text: str
    line: int
    start: int
    end: int
    output: tuple[int, int] | None

    @property
    def name(self) -> str:
        return f"{name(self.path)}:{self.line}"

    @property
    def is_program(self) -> bool:
        return self.language == "serq" and re.search(r"^fn main\b", self.text, re.MULTILINE) is not None

    @property
    def shown(self) -> str:
        """What the page says that it prints."""
        assert self.output is not None
        return self.path.read_text()[slice(*self.output)]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(path: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    page = path.read_text()
    found = list(FENCE.finditer(page))
    result = []
    for i, match in enumerate(found):
        after = found[i + 1] if i + 1 < len(found) else None
        follows = (
            after is not None and after[1] == "text" and not after[2] and not page[match.end() : after.start()].strip()
        )
        output = after.span(3) if after is not None and follows else None
        line = page.count("\n", 0, match.start(3)) + 1
        result.append(Block(path, match[1], match[2] or "", match[3], line, *match.span(3), output))
    return result


def runs(path: Path) -> Iterator[tuple[Block, dict[str, str]]]:
    """The blocks of a page that are run, each with the files that the page has shown before it."""
    files: dict[str, str] = {}
    for block in blocks(path):
        if "." in block.title:
            files[block.title] = block.text
        elif block.is_program and not block.title:
            files[PROGRAM] = block.text
        if block.language in RUN and ">>> " not in block.text:
            yield block, dict(files)


def carry_out(block: Block, files: dict[str, str], folder: Path) -> str:
    """Run a block in an empty folder; what it prints, on both outputs."""
    for shown in ("docs", "examples"):
        (folder / shown).symlink_to(ROOT / shown)
    for file, text in files.items():
        (folder / file).write_text(text)
    tools = folder / ".tools"
    tools.mkdir()
    for command, words in {"serq": [sys.executable, "-m", "serq"], "python": [sys.executable]}.items():
        (tools / command).write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        (tools / command).chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "utf-8",
        "LC_ALL": "C.UTF-8",
    }
    words = ["bash", "-euo", "pipefail", "-c"] if block.language == "sh" else [sys.executable, "-c"]
    done = subprocess.run(
        [*words, block.text],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
        check=False,
    )
    printed = done.stdout.decode()
    assert done.returncode == 0, f"{block.name} ended with {done.returncode}:\n{printed}"
    return printed
