"""Text to tokens.

In: a `Source`. Out: `Tokens`, parallel lists. Words and signs have their spelling as their kind, whether or not the
language knows the word: what a word is, keyword or name, is told by where it stands (serq.syntax.parser). Only five
things are settled here by looking ahead, because one place allows them and a name alike: an aggregate (`max j in`),
`args.`, `kvt.name`, `stall name (`, and everything else that begins with such a word.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from serq.diagnostics import Diagnostic, SerqError
from serq.source import Source, Span

NAME = "<name>"
NUMBER = "<number>"
STRING = "<string>"
END = "<end>"
AGGREGATE = "<aggregate>"
ARGS = "<args>"
KVT = "<kvt>"
STALL = "<stall>"

_TOKEN = re.compile(
    r"""[^\S\x1c-\x1f]+|//[^\n]*|/\*(?s:.*?)\*/
    |(?P<word>[^\W\d]\w*)
    |(?P<number>(?:[0-9]|\.[0-9])[0-9._]*(?:[eE][+-]?[0-9]+)?)
    |(?P<string>"[^"\n]*")
    |(?P<sign>==|!=|<=|>=|&&|\|\||[(){}\[\],;:?.~+\-*^=<>!]|/(?!\*))
    |(?P<fault>(?s:.))""",
    re.VERBOSE,
)
GAP = re.compile(r"(?P<comment>//[^\n]*|/\*(?s:.*?)\*/)|\s+|(?s:.)")
"""What may stand between tokens: a comment, blanks, or one character that begins no token."""
_DECIMAL = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class Tokens(NamedTuple):
    """The tokens of a text in order, and its end as the last one.

    Attributes:
        kinds: a word or sign itself, or one of the names in angles above.
        starts, ends: offsets into the text; `ends` is exclusive.
    """

    kinds: list[str]
    starts: list[int]
    ends: list[int]

    def span(self, at: int) -> Span:
        """Where a token is."""
        return Span(self.starts[at], self.ends[at])


def is_word(kind: str) -> bool:
    """Whether a token is a word, and so may be a name."""
    return kind[0].isalpha() or kind[0] == "_" or kind in (AGGREGATE, ARGS, KVT, STALL)


def number_value(text: str) -> float | None:
    """The value of a number's text, underscores dropped; None if it is not one decimal."""
    plain = text.replace("_", "")
    return float(plain) if _DECIMAL.fullmatch(plain) else None


def tokenize(source: Source) -> Tokens:
    """The tokens of a text.

    Raises:
        SerqError: a character that begins nothing, a bad number, an unclosed comment or string.
    """
    kinds: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _TOKEN.finditer(source.text):
        group = match.lastgroup
        if group is None:
            continue
        start, end = match.span()
        if group == "word" or group == "sign":
            kind = match.group()
            if not kind.isascii():
                _check_word(source, kind, start)
        elif group == "number":
            kind = NUMBER
            if number_value(match.group()) is None:
                _refuse(source, "number", f"`{match.group()}` is not a number", start, end)
        elif group == "string":
            kind = STRING
        else:
            _refuse_character(source, match.group(), start)
        kinds.append(kind)
        starts.append(start)
        ends.append(end)
    _look_ahead(kinds)
    kinds.append(END)
    starts.append(len(source.text))
    ends.append(len(source.text))
    return Tokens(kinds, starts, ends)


def without_faults(text: str) -> str:
    """The text with blanks in place of whatever begins no token, so that it can be cut into tokens."""

    def blank(match: re.Match[str]) -> str:
        found, kind = match.group(), match.lastgroup
        is_fault = (
            kind == "fault"
            or (kind == "number" and number_value(found) is None)
            or (kind == "word" and not (found[0] == "_" or found[0].isidentifier()))
        )
        return " " * len(found) if is_fault else found

    return _TOKEN.sub(blank, text)


def _look_ahead(kinds: list[str]) -> None:
    """Mark the words that what follows makes more than names."""
    last = len(kinds) - 1
    for i, kind in enumerate(kinds):
        if kind in ("max", "min", "sum"):
            if i + 2 <= last and kinds[i + 2] == "in" and is_word(kinds[i + 1]):
                kinds[i] = AGGREGATE
        elif kind == "args":
            if i + 1 <= last and kinds[i + 1] == ".":
                kinds[i] = ARGS
        elif kind == "kvt":
            if i + 2 <= last and kinds[i + 1] == "." and is_word(kinds[i + 2]):
                kinds[i] = KVT
        elif kind == "stall":
            # `stall cap (n);` declares a capacity called `stall`.
            if i + 2 <= last and kinds[i + 2] == "(" and is_word(kinds[i + 1]) and kinds[i + 1] != "cap":
                kinds[i] = STALL


def _check_word(source: Source, word: str, start: int) -> None:
    """Python's regular expressions count some numerals (`²`) as letters."""
    if not (word[0] == "_" or word[0].isidentifier()):
        _refuse_character(source, word[0], start)


def _refuse_character(source: Source, character: str, at: int) -> NoReturn:
    text = source.text
    if character == '"':
        line_end = text.find("\n", at)
        stop = len(text) if line_end < 0 else line_end
        _refuse(source, "string", "this string is not closed on its line", stop, stop, 'close it with `"`')
    if text.startswith("/*", at):
        _refuse(source, "comment", "this comment is never closed", at, at + 2, "close it with `*/`")
    hints = {
        "#": "a comment begins with `//`",
        "'": 'a text stands in `"`',
        "&": "the operator is `&&`",
        "|": "the operator is `||`",
        "%": "the remainder of x by m is `x - floor(x / m) * m`",
    }
    shown = f"`{character}`" if character.isprintable() else f"character U+{ord(character):04X}"
    _refuse(source, "character", f"{shown} is not part of the language", at, at + 1, hints.get(character))


def _refuse(source: Source, kind: str, message: str, start: int, end: int, hint: str | None = None) -> NoReturn:
    raise SerqError(Diagnostic(kind, message, Span(start, end), hint=hint, source=source))
