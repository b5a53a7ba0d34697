"""Text to tokens.

Every word that the grammar spells out has a terminal of its own; all other words are NAME. Positions are offsets in
characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lark.lexer import Lexer, Token

from serq.diagnostics import Diagnostic, SerqError
from serq.source import Source, Span

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n\f\v]+|//[^\n]*)
    |(?P<comment>/\*)
    |(?P<word>[^\W\d]\w*)
    |(?P<number>(?:[0-9]|\.[0-9])[0-9._]*(?:[eE][+-]?[0-9]+)?)
    |(?P<string>"[^"\n]*")
    |(?P<open>")
    |(?P<sign>==|!=|<=|>=|&&|\|\||[(){}\[\],;:?.~+\-*/^=<>!])""",
    re.VERBOSE,
)
_DECIMAL = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def number_of(text: str) -> float | None:
    """The value of a number's text, underscores dropped; None if it is not one decimal."""
    plain = text.replace("_", "")
    return float(plain) if _DECIMAL.fullmatch(plain) else None


def tokens(source: Source, terminals: dict[str, str]) -> Iterator[Token]:
    """The tokens of a text.

    Args:
        terminals: terminal names by the words and signs that the grammar spells out.

    Raises:
        SerqError: a character that begins nothing, a bad number, an unclosed comment or string.
    """
    text = source.text
    at, end = 0, len(text)
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            message = f"`{text[at]}` has no place in a program"
            raise SerqError(Diagnostic("character", message, Span(at, at + 1), source=source))
        kind, stop = match.lastgroup, match.end()
        if kind == "comment":
            close = text.find("*/", at + 2)
            if close < 0:
                message = "this comment is never closed"
                raise SerqError(Diagnostic("comment", message, Span(at, at + 2), hint="close it: */", source=source))
            at = close + 2
            continue
        if kind == "open":
            line_end = text.find("\n", at)
            stop = end if line_end < 0 else line_end
            message = "this string is not closed on its line"
            raise SerqError(Diagnostic("string", message, Span(stop, stop), hint='close it: "', source=source))
        if kind != "blank":
            value = match.group()
            if kind == "number" and number_of(value) is None:
                message = f"`{value}` is not a number"
                raise SerqError(Diagnostic("number", message, Span(at, stop), source=source))
            if kind == "number":
                name = "NUMBER"
            elif kind == "string":
                name = "STRING"
            else:
                name = terminals.get(value, "NAME")
            yield Token(name, value, start_pos=at, end_pos=stop)
        at = stop


class ProgramLexer(Lexer):
    """The lexer in the form that Lark asks for; the source to read stands in `source`."""

    source: Source

    def __init__(self, conf: Any) -> None:
        self.terminals = {t.pattern.value: t.name for t in conf.terminals if t.pattern is not None}

    def lex(self, data: Any) -> Iterator[Token]:  # type: ignore[override]
        return tokens(ProgramLexer.source, self.terminals)
