"""One open text, with all that is asked about it.

What is expensive, reading the text and collecting its names, is done once a text. A text that cannot be read is
answered for by the last one that could, as far as that makes sense: what a name means and where it is declared, if
that place still says so.
"""

from __future__ import annotations

from functools import cached_property

from serq.diagnostics import SerqError
from serq.fmt import format_text
from serq.lsp.calls import Signature, signature
from serq.lsp.checks import Remark, check
from serq.lsp.colours import Colour, colours
from serq.lsp.complete import complete, word_start
from serq.lsp.hover import Hover, hover
from serq.lsp.names import Names, Occurrence, Symbol
from serq.lsp.outline import Entry, folds, outline
from serq.lsp.proposals import Completion
from serq.lsp.recover import Reading, read
from serq.lsp.rename import renamable, rename
from serq.source import Span


class Document:
    """A text.

    Attributes:
        text: the text.
        last: the last text before it that could be read, or None.
    """

    def __init__(self, text: str, before: Document | None = None) -> None:
        """
        Args:
            before: the text that this one has replaced.
        """
        self.text = text
        self.last: Document | None = None
        if before is not None:
            self.last = before if before.reading is not None else before.last

    @cached_property
    def reading(self) -> Reading | None:
        return read(self.text)

    @cached_property
    def names(self) -> Names | None:
        return None if self.reading is None else Names(self.reading)

    def remarks(self) -> list[Remark]:
        """What is wrong, or worth a remark."""
        return check(self.text, self.reading, self.names)

    def hover(self, offset: int) -> Hover | None:
        """What the word at an offset means."""
        if self.reading is not None and self.names is not None:
            return hover(self.reading, self.names, self.text, offset)
        old = self._in_last(offset)
        if old is None or self.last is None:
            return None
        found = self.last.hover(old.span.start)
        return None if found is None else Hover(found.text, self._word(offset))

    def complete(self, offset: int) -> tuple[Span, list[Completion]]:
        """What may be typed at an offset, and the word that it would replace."""
        start = word_start(self.text, offset)
        known = self if self.reading is not None else self.last
        if known is None or known.reading is None or known.names is None:
            return Span(start, offset), []
        typed = self.text[:offset]
        proposals = complete(known.reading, known.names, known.text, typed, repaired=known is self)
        if start > 0 and self.text[start - 1] == "~":
            # Distributions are proposed with their sign.
            proposals = [each for each in proposals if each.label.startswith("~")]
            start -= 1
        return Span(start, offset), proposals

    def definition(self, offset: int) -> list[Span]:
        """Where what is named at an offset is declared."""
        return self._places(offset, lambda symbol: symbol.declared)

    def references(self, offset: int, *, declarations: bool = True) -> list[Span]:
        """All places that name the same."""
        return self._places(offset, lambda symbol: symbol.places if declarations else sorted(symbol.uses))

    def _places(self, offset: int, chosen: object) -> list[Span]:
        assert callable(chosen)
        if self.names is not None:
            found = self.names.at(offset)
            return list(chosen(found.target)) if found is not None and isinstance(found.target, Symbol) else []
        old = self._in_last(offset)
        if old is None or not isinstance(old.target, Symbol):
            return []
        name = old.target.name
        return [span for span in chosen(old.target) if self.text[span.start : span.end] == name]

    def rename_place(self, offset: int) -> Span | None:
        """The name at an offset, if it can be renamed."""
        found = None if self.names is None else renamable(self.names, offset)
        return None if found is None else found[1]

    def rename(self, offset: int, new: str) -> list[Span]:
        """The places that a new name replaces.

        Raises:
            SerqError: it cannot be.
        """
        return [] if self.names is None else rename(self.names, self.text, offset, new)

    def outline(self) -> list[Entry]:
        return [] if self.reading is None else outline(self.reading)

    def folds(self) -> list[Span]:
        return [] if self.reading is None else folds(self.reading)

    def colours(self) -> list[Colour]:
        if self.reading is None or self.names is None:
            return []
        return colours(self.reading, self.names, self.text)

    def signature(self, offset: int) -> Signature | None:
        """The call around an offset."""
        known = self if self.names is not None else self.last
        if known is None or known.reading is None or known.names is None:
            return None
        return signature(known.reading, known.names, self.text, offset)

    def formatted(self) -> str | None:
        """The text in the one layout; None if it does not parse."""
        try:
            return format_text(self.text)
        except SerqError:
            return None

    def _word(self, offset: int) -> Span:
        start = word_start(self.text, offset)
        end = offset
        while end < len(self.text) and (self.text[end].isalnum() or self.text[end] == "_"):
            end += 1
        return Span(start, end)

    def _in_last(self, offset: int) -> Occurrence | None:
        """A place in the last good text that names what the word at an offset names in this one."""
        if self.last is None or self.last.names is None:
            return None
        word = self.text[slice(*self._word(offset))]
        named = [each for each in self.last.names.occurrences if self.last.text[slice(*each.span)] == word]
        return min(named, key=lambda each: abs(each.span.start - offset), default=None)
