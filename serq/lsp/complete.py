"""What may be typed at a place.

In: the text before the cursor, and the names of the program. Out: `Completion`s. The parser says which words of the
grammar it would take; where it would take a name, what stands before says what kind of name, and in an expression the
moment says which names exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from serq.lsp.contexts import CONSTANT, Context, context
from serq.lsp.describe import describe_symbol
from serq.lsp.names import LISTS, Names, Symbol
from serq.lsp.proposals import Completion, keywords, of_meaning, plain
from serq.lsp.recover import Reading
from serq.record import Record
from serq.semantics import moments
from serq.semantics.meanings import all_meanings, meanings_of, readable_in
from serq.semantics.moments import FUNCTION_WORDS, POOL_FUNCTIONS, STAGE_FUNCTIONS
from serq.semantics.words import AGGREGATES, NUMERIC_FUNCTIONS
from serq.source import Span
from serq.syntax import lexer, nodes
from serq.syntax.build import LIBRARIES

OF_POOLS = {FUNCTION_WORDS[name] for name in POOL_FUNCTIONS} | {"blocksize"}
OF_STAGES = {FUNCTION_WORDS[name] for name in STAGE_FUNCTIONS}

STAGES = ("stage", "engine", "queue")
NUMBERS = ("constant", "argument", "parameter", "index", "schedule let", "definition")
"""Kinds of symbols that every expression reads, where they can be seen."""

ROLES = ("gateway", "prefill", "decode", "link", "l2")

NAMED = (
    (("hold",), ("pool", "parameter", "queue")),
    (("helds", ","), ("pool", "parameter", "queue")),
    (("grow",), ("pool", "parameter", "queue")),
    (("load",), ("pool", "parameter", "queue")),
    (("drop",), ("pool", "parameter", "queue")),
    (("release",), ("pool", "parameter", "queue")),
    (("growing",), ("pool", "parameter", "queue")),
    (("lease",), ("pool", "parameter", "queue")),
    (("spill",), ("pool",)),
    (("via",), ("stage",)),
    (("run",), (*STAGES, "parameter")),
    (("refs", ","), (*STAGES, "parameter")),
    (("tool", "on"), ("stage", "parameter")),
    (("transfer", "on"), ("stage", "parameter")),
    (("of",), ("engine", "queue")),
    (("from",), ("pool", "queue")),
    (("to",), ("pool", "queue")),
    (("taking",), ("pool", "capacity")),
    (("takes", ","), ("pool", "capacity")),
    (("set",), ("attribute", "register")),
    (("Size",), ("attribute",)),
    (("Cost",), ("attribute",)),
    (("choose",), ("attribute",)),
    (("observe",), ("observation",)),
    (("hidden",), ("attribute",)),
    (("on",), ("device", "engine")),
)
"""What kinds of names stand behind what was read last, the first that fits."""

NEW = ("let", "def", "device", "engine", "pool", "stage", "queue", "gauge", "claim", "state", "mark")
"""Words behind which a new name stands."""


class Place(Record):
    """What completions are made from: the reading, its names, the text, the cursor, and the context there."""

    reading: Reading
    names: Names
    text: str
    offset: int
    context: Context


def complete(reading: Reading, names: Names, text: str, typed: str, *, repaired: bool) -> list[Completion]:
    """What may be typed behind a text, in place of the word there; nothing within comments.

    Args:
        reading, names, text: the program, or the last one that could be read.
        typed: what stands before the cursor.
        repaired: `typed` is a beginning of `text`, so that what is broken in it has been taken out in `reading`.
    """
    inside = _comment_or_string(typed)
    if inside == '"':
        return [plain(library, "library", "a library") for library in LIBRARIES] if _names_library(typed) else []
    if inside:
        return []
    offset = len(typed)
    found = context(_before(reading if repaired else None, typed))
    if found is None:
        return _anything(Place(reading, names, text, offset, Context(frozenset(), [], [], moments.STATEMENT)))
    place = Place(reading, names, text, offset, found)
    return [*_names(place), *keywords(found)]


def word_start(text: str, offset: int) -> int:
    """Where the word before the cursor begins."""
    match = re.search(r"\w*\Z", text[max(0, offset - 200) : offset])
    return offset - (len(match[0]) if match else 0)


def _before(reading: Reading | None, typed: str) -> str:
    """What is before the word being typed: of a broken text only the last piece as it stands."""
    start = word_start(typed, len(typed))
    piece = max([typed.rfind(sign, 0, start) for sign in ";{}"]) + 1
    return (reading.text[:piece] if reading is not None else typed[:piece]) + typed[piece:start]


def _comment_or_string(typed: str) -> str:
    """How the comment or text in quotes at the end of a text begins; empty if there is none."""
    for match in re.finditer(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"[^"\n]*"?', typed, re.DOTALL):
        closed = match[0].endswith("*/") or (match[0][0] == '"' and len(match[0]) > 1 and match[0][-1] == '"')
        if match.end() == len(typed) and not closed:
            return '"' if match[0][0] == '"' else match[0][:2]
    return ""


def _names_library(typed: str) -> bool:
    return re.search(r'\buse\s*"[^"\n]*\Z', typed[-100:]) is not None


# ---------------------------------------------------------------- names


def _names(place: Place) -> Iterator[Completion]:
    found = place.context
    if lexer.NAME not in found.expected and not found.is_expression:
        return
    if found.ends_with("~"):
        yield from [of_meaning(m) for m in all_meanings() if m.kind == "distribution"]
    elif found.ends_with("."):
        yield from _members(place)
    elif found.is_expression:
        yield from _in_expression(place)
    elif "observe" in found.expected:
        yield from _called(place)
    else:
        yield from _named(place)


def _named(place: Place) -> Iterator[Completion]:
    """Names of the kind that stands here."""
    found = place.context
    if found.symbols and found.symbols[-1] in NEW and found.is_word(len(found.symbols) - 1):
        if found.symbols[-1] == "pool":
            yield from _symbols(place, ("capacity",))
        return
    if found.symbols[-1:] == ["("] and "relation" not in found.symbols and "kvt_library" in found.symbols:
        yield from _symbols(place, ("queue",))
        return
    if "queue" in found.symbols and found.symbols[-1:] in (["roles"], [":"]):
        yield from [plain(role, "keyword", "a role of the queue") for role in ROLES]
        return
    for symbols, kinds in NAMED:
        if found.ends_with(*symbols):
            yield from _symbols(place, kinds)
            return


def _called(place: Place) -> Iterator[Completion]:
    """What begins a statement with its name: engines, definitions of statements, queues."""
    for symbol in place.names.visible(place.offset):
        if symbol.kind == "engine":
            yield _of_symbol(place, symbol, f"{symbol.name} ({_parameters(_request(symbol))});")
        elif symbol.kind == "definition" and isinstance(symbol.nodes[-1].body, nodes.Block):
            yield _of_symbol(place, symbol, f"{symbol.name} ({_parameters(symbol.nodes[-1].parameters)});")
        elif symbol.kind == "queue":
            yield _of_symbol(place, symbol)


def _request(engine: Symbol) -> tuple[nodes.Name, ...]:
    for item in engine.nodes[-1].items:
        if isinstance(item, nodes.Request):
            return item.parameters
    return ()


def _parameters(names: Iterable[nodes.Name]) -> str:
    return ", ".join([f"${{{number}:{name.text}}}" for number, name in enumerate(names, 1)])


def _members(place: Place) -> Iterator[Completion]:
    """What stands behind a dot."""
    found = place.context
    of = found.texts[-2] if len(found.texts) > 1 else ""
    of = re.sub(r"\[.*", "", of, flags=re.DOTALL)
    if of in LISTS:
        for meaning in all_meanings():
            if meaning.name.startswith(of + ".") and _readable(meaning.name, found):
                yield of_meaning(meaning)._replace(label=meaning.name.split(".")[1], insert=meaning.name.split(".")[1])
        return
    queue = place.names.globals.get(of) or place.names.globals.get(_last_name(found))
    if queue is not None:
        for symbol in queue.members.values():
            if symbol.kind == "entry":
                verb = symbol.name.removesuffix(" ()")
                parameters = _parameters(symbol.nodes[-1].parameters or ())
                yield _of_symbol(place, symbol, f"{verb} ({parameters});")._replace(label=verb)
            else:
                yield _of_symbol(place, symbol)


def _last_name(found: Context) -> str:
    """The name before a subscript and a dot."""
    return next((text for text in reversed(found.texts) if text.isidentifier()), "")


def _in_expression(place: Place) -> Iterator[Completion]:
    found = place.context
    function = _open_call(found)
    if function in OF_POOLS:
        yield from _symbols(place, ("pool", "parameter", "queue"))
        return
    if function in OF_STAGES and found.symbols[-1] == "(":
        yield from _symbols(place, (*STAGES, "parameter"))
        return
    if function in AGGREGATES:
        yield from _symbols(place, ("observation",))
        return
    if function == "cost":
        yield from _symbols(place, ("pool", *STAGES))
    yield from _symbols(place, _readable_kinds(found))
    yield from _supplied(place)


def _open_call(found: Context) -> str:
    """The function whose arguments are being typed."""
    for i in range(len(found.symbols) - 1, 0, -1):
        if found.symbols[i] == ")":
            return ""
        if found.symbols[i] == "(":
            return found.texts[i - 1] if found.symbols[i - 1] == lexer.NAME else ""
    return ""


def _readable_kinds(found: Context) -> tuple[str, ...]:
    moment = found.moment
    kinds: tuple[str, ...] = NUMBERS
    if moment.attributes:
        kinds += ("attribute", "binding")
    if moment.registers != "none":
        kinds += ("register",)
    if moment in (moments.EXECUTE, moments.STALL):
        kinds += ("time resource",)
    return kinds


def _symbols(place: Place, kinds: tuple[str, ...]) -> Iterator[Completion]:
    for symbol in place.names.visible(place.offset):
        if symbol.kind in kinds and _is_seen(symbol, place):
            yield _of_symbol(place, symbol, _call_of(symbol))
    if "time resource" in kinds:
        for device in place.names.globals.values():
            for symbol in device.members.values() if device.kind == "device" else ():
                if symbol.kind == "time resource":
                    yield _of_symbol(place, symbol, _call_of(symbol))
    if "pool" in kinds:
        for queue in place.names.globals.values():
            inside = queue.kind == "queue" and any(
                part.rule == "queue" and _covers(place, part.first, part.last, queue)
                for part in place.reading.concrete.parts
            )
            for symbol in queue.members.values() if inside else ():
                if symbol.kind == "pool":
                    yield _of_symbol(place, symbol)


def _covers(place: Place, first: int, last: int, queue: Symbol) -> bool:
    tokens = place.reading.concrete.tokens
    start, end = tokens.starts[first], tokens.ends[last - 1]
    return start <= place.offset <= end and start <= queue.declared[0].start < end


def _call_of(symbol: Symbol) -> str | None:
    """How a definition or a time resource is called in an expression."""
    node = symbol.nodes[-1]
    if symbol.kind == "definition" and not isinstance(node.body, nodes.Block):
        return f"{symbol.name}({_parameters(node.parameters)})"
    if symbol.kind == "time resource":
        return f"{symbol.name}({_parameters(node.parameters)})"
    return None


def _is_seen(symbol: Symbol, place: Place) -> bool:
    """Whether an expression here may read a symbol, as far as its kind does not tell."""
    if symbol.kind == "definition":
        return not isinstance(symbol.nodes[-1].body, nodes.Block)
    if place.context.moment == CONSTANT:
        return symbol.kind not in ("constant", "argument") or symbol.declared[0].end < place.offset
    if symbol.kind in ("attribute", "binding"):
        request = _request_around(place)
        if request is not None and place.context.is_expression:
            return any(request.start <= span.start < request.end for span in symbol.declared) or _is_hidden(
                symbol, place
            )
    return True


def _request_around(place: Place) -> Span | None:
    """The request in which, or for which in `taking`, an expression stands."""
    tokens, parts = place.reading.concrete.tokens, place.reading.concrete.parts
    spans = [(part.rule, Span(tokens.starts[part.first], tokens.ends[part.last - 1])) for part in parts]
    rules = ("engine_items",) if "taking" in place.context.symbols else ("request",)
    for rule, span in spans:
        if rule in rules and span.start < place.offset <= span.end:
            inside = [inner for of, inner in spans if of == "request" and span.start <= inner.start < span.end]
            return inside[0] if inside else None
    return None


def _is_hidden(symbol: Symbol, place: Place) -> bool:
    for item in place.reading.program.items:
        if isinstance(item, nodes.Workload):
            for part in item.items:
                if isinstance(part, nodes.Hidden) and symbol.name in [name.text for name in part.names]:
                    return True
    return False


# ---------------------------------------------------------------- what the language supplies


def _readable(name: str, found: Context) -> bool:
    if name == "waiting.count":
        return found.moment.lists is not None
    return found.moment in readable_in(name)


def _supplied(place: Place) -> Iterator[Completion]:
    """Values, attributes and functions that can be read here."""
    found = place.context
    traced = any(
        isinstance(part, nodes.Trace)
        for item in place.reading.program.items
        if isinstance(item, nodes.Workload)
        for part in item.items
    )
    for meaning in all_meanings():
        name = meaning.name
        match meaning.kind:
            case "value":
                fits = name == "inf" or (name == "self" and "queue" in found.symbols) or _readable(name, found)
            case "attribute":
                fits = _readable(name, found) and (traced or "trace" not in meaning.moment)
            case "function":
                fits = name in NUMERIC_FUNCTIONS or (found.moment != CONSTANT and _can_call(name, found))
            case _:
                fits = False
        if fits:
            yield of_meaning(meaning)
    if found.moment.draws:
        yield from [of_meaning(meaning) for meaning in all_meanings() if meaning.kind == "distribution"]


def _can_call(name: str, found: Context) -> bool:
    if name in AGGREGATES:
        return found.moment == moments.AT_END
    if name == "cost":
        return found.moment in (moments.STATEMENT, moments.HEADER)
    if name == "blocksize":
        return True
    return _readable(name, found)


def _of_symbol(place: Place, symbol: Symbol, insert: str | None = None) -> Completion:
    text = describe_symbol(symbol, place.reading, place.text)
    rank = 0 if symbol.scope is not None else 1
    return Completion(symbol.name, symbol.kind, symbol.kind, text, insert or symbol.name, "${" in (insert or ""), rank)


def _anything(place: Place) -> list[Completion]:
    """All names, where what stands before the cursor says nothing."""
    found = [_of_symbol(place, symbol) for symbol in place.names.visible(place.offset)]
    found += [of_meaning(meaning) for meaning in meanings_of("now") + meanings_of("inf")]
    return found + [of_meaning(meaning) for meaning in all_meanings() if meaning.kind == "function"]
