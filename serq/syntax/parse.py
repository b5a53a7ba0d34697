"""Program text to syntax tree."""

from __future__ import annotations

from functools import cache

from serq.diagnostics import Diagnostic, SerqError
from serq.source import Source
from serq.syntax.build import Builder
from serq.syntax.nodes import Argument, Expr, Let, Program
from serq.syntax.parser import Parser
from serq.syntax.tables import Tables, load

grammar_tables = cache(load)
"""The parser's tables, read once."""


def parse(source: Source) -> Program:
    """The syntax tree of a program.

    Raises:
        SerqError: at the first token that does not fit (serq.syntax.nodes says what is refused here).
    """
    tables: Tables = grammar_tables()
    parser = Parser(source, tables, explain)
    program: Program = parser.run(Builder(parser).actions(tables.rules))
    return program


def explain(parser: Parser) -> Diagnostic:
    """Why the next token does not fit. The messages are loaded only for programs that have faults."""
    from serq.syntax.faults import unexpected

    return unexpected(parser)


def parse_expression(text: str, what: str) -> Expr:
    """The syntax tree of an expression that stands outside of a program.

    Args:
        what: what the text is, for messages.

    Raises:
        SerqError: without a place; it is no expression.
    """
    # Read as the value of a constant; the line's end closes a comment of the text's.
    try:
        program = parse(Source(what, f"let value = {text}\n; fn main() {{ }}"))
    except SerqError as error:
        reason = error.message
    else:
        let = program.before[0]
        if len(program.before) == 1 and isinstance(let, Let) and not isinstance(let.value, Argument):
            return let.value
        reason = "it is more than one expression"
    raise SerqError(Diagnostic("argument", f"{what}, `{text}`, is not an expression: {reason}"))
