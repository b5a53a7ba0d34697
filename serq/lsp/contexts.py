"""Where in a program an editor's cursor stands: what may follow there, and at which moment it would be evaluated.

In: the text before the cursor, which parses that far. Out: a `Context`. The parser reads it, meets a token that no
program has, and its stack tells everything: the constructs that are open, and the terminals that it would take.
"""

from __future__ import annotations

from typing import NoReturn

from serq.diagnostics import Diagnostic, SerqError
from serq.nesting import room_to_recurse
from serq.record import Record
from serq.semantics import moments
from serq.semantics.moments import Moment
from serq.source import Source, Span
from serq.syntax import lexer
from serq.syntax.build import Builder
from serq.syntax.parse import grammar_tables
from serq.syntax.parser import Parser
from serq.syntax.stop import Stop

CURSOR = "<cursor>"

CONSTANT = Moment("a constant")

STATEMENT_OWNERS = frozenset(("server", "session", "init", "turn", "request", "def", "queue", "cache", "lease"))
"""Words behind which statements stand, or what is evaluated as they are."""

MOMENTS = {
    "evict": moments.EVICT,
    "spill": moments.EVICT,
    "preempt": moments.PREEMPT,
    "leases": moments.PREEMPT,
    "ps": moments.SHARING,
    "tokens": moments.BUDGET,
    "each": moments.BUDGET,
    "execute": moments.EXECUTE,
    "device": moments.EXECUTE,
    "engine": moments.STALL,
    "advance": moments.KEYS,
    "only": moments.ONLY,
    "gauge": moments.GAUGE,
    "given": moments.GIVEN,
    "arrive": moments.RENEWAL,
    "prefix": moments.PREFIX,
    "hold": moments.HEADER,
    "reserve": moments.HEADER,
    "reuse": moments.HEADER,
    "taking": moments.HEADER,
    "fifo": CONSTANT,
    "latency": CONSTANT,
    "granule": CONSTANT,
    "state": CONSTANT,
    "cap": CONSTANT,
    "block": CONSTANT,
    "schedule": moments.GUARD,
}
"""The moments of what stands behind a word of the grammar, until something else is opened."""


class Context(Record):
    """What the parser knows at a place.

    Attributes:
        expected: the terminals that it would take there.
        symbols: what is open: the symbols on its stack, the last one read last.
        texts: their texts.
        moment: when an expression there would be evaluated.
    """

    expected: frozenset[str]
    symbols: list[str]
    texts: list[str]
    moment: Moment

    @property
    def is_expression(self) -> bool:
        """Whether an expression, or a part of one, may begin here."""
        return lexer.NUMBER in self.expected

    def ends_with(self, *symbols: str) -> bool:
        """Whether these were read last."""
        return self.symbols[-len(symbols) :] == list(symbols)

    def is_word(self, at: int) -> bool:
        """Whether a symbol is a word itself and not a construct of that name."""
        return self.texts[at] == self.symbols[at]


class _Reached(Exception):  # noqa: N818 (no error of a program)
    """The parser has come to the cursor."""

    def __init__(self, stop: Stop) -> None:
        super().__init__()
        self.stop = stop


def context(before: str) -> Context | None:
    """The context at the end of a text; None if the text is faulty before that."""
    try:
        with room_to_recurse():
            _parse(before)
    except _Reached as reached:
        stop = reached.stop
    except SerqError:
        return None
    texts = [stop.text(stop.span_of(i)) for i in range(len(stop.symbols))]
    found = Context(frozenset(stop.expected), stop.symbols, texts, CONSTANT)
    return found._replace(moment=_moment(found))


def _parse(before: str) -> None:
    """Raises `_Reached`, or a SerqError."""
    parser = Parser(Source("program", before), grammar_tables(), _explain)
    kinds, starts, ends = parser.tokens
    kinds[-1] = CURSOR
    kinds += [*_closers(kinds), lexer.END]
    more = len(kinds) - len(starts)
    starts += [len(before)] * more
    ends += [len(before)] * more
    parser.run(_Builder(parser).actions(grammar_tables().rules))


def _closers(kinds: list[str]) -> list[str]:
    """What closes the open brackets. A definition's body is told from its tokens, so one of statements ends as such."""
    closing = {"(": ")", "[": "]", "{": "}"}
    waiting: list[int] = []
    for i, kind in enumerate(kinds):
        if kind in closing:
            waiting.append(i)
        elif kind in (")", "]", "}") and waiting:
            waiting.pop()
    found = []
    for i in reversed(waiting):
        if kinds[i] == "{" and (";" in kinds[i:] or "{" in kinds[i + 1 :]):
            found.append(";")
        found.append(closing[kinds[i]])
    return found


class _Builder(Builder):
    """What is wrong with a program besides its grammar is of no interest here."""

    def refuse(self, kind: str, message: str, span: Span, hint: str | None = None) -> NoReturn:
        return None  # type: ignore[misc]


def _explain(parser: Parser) -> Diagnostic:
    if parser.tokens.kinds[parser.at] == CURSOR:
        raise _Reached(Stop(parser))
    return Diagnostic("syntax", "the text before the cursor does not parse", parser.next_span)


def _moment(found: Context) -> Moment:
    """Read off the stack from its end: the first word that decides."""
    symbols = found.symbols
    closed = False  # a block of what is further down has been read
    for i in range(len(symbols) - 1, -1, -1):
        symbol = symbols[i]
        if symbol == "block":
            closed = not found.is_word(i)
        if not found.is_word(i):
            continue
        if symbol == "queue" and symbols[i + 1 : i + 2] == ["by"]:
            return moments.QUEUE
        if symbol == "while":
            return moments.GUARD if "admit" in symbols[:i] else moments.STATEMENT
        if symbol == "let":
            return moments.BUDGET if "schedule" in symbols[:i] else CONSTANT
        if symbol == "claim":
            return moments.AT_END if "at end" in " ".join(found.texts[i:]) else moments.ITERATION
        if symbol == "[":
            return CONSTANT if i > 1 and symbols[i - 2] in ("pool", "stage", "queue", "device") else moments.STATEMENT
        if symbol == "admission":
            return moments.HEADER
        if symbol in STATEMENT_OWNERS or (symbol == "hold" and closed):
            return moments.STATEMENT
        if symbol in MOMENTS and not (symbol == "hold" and "{" in symbols[i:]):
            return MOMENTS[symbol]
    return moments.STATEMENT
