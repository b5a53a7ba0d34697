"""Which words of a text are keywords: for whoever shows programs in colour.

No word is reserved, so spelling does not tell; the parser knows. In: a text, which may be a part of a program or
broken. Out: its tokens, each with what the parser took it for. A part is tried in the places where parts stand; what
comes after the first token that fits nowhere is told by spelling.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from serq.diagnostics import Diagnostic, SerqError
from serq.source import Source
from serq.syntax import lexer
from serq.syntax.parser import UNREADABLE, Parser
from serq.syntax.tables import Tables, load
from serq.syntax.words import WORDS

PLACES = (
    ("", ""),
    ("fn main() {", "}"),
    ("fn main() { server {", "} }"),
    ("fn main() { workload {", "} }"),
    ("fn main() { pool p {", "} }"),
    ("fn main() { engine e on d {", "} }"),
    ("fn main() { engine e on d { request () {", "} } }"),
    ("fn main() { engine e on d { schedule {", "} } }"),
    ("fn main() { device d {", "} }"),
    ("fn main() { queue q {", "} }"),
    ("let x =", "; fn main() { }"),
)
"""What may stand around a part of a program, from the most common on."""


class Token(NamedTuple):
    """A token that is no blank, comment or fault.

    Attributes:
        start, end: its characters.
        kind: as in `serq.syntax.lexer`; a word's own spelling where it is a keyword, `NAME` where it is a name.
    """

    start: int
    end: int
    kind: str


class _Reader(Parser):
    """A parse that makes nothing and notes which tokens were taken for names."""

    def __init__(self, source: Source, tables: Tables) -> None:
        super().__init__(source, tables, _stop)
        self.names: set[int] = set()
        self.read = 0

    def read_all(self) -> None:
        """Read as far as the text fits; `read` is the token after."""
        actions = [None if rule.action is None else _nothing for rule in self.tables.rules]
        try:
            self.run(actions)
        except SerqError:
            self.read = self.at
        else:
            self.read = len(self.tokens.kinds)
        unread = [(opener, after) for opener, (kind, after) in self.bodies.items() if kind == UNREADABLE]
        if unread:
            self.read = min(self.read, unread[0][0] + 1)

    def _value(self, kind: str) -> Any:
        if kind == lexer.NAME:
            self.names.add(self.at)
        return super()._value(kind)


def _nothing(*_: Any) -> None:
    """An action that makes nothing."""


def _stop(parser: Parser) -> Diagnostic:
    return Diagnostic("syntax", "", parser.next_span)


_tables: Callable[[], Tables] = cache(load)


def tokens(text: str) -> list[Token]:
    """The tokens of a text, whatever it is."""
    # A fault, such as the dots of a shortened program, becomes blanks: offsets stay.
    clean = lexer.without_faults(text)
    best, before = None, 0
    for head, tail in PLACES:
        reader = _Reader(Source("", f"{head} {clean}\n{tail}"), _tables())
        reader.read_all()
        outside = len(lexer.tokenize(Source("", head)).kinds) - 1
        if best is None or reader.read - outside > best.read - before:
            best, before = reader, outside
            shift = len(head) + 1
        if reader.read == len(reader.tokens.kinds):
            break
    assert best is not None
    found = []
    for at in range(before, len(best.tokens.kinds)):
        start, end = best.tokens.starts[at] - shift, best.tokens.ends[at] - shift
        if start >= len(clean):
            break
        kind = best.tokens.kinds[at]
        if lexer.is_word(kind):
            spelling = clean[start:end]
            is_name = at in best.names if at < best.read else spelling not in WORDS
            kind = lexer.NAME if is_name else spelling
        found.append(Token(start, end, kind))
    return found
