"""The plain message of a syntax error: what was expected where something else was found, in the user's words."""

from __future__ import annotations

from serq.diagnostics import Diagnostic
from serq.source import Span
from serq.spelling import suggest
from serq.syntax import lexer
from serq.syntax.stop import Stop

OPERATORS = frozenset(["+", "-", "*", "/", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "?"])

PLACES = (
    ("a declaration", frozenset(("workload", "gauge", "claim"))),
    ("a statement", frozenset(("set", "observe", "hold"))),
    ("an item of the engine", frozenset(("granule", "execute"))),
    ("an item of the queue", frozenset(("serve", "nic"))),
    ("an item of the workload", frozenset(("arrive", "hidden"))),
    ("an option of the pool", frozenset(("evict", "spill"))),
    ("a statement of the schedule", frozenset(("advance", "exclusive"))),
)
"""What places are called that allow many words, with words that tell them."""

CLASSES = {
    lexer.NAME: "a name",
    lexer.STRING: "a text in quotes",
    lexer.NUMBER: "a number",
    lexer.END: "the end of the program",
    "<expression brace>": "`{`",
}


def expected(stop: Stop) -> Diagnostic:
    """The message, at the token found."""
    span, found = stop.token(0)
    words = [kind for kind in stop.expected if kind[0].isalpha()]
    hint = _hint(stop, span)
    if hint is None and stop.found_word:
        hint = suggest(stop.text(span), words)
    if hint is None and ";" in stop.expected and (stop.found_word or stop.found in ("}", lexer.END)):
        hint = "end what stands before with `;`"
    message = f"expected {wanted(stop.expected)}, but found {found}"
    return stop.fault("syntax", message, span, hint, stop.open_brace() if stop.found == lexer.END else ())


def _hint(stop: Stop, span: Span) -> str | None:
    """What to do about the commonest slips."""
    terminals, found = stop.expected, stop.found
    if found == "=" and "==" in terminals:
        return "two values are compared with `==`"
    if found in ("<", "<=", ">", ">=", "==", "!=") and "&&" in terminals:
        return "comparisons do not chain: write `a < b && b < c`, or put one of them in parentheses"
    if found == "^" and "&&" in terminals:
        return "put the draw in parentheses"
    if found == "." and lexer.NUMBER in terminals:
        return "a number needs a digit"
    if found == "+" and lexer.NUMBER in terminals:
        return "a number has no sign `+`"
    if found == "branch" and stop.symbols[-1:] == ["else"]:
        return "write `else { branch (...) { ... } }`"
    if found == "let" and "advance" in terminals:
        return "each `let` of a schedule stands before its statements"
    if found == "=" and "<expression brace>" in terminals:
        return "the body of a definition stands in braces: `def f(x) { x + 1 }`"
    if stop.found_word and "&&" in terminals and stop.span_of(len(stop.symbols) - 1).end == span.start:
        return "a number is written in decimal digits, with an exponent such as `e-3`"
    return None


def wanted(terminals: list[str]) -> str:
    """The acceptable terminals in words, joined by commas and `or`."""
    rest = set(terminals)
    parts: list[str] = []
    if lexer.NUMBER in rest and "(" in rest:
        parts.append("an expression")
        rest -= {lexer.NUMBER, lexer.NAME, lexer.AGGREGATE, "(", "-", "!", "~"}
    elif {"?", "&&"} <= rest:
        # After a complete expression more of it is what one expects least; it goes without saying.
        rest -= OPERATORS | {"(", ".", "["}
    for name, members in PLACES:
        if members <= rest:
            parts.append(name)
            rest = {kind for kind in rest if not (kind[0].isalpha() or kind == lexer.NAME)}
    parts += [name for kind, name in CLASSES.items() if kind in rest]
    parts += [f"`{kind}`" for kind in sorted(rest) if kind[0] != "<" or kind in ("<", "<=")]
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + " or " + parts[-1]
