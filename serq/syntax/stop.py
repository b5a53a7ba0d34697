"""A parser that cannot go on: what it has read, what it found, and what it could have taken instead.

The tables name more terminals for a state than can follow (a reduction may turn out to lead nowhere), so each is tried
on a copy of the stack.
"""

from __future__ import annotations

from itertools import pairwise

from serq.diagnostics import Diagnostic, Label
from serq.source import Span
from serq.syntax import lexer
from serq.syntax.parser import Parser
from serq.syntax.tables import Tables

LONGEST = 60
"""Characters of a token that a message shows."""


class Stop:
    """The parser's situation, read for messages.

    Attributes:
        symbols: the symbols on the stack, the last one read last.
        expected: the terminals that could stand next.
        found: the kind of the token found.
    """

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        tables, states = parser.tables, parser.states
        self.symbols = [_symbol_between(tables, *pair) for pair in pairwise(states)]
        self.expected = _acceptable(tables, states)
        self.found = parser.tokens.kinds[parser.at]

    @property
    def found_word(self) -> bool:
        return lexer.is_word(self.found)

    def span_of(self, symbol: int) -> Span:
        """The text of a symbol on the stack."""
        return Span(self.parser.starts[symbol], self.parser.ends[symbol])

    def token(self, at: int) -> tuple[Span, str]:
        """A token, by its distance from the one found, and how messages show it."""
        tokens = self.parser.tokens
        at = min(self.parser.at + at, len(tokens.kinds) - 1)
        span = tokens.span(at)
        if tokens.kinds[at] == lexer.END:
            return span, "the end of the program"
        return span, self.shown(span)

    def text(self, span: Span) -> str:
        return self.parser.source.text[span.start : span.end]

    def shown(self, span: Span) -> str:
        """A text as messages show it."""
        text = self.text(span)
        return f"`{text}`" if len(text) <= LONGEST else f"`{text[:LONGEST]}...`"

    def open_brace(self) -> tuple[Label, ...]:
        """The last `{` that waits for its end."""
        places: list[int] = []
        for place, symbol in enumerate(self.symbols):
            if symbol == "{":
                places.append(place)
            elif symbol == "}":
                places.pop()
        return (Label(self.span_of(places[-1]), "this `{` is not closed"),) if places else ()

    def fault(
        self, kind: str, message: str, span: Span | None, hint: str | None = None, labels: tuple[Label, ...] = ()
    ) -> Diagnostic:
        return Diagnostic(kind, message, span, labels, hint, self.parser.source)


def _symbol_between(tables: Tables, before: int, after: int) -> str:
    """The symbol that leads from one state to another."""
    row = tables.actions[before]
    steps = [*(row.items() if isinstance(row, dict) else ()), *tables.gotos[before].items()]
    return next(symbol for symbol, target in steps if target == after)


def _acceptable(tables: Tables, states: list[int]) -> list[str]:
    """The terminals that the automaton would take next; its rows may name more, which a reduction finds wrong."""
    row = tables.actions[states[-1]]
    assert isinstance(row, dict), "a state with one reduction is never where the parser stops"
    return [kind for kind in row if _accepts(tables, states, kind)]


def _accepts(tables: Tables, states: list[int], kind: str) -> bool:
    stack = list(states)
    while True:
        row = tables.actions[stack[-1]]
        action = row if isinstance(row, int) else row.get(kind)
        if action is None:
            return False
        if action >= 0:
            return True
        rule = tables.rules[-1 - action]
        if rule.size:
            del stack[-rule.size :]
        stack.append(tables.gotos[stack[-1]][rule.origin])
        if kind == lexer.END and stack[-1] == tables.final:
            return True
