"""The automaton: tokens to a syntax tree, by the tables of the grammar.

In: a `Source`. Out: what the actions (serq.syntax.build) made of the whole text. The parser keeps its own stacks, so
that depth of nesting costs no recursion, and runs in time proportional to the text.

Two things go beyond a plain LALR parser. A word is tried as itself, a keyword, and then as a name. And an error
within the body of a definition is put into the tree instead of being raised: a definition is read where it is used,
and one that nobody uses may hold anything whose brackets close.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from serq.diagnostics import Diagnostic, SerqError
from serq.source import Source, Span
from serq.syntax import lexer
from serq.syntax.nodes import Name, Number, Unreadable
from serq.syntax.tables import Tables

DEEPEST = 3000
"""Symbols that may be open at once. Every later pass walks the tree recursively and must come to its end."""

EXPRESSION_BRACE = "<expression brace>"
STATEMENTS_BRACE = "<statements brace>"
UNREADABLE = "<unreadable>"


class _Body(NamedTuple):
    """The body of a definition being read: height of the stacks before it, and the token that closes it."""

    height: int
    opener: int
    close: int


class Parser:
    """One parse.

    Attributes:
        at: the token to be read next.
        states: the automaton's stack; one more than the symbols.
        values, starts, ends: for each symbol, what was made of it and the characters that it covers.
        bodies: the bodies of definitions read so far, by the token that opens them: as what, and the token after.
    """

    def __init__(self, source: Source, tables: Tables, explain: Callable[[Parser], Diagnostic]) -> None:
        """
        Args:
            explain: says why the next token does not fit.
        """
        self.source = source
        self.tables = tables
        self.explain = explain
        self.tokens = lexer.tokenize(source)
        self.at = 0
        self.states = [tables.start]
        self.values: list[Any] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.bodies: dict[int, tuple[str, int]] = {}
        self._body: _Body | None = None

    @property
    def next_span(self) -> Span:
        """The token to be read next; when a rule is reduced, the one after its last."""
        return self.tokens.span(self.at)

    @property
    def unchanged(self) -> tuple[int, int]:
        """A token read earlier, and the height of the stacks before it, below which they still are as they were."""
        if self._body is None or self.at > self._body.close:
            return 0, 0
        return self._body.opener, self._body.height

    def run(self, actions: list[Callable[..., Any] | None]) -> Any:
        """The value of the whole text.

        Args:
            actions: for each rule, what makes its value of its children and its span.

        Raises:
            SerqError: the text is not a program.
        """
        while True:
            try:
                return self._run(actions)
            except SerqError as error:
                if self._body is None or self.at > self._body.close:
                    raise
                self._give_up_body(error.diagnostic)

    def _run(self, actions: list[Callable[..., Any] | None]) -> Any:
        table, gotos, rules, _, final = self.tables
        states, values, starts, ends = self.states, self.values, self.starts, self.ends
        kinds, token_starts, token_ends = self.tokens
        while True:
            kind = kinds[self.at]
            row = table[states[-1]]
            if isinstance(row, int):
                action: int | None = row
            else:
                action = row.get(kind)
                if action is None:
                    kind = self._other_kind(kind, row)
                    action = row.get(kind)
            if action is None:
                raise SerqError(self.explain(self))
            if action >= 0:
                if len(states) > DEEPEST:
                    raise SerqError(self._too_deep())
                states.append(action)
                values.append(self._value(kind) if kind[0] == "<" and kind != "<" and kind != "<=" else None)
                starts.append(token_starts[self.at])
                ends.append(token_ends[self.at])
                self.at += 1
                continue
            number = -1 - action
            rule = rules[number]
            size = rule.size
            if rule.unit:
                states[-1] = gotos[states[-2]][rule.origin]
                continue
            if size:
                children = values[-size:]
                start, end = starts[-size], ends[-1]
                del values[-size:], states[-size:], starts[-size:], ends[-size:]
            else:
                children = []
                start = end = token_starts[self.at]
            if rule.spliced:
                children = _spliced(rule.picks, rule.spliced, children)
            else:
                children = [None if i < 0 else children[i] for i in rule.picks]
            make = actions[number]
            if make is not None:
                value = make(*children, Span(start, start + rule.head if rule.head else end))
            else:
                value = children if rule.splice else children[0]
            states.append(gotos[states[-1]][rule.origin])
            values.append(value)
            starts.append(start)
            ends.append(end)
            if kind == lexer.END and states[-1] == final:
                return value

    def _value(self, kind: str) -> Any:
        """The value of a token that is more than its spelling."""
        span = self.tokens.span(self.at)
        text = self.source.text[span.start : span.end]
        if kind == lexer.NUMBER:
            return Number(lexer.number_value(text) or 0.0, span)
        if kind == lexer.STRING:
            return Name(text[1:-1], span)
        return Name(text, span)

    def _other_kind(self, kind: str, row: dict[str, int]) -> str:
        """What else the next token may be: a word may be a name, a brace the beginning of a definition's body."""
        if lexer.is_word(kind):
            return lexer.NAME
        if kind == "{" and EXPRESSION_BRACE in row:
            return self._begin_body()
        return kind

    # ------------------------------------------------------------ bodies of definitions

    def _begin_body(self) -> str:
        """Find the end of a definition's body, and tell from its tokens what it is.

        A body with a semicolon or a brace, or with nothing in it, is statements; any other is an expression.
        """
        name: Name = self.values[-4]
        close = self._closing_bracket(name)
        inside = self.tokens.kinds[self.at + 1 : close]
        is_expression = bool(inside) and ";" not in inside and "{" not in inside
        if inside and not is_expression and inside[-1] not in (";", "}"):
            message = f"the body of `{name.text}` is neither statements nor one expression"
            hint = "end the last statement with `;`, or leave one expression without `;`"
            raise SerqError(Diagnostic("definition", message, name.span, hint=hint, source=self.source))
        kind = EXPRESSION_BRACE if is_expression else STATEMENTS_BRACE
        self._body = _Body(len(self.values), self.at, close)
        self.bodies[self.at] = kind, self.at + 1
        return kind

    def _closing_bracket(self, name: Name) -> int:
        """The token that closes the brace at `at`, which must be a brace; what is between is not looked at closely."""
        kinds = self.tokens.kinds
        depth = 0
        for i in range(self.at, len(kinds)):
            kind = kinds[i]
            if kind in ("(", "[", "{"):
                depth += 1
            elif kind in (")", "]", "}"):
                depth -= 1
                if not depth:
                    if kind != "}":
                        message = f"`{kind}` closes nothing"
                        raise SerqError(Diagnostic("syntax", message, self.tokens.span(i), source=self.source))
                    return i
        message = f"the body of `{name.text}` is not closed"
        raise SerqError(Diagnostic("definition", message, name.span, hint="close it with `}`", source=self.source))

    def _give_up_body(self, fault: Diagnostic) -> None:
        """Put the fault in place of the body, and go on after it."""
        assert self._body is not None
        height, opener, close = self._body
        self._body = None
        self.bodies[opener] = UNREADABLE, close + 1
        for stack in (self.values, self.starts, self.ends):
            del stack[height:]
        del self.states[height + 1 :]
        row = self.tables.actions[self.states[-1]]
        assert isinstance(row, dict)
        self.states.append(row[UNREADABLE])
        self.values.append(Unreadable(fault))
        self.starts.append(self.tokens.starts[close])
        self.ends.append(self.tokens.ends[close])
        self.at = close + 1

    def _too_deep(self) -> Diagnostic:
        message = "the program is nested too deeply here"
        hint = "name parts of it with `let`, `set` or `def`"
        return Diagnostic("nesting", message, self.tokens.span(self.at), hint=hint, source=self.source)


def _spliced(picks: list[int], spliced: list[int], symbols: list[Any]) -> list[Any]:
    """The children of a rule in which some symbols are lists of children.

    A list in front is extended and passed on, as it belongs to nobody else: a repetition of n items costs n steps.
    """
    children: list[Any] = symbols[picks[0]] if picks[0] in spliced else [symbols[picks[0]] if picks[0] >= 0 else None]
    for i in picks[1:]:
        if i in spliced:
            children += symbols[i]
        else:
            children.append(None if i < 0 else symbols[i])
    return children
