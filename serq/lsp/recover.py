"""A text in the middle of being typed, made to parse.

In: any text. Out: a text of the same length in which what does not parse is blank, with its syntax tree and its
concrete syntax; all places in them are places in the text. What is typed is nearly always one broken statement among
good ones: from the last semicolon or brace to where the parser stopped. That is taken out, and the rest tried again.
"""

from __future__ import annotations

import re
from typing import Any

from serq.diagnostics import Diagnostic, SerqError
from serq.nesting import room_to_recurse
from serq.record import Record
from serq.source import Source, Span
from serq.syntax import lexer, nodes
from serq.syntax.build import Builder
from serq.syntax.concrete import Concrete, read_concrete
from serq.syntax.parse import explain, grammar_tables
from serq.syntax.parser import Parser

MOST_ATTEMPTS = 20
LONGEST = 200_000
"""Characters of a text beyond which only one attempt is made: each costs about a second for a million."""

BYTE_ORDER_MARK = "\ufeff"


class Reading(Record):
    """A text that parses.

    Attributes:
        text: the text, blanks in place of what was taken out; closing braces may follow.
        program: its syntax tree.
        concrete: its concrete syntax.
        whole: nothing was taken out.
    """

    text: str
    program: nodes.Program
    concrete: Concrete
    whole: bool


def read(text: str) -> Reading | None:
    """The reading of a text, or None if too much of it does not parse."""
    attempt = plain(text)
    whole = True
    for _ in range(MOST_ATTEMPTS if len(text) <= LONGEST else 1):
        try:
            with room_to_recurse():
                stop = _stop(attempt)
                if isinstance(stop, nodes.Program):
                    concrete = read_concrete(Source("program", attempt))
                    return Reading(attempt, stop, concrete, whole)
        except SerqError:
            return None
        whole = False
        changed = _without(attempt, stop)
        if changed == attempt:
            return None
        attempt = changed
    return None


def plain(text: str) -> str:
    """A text as the parser takes it: a byte order mark is a blank."""
    return " " + text[1:] if text.startswith(BYTE_ORDER_MARK) else text


class _Stop(Record):
    """Where the parser stopped: the tokens, and the number of the one that it could not take."""

    tokens: lexer.Tokens
    at: int


class _Stopped(Exception):  # noqa: N818 (no error of a program)
    """Ends a parse."""


class _LenientBuilder(Builder):
    """Builds what the grammar takes, whatever else is wrong with it."""

    def refuse(self, kind: str, message: str, span: Span, hint: str | None = None) -> Any:
        """Go on: the compiler tells such faults, and the tree is good for looking names up."""


def _stop(text: str) -> nodes.Program | _Stop | Diagnostic:
    """The syntax tree, or where there is none."""
    source = Source("program", text)
    at = -1

    def stopped(parser: Parser) -> Diagnostic:
        nonlocal at
        at = parser.at if at < 0 else at
        return explain(parser)

    try:
        parser = Parser(source, grammar_tables(), stopped)
    except SerqError as error:
        return error.diagnostic
    try:
        program: nodes.Program = parser.run(_LenientBuilder(parser).actions(grammar_tables().rules))
    except SerqError as error:
        return _Stop(parser.tokens, at) if at >= 0 else error.diagnostic
    # Bodies of definitions that do not parse are in the tree as such; their names are wanted, too.
    return program if at < 0 else _Stop(parser.tokens, at)


def _without(text: str, stop: _Stop | Diagnostic | nodes.Program) -> str:
    """The text without what the parser stopped at."""
    if isinstance(stop, _Stop):
        return _without_piece(text, stop.tokens, stop.at)
    assert isinstance(stop, Diagnostic)
    if stop.span is None:
        return text
    start, end = stop.span
    if stop.kind == "string":
        start = text.rindex('"', 0, start)
    elif stop.kind == "comment":
        end = _line_end(text, start)
    elif stop.kind == "definition":  # a body without its closing brace
        return text + "}"
    return _blank(text, start, max(end, start + 1))


def _without_piece(text: str, tokens: lexer.Tokens, at: int) -> str:
    kinds = tokens.kinds
    first = at
    while first > 0 and kinds[first - 1] not in (";", "{", "}"):
        first -= 1
    if first < at:
        return _blank(text, tokens.starts[first], tokens.ends[at - 1])
    if kinds[at] == lexer.END:
        open_braces = kinds.count("{") - kinds.count("}")
        return text + "}" * open_braces
    if kinds[at] == "{":
        # What is in the braces may be good where it stands.
        text = _blank(text, *tokens.span(at))
        close = _closing(kinds, at)
        return text if close is None else _blank(text, *tokens.span(close))
    # Nothing before it is at fault: the rest of its line goes, up to the end of a statement.
    line_end = _line_end(text, tokens.starts[at])
    last = at
    while (
        kinds[last] not in (";", "{", "}") and tokens.starts[last + 1] < line_end and kinds[last + 1] not in ("{", "}")
    ):
        last += 1
    return _blank(text, tokens.starts[at], tokens.ends[last])


def _closing(kinds: list[str], opener: int) -> int | None:
    """The brace that closes one."""
    depth = 0
    for i in range(opener, len(kinds)):
        depth += (kinds[i] == "{") - (kinds[i] == "}")
        if not depth:
            return i
    return None


def _line_end(text: str, offset: int) -> int:
    found = text.find("\n", offset)
    return len(text) if found < 0 else found


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
