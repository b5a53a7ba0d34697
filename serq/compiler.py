"""A program's text to its intermediate representation, the stages in order.

    parse         text -> syntax tree                                       (syntax)
    expand        definitions are written out                               (semantics)
    check_words   names are not words with a meaning
    assemble      devices, engines, queues, entries -> pools, stages, statements
    check_names   each name has one meaning
    link          names -> numbers: the representation, attribute types open
    validate      what is linked makes sense
    check_types   plain numbers and costs are not confused: the attributes' types

The first fault that a stage finds is the one that a user hears of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from serq.diagnostics import Diagnostic, SerqError
from serq.ir.captions import Captions
from serq.ir.nodes import Ir
from serq.nesting import room_to_recurse
from serq.semantics.assemble import assemble
from serq.semantics.expand import expand
from serq.semantics.link import Linked, link
from serq.semantics.names import check_names, check_words
from serq.semantics.text import Text
from serq.semantics.types import check_types
from serq.semantics.validate import validate
from serq.source import Source
from serq.syntax import nodes
from serq.syntax.parse import parse, parse_expression

PROGRAM = "program"
"""The name of a program's text in messages, whatever file it came from."""


def compile_source(
    text: str,
    *,
    sets: Mapping[str, float | str] = {},
    defs: Mapping[str, str] = {},
    seed: int | None = None,
    horizon: float | None = None,
    warmup: float | None = None,
    arrivals: int | None = None,
    trace: str | None = None,
) -> Ir:
    """Compile a program.

    Args:
        text: the program.
        sets: values of its arguments, numbers or texts of constant expressions.
        defs: texts of expressions that replace the bodies of definitions.
        seed, horizon, warmup, arrivals: settings of a run (serq.ir.settings checks them).
        trace: path of a trace instead of the program's.

    Raises:
        SerqError: the program is refused; the first fault is told.
    """
    source = Source(PROGRAM, text)
    with room_to_recurse():
        try:
            program = _compile(source, _arguments(sets), _bodies(defs))
        except SerqError as error:
            _placed(error, source)
    return program._replace(
        seed=1 if seed is None else seed,
        horizon=horizon,
        warmup=0.0 if warmup is None else warmup,
        arrivals=arrivals,
        trace=program.trace if trace is None else trace,
    )


def caption_source(
    text: str, *, sets: Mapping[str, float | str] = {}, defs: Mapping[str, str] = {}
) -> tuple[Ir, Captions]:
    """A program's representation, without settings of a run, and how its text spells what is folded in it.

    Args:
        text, sets, defs: as for `compile_source`.

    Raises:
        SerqError: the program is refused; the first fault is told.
    """
    from serq.semantics.captions import captions

    source, bodies = Source(PROGRAM, text), _bodies(defs)
    with room_to_recurse():
        try:
            parsed = parse(source)
            linked = _link(parsed, source, _arguments(sets), bodies)
            program = linked.program._replace(attr_types=check_types(linked))
        except SerqError as error:
            _placed(error, source)
        return program, captions(parsed, bodies, linked.model, program)


def _compile(source: Source, sets: Mapping[str, float | nodes.Expr], defs: Mapping[str, nodes.Expr]) -> Ir:
    linked = _link(parse(source), source, sets, defs)
    return linked.program._replace(attr_types=check_types(linked))


def _link(
    parsed: nodes.Program, source: Source, sets: Mapping[str, float | nodes.Expr], defs: Mapping[str, nodes.Expr]
) -> Linked:
    program = expand(parsed, defs)
    check_words(program)
    model = assemble(program, sets, Text(source))
    check_names(program, model.implicit_tool)
    linked = link(model)
    validate(linked)
    return linked


def _arguments(sets: Mapping[str, float | str]) -> dict[str, float | nodes.Expr]:
    return {
        name: parse_expression(value, f"the value given for `{name}`") if isinstance(value, str) else value
        for name, value in sets.items()
    }


def _bodies(defs: Mapping[str, str]) -> dict[str, nodes.Expr]:
    return {name: parse_expression(body, f"the body given for `{name}`") for name, body in defs.items()}


def _placed(error: SerqError, source: Source) -> NoReturn:
    """Raise the error with the text that its places are in; the stages of the semantics do not know it."""
    fault: Diagnostic = error.diagnostic
    if fault.source is not None:
        raise error
    raise SerqError(fault._replace(source=source)) from None
