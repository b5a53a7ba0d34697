"""The parser's tables: made from the grammar by Lark, kept as JSON beside this module.

In: `grammar/serq.lark`. Out: `Tables`, what an LALR(1) parser needs and nothing else. Making them takes about a
second and needs Lark; reading them takes about a millisecond and needs only `json`. The file is part of the source;
`python -m serq.syntax.tables` writes it anew after a change of the grammar, and a test compares the two.
"""

from __future__ import annotations

import json
from os import path
from typing import Any

from serq.record import Record

HERE = path.dirname(path.abspath(__file__))
KEPT = path.join(HERE, "tables.json")
GRAMMARS = [path.join(HERE, *up, "grammar", "serq.lark") for up in ((path.pardir,), (path.pardir, path.pardir))]
"""Where the grammar is in an installed package, and in the source tree."""

CLASSES = {
    "$END": "<end>",
    "NAME": "<name>",
    "NUMERAL": "<number>",
    "STRING": "<string>",
    "AGGREGATE": "<aggregate>",
    "ARGS": "<args>",
    "KVT": "<kvt>",
    "STALL": "<stall>",
    "_EXPRESSION_BRACE": "<expression brace>",
    "_STATEMENTS_BRACE": "<statements brace>",
    "UNREADABLE": "<unreadable>",
}
"""Terminals without a spelling of their own, and what the tables call them; the others go by their spelling."""


class Rule(Record):
    """One production.

    Attributes:
        origin: the symbol that it makes.
        size: symbols on its right side.
        action: name of what is built, or None: the only child kept is passed on, or, if `splice`, the list of them.
        picks: the children, by their place on the right side; -1 is an absent optional child.
        spliced: which of `picks` are lists, to be inserted item by item.
        head: length of the word that the right side begins with, 0 if it begins with anything else.
        splice: the value is such a list.
        unit: one symbol is passed on as another.
    """

    origin: str
    size: int
    action: str | None
    picks: list[int]
    spliced: list[int]
    head: int
    splice: bool
    unit: bool


class Tables(Record):
    """The automaton.

    Attributes:
        actions: for each state, by terminal: a state to shift to, or -1 - r to reduce by rule r. A state in which
            only one rule can be reduced has just that number.
        gotos: for each state, by symbol: the state after it was made.
        rules: the productions.
        start: the first state.
        final: the state in which the end of the text is accepted.
    """

    actions: list[dict[str, int] | int]
    gotos: list[dict[str, int]]
    rules: list[Rule]
    start: int
    final: int


def load() -> Tables:
    """The tables kept in the package, or made from the grammar if there are none."""
    try:
        with open(KEPT, encoding="utf-8") as file:
            return decode(json.load(file))
    except FileNotFoundError:
        return decode(make(grammar()))


def grammar() -> str:
    """The text of the grammar."""
    with open(next(filter(path.exists, GRAMMARS)), encoding="utf-8") as file:
        return file.read()


def decode(data: dict[str, Any]) -> Tables:
    """Tables from their JSON form."""
    rows = data["rows"]
    rules = [Rule(*rule) for rule in data["rules"]]
    return Tables([rows[i] for i in data["actions"]], data["gotos"], rules, data["start"], data["final"])


def make(text: str) -> dict[str, Any]:
    """The JSON form of the tables of a grammar; equal rows of actions are stored once."""
    from lark import Lark
    from lark.parsers.lalr_analysis import Shift

    lark = Lark(text, parser="lalr", lexer="basic", maybe_placeholders=True)
    spelling = CLASSES | {t.name: t.pattern.value for t in lark.terminals if t.pattern is not None}
    table = lark.parser.parser._parse_table
    rules = list(lark.rules)
    number = {rule: i for i, rule in enumerate(rules)}
    order = _numbering(table)
    rows: dict[str, int] = {}
    actions: list[int] = []
    gotos: list[dict[str, int]] = []
    for state in order:
        row: dict[str, int] = {}
        goto: dict[str, int] = {}
        for symbol, (action, target) in sorted(table.states[state].items()):
            if action is not Shift:
                row[spelling[symbol]] = -1 - number[target]
            elif symbol in spelling:
                row[spelling[symbol]] = order[target]
            else:
                goto[symbol] = order[target]
        only = set(row.values())
        if len(only) == 1 and min(only) < 0:
            # The one rule may be reduced without a look at the next token: if that is wrong, it is found wrong before
            # it is read.
            entry = json.dumps(only.pop())
        else:
            entry = json.dumps(row)
        actions.append(rows.setdefault(entry, len(rows)))
        gotos.append(goto)
    return {
        "rows": [json.loads(row) for row in rows],
        "actions": actions,
        "gotos": gotos,
        "rules": [_shape(rule, spelling) for rule in rules],
        "start": order[table.start_states["start"]],
        "final": order[table.end_states["start"]],
    }


def _numbering(table: Any) -> dict[Any, int]:
    """States in the order in which they are reached from the first, by the names of symbols: free of hash order."""
    from lark.parsers.lalr_analysis import Shift

    order = {table.start_states["start"]: 0}
    for state in (queue := list(order)):
        for _, (action, target) in sorted(table.states[state].items()):
            if action is Shift and target not in order:
                order[target] = len(order)
                queue.append(target)
    return order


def _shape(rule: Any, spelling: dict[str, str]) -> list[Any]:
    """What Lark's tree builder would do for a production, as data."""
    origin = str(rule.origin.name)
    empties = rule.options.empty_indices if rule.options else ()
    picks: list[int] = []
    spliced: list[int] = []
    symbols = iter(range(len(rule.expansion)))
    for empty in empties or [False] * len(rule.expansion):
        if empty:
            picks.append(-1)
            continue
        place = next(symbols)
        symbol = rule.expansion[place]
        if symbol.name.startswith("_") and not symbol.is_term:
            spliced.append(place)
        elif symbol.is_term and symbol.filter_out:
            continue
        picks.append(place)
    splice = origin.startswith("_")
    passed_on = rule.options is not None and rule.options.expand1 and not rule.alias and len(picks) == 1
    action = None if splice or passed_on else str(rule.alias or origin)
    first = rule.expansion[0] if rule.expansion else None
    word = spelling[first.name] if first is not None and first.is_term else ""
    head = len(word) if word.isalpha() else 0
    unit = passed_on and picks == [0] and len(rule.expansion) == 1
    return [origin, len(rule.expansion), action, picks, spliced, head, splice, unit]


def main() -> None:
    """Write the tables of the grammar into the package."""
    rows = ",\n".join(
        f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}" for key, value in make(grammar()).items()
    )
    with open(KEPT, "w", encoding="utf-8") as file:
        file.write(f"{{\n{rows}\n}}\n")


if __name__ == "__main__":
    main()
