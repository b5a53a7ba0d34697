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
        states: the automaton's stack after the last token read, before that token made more than itself.
        symbols: the symbols on the stack, the last one read last.
        expected: the terminals that could stand next.
        found: the kind of the token found.
    """

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.states, self._starts, self._ends = _replay(parser)
        self.symbols = [_symbol_between(parser.tables, *pair) for pair in pairwise(self.states)]
        self.expected = _acceptable(parser.tables, self.states)
        self.found = parser.tokens.kinds[parser.at]

    @property
    def found_word(self) -> bool:
        return lexer.is_word(self.found)

    def span_of(self, symbol: int) -> Span:
        """The text of a symbol on the stack."""
        return Span(self._starts[symbol], self._ends[symbol])

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
    steps: list[tuple[str, int]] = [*(row.items() if isinstance(row, dict) else ()), *tables.gotos[before].items()]
    return next(symbol for symbol, target in steps if target == after)


def _replay(parser: Parser) -> tuple[list[int], list[int], list[int]]:
    """The stacks as they were when the last token had been read.

    States in which only one rule can be reduced do so before they look at the next token, and the parser's own stacks
    no longer show where it was. So the tokens are read again.

    Returns:
        states, and for each symbol where its text starts and ends.
    """
    tables, tokens = parser.tables, parser.tokens
    at, height = parser.unchanged
    states, starts, ends = parser.states[: height + 1], parser.starts[:height], parser.ends[:height]
    while at < parser.at:
        row = tables.actions[states[-1]]
        kind, after = _kind_in(parser, row, at)
        action = row if isinstance(row, int) else row[kind]
        if action >= 0:
            states.append(action)
            starts.append(tokens.starts[at])
            ends.append(tokens.ends[after - 1])
            at = after
            continue
        rule = tables.rules[-1 - action]
        start = starts[-rule.size] if rule.size else tokens.starts[at]
        end = ends[-1] if rule.size else start
        keep = len(starts) - rule.size
        del states[keep + 1 :], starts[keep:], ends[keep:]
        states.append(tables.gotos[states[-1]][rule.origin])
        starts.append(start)
        ends.append(end)
    return states, starts, ends


def _kind_in(parser: Parser, row: dict[str, int] | int, at: int) -> tuple[str, int]:
    """What the parser took a token for, and the token after."""
    kind = parser.tokens.kinds[at]
    if isinstance(row, int) or kind in row:
        return kind, at + 1
    if lexer.is_word(kind):
        return lexer.NAME, at + 1
    return parser.bodies[at]


def _acceptable(tables: Tables, states: list[int]) -> list[str]:
    """The terminals that the automaton would take next; its rows may name more, which a reduction finds wrong."""
    stack = list(states)
    while isinstance(row := tables.actions[stack[-1]], int):
        _reduce(tables, stack, row)
        if stack[-1] == tables.final:
            return [lexer.END]
    return [kind for kind in row if _accepts(tables, stack, kind)]


def _reduce(tables: Tables, stack: list[int], action: int) -> None:
    rule = tables.rules[-1 - action]
    if rule.size:
        del stack[-rule.size :]
    stack.append(tables.gotos[stack[-1]][rule.origin])


def _accepts(tables: Tables, states: list[int], kind: str) -> bool:
    stack = list(states)
    while True:
        row = tables.actions[stack[-1]]
        action = row if isinstance(row, int) else row.get(kind)
        if action is None:
            return False
        if action >= 0:
            return True
        _reduce(tables, stack, action)
        if kind == lexer.END and stack[-1] == tables.final:
            return True
