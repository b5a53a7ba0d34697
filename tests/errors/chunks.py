"""Files of faulty programs.

A file holds programs between lines `// ---- what is wrong`. A comment marks what must be refused:

    //!      ^ kind     the line above, at the column of the caret
    //! end kind        the end of the text
    //! nowhere kind    without a place
    //! fine            nothing

The marks are comments of the language, so they change no column of the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MARK = re.compile(r"//!(?P<blank> *)(?P<where>\^|end|nowhere|fine) ?(?P<kind>[\w-]*)$")


class Chunk(NamedTuple):
    """A faulty program, and the kind, line and column of its fault."""

    title: str
    text: str
    expected: tuple[str, int | None, int | None] | None


def chunks_of(path: Path) -> Iterator[Chunk]:
    """The programs of a file."""
    for part in re.split(r"^// ---- ", path.read_text(), flags=re.MULTILINE)[1:]:
        title, _, text = part.partition("\n")
        yield Chunk(title, text, _expected(title, text))


def _expected(title: str, text: str) -> tuple[str, int | None, int | None] | None:
    lines = text.splitlines()
    marks = [(i, match) for i, line in enumerate(lines) if (match := MARK.match(line))]
    assert len(marks) == 1, f"{title}: {len(marks)} marks"
    index, match = marks[0]
    kind, where = match["kind"], match["where"]
    if where == "fine":
        return None
    if where == "nowhere":
        return kind, None, None
    if where == "end":
        return kind, len(lines) + 1, 1
    return kind, index, match.start("where") + 1
