"""The layout of a text."""

from __future__ import annotations

import re

from serq.fmt.layout import Layout
from serq.fmt.rules import mark
from serq.fmt.words import read_words
from serq.nesting import room_to_recurse
from serq.source import Source

BYTE_ORDER_MARK = "\ufeff"

_SAID = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"|\w+|[^\w\s]', re.DOTALL)


def format_text(text: str, name: str = "program") -> str:
    """A program with the same words and comments in the one layout.

    Line ends are those of the first line throughout; a byte order mark stays.

    Args:
        name: what the program is called in messages.

    Raises:
        SerqError: it does not parse.
    """
    mark_in_front = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    newline = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    plain = text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")
    with room_to_recurse():
        words = read_words(Source(name, plain))
        written = Layout(words, mark(words)).run().text()
    if said(plain) != said(written):
        raise AssertionError("the layout would change what the program says")
    return mark_in_front + written.replace("\n", newline)


def said(text: str) -> list[str]:
    """The words and comments of a text, whatever their layout."""
    found = []
    for match in _SAID.finditer(text):
        word = match.group()
        found.append("\n".join([line.strip() for line in word.split("\n")]) if word[0] == "/" else word)
    return found
