"""Program text to its concrete syntax: which rule of the grammar every token belongs to.

In: a `Source`. Out: a `Concrete`. For what works on the text itself, a formatter or an editor, the syntax tree has
thrown too much away. This keeps everything, flat: parts are listed with the tokens that they cover, the inner before
the outer, so nothing that reads them needs to recurse however deeply a program nests.

The parser is the same (serq.syntax.parser), with other actions. Hence what only the actions of the syntax tree refuse,
a library that does not exist or an engine without a schedule, is no fault here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from serq.record import Record
from serq.source import Source
from serq.syntax.lexer import Tokens
from serq.syntax.nodes import Unreadable
from serq.syntax.parse import explain, grammar_tables
from serq.syntax.parser import UNREADABLE, Parser
from serq.syntax.tables import Rule


class Part(Record):
    """The text that a rule of the grammar covers.

    Attributes:
        rule: the rule; where it has alternatives with names of their own, that name.
        first, last: its tokens, `last` excluded.
        own: those of them that belong to no part within it.
    """

    rule: str
    first: int
    last: int
    own: list[int]


class Concrete(Record):
    """A program's concrete syntax.

    Attributes:
        tokens: the tokens, and the end of the text as the last one.
        parts: the parts, each after those within it; rules that only pass on another have none.
        owner: for each token, the number of the part that it belongs to.
        unreadable: the tokens `{` of definitions whose bodies do not parse, each with the token after its `}`.
    """

    tokens: Tokens
    parts: list[Part]
    owner: list[int]
    unreadable: dict[int, int]

    def rule_of(self, token: int) -> str:
        """The rule that a token belongs to."""
        return self.parts[self.owner[token]].rule


def read_concrete(source: Source) -> Concrete:
    """The concrete syntax of a program.

    Raises:
        SerqError: at the first token that does not fit.
    """
    tables = grammar_tables()
    plain = [rule._replace(action="", picks=[*range(rule.size)], spliced=[], head=0) for rule in tables.rules]
    parser = Parser(source, tables._replace(rules=plain), explain)
    parts: list[Part] = []
    starts = {start: token for token, start in enumerate(parser.tokens.starts)}
    parser.run([_action(rule, parser, starts, parts) for rule in tables.rules])
    owner = [len(parts) - 1] * len(parser.tokens.kinds)
    for number, part in enumerate(parts):
        for token in part.own:
            owner[token] = number
    unreadable = {opener: after for opener, (kind, after) in parser.bodies.items() if kind == UNREADABLE}
    return Concrete(parser.tokens, parts, owner, unreadable)


def _action(rule: Rule, parser: Parser, starts: dict[int, int], parts: list[Part]) -> Callable[..., Part]:
    name = rule.action or rule.origin
    # Repetitions, which Lark makes rules of, and splices are not for themselves: their tokens go to who has them.
    inner = rule.origin.startswith("_")

    def make(*children: Any) -> Part:
        first = at = starts[children[-1].start]
        own: list[int] = []
        for child in children[:-1]:
            if isinstance(child, Part):
                if child.rule == "":
                    own = child.own if not own else own + child.own
                at = child.last
            else:
                own.append(at)
                at = parser.bodies[at][1] if isinstance(child, Unreadable) else at + 1
        part = Part("" if inner else name, first, at, own)
        if not inner:
            parts.append(part)
        return part

    return make
