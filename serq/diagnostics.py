"""What is wrong with a program or a run, as a record, and its printed form.

A stage builds a `Diagnostic` from facts where it finds the fault; only this module turns it into text.
"""

from __future__ import annotations

from typing import NamedTuple

from serq.source import Source, Span


class Label(NamedTuple):
    """A further place that a message speaks of."""

    span: Span
    text: str


class Diagnostic(NamedTuple):
    """One fault.

    Attributes:
        kind: a short name that tests use.
        message: one sentence, names in backticks.
        span: the token that a reader would change; None where no place makes sense.
        labels: further places.
        hint: what to type instead.
        source: the text that the spans are in.
    """

    kind: str
    message: str
    span: Span | None = None
    labels: tuple[Label, ...] = ()
    hint: str | None = None
    source: Source | None = None


class SerqError(ValueError):
    """A program, a setting or a run that serq refuses.

    Attributes:
        line, column: place in the program, from 1; None without one.
        message: the sentence.
        hint: what to do, or None.
        kind: the diagnostic's kind.
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        self.kind = diagnostic.kind
        self.message = diagnostic.message
        self.hint = diagnostic.hint
        self.line: int | None = None
        self.column: int | None = None
        if diagnostic.span is not None and diagnostic.source is not None:
            self.line, self.column = diagnostic.source.place(diagnostic.span.start)
        super().__init__(render(diagnostic))

    def __reduce__(self) -> tuple[type[SerqError], tuple[Diagnostic]]:
        # An exception is pickled as the arguments of its base, which are the text alone.
        return type(self), (self.diagnostic,)


WIDTH = 120
"""Characters of a source line that are shown."""


def _excerpt(source: Source, span: Span) -> list[str]:
    """The line of a span with a caret below it; long lines are cut around the caret."""
    line, column = source.place(span.start)
    text, column = _cut(source.line(line), column)
    head = f"{line} | "
    width = max(1, min(span.end - span.start, len(text) - (column - 1)))
    blank = "".join("\t" if character == "\t" else " " for character in text[: column - 1])
    return [head + text, " " * len(head) + blank + "^" * width]


def _cut(text: str, column: int) -> tuple[str, int]:
    """At most `WIDTH` characters of a line, those around a column, and the column among them."""
    if len(text) <= WIDTH:
        return text, column
    first = max(0, column - WIDTH // 2)
    head = "..." if first else ""
    tail = "..." if len(text) > first + WIDTH else ""
    return head + text[first + len(head) : first + WIDTH - len(tail)] + tail, column - first


def render(diagnostic: Diagnostic, file: str | None = None) -> str:
    """The printed form: place and sentence, the source line with a caret, the hint.

    Args:
        file: put before the place, as compilers do.
    """
    prefix = f"{file}: " if file else ""
    lines = []
    span, source = diagnostic.span, diagnostic.source
    if span is not None and source is not None:
        line, column = source.place(span.start)
        place = f"{line}:{column}: "
        prefix = f"{file}:{place}" if file else place
        lines = _excerpt(source, span)
        for label in diagnostic.labels:
            lines += [f"{label.text}:", *_excerpt(source, label.span)]
    result = [prefix + diagnostic.message, *lines]
    if diagnostic.hint:
        result.append(f"help: {diagnostic.hint}")
    return "\n".join(result)
