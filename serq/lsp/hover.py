"""What a word means where it stands."""

from __future__ import annotations

from serq.lsp.contexts import Context, context
from serq.lsp.describe import describe_meaning, describe_symbol
from serq.lsp.names import BuiltIn, Names, Symbol
from serq.lsp.recover import Reading
from serq.record import Record
from serq.semantics import moments
from serq.semantics.meanings import Meaning, meaning_in, meanings_of
from serq.source import Span

TELLING = {
    moments.EVICT: "eviction",
    moments.PREEMPT: "preemption",
    moments.KEYS: "advance",
    moments.ONLY: "advance",
    moments.ITERATION: "claim",
}
"""Words that tell apart the moments of names with several meanings."""


class Hover(Record):
    """What is told, in Markdown, and about which text."""

    text: str
    span: Span


def hover(reading: Reading, names: Names, text: str, offset: int) -> Hover | None:
    """What is told about the word at an offset; None if there is none, or nothing to tell."""
    found = names.at(offset)
    if found is None:
        return _keyword(reading, offset)
    target = found.target
    if isinstance(target, Symbol):
        return Hover(describe_symbol(target, reading, text), found.span)
    meaning = built_in_meaning(target, context(reading.text[: found.span.start]))
    return None if meaning is None else Hover(describe_meaning(meaning), found.span)


def built_in_meaning(name: BuiltIn, place: Context | None) -> Meaning | None:
    """The meaning that a supplied name has at a place."""
    meanings = meanings_of(name.name, name.kind)
    telling = TELLING.get(place.moment, "clauses of an engine") if place is not None else ""
    fitting = [meaning for meaning in meanings if telling in meaning.moment]
    return next(iter(fitting or meanings), None)


def _keyword(reading: Reading, offset: int) -> Hover | None:
    """What a word of the grammar means: itself, or what it is a part of."""
    tokens, parts = reading.concrete.tokens, reading.concrete.parts
    for token, (start, end) in enumerate(zip(tokens.starts, tokens.ends, strict=True)):
        if start <= offset <= end and reading.text[start:end].isidentifier():
            around = [part.rule for part in parts if part.first <= token < part.last]
            meaning = meaning_in(reading.text[start:end], around)
            if meaning is None:
                head = parts[reading.concrete.owner[token]].own[0]
                word = reading.text[tokens.starts[head] : tokens.ends[head]]
                meaning = meaning_in(word, around[:1])
            return None if meaning is None else Hover(describe_meaning(meaning), Span(start, end))
    return None
