"""Put what the book's commands print into its pages: `python -m tests.docs.rewrite [PAGE ...]`.

Read the difference before committing it: each changed line is a change that users see.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import serq
from tests.docs import words
from tests.docs.pages import BOOK, DRAWN, REFUSED, Block, blocks, carry_out, name, runs


def refusal(block: Block) -> str:
    """What is wrong with the program of a block."""
    try:
        serq.compile(source=block.text, horizon=1)
    except serq.SerqError as error:
        return f"{error}\n"
    raise AssertionError(f"{block.name} is not refused")


def rewrite(path: Path) -> bool:
    """Run the blocks of a page and put their outputs in place; whether anything changed."""
    page = path.read_text()
    files = {block.line: shown for block, shown in runs(path)}
    shift, changed = 0, page
    for block in blocks(path):
        if block.output is None:
            continue
        if block.title == REFUSED:
            printed = refusal(block)
        elif block.line in files:
            with tempfile.TemporaryDirectory() as folder:
                printed = carry_out(block, files[block.line], Path(folder))
        else:
            continue
        start, end = block.output
        changed = changed[: start + shift] + printed + changed[end + shift :]
        shift += len(printed) - (end - start)
    path.write_text(changed)
    return changed != page


def draw() -> None:
    """Draw the book's pictures anew."""
    for picture, (program, session) in DRAWN.items():
        picture.write_text(str(serq.draw(program, session=session)))


if __name__ == "__main__":
    words.PAGE.write_text(words.page())
    draw()
    for page in [Path(word).resolve() for word in sys.argv[1:]] or BOOK:
        print(f"{name(page)}: {'changed' if rewrite(page) else 'as it was'}")
