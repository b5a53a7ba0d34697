"""Program text in colour, for Pygments: the book, and whatever else shows programs by it.

In: a text, which may be a part of a program. Out: Pygments' tokens, which together are the text. Keywords are what the
parser takes for keywords (serq.syntax.roles), and names are told apart by the lists of the language.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pygments.lexer import Lexer
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String, Text, Whitespace
from pygments.token import _TokenType as TokenType

from serq.semantics.words import BUILT_IN, SUPPLIED
from serq.syntax import lexer, roles
from serq.syntax.words import DISTRIBUTIONS, FUNCTIONS

CALLED = FUNCTIONS | {"cost"}
MAY_CALL = frozenset(["def", "tool", lexer.NAME])
"""Words before a call; after any other keyword what stands before a parenthesis is a pool or a stage."""
PUNCTUATION = frozenset("(){}[],;:.")
SHORTENED = "…"
"""What stands in a part of a program for what was left out."""


class SerqLexer(Lexer):
    """Pygments' lexer for `.sq` programs."""

    name = "serq"
    aliases: ClassVar[list[str]] = ["serq", "sq"]
    filenames: ClassVar[list[str]] = ["*.sq"]

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, TokenType, str]]:
        """Offset, kind and text of each token, comments and blanks included."""
        found = roles.tokens(text)
        end = 0
        for i, token in enumerate(found):
            yield from between(text, end, token.start)
            after = found[i + 1].kind if i + 1 < len(found) else ""
            before = found[i - 1].kind if i else ""
            spelling = text[token.start : token.end]
            yield token.start, kind_of(token.kind, spelling, before, after), spelling
            end = token.end
        yield from between(text, end, len(text))


def kind_of(kind: str, spelling: str, before: str, after: str) -> TokenType:
    """What Pygments calls a token.

    Args:
        kind: as in `serq.syntax.roles`.
        before, after: kinds of the tokens beside it.
    """
    if kind == lexer.NAME:
        return kind_of_name(spelling, before, after)
    if kind == lexer.NUMBER:
        return Number
    if kind == lexer.STRING:
        return String
    if lexer.is_word(kind):
        return Keyword
    return Punctuation if kind in PUNCTUATION else Operator


def kind_of_name(spelling: str, before: str, after: str) -> TokenType:
    """What Pygments calls a name: the language's own in expressions, what is called, and all others."""
    if before == "~":
        return Name.Builtin if spelling in DISTRIBUTIONS else Name.Function
    if after == "(" and (before in MAY_CALL or not lexer.is_word(before or "(")):
        return Name.Builtin if spelling in CALLED else Name.Function
    if before == ".":
        return Name.Attribute
    return Name.Builtin.Pseudo if spelling in SUPPLIED or spelling in BUILT_IN else Name


def between(text: str, start: int, end: int) -> Iterator[tuple[int, TokenType, str]]:
    """Blanks, comments, and what is no part of the language."""
    for match in lexer.GAP.finditer(text, start, end):
        found = match.group()
        if match["comment"] is not None:
            kind = Comment.Single if found.startswith("//") else Comment.Multiline
        elif found.isspace():
            kind = Whitespace
        else:
            kind = Text if found == SHORTENED else Error
        yield match.start(), kind, found
