"""Program text to syntax tree."""

from __future__ import annotations

from functools import cache

from serq.source import Source
from serq.syntax.build import Builder
from serq.syntax.nodes import Program
from serq.syntax.parser import Parser
from serq.syntax.tables import Tables, load

_tables = cache(load)


def parse(source: Source) -> Program:
    """The syntax tree of a program.

    Raises:
        SerqError: at the first token that does not fit (serq.syntax.nodes says what is refused here).
    """
    tables: Tables = _tables()
    parser = Parser(source, tables)
    program: Program = parser.run(Builder(parser).actions(tables.rules))
    return program
