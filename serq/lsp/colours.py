"""What each word of a program is, for editors that colour by meaning."""

from __future__ import annotations

import re

from serq.lsp.names import Names, Symbol
from serq.lsp.recover import Reading
from serq.record import Record
from serq.source import Span
from serq.syntax import lexer

KINDS = (
    "keyword",
    "variable",
    "property",
    "parameter",
    "function",
    "class",
    "namespace",
    "number",
    "string",
    "comment",
)
"""The kinds, as the Language Server Protocol calls them, in the order in which they are numbered."""

MODIFIERS = ("declaration", "readonly", "defaultLibrary")

_KIND_OF = {
    "constant": "variable",
    "argument": "variable",
    "definition": "function",
    "time resource": "function",
    "entry": "function",
    "attribute": "property",
    "binding": "property",
    "register": "property",
    "parameter": "parameter",
    "index": "parameter",
    "schedule let": "variable",
    "observation": "property",
    "gauge": "property",
    "claim": "property",
    "stall": "property",
}


class Colour(Record):
    """A word, what it is, and what else: numbers of `KINDS` and, as bits, of `MODIFIERS`."""

    span: Span
    kind: int
    modifiers: int


def colours(reading: Reading, names: Names, text: str) -> list[Colour]:
    """Every word, number, string and comment, in the order of the text."""
    found = {}
    tokens = reading.concrete.tokens
    for number, kind in enumerate(tokens.kinds[:-1]):
        span = tokens.span(number)
        if lexer.is_word(kind):
            found[span] = Colour(span, KINDS.index("keyword"), 0)
        elif kind in (lexer.NUMBER, lexer.STRING):
            found[span] = Colour(span, KINDS.index(kind.strip("<>")), 0)
    for span, target in names.occurrences:
        if isinstance(target, Symbol):
            kind = _KIND_OF.get(target.kind, "class")
            modifiers = (span in target.declared) + 2 * (target.kind in ("constant", "argument"))
        else:
            kind = "function" if target.kind in ("function", "distribution") else "variable"
            modifiers = 4
        found[span] = Colour(span, KINDS.index(kind), modifiers)
    ends = [0, *tokens.ends]
    for start, end in zip(ends, [*tokens.starts, len(text)], strict=False):
        if "/" in text[start:end]:
            for match in re.finditer(r"//[^\n]*|/\*.*?\*/", text[start:end], re.DOTALL):
                for line in re.finditer(r"[^\r\n]+", match[0]):
                    at = start + match.start() + line.start()
                    span = Span(at, at + len(line[0]))
                    found[span] = Colour(span, KINDS.index("comment"), 0)
    return sorted(found.values(), key=lambda colour: colour.span)
