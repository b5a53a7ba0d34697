"""Places of tokens that the syntax tree does not keep, found in the text."""

from __future__ import annotations

import re
from typing import Any

from serq.semantics.rewrite import last_offset
from serq.source import Source, Span

_SKIPPED = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_TOKEN = re.compile(r"\w+|==|!=|<=|>=|&&|\|\||.", re.DOTALL)


class Text:
    """A program's text."""

    def __init__(self, source: Source) -> None:
        self.text = source.text

    def token_after(self, offset: int) -> Span:
        """The token that begins at or after an offset; empty at the end of the text."""
        skipped = _SKIPPED.match(self.text, offset)
        start = skipped.end() if skipped else offset
        token = _TOKEN.match(self.text, start)
        return Span(start, token.end() if token else start)

    def after(self, offset: int, sign: str) -> Span:
        """The token after the next `sign` at or after an offset."""
        return self.token_after(self.sign(offset, sign).end)

    def sign(self, offset: int, sign: str) -> Span:
        """The next token at or after an offset that is `sign`."""
        token = self.token_after(offset)
        while token.start < token.end and self.text[token.start : token.end] != sign:
            token = self.token_after(token.end)
        return token

    def end_of_statement(self, statement: Any) -> Span:
        """The semicolon that ends a statement without blocks."""
        return self.sign(last_offset(statement), ";")
