"""Put what the book's commands print into its pages: `python -m tests.docs.rewrite [PAGE ...]`.

Read the difference before committing it: each changed line is a change that users see.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.docs.pages import BOOK, carry_out, name, runs


def rewrite(path: Path) -> bool:
    """Run the blocks of a page and put their outputs in place; whether anything changed."""
    page = path.read_text()
    shift, changed = 0, page
    for block, files in list(runs(path)):
        if block.output is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            printed = carry_out(block, files, Path(folder))
        start, end = block.output
        changed = changed[: start + shift] + printed + changed[end + shift :]
        shift += len(printed) - (end - start)
    path.write_text(changed)
    return changed != page


if __name__ == "__main__":
    for page in [Path(word).resolve() for word in sys.argv[1:]] or BOOK:
        print(f"{name(page)}: {'changed' if rewrite(page) else 'as it was'}")
