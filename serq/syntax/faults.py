"""What to say when the next token fits nothing.

In: a parser that has stopped. Out: a `Diagnostic`. Usually it points at the token found and says what was expected
there (serq.syntax.expected). Some mistakes are better told elsewhere: an unknown word at the beginning of a statement
makes whatever follows it look wrong. Each of those has a function below; `_SPECIAL` is their order.
"""

from __future__ import annotations

from collections.abc import Callable

from serq.diagnostics import Diagnostic
from serq.source import Span
from serq.spelling import suggest
from serq.syntax import lexer
from serq.syntax.expected import expected
from serq.syntax.parser import Parser
from serq.syntax.stop import Stop
from serq.syntax.tables import Tables
from serq.syntax.words import NOT_A_DEFINITION, WORDS

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
    "stall": "write stall LABEL (seconds);",
    "import": "only `use` takes in a library",
    "pull": "write `kvt.nixl_pull (SOURCE, READER, share = share.maxmin);`",
    "push": "write `kvt.nixl_push (SOURCE, READER, share = share.maxmin);`",
}
"""What to write instead of words that other dialects and languages have."""


def unexpected(parser: Parser) -> Diagnostic:
    """Why the parser cannot go on."""
    stop = Stop(parser)
    for special in _SPECIAL:
        fault = special(stop)
        if fault is not None:
            return fault
    return expected(stop)


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


def _misplaced_stall(stop: Stop) -> Diagnostic | None:
    """A stall where other declarations or items stand."""
    at = stop.parser.at
    if stop.found == lexer.STALL and _ITEM_WORDS.isdisjoint(stop.expected):
        return None
    if stop.found != lexer.STALL:
        # In a device and in a queue the word could have been a name.
        if stop.parser.tokens.kinds[at - 1] != lexer.STALL or not {"cap", "from"} & set(stop.expected):
            return None
        at -= 1
    message = "a stall stands in an engine, in its `request`, or in an entry of a queue with an engine"
    return stop.fault("stall-outside", message, stop.parser.tokens.span(at))


_ITEM_WORDS = frozenset(("gauge", "evict", "hidden", "advance"))
"""Each of these is allowed where the declarations or items of one thing stand."""


def _unknown_item(stop: Stop) -> Diagnostic | None:
    if not ("workload" in stop.expected and "gauge" in stop.expected):
        return None
    if not stop.found_word:
        return None
    span, _ = stop.token(1 if stop.found == "run" else 0)
    _, word = stop.token(0)
    following = stop.parser.tokens.kinds[stop.parser.at + 1]
    hint = RETIRED.get(stop.found) or RETIRED.get(following if following in ("pull", "push") else "")
    if hint is None and stop.found in _statement_words(stop.parser.tables):
        hint = "statements stand in `server { ... }`, or in a block of the workload"
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
    is_member = after[-1:] == ["]"] and after.count("[") == 1
    if not after or is_member or (after[0] in ("(", "[") and _is_uncallable(stop, called)):
        return _no_statement(stop, stop.span_of(called))
    return None


def _no_statement(stop: Stop, span: Span) -> Diagnostic:
    word = stop.text(span)
    known = [*_statement_words(stop.parser.tables), "stall", *_callable_names(stop, span.start)]
    hint = RETIRED.get(word) or suggest(word, known)
    after = stop.parser.tokens.kinds[stop.parser.tokens.starts.index(span.start) + 1]
    if word == "stall" and after == "cap":
        hint = "no label is called `cap`: in an engine this declares a capacity called `stall`"
    if after == "=" and hint is None:
        hint = f"an attribute is set by `set {word} = ...;`" if len(word) < 20 else None
    return stop.fault("statement", f"{stop.shown(span)} begins no statement", span, hint)


def _called_name(stop: Stop) -> int | None:
    """The place on the stack of a name that begins the statement being read."""
    states = stop.states
    for place in range(len(stop.symbols) - 1, -1, -1):
        row = stop.parser.tables.actions[states[place]]
        if stop.symbols[place] == lexer.NAME and isinstance(row, dict) and "observe" in row:
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


def _unknown_engine_item(stop: Stop) -> Diagnostic | None:
    """A word that begins no item of an engine could have been a capacity's name: the word after it tells."""
    if stop.symbols[-1:] != [lexer.NAME] or stop.expected != ["cap"]:
        return None
    name = stop.span_of(len(stop.symbols) - 1)
    if stop.text(name) in WORDS:
        return stop.fault("engine", f"{stop.shown(name)} begins no item of an engine", name)
    words = ["tokens", "granule", "state", "request", "schedule", "execute", "stall"]
    hint = suggest(stop.text(name), words) or "a capacity is declared by `NAME cap units;`"
    if stop.text(name) == "stall":
        hint = RETIRED["stall"]
    return stop.fault("engine", f"{stop.shown(name)} begins no item of an engine", stop.token(0)[0], hint)


def _bad_taking(stop: Stop) -> Diagnostic | None:
    """A list of `taking` that is not one is told at its word, unless the fault is within an expression."""
    place = _clause(stop, "taking")
    if place is None or (place == len(stop.symbols) - 1 and stop.found != "("):
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


def _engine_without_device(stop: Stop) -> Diagnostic | None:
    """`engine` begins a declaration only before a name and `on`."""
    nameless = stop.symbols[-1:] == ["engine"] and lexer.NAME in stop.expected
    if nameless or (stop.symbols[-2:] == ["engine", lexer.NAME] and "on" in stop.expected):
        place = len(stop.symbols) - 1 - stop.symbols[::-1].index("engine")
        hint = "write engine NAME on DEVICE { ... }"
        return stop.fault("item", "`engine` lacks its name or its device", stop.span_of(place), hint)
    return None


def _reserved_item(stop: Stop) -> Diagnostic | None:
    """A word that means something in expressions cannot name what a device has."""
    if stop.symbols[-1:] == [lexer.NAME] and {"(", "cap"} == set(stop.expected):
        name = stop.span_of(len(stop.symbols) - 1)
        if stop.text(name) in NOT_A_DEFINITION:
            return stop.fault("reserved", f"{stop.shown(name)} cannot name what a device has", name)
    return None


def _at_without_admission(stop: Stop) -> Diagnostic | None:
    if stop.symbols[-1:] == ["at"] and stop.expected == ["admission"]:
        span = stop.span_of(len(stop.symbols) - 1)
        return stop.fault("statement", "`at` begins no statement", span, "write at admission { x = ...; }")
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
    _misplaced_stall,
    _unknown_item,
    _unknown_option,
    _unknown_kind,
    _unknown_statement,
    _unknown_engine_item,
    _engine_without_device,
    _reserved_item,
    _at_without_admission,
    _mode_without_amount,
    _unknown_function,
    _member_in_a_sum,
    _bad_taking,
    _bad_bindings,
    _transfer_without_ends,
)


def _statement_words(tables: Tables) -> list[str]:
    """The words that begin statements."""
    row = next(row for row in tables.actions if isinstance(row, dict) and {"observe", "tool"} <= set(row))
    return [kind for kind in row if kind[0].isalpha()]
