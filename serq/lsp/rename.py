"""Renaming: every place that names something, and nothing else, if the program stays what it is."""

from __future__ import annotations

from serq.compiler import compile_source
from serq.diagnostics import Diagnostic, SerqError
from serq.lsp.names import Names, Symbol
from serq.lsp.recover import plain
from serq.source import Source, Span
from serq.syntax.lexer import is_word, tokenize


def renamable(names: Names, offset: int) -> tuple[Symbol, Span] | None:
    """What is named at an offset, if the program declares it, and the name's place."""
    found = names.at(offset)
    if found is None or not isinstance(found.target, Symbol) or found.target.kind == "entry":
        return None
    return found.target, found.span


def rename(names: Names, text: str, offset: int, new: str) -> list[Span]:
    """The places to be replaced by a new name.

    Raises:
        SerqError: there is nothing to rename, the new name is none, or the program would be refused with it.
    """
    found = renamable(names, offset)
    if found is None:
        raise _refusal("only names that the program declares can be renamed")
    symbol, _ = found
    if not _is_name(new):
        raise _refusal(f"`{new}` is no name: a letter or `_`, then letters, digits and `_`")
    places = symbol.places
    if new == symbol.name:
        return []
    if any(other.name == new for other in names.symbols if other is not symbol and _meet(other, symbol)):
        raise _refusal(f"the program has a `{new}` already")
    fault = _fault(replaced(text, places, new))
    if fault is not None and _fault(text) is None:
        raise _refusal(f"`{symbol.name}` cannot be called `{new}`: {fault.message}")
    return places


def replaced(text: str, places: list[Span], new: str) -> str:
    """A text with other words in some places."""
    pieces, end = [], 0
    for span in places:
        pieces += [text[end : span.start], new]
        end = span.end
    return "".join([*pieces, text[end:]])


def _meet(a: Symbol, b: Symbol) -> bool:
    """Whether two names can be read in one place."""
    if a.scope is None or b.scope is None:
        return True
    return a.scope.start < b.scope.end and b.scope.start < a.scope.end


def _is_name(word: str) -> bool:
    try:
        kinds = tokenize(Source("name", word)).kinds
    except SerqError:
        return False
    return len(kinds) == 2 and is_word(kinds[0]) and kinds[0] == word


def _fault(text: str) -> SerqError | None:
    try:
        compile_source(plain(text))
    except SerqError as error:
        return error
    return None


def _refusal(message: str) -> SerqError:
    return SerqError(Diagnostic("rename", message))
