"""What to say when the next token fits nothing.

In: a parser that has stopped. Out: a `Diagnostic`. Usually it points at the token found and says what was expected
there, in the words of the language. Some mistakes are better told elsewhere: an unknown word at the beginning of a
statement makes whatever follows it look wrong. Each of those has a function below; `_SPECIAL` is their order.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

from serq.diagnostics import Diagnostic
from serq.source import Span
from serq.spelling import suggest
from serq.syntax import lexer

if TYPE_CHECKING:
    from serq.syntax.parser import Parser
    from serq.syntax.tables import Tables

OPERATORS = frozenset(["+", "-", "*", "/", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "?"])

LONGEST = 60
"""Characters of a token that a message shows."""

RETIRED = {
    "request": "a session takes a turn with `turn;`",
    "admit": "what a hold reads at admission stands in its header: `hold P (...) at admission (x = ...) { ... }`",
    "share": "a policy stands in the run: `run A, B (cost(A, B, w), share = share.maxmin);`",
    "spawn": "legs of a session are forked: `fork { ... } ... join;`",
    "if": "choose between blocks with `branch (...) { ... } else { ... }`",
    "for": "repeat with `while (...) { ... }` or `loop { ... }`",
    "let": "inside a block an attribute is set: `set x = ...;`",
    "memory": "declare `pool NAME { cap ...; }`",
    "step": "write an engine: `device D { ... } engine E on D { ... }`",
    "session": "a session stands in the workload: `workload { session { ... } }`",
    "run": "horizon, warm-up, seed and arrivals are given with the run, not in the program",
    "import": "only `use` takes in a library",
    "pull": "write `kvt.nixl_pull (SOURCE, READER, share = share.maxmin);`",
    "push": "write `kvt.nixl_push (SOURCE, READER, share = share.maxmin);`",
}
"""What to write instead of words that other dialects and languages have."""


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

    def fault(self, kind: str, message: str, span: Span | None, hint: str | None = None) -> Diagnostic:
        return Diagnostic(kind, message, span, hint=hint, source=self.parser.source)


def unexpected(parser: Parser) -> Diagnostic:
    """Why the parser cannot go on."""
    stop = Stop(parser)
    for special in _SPECIAL:
        fault = special(stop)
        if fault is not None:
            return fault
    return _expected(stop)


def _expected(stop: Stop) -> Diagnostic:
    """The plain message: what was expected where something else was found."""
    wanted = _wanted(stop.expected)
    span, found = stop.token(0)
    words = [kind for kind in stop.expected if kind[0].isalpha()]
    hint = None
    if stop.found_word and words:
        hint = suggest(stop.text(span), words)
    hint = hint or _hint(stop)
    return stop.fault("syntax", f"expected {wanted}, but found {found}", span, hint)


def _hint(stop: Stop) -> str | None:
    expected, found = stop.expected, stop.found
    if found == "=" and "==" in expected:
        return "two values are compared with `==`"
    if found in ("<", "<=", ">", ">=", "==", "!=") and "&&" in expected:
        return "comparisons do not chain: write `a < b && b < c`, or put one of them in parentheses"
    if found == "^" and "*" in expected:
        return "put the draw in parentheses"
    if found == "." and lexer.NUMBER in expected:
        return "a number needs a digit"
    if found == "+" and lexer.NUMBER in expected:
        return "a number has no sign `+`"
    if found in ("{", "branch") and stop.symbols and stop.symbols[-1] == "else":
        return "write `else { branch (...) { ... } }`"
    if ";" in expected and found != ";" and (stop.found_word or found in ("}", lexer.END)):
        return "end what stands before with `;`"
    return None


def _wanted(expected: list[str]) -> str:
    """The acceptable terminals in words."""
    rest = set(expected)
    parts: list[str] = []
    if lexer.NUMBER in rest and "(" in rest:
        parts.append("an expression")
        rest -= {lexer.NUMBER, lexer.NAME, lexer.AGGREGATE, "(", "-", "!", "~"}
    elif {"?", "&&"} <= rest:
        # After a complete expression an operator is what one expects least; it goes without saying.
        rest -= OPERATORS
    for name, members in _GROUPS:
        if members <= rest:
            parts.append(name)
            rest = {kind for kind in rest if not (kind[0].isalpha() or kind == lexer.NAME)}
    names = {lexer.NAME: "a name", lexer.STRING: "a text in quotes", lexer.NUMBER: "a number"}
    for kind, name in names.items():
        if kind in rest:
            parts.append(name)
            rest.discard(kind)
    if lexer.END in rest:
        parts.append("the end of the program")
    parts += [f"`{kind}`" for kind in sorted(rest) if kind[0] != "<" or kind in ("<", "<=")]
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + " or " + parts[-1]


_GROUPS = (
    ("a declaration", frozenset(("workload", "gauge", "claim"))),
    ("a statement", frozenset(("set", "observe", "hold"))),
    ("an item of the engine", frozenset(("granule", "execute"))),
    ("an item of the queue", frozenset(("serve", "nic"))),
    ("an item of the workload", frozenset(("arrive", "hidden"))),
    ("an option of the pool", frozenset(("evict", "spill"))),
    ("a statement of the schedule", frozenset(("advance", "exclusive"))),
)
"""What places are called that allow many words, with words that tell them."""

# ---------------------------------------------------------------- mistakes told elsewhere than at the token found


def _no_main(stop: Stop) -> Diagnostic | None:
    if stop.found == lexer.END and "fn" in stop.expected:
        hint = "put the declarations into `fn main() { ... }`"
        return stop.fault("missing-main", "the program has no `fn main()`", None, hint)
    return None


def _wrong_function(stop: Stop) -> Diagnostic | None:
    if stop.symbols[-1:] == ["fn"] and stop.found_word:
        span, _ = stop.token(1)
        message = f"the one function of a program is `main`, not {stop.token(0)[1]}"
        return stop.fault("function", message, span, "reusable parts are definitions: `def NAME(...) { ... }`")
    if stop.found == "fn" and ("workload" in stop.expected or stop.expected == [lexer.END]):
        span, _ = stop.token(1)
        return stop.fault("function", "a program has one function, `fn main()`", span)
    return None


def _outside_main(stop: Stop) -> Diagnostic | None:
    if stop.expected == [lexer.END]:
        span, found = stop.token(0)
        return stop.fault("outside-main", f"nothing may follow `fn main() {{ ... }}`, but {found} does", span)
    if "fn" in stop.expected:
        span, found = stop.token(0)
        hint = "put it into `fn main() { ... }`; only `use`, `let` and `def` stand outside"
        return stop.fault("outside-main", f"{found} cannot stand outside `fn main()`", span, hint)
    return None


def _unknown_item(stop: Stop) -> Diagnostic | None:
    if not ("workload" in stop.expected and "gauge" in stop.expected):
        return None
    if not stop.found_word:
        return None
    span, _ = stop.token(1 if stop.found == "run" else 0)
    _, word = stop.token(0)
    following = stop.parser.tokens.kinds[stop.parser.at + 1]
    hint = RETIRED.get(stop.found) or RETIRED.get(following if following in ("pull", "push") else "")
    return stop.fault("item", f"{word} begins no declaration", span, hint or suggest(stop.found, stop.expected))


def _unknown_option(stop: Stop) -> Diagnostic | None:
    if not ("evict" in stop.expected and "spill" in stop.expected and stop.found_word):
        return None
    _, word = stop.token(0)
    span, _ = stop.token(0 if stop.found == "admit" else 1)
    hint = suggest(stop.found, stop.expected)
    if stop.found == "admit":
        hint = "the engine that admits is named after `on`: `pool NAME on ENGINE { ... }`"
    return stop.fault("option", f"{word} is not an option of a pool", span, hint)


def _unknown_kind(stop: Stop) -> Diagnostic | None:
    if "fifo" in stop.expected and "ps" in stop.expected and "delay" in stop.expected and stop.found_word:
        span, found = stop.token(0)
        hint = RETIRED.get(stop.found) if stop.found == "step" else suggest(stop.found, stop.expected)
        message = f"{found} is not a kind of stage: there are `fifo`, `ps` and `delay`"
        return stop.fault("kind", message, span, hint)
    return None


def _unknown_statement(stop: Stop) -> Diagnostic | None:
    """A word that begins no statement, and names nothing declared above that could be called."""
    expected = stop.expected
    if "observe" in expected and lexer.NAME in expected and stop.found_word:
        return _no_statement(stop, stop.token(0)[0])
    called = _called_name(stop)
    if called is None:
        return None
    after = stop.symbols[called + 1 :]
    if not after or after == ["subscript"] or (after[0] in ("(", "[") and _is_uncallable(stop, called)):
        return _no_statement(stop, stop.span_of(called))
    return None


def _no_statement(stop: Stop, span: Span) -> Diagnostic:
    word = stop.text(span)
    known = [*_statement_words(stop.parser.tables), *_callable_names(stop, span.start)]
    hint = RETIRED.get(word) or suggest(word, known)
    return stop.fault("statement", f"{stop.shown(span)} begins no statement", span, hint)


def _called_name(stop: Stop) -> int | None:
    """The place on the stack of a name that begins the statement being read."""
    states = stop.parser.states
    for place in range(len(stop.symbols) - 1, -1, -1):
        if stop.symbols[place] == lexer.NAME and "observe" in stop.parser.tables.actions[states[place]]:
            return place
        if stop.symbols[place] in ("{", ";", lexer.END):
            return None
    return None


def _is_uncallable(stop: Stop, called: int) -> bool:
    name = stop.span_of(called)
    if stop.symbols[called + 1] == "[":
        return False
    return stop.text(name) not in _callable_names(stop, name.start)


def _callable_names(stop: Stop, before: int) -> list[str]:
    """Names of the definitions and engines that are declared before an offset."""
    kinds, starts, _ = stop.parser.tokens
    return [
        kinds[i + 1]
        for i, kind in enumerate(kinds)
        if kind in ("def", "engine") and starts[i] < before and lexer.is_word(kinds[i + 1])
    ]


def _clause(stop: Stop, word: str, opener: str | None = None) -> int | None:
    """The place on the stack of a word whose clause is being read, if no bracket within the clause is open.

    Args:
        opener: bracket that belongs to the clause itself.
    """
    symbols = stop.symbols
    if word not in symbols:
        return None
    place = len(symbols) - 1 - symbols[::-1].index(word)
    rest = symbols[place + 1 :]
    if opener in rest:
        del rest[: rest.index(opener or "") + 1]
    is_open = sum(rest.count(bracket) for bracket in "([{") > sum(rest.count(bracket) for bracket in ")]}")
    return None if is_open else place


def _bad_taking(stop: Stop) -> Diagnostic | None:
    """A list of `taking` that is not one is told at its word, unless the fault is within an expression."""
    place = _clause(stop, "taking")
    if place is None or place == len(stop.symbols) - 1:
        return None
    message = "`taking` is a list of `CAPACITY (units) reserve (units)`, then perhaps `reuse (units)`"
    return stop.fault("taking", message, stop.span_of(place), "for instance `taking reqs (1), kv (n)`")


def _bad_bindings(stop: Stop) -> Diagnostic | None:
    """The same for the bindings of a request."""
    place = _clause(stop, "at", "{")
    if place is None or "bindings_block" in stop.symbols or "{" not in stop.symbols[place:]:
        return None
    if stop.symbols[-1] not in ("{", ";", lexer.NAME) and "bindings" not in stop.symbols[-1]:
        return None
    message = "`at admission { ... }` holds bindings, each `NAME = expression;`"
    return stop.fault("bindings", message, stop.span_of(place))


def _mode_without_amount(stop: Stop) -> Diagnostic | None:
    if stop.symbols[-1:] in (["prefill"], ["decode"]) and stop.symbols[-2] != "refs" and stop.expected == ["("]:
        span = stop.span_of(len(stop.symbols) - 1)
        mode = stop.text(span)
        return stop.fault("statement", f"`{mode}` lacks its amount", span, f"write `{mode} (tokens);`")
    return None


def _unknown_function(stop: Stop) -> Diagnostic | None:
    if stop.symbols[-2:] == ["args_library", "."] and stop.found_word:
        span, _ = stop.token(1)
        message = f"the library `args` has no function {stop.token(0)[1]}"
        return stop.fault("library", message, span, 'write `args.number("name", default)`')
    return None


def _member_in_a_sum(stop: Stop) -> Diagnostic | None:
    """A member of a family is an argument by itself: with more to it the fault is in its bracket."""
    if stop.symbols[-1:] != ["]"] or not {",", ")"} <= set(stop.expected):
        return None
    place = len(stop.symbols) - 1 - stop.symbols[::-1].index("[")
    message = "a member of a family is no number, so nothing can be reckoned with it"
    return stop.fault("syntax", message, stop.span_of(place), "read it by a function, as `used(kv[0])` does")


def _transfer_without_ends(stop: Stop) -> Diagnostic | None:
    if "from" in stop.expected and "transfer" in stop.symbols and stop.found == ";":
        place = len(stop.symbols) - 1 - stop.symbols[::-1].index("transfer")
        message = "`transfer` does not say from where to where"
        return stop.fault("transfer", message, stop.span_of(place), "write `transfer (w) from P to Q (n);`")
    return None


_SPECIAL: tuple[Callable[[Stop], Diagnostic | None], ...] = (
    _no_main,
    _wrong_function,
    _outside_main,
    _unknown_item,
    _unknown_option,
    _unknown_kind,
    _unknown_statement,
    _mode_without_amount,
    _unknown_function,
    _member_in_a_sum,
    _bad_taking,
    _bad_bindings,
    _transfer_without_ends,
)

# ---------------------------------------------------------------- reading the tables


def _symbol_between(tables: Tables, before: int, after: int) -> str:
    """The symbol that leads from one state to another."""
    steps = [*tables.actions[before].items(), *tables.gotos[before].items()]
    return next(symbol for symbol, target in steps if target == after)


def _acceptable(tables: Tables, states: list[int]) -> list[str]:
    """The terminals that the automaton would take next; its rows may name more, which a reduction finds wrong."""
    return [kind for kind in tables.actions[states[-1]] if _accepts(tables, states, kind)]


def _accepts(tables: Tables, states: list[int], kind: str) -> bool:
    stack = list(states)
    while True:
        action = tables.actions[stack[-1]].get(kind)
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


def _statement_words(tables: Tables) -> list[str]:
    """The words that begin statements."""
    row = next(row for row in tables.actions if "observe" in row and "tool" in row)
    return [kind for kind in row if kind[0].isalpha()]
