"""Offsets into a text, and positions as editors count them: lines from 0, units of an encoding from 0.

Editors count UTF-16 units unless both sides agree on another encoding. A line ends with a line feed, a carriage
return, or both.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from serq.record import Record

_LINE_END = re.compile(r"\r\n|\r|\n")
_UNIT_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


class Position(Record):
    """A place as editors count it."""

    line: int
    character: int


class Positions:
    """The positions of one text."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self.encoding = encoding
        self.starts = [0, *[match.end() for match in _LINE_END.finditer(text)]]

    def position(self, offset: int) -> Position:
        """The position of a character; the end of the text has one too."""
        line = bisect_right(self.starts, offset) - 1
        return Position(line, self.units(self.text[self.starts[line] : offset]))

    def offset(self, line: int, character: int) -> int:
        """The character at a position; of positions beyond a line's end or the text, the end of that."""
        if line >= len(self.starts):
            return len(self.text)
        start = self.starts[max(line, 0)]
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        written = self.text[start:end].rstrip("\r\n")
        if written.isascii():
            return start + min(max(character, 0), len(written))
        for index, sign in enumerate(written):
            if character <= 0:
                return start + index
            character -= self.units(sign)
        return start + len(written)

    def units(self, text: str) -> int:
        """How long a piece of a line is."""
        if text.isascii():
            return len(text)
        # A lone surrogate, which no encoding has, counts as the sign put in its place.
        return len(text.encode(_CODECS[self.encoding], "replace")) // _UNIT_BYTES[self.encoding]
