"""What is wrong with a program, and what about it is worth a remark.

In: a text. Out: `Remark`s. The compiler tells one fault, the first. A program without one is looked over for names
that nothing reads, which is no fault, and for definitions that could not be used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from serq.compiler import compile_source
from serq.diagnostics import Diagnostic, Label, SerqError
from serq.lsp.names import Names, walk
from serq.lsp.recover import Reading, plain
from serq.record import Record
from serq.source import Span
from serq.syntax import nodes

ERROR, WARNING, HINT = "error", "warning", "hint"

UNREAD = {
    "constant": "the constant `{}` is never read",
    "argument": "the argument `{}` is never read",
    "definition": "the definition `{}` is never used",
    "attribute": "the attribute `{}` is set and never read",
    "parameter": "the parameter `{}` is never read",
}
"""What is said of names that nothing reads, by kind."""


class Remark(Record):
    """One thing to show.

    Attributes:
        level: `error`, `warning` or `hint`.
        code: the kind of fault.
        message: one sentence.
        hint: what to do, or None.
        span: where.
        labels: further places.
        fix: what to write in place of the span, if that is known.
    """

    level: str
    code: str
    message: str
    hint: str | None
    span: Span
    labels: tuple[Label, ...]
    fix: str | None


def check(text: str, reading: Reading | None, names: Names | None) -> list[Remark]:
    """The first fault of a program, or else what is worth a remark."""
    try:
        compile_source(plain(text))
    except SerqError as error:
        return [_remark(error.diagnostic, text)]
    if reading is None or names is None or not reading.whole:
        return []
    return [*_unusable(reading), *_unread(names)]


def _remark(fault: Diagnostic, text: str) -> Remark:
    return Remark(ERROR, fault.kind, fault.message, fault.hint, _place(fault, text), fault.labels, _fix(fault))


def _place(fault: Diagnostic, text: str) -> Span:
    """Where a fault is shown: what is about the whole program stands at `main`, or at its beginning."""
    if fault.span is not None:
        return Span(min(fault.span.start, len(text)), min(max(fault.span.end, fault.span.start + 1), len(text)))
    match = re.search(r"\bmain\b", text)
    return Span(*match.span()) if match else Span(0, min(1, len(text)))


def _fix(fault: Diagnostic) -> str | None:
    match = re.fullmatch(r"did you mean `([^`]+)`\?", fault.hint or "")
    return match[1] if match and fault.span is not None else None


def _unusable(reading: Reading) -> Iterator[Remark]:
    for node in walk((reading.program.before, reading.program.items)):
        if isinstance(node, nodes.Def) and isinstance(node.body, nodes.Unreadable):
            fault = node.body.fault
            message = f"the definition `{node.name.text}` cannot be used: {fault.message}"
            yield Remark(WARNING, "definition", message, fault.hint, fault.span or node.name.span, (), None)


def _unread(names: Names) -> Iterator[Remark]:
    for symbol in names.symbols:
        if symbol.kind in UNREAD and not symbol.uses:
            for place in symbol.declared:
                yield Remark(HINT, "unread", UNREAD[symbol.kind].format(symbol.name), None, place, (), None)
