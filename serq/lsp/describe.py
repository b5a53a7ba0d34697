"""What is told about a name: Markdown for editors.

In: a symbol of the program, or a meaning from the table. Out: text. A symbol is shown as it is declared, with the
comment beside or above its declaration and, where it can be computed, its value.
"""

from __future__ import annotations

import re

from serq.diagnostics import SerqError
from serq.lsp.names import Symbol
from serq.lsp.recover import Reading
from serq.semantics.constants import Constants, evaluate, show
from serq.semantics.meanings import Meaning, readable_in
from serq.source import Source, Span
from serq.syntax import nodes

LINES = 14
"""Lines of a declaration that are shown."""

DECLARING = {
    "constant": "let",
    "argument": "let",
    "definition": "def",
    "attribute": "set set_size set_cost choose mark",
    "binding": "at_admission at_admission_block",
    "observation": "observe",
    "pool": "pool capacity",
    "capacity": "capacity",
    "device": "device",
    "engine": "engine",
    "queue": "queue",
    "stage": "stage",
    "gauge": "gauge",
    "claim": "claim",
    "time resource": "time_resource",
    "register": "state",
    "stall": "stall stall_clause",
    "entry": "entry",
    "index": "aggregate",
    "schedule let": "schedule_lets",
    "parameter": "def request entry time_resource",
}
"""For each kind of symbol the rules of the grammar that declare one."""

SETTERS = {
    "init": "`init`",
    "turn_block": "`turn`",
    "session": "`session`",
    "server": "the server",
    "request": "a request",
    "entry": "an entry",
    "def": "a definition",
}
"""Where statements stand, by rule, from the inside out."""


def describe_symbol(symbol: Symbol, reading: Reading, text: str) -> str:
    """Declaration, what it is, value, comment."""
    place = symbol.declared[0]
    written, whole = _declaration(symbol, place, reading, text)
    parts = [f"```serq\n{written}\n```", _sentence(symbol, reading, text)]
    comment = _comment(text, whole)
    if comment:
        parts.append(comment)
    return "\n\n".join(parts)


def describe_meaning(meaning: Meaning) -> str:
    """Form, text, unit and moment of something that the language supplies."""
    parts = [f"```serq\n{meaning.form}\n```", meaning.text]
    if meaning.unit:
        parts.append(f"Unit: {meaning.unit}.")
    if meaning.moment:
        parts.append(f"Exists in: {meaning.moment}.")
    elif meaning.kind == "function":
        places = [moment.what.split(",")[0] for moment in readable_in(meaning.name)]
        if places:
            parts.append(f"Can be read in: {', '.join(places)}.")
    return "\n\n".join(parts)


def _declaration(symbol: Symbol, place: Span, reading: Reading, text: str) -> tuple[str, Span]:
    """The text that declares something, cut if it is long, and where it is."""
    tokens = reading.concrete.tokens
    rules = DECLARING.get(symbol.kind, "").split()
    token = tokens.starts.index(place.start)
    for part in reading.concrete.parts:
        if part.first <= token < part.last and part.rule in rules:
            whole = Span(tokens.starts[part.first], tokens.ends[part.last - 1])
            break
    else:
        whole = place
    lines = text[whole.start : whole.end].split("\n")
    indent = whole.start - (text.rfind("\n", 0, whole.start) + 1)
    lines = [lines[0], *[re.sub(rf"^\s{{0,{indent}}}", "", line.rstrip()) for line in lines[1:]]]
    if symbol.kind == "schedule let":
        lines = [text[place.start : text.find(";", place.start)]]
    elif symbol.kind == "parameter":
        # Only what it is a parameter of, and of that the line that names it.
        return re.split(r"\s*[{=]", "\n".join(lines))[0], place
    elif symbol.kind in ("engine", "queue"):
        lines = _without_blocks("\n".join(lines)).split("\n")
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], "..."]
    return "\n".join(lines), whole


def _without_blocks(text: str) -> str:
    """A declaration without comments, and with dots for what is in braces within its braces."""
    written, depth = [], 0
    for piece in re.findall(r"[{}]|[^{}]+", re.sub(r"[ \t]*//[^\n]*\n?", "\n", text)):
        depth -= piece == "}"
        if depth < 2:
            written.append(piece)
        depth += piece == "{"
        if piece == "{" and depth == 2:
            written.append(" ... ")
    return re.sub(r"\n\s*\n", "\n", "".join(written))


