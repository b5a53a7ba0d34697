"""The printed form of errors, whole: place, sentence, source line, caret, labels, hint.

Each file of tests/golden/errors holds a program, a line of dashes, and what serq prints about it. After a change of
wording, write them anew and read the difference:

    python -m tests.errors.test_rendered
"""

from __future__ import annotations

from pathlib import Path

import pytest

from serq.diagnostics import render
from tests.syntax.trees import fault_of

GOLDEN = sorted((Path(__file__).parent.parent / "golden" / "errors").glob("*.txt"))
LINE = "-" * 40 + "\n"


def printed(text: str) -> str:
    """What the command line prints about a faulty program."""
    error = fault_of(text)
    assert error is not None
    assert str(error) == render(error.diagnostic)
    return render(error.diagnostic, "program.sq") + "\n"


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_rendered(path: Path) -> None:
    """The error is printed as it was."""
    text, _, expected = path.read_text().partition(LINE)
    assert printed(text) == expected


def rewrite() -> None:
    """Write the printed forms of today into the files."""
    for path in GOLDEN:
        text = path.read_text().partition(LINE)[0]
        path.write_text(text + LINE + printed(text))


if __name__ == "__main__":
    rewrite()
