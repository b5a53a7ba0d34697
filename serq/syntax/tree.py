"""Text to a parse tree: the trees and tokens of the grammar, with offsets into the text."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from lark import Lark, Tree
from lark.exceptions import UnexpectedEOF, UnexpectedToken
from lark.lexer import Token

from serq.diagnostics import Diagnostic, SerqError
from serq.source import Source, Span
from serq.syntax.tree_lexer import ProgramLexer

_HERE = Path(__file__).resolve().parent
_PLACES = (_HERE.parent / "grammar" / "tree.lark", _HERE.parent.parent / "grammar" / "tree.lark")
_SHOWN = {"NAME": "a name", "NUMBER": "a number", "STRING": "a string", "$END": "the end of the program"}


@cache
def _parser() -> Lark:
    """The parser; its tables are kept beside this module where that can be written."""
    grammar = next(place for place in _PLACES if place.exists())
    tables = _HERE / "tables.bin"
    if tables.exists() and tables.stat().st_mtime >= grammar.stat().st_mtime:
        with tables.open("rb") as file:
            return Lark.load(file)
    parser = Lark(
        grammar.read_text(), parser="lalr", lexer=ProgramLexer, maybe_placeholders=True, propagate_positions=True
    )
    fresh = _HERE / f"tables.{os.getpid()}.tmp"
    try:
        with fresh.open("wb") as file:
            parser.save(file)
        fresh.replace(tables)
    except OSError:
        # The package lies where nothing can be written: the tables are made anew by each process.
        fresh.unlink(missing_ok=True)
    return parser


def parse(source: Source) -> Tree[Token]:
    """The parse tree of a program.

    Raises:
        SerqError: at the first token that the grammar does not expect.
    """
    ProgramLexer.source = source
    try:
        return _parser().parse("x")
    except UnexpectedToken as error:
        token = error.token
        terminals = {t.name: t.pattern.value for t in _parser().terminals if t.pattern is not None}
        expected = sorted(error.accepts or error.expected)
        if token.type == "$END":
            end = len(source.text)
            span, found = Span(end, end), "the end of the program"
        else:
            span, found = Span(token.start_pos or 0, token.end_pos or 0), f"`{token}`"
        words = [_SHOWN.get(name) or f"`{terminals.get(name, name)}`" for name in expected]
        if "a name" in words:
            words = ["a name", *[word for word in words if not word[1:2].isalpha() and word.startswith("`")]]
        wanted = ", ".join(words[:6]) + (", ..." if len(words) > 6 else "")
        message = f"found {found} where {wanted} may stand"
        raise SerqError(Diagnostic("syntax", message, span, source=source)) from None
    except UnexpectedEOF:
        end = len(source.text)
        raise SerqError(Diagnostic("syntax", "the program ends too early", Span(end, end), source=source)) from None
