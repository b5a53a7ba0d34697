"""What a call takes, while it is being typed."""

from __future__ import annotations

import re

from serq.lsp.describe import describe_meaning, describe_symbol
from serq.lsp.names import Names, Symbol
from serq.lsp.recover import Reading
from serq.record import Record
from serq.semantics.meanings import meanings_of
from serq.syntax import nodes

_SKIPPED = re.compile(r'//[^\n]*|/\*.*?(?:\*/|\Z)|"[^"\n]*"?', re.DOTALL)


class Signature(Record):
    """A call.

    Attributes:
        label: as it is written.
        parameters: its parameters, each a part of the label.
        active: the number of the one at the cursor.
        text: Markdown about it.
    """

    label: str
    parameters: tuple[str, ...]
    active: int
    text: str


def signature(reading: Reading, names: Names, text: str, offset: int) -> Signature | None:
    """The call around an offset: of a function, a draw, a definition, a time resource, an engine or an entry."""
    before = _SKIPPED.sub(lambda match: " " * len(match[0]), text[max(0, offset - 5000) : offset])
    depth = commas = 0
    for i in range(len(before) - 1, -1, -1):
        sign = before[i]
        if sign in ")]":
            depth += 1
        elif sign in "([":
            if not depth:
                return _called(reading, names, text, before[:i].rstrip(), commas) if sign == "(" else None
            depth -= 1
        elif sign == "," and not depth:
            commas += 1
        elif sign in ";{}" and not depth:
            return None
    return None


def _called(reading: Reading, names: Names, text: str, before: str, active: int) -> Signature | None:
    match = re.search(r"(~\s*)?(?:(\w+)(?:\[[^\]]*\])?\s*\.\s*)?(\w+)\Z", before)
    if match is None:
        return None
    draw, owner, word = match.groups()
    if not draw:
        symbol = _symbol(names, owner, word)
        if symbol is not None:
            parameters = _parameters(symbol)
            label = f"{owner + '.' if owner else ''}{word}({', '.join(parameters)})"
            return Signature(label, parameters, active, describe_symbol(symbol, reading, text))
    for meaning in meanings_of(word, "distribution" if draw else "function"):
        inside = meaning.form.partition("(")[2].rstrip(")")
        parameters = tuple(inside.split(", "))
        return Signature(meaning.form, parameters, min(active, len(parameters) - 1), describe_meaning(meaning))
    return None


def _symbol(names: Names, owner: str | None, word: str) -> Symbol | None:
    if owner is not None:
        queue = names.globals.get(owner)
        return queue.members.get(f"{word} ()") if queue is not None else None
    found = names.globals.get(word)
    if found is not None and found.kind in ("definition", "engine"):
        return found
    devices = [symbol for symbol in names.symbols if symbol.kind == "device"]
    resources = [device.members[word] for device in devices if word in device.members]
    return next((resource for resource in resources if resource.kind == "time resource"), None)


def _parameters(symbol: Symbol) -> tuple[str, ...]:
    node = symbol.nodes[-1]
    if isinstance(node, nodes.Engine):
        node = next((item for item in node.items if isinstance(item, nodes.Request)), None)
    return tuple([name.text for name in (node.parameters if node is not None else None) or ()])