def _comment(text: str, whole: Span) -> str:
    """The comment behind a declaration on its line, or the ones on the lines right above it."""
    line_end = text.find("\n", whole.end)
    behind = text[whole.end : len(text) if line_end < 0 else line_end]
    match = re.fullmatch(r"[\s;]*//\s?(.*?)\s*", behind)
    if match:
        return match[1]
    above = text[: text.rfind("\n", 0, whole.start) + 1].split("\n")[:-1]
    found: list[str] = []
    while above and (match := re.fullmatch(r"\s*//\s?(.*?)\s*", above[-1])):
        found.insert(0, match[1])
        above.pop()
    return " ".join(found)


def _sentence(symbol: Symbol, reading: Reading, text: str) -> str:
    home = f" of `{symbol.home.name}`" if symbol.home is not None and symbol.home.name else ""
    node = symbol.nodes[0]
    match symbol.kind:
        case "constant":
            value = None if isinstance(node.value, nodes.Number) else constants(reading).get(symbol.name)
            return f"A constant{_valued(value, ', ')}."
        case "argument":
            default = _valued(constants(reading).get(symbol.name), ", by default ")
            return f"An argument of the program, `--set {node.value.external}=EXPR`{default}."
        case "attribute":
            where = f" at the queue{home[3:]}" if home else ""
            return f"An attribute of the session{where}. Set by {_setters(symbol, reading, text)}."
        case "observation":
            count = len(symbol.declared)
            return f"An observation, recorded {'here' if count == 1 else f'in {count} places'}."
        case "pool" | "capacity":
            return _pool(symbol, reading)
        case "engine":
            return f"An engine on the device `{node.device.text}`."
        case "index":
            return "The index of an aggregate, from 0."
        case "binding":
            return "What `at admission` binds: read when the request is admitted."
        case "register":
            return f"A register{home}: its schedule sets it, its clauses read it."
        case "entry":
            return f"An entry of the queue{home[3:]}."
    article = "an" if symbol.kind[0] in "aeio" else "a"
    return f"{article.capitalize()} {symbol.kind}{home}."


def _valued(value: float | None, before: str) -> str:
    return "" if value is None else f"{before}{show(value)}"


def _setters(symbol: Symbol, reading: Reading, text: str) -> str:
    """Where statements set an attribute."""
    source = Source("program", text)
    starts = reading.concrete.tokens.starts
    found: dict[str, list[str]] = {}
    for place in symbol.declared:
        token = starts.index(place.start)
        rules = [part.rule for part in reading.concrete.parts if part.first <= token < part.last]
        where = next((SETTERS[rule] for rule in rules if rule in SETTERS), "a statement")
        found.setdefault(where, []).append(str(source.place(place.start)[0]))
    return ", ".join([f"{where} (line {', '.join(lines)})" for where, lines in found.items()])


def _pool(symbol: Symbol, reading: Reading) -> str:
    """A pool with its cap and block size."""
    values = constants(reading)
    facts = []
    for node in symbol.nodes:
        options = node.options if isinstance(node, nodes.Pool) else (node,)
        for option in options:
            if isinstance(option, nodes.Capacity | nodes.Cap):
                facts.append(("cap", option.value))
            elif isinstance(option, nodes.BlockSize):
                facts.append(("block", option.value))
    told = [f"{word} {show(value)}" for word, expr in facts if (value := _value(expr, values)) is not None]
    what = "A pool" if symbol.kind == "pool" else "A capacity"
    owner = next((node.owner for node in symbol.nodes if isinstance(node, nodes.Pool) and node.owner), None)
    of = f" on `{owner.first.text}`" if owner is not None else ""
    return f"{what}{of}{': ' if told else ''}{', '.join(told)}."


def _value(expr: nodes.Expr, known: dict[str, float]) -> float | None:
    try:
        return evaluate(expr, known, Constants({}).terms)
    except (SerqError, ArithmeticError):
        return None


def constants(reading: Reading) -> dict[str, float]:
    """The values of the constants that have one, arguments at their defaults."""
    found = Constants({})
    for item in (*reading.program.before, *reading.program.items):
        if isinstance(item, nodes.Let):
            found.declare(item)
    return found.values
