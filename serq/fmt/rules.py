"""What the rules of the grammar ask of a layout: where no blank stands, where a line may break, where one must end.

In: `Words`. Out: `Marks`. Everything about single constructs is in the tables at the top; the layout itself knows
brackets, statements and levels only.
"""

from __future__ import annotations

from serq.fmt.words import Words
from serq.record import Record

CLOSE_PARENTHESIS = frozenset("call draw fifo ps def argument start arrive".split())
"""Rules whose parenthesis follows the word before it without a blank: `min(a, b)`, but `branch (a)`."""

OPEN_BRACKET = "member_amount"
"""The rule whose bracket has a blank before it: `tool [1] 4`, but `a[1]`."""

PREFIXES = frozenset(("negative", "not", "draw"))

UNITS = frozenset(
    """start def device engine queue_engine request schedule at_admission_block pool queue entry workload init
    turn_block session server fork loop while branch branch_with hold schedule_branch""".split()
)
"""What stands on a line of its own and may end without a semicolon."""

CLAUSES = {
    "taking_clause": "taking",
    "only": "only",
    "gate": "while",
    "each_at_most": "each",
    "order_admission": "admission",
    "order_decode_first": "decode",
    "keys": "by",
    "prefix": "prefix",
    "reuse": "reuse",
    "at_admission": "at",
    "cache_clause": "cache",
    "lease_clause": "lease",
    "growing": "growing",
    "transfer": "from to",
    "entry_call": "from to",
    "source": "from",
    "preempt_by": "requeue",
    "spill": "via when",
    "claim": "given :",
    "wait": "latency",
}
"""The words before which a statement may be broken, by rule."""

OPERATORS = {
    "conditional": 3,
    "or": 4,
    "and": 5,
    **dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"), 6),
    "add": 7,
    "subtract": 7,
    "multiply": 8,
    "divide": 8,
}
"""Ranks of operators, the loosest first; a line is broken before them."""

CLAUSE, LIST, RESERVE, PARENTHESIS = 0, 1, 2, 1 << 20
"""The other ranks. A line that is too long is broken where the rank is least, and outside of brackets first; behind a
parenthesis only where nothing else helps."""

NEVER, BY_AUTHOR = -1, 1 << 30
"""Levels of places where no line is broken, and where one is only if the author did."""

OPENERS = {"(": ")", "[": "]", "{": "}"}


class Marks(Record):
    """The layout's view of words, each list with an entry for every word.

    Attributes:
        tight: no blank stands before it.
        level: how willingly a line is broken before it; the less the more.
        ends: a line ends with it, unless it is within braces that stand on one line.
        partner: of a bracket, the other one; else -1.
        within: the innermost parenthesis or bracket around it, of those in the innermost braces; -1 if there is none.
            Of a closing one, its partner.
        operator: it is an operator before which a line may be broken.
    """

    tight: list[bool]
    level: list[int]
    ends: list[bool]
    partner: list[int]
    within: list[int]
    operator: list[bool]


def mark(words: Words) -> Marks:
    """The marks of a program's words."""
    texts, concrete, count = words.texts, words.concrete, len(words.texts)
    marks = Marks([False] * count, [NEVER] * count, [False] * count, [-1] * count, [-1] * count, [False] * count)
    closing = {part.last for part in concrete.parts if part.rule in UNITS}
    open_brackets: list[int] = []
    depth = 0
    depths: list[int] = []
    for i, (text, token) in enumerate(zip(texts[:-1], words.tokens, strict=False)):
        rule = concrete.rule_of(token)
        before = texts[i - 1] if i else ""
        marks.tight[i] = _is_tight(before, text, rule, concrete.rule_of(words.tokens[i - 1]) if i else "")
        marks.ends[i] = text == ";" or words.tokens[i + 1] in closing
        if text in (")", "]", "}"):
            opener = open_brackets.pop()
            marks.partner[i], marks.partner[opener] = opener, i
            depth = depths.pop()
        rank = _rank(before, text, rule)
        if rank is not None:
            marks.level[i] = BY_AUTHOR if rank == BY_AUTHOR else 10 * depth + rank
            marks.operator[i] = rule in OPERATORS
        around = open_brackets[-1] if open_brackets else -1
        marks.within[i] = around if around >= 0 and texts[around] != "{" else -1
        if text in (")", "]"):
            marks.within[i] = marks.partner[i]
        if text in OPENERS:
            open_brackets.append(i)
            depths.append(depth)
            depth = 0 if text == "{" else depth + 1
    return marks


def _is_tight(before: str, text: str, rule: str, rule_before: str) -> bool:
    if text in (",", ";", ")", "]", ".") or before in ("", "(", "[", "."):
        return True
    if before in ("-", "!", "~") and rule_before in PREFIXES:
        return True
    if text == "(":
        return rule in CLOSE_PARENTHESIS
    return text == "[" and rule != OPEN_BRACKET


def _rank(before: str, text: str, rule: str) -> int | None:
    if text in CLAUSES.get(rule, "").split():
        return CLAUSE
    if rule in OPERATORS and text in ("?", ":", "||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/"):
        return OPERATORS[rule]
    if before == ",":
        return LIST
    if rule == "reserve" and text == "reserve":
        return RESERVE
    if before == "(" and text != ")":
        return PARENTHESIS
    if before == "=":
        return BY_AUTHOR
    return None
