"""The page docs/language/words.md, made from the compiler's own tables of words and of moments."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from serq.semantics import moments
from serq.semantics.meanings import KINDS, Meaning, all_meanings, readable_in
from serq.semantics.moments import Moment

PAGE = Path(__file__).resolve().parents[2] / "docs/language/words.md"

TITLES = {
    "value": "Values",
    "attribute": "Attributes",
    "function": "Functions",
    "distribution": "Laws",
    "declaration": "Declarations",
    "item": "Items",
    "option": "Options of pools",
    "statement": "Statements",
    "clause": "Clauses and other words",
}

HEAD = """\
# All words

Every word of the language and every name that it supplies, from the tables that the compiler itself uses. Words in
capitals stand for something of yours, `[...]` for what may be left out. No word is reserved: it is a keyword where a
keyword may stand, and a name elsewhere ([programs](program.md#names)).

*Moment* says when a value exists. The [last table](#moments) says the same by place: what an expression there may read.
"""

MOMENTS = """
## Moments

What an expression may read, by the place in which it stands. Constants, operators and numeric functions may stand
everywhere.

| In | Attributes | Draws | Values | Functions of pools and stages |
|---|---|---|---|---|
"""


def cell(text: str) -> str:
    """A cell of a table. A bar would end it, also within code."""
    return text.replace("|", "&#124;")


def code(text: str) -> str:
    """Code in a cell."""
    return f"<code>{cell(escape(text, quote=False))}</code>" if "|" in text else f"`{text}`"


def table(kind: str, found: list[Meaning]) -> str:
    """The words of one kind."""
    read = kind in KINDS[:4]
    head = (
        "| Form | Unit | Moment | Meaning |\n|---|---|---|---|\n"
        if read
        else "| Form | Unit | Meaning |\n|---|---|---|\n"
    )
    rows = [f"| {code(m.form)} | {m.unit} | {cell(m.moment) + ' | ' if read else ''}{cell(m.text)} |\n" for m in found]
    return f"\n## {TITLES[kind]}\n\n{head}{''.join(rows)}"


def moment_row(moment: Moment, names: list[str], functions: list[str]) -> str:
    """What the expressions of one place may read."""
    readable = [name for name in names if moment in readable_in(name)]
    called = [name for name in functions if moment in readable_in(name)]
    every = "all" if len(called) == len(functions) else ", ".join(f"`{name}`" for name in called) or "none"
    lacking = [name for name in functions if name not in called]
    if 0 < len(lacking) < 4:
        every = "all but " + ", ".join(f"`{name}`" for name in lacking)
    values = ", ".join(f"`{name}`" for name in readable) or "none"
    attributes, draws = ("yes" if flag else "no" for flag in (moment.attributes, moment.draws))
    return f"| {moment.what} | {attributes} | {draws} | {values} | {every} |\n"


def page() -> str:
    """The whole page."""
    found = {kind: [m for m in all_meanings() if m.kind == kind] for kind in KINDS}
    bare = {"inf", "running", "batch", "self"}
    names = sorted({m.name for m in found["value"]} - bare, key=lambda name: ("." in name, name))
    functions = sorted({m.name for m in found["function"]} & set(moments.FUNCTION_WORDS.values()))
    rows = [moment_row(m, names, functions) for m in vars(moments).values() if isinstance(m, Moment)]
    text = HEAD + "".join(table(kind, found[kind]) for kind in KINDS) + MOMENTS + "".join(rows)
    return re.sub(r" +\|", " |", text)
