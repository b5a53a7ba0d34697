"""A program as the words and comments that a layout must keep, and the lines on which its author put them.

In: a text. Out: `Words`. A word is a token, or the whole body of a definition that does not parse, which nobody can lay
out. Columns are counted from 0, a tab goes to the next multiple of 8.
"""

from __future__ import annotations

import re

from serq.record import Record
from serq.source import Source
from serq.syntax.concrete import Concrete, read_concrete

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class Comment(Record):
    """A comment.

    Attributes:
        text: with its signs, without blanks behind.
        is_line: it ends the line (`//`).
        own_line: nothing stands before it on its line.
        after_blank: there is an empty line before it.
        column: where it begins, if it begins or ends its line; else 0.
        gap: blanks between it and what stands before it on its line, likewise.
    """

    text: str
    is_line: bool
    own_line: bool
    after_blank: bool
    column: int
    gap: int


class Words(Record):
    """A program's words in order, and its end as the last one, which is empty.

    Attributes:
        texts: their spelling.
        tokens: for each word its number among the tokens of `concrete`.
        comments: for each word that has some, the comments before it.
        lines: the line on which each word begins.
        new_line: whether a line begins between a word and what stands before it, word or comment.
        after_blank: whether an empty line does.
    """

    concrete: Concrete
    texts: list[str]
    tokens: list[int]
    comments: dict[int, list[Comment]]
    lines: list[int]
    new_line: list[bool]
    after_blank: list[bool]


def read_words(source: Source) -> Words:
    """The words of a program whose lines end in a mere line feed.

    Raises:
        SerqError: it does not parse.
    """
    concrete = read_concrete(source)
    text, tokens = source.text, concrete.tokens
    words = Words(concrete, [], [], {}, [], [], [])
    end = line = token = 0
    while token < len(tokens.kinds):
        start = tokens.starts[token]
        after = concrete.unreadable.get(token, token + 1)
        between = text[end:start]
        comments, rest = _comments(text, end, between) if "/" in between else ([], between)
        if comments:
            words.comments[len(words.texts)] = comments
        line += between.count("\n")
        newlines = rest.count("\n")
        words.lines.append(line)
        words.new_line.append(newlines > 0)
        words.after_blank.append(newlines > 1)
        words.tokens.append(token)
        end = tokens.ends[after - 1]
        words.texts.append(text[start:end])
        line += words.texts[-1].count("\n")
        token = after
    return words


def _comments(text: str, start: int, between: str) -> tuple[list[Comment], str]:
    """The comments between two words, and what is between the last of them and the second word."""
    found: list[Comment] = []
    end = 0
    for match in _COMMENT.finditer(between):
        before = between[end : match.start()]
        written = "\n".join([line.rstrip() for line in match.group().split("\n")])
        own_line = "\n" in before or (start == 0 and not found)
        is_line = written.startswith("//")
        column = gap = 0
        if own_line or is_line:
            column = _column(text, start + match.start())
            gap = column - _column(text, start + end)
        found.append(Comment(written, is_line, own_line, before.count("\n") > 1, column, gap))
        end = match.end()
    return found, between[end:]


def _column(text: str, offset: int) -> int:
    return len(text[text.rfind("\n", 0, offset) + 1 : offset].expandtabs(8))
