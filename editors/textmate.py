"""The TextMate grammar of .sq programs, made from the language's own lists of words.

    python editors/textmate.py            writes it anew, after a change of the language
    python editors/textmate.py --check    says whether that would change it

Editors colour by it as one types, line by line and without knowing what a name is. `serq lsp` knows, and colours over
it. No word is reserved, so a name that is also a word of the grammar may be coloured as one.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from lark import Lark

from serq.semantics.meanings import all_meanings
from serq.semantics.words import BUILT_IN, SUPPLIED
from serq.syntax.tables import grammar
from serq.syntax.words import DISTRIBUTIONS, FUNCTIONS

HERE = Path(__file__).resolve().parent
TARGETS = (HERE / "serq.tmLanguage.json", HERE / "vscode" / "syntaxes" / "serq.tmLanguage.json")

NAME = r"[^\W\d]\w*"
BLANK = r"\s+"

CONTROL = "branch else loop while choose fork join end turn with".split()
"""Statements that decide what comes next."""

DECLARING = "let pool stage device gauge claim state".split()
ASSIGNING = "set Size Cost observe mark".split()
NAMING = "hold grow load drop release growing lease run from to via spill taking of on".split()
"""Words before the name of a pool, a stage, a queue, an engine or a device."""

PHRASES = (
    "advance running",
    "admit waiting",
    "exclusive prefill",
    "decode first",
    "each at most",
    "at admission",
    "at end",
    "tokens cap",
    "reserve held",
    "every iteration",
    "some iteration",
)
"""Words that belong together, some of which are names elsewhere."""


def keywords() -> set[str]:
    """Every word of the grammar."""
    lark = Lark(grammar(), parser="lalr", lexer="basic", maybe_placeholders=True)
    words = {terminal.pattern.value for terminal in lark.terminals if terminal.pattern is not None}
    return {word for word in words if word[0].isalpha()} | {"args", "kvt", "max", "min", "sum"}


def one_of(words: Any) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


def rule(pattern: str, *scopes: str) -> dict[str, Any]:
    """A pattern; one scope is for all of it, several are for its groups."""
    if len(scopes) == 1:
        return {"match": pattern, "name": f"{scopes[0]}.serq"}
    captures = {str(i): {"name": f"{scope}.serq"} for i, scope in enumerate(scopes, 1) if scope}
    return {"match": pattern, "captures": captures}


def make() -> dict[str, Any]:
    """The grammar; of two patterns that match at one place the first counts."""
    declarations = {word for m in all_meanings() if m.kind in ("declaration", "item", "option") for word in [m.name]}
    first_words = {re.split("[ .]", word)[0] for word in declarations}
    plain = keywords() - SUPPLIED - BUILT_IN
    members = sorted({m.name for m in all_meanings() if m.kind == "value" and "." in m.name})
    values = SUPPLIED - {"inf"}
    patterns = [
        rule(r"//.*$", "comment.line.double-slash"),
        {"begin": r"/\*", "end": r"\*/", "name": "comment.block.serq"},
        rule(r'"[^"]*"', "string.quoted.double"),
        rule(r"(?<![\w.])(?:[0-9]|\.[0-9])[0-9._]*(?:[eE][+-]?[0-9]+)?", "constant.numeric"),
        rule(rf"(~)\s*({one_of(DISTRIBUTIONS)})\b", "keyword.operator.draw", "support.function.distribution"),
        rule(r"\b(args|kvt|share)\s*(\.)\s*(\w+)", "support.class", "punctuation.accessor", "support.function"),
        *[
            rule(
                rf"\b({of})\s*(\.)\s*({one_of(m.split('.')[1] for m in members if m.startswith(of + '.'))})\b",
                "support.variable",
                "punctuation.accessor",
                "support.variable",
            )
            for of in ("batch", "running", "waiting")
        ],
        rule(rf"(\.)\s*({NAME})", "punctuation.accessor", "variable.other.member"),
        rule(r"\b(fn)\s+(main)\b", "storage.type", "entity.name.function"),
        rule(rf"\b(def)\s+({NAME})", "storage.type", "entity.name.function"),
        rule(rf"\b({one_of(DECLARING)})\s+({NAME})", "storage.type", "entity.name.type"),
        rule(rf"\b(engine)\s+(?!on\b)({NAME})", "storage.type", "entity.name.type"),
        rule(rf"\b(queue)\s+(?!(?:fifo|by)\b)({NAME})(?=\s*[\[:{{])", "storage.type", "entity.name.type"),
        rule(r"(?<=[:,])\s*(gateway|prefill|decode|link|l2)\b(?=\s*[,{])", "keyword.other"),
        rule(r"\broute\b(?=\s*\{)", "storage.type"),
        rule(rf"\b(stall)\s+({NAME})(?=\s*\()", "storage.type", "entity.name.type"),
        rule(rf"\b({one_of(ASSIGNING)})\s+({NAME})", "keyword.other", "variable.other.assignment"),
        rule(r"\b(arrive)\s+(poisson|renewal|closed|batch|none)\b", "storage.type", "keyword.other"),
        *[rule(rf"\b{BLANK.join(phrase.split())}\b", "keyword.other") for phrase in PHRASES],
        rule(rf"\b({NAME})\s+(cap)\b", "entity.name.type", "storage.type"),
        rule(rf"\b({one_of(NAMING)})\s+({NAME})", "keyword.other", "variable.other.resource"),
        rule(rf"\b(max|min|sum)\s+({NAME})\s+(in)\b", "support.function", "variable.parameter", "keyword.other"),
        rule(rf"\b(?:{one_of(FUNCTIONS | {'cost'})})\b(?=\s*\()", "support.function"),
        rule(r"\binf\b", "constant.language"),
        rule(rf"\b(?:{one_of(BUILT_IN)})\b", "variable.language"),
        rule(rf"\b(?:{one_of(values)})\b", "support.variable"),
        rule(rf"\b(?:{one_of(CONTROL)})\b(?!\s*(?:=(?!=)|\.))", "keyword.control"),
        rule(rf"\b(?:{one_of((first_words & plain) - set(CONTROL))})\b(?!\s*(?:=(?!=)|\.))", "storage.type"),
        rule(rf"\b(?:{one_of(plain - first_words - set(CONTROL))})\b(?!\s*(?:=(?!=)|\.))", "keyword.other"),
        rule(rf"\b{NAME}(?=\s*\()", "entity.name.function"),
        rule(rf"\b{NAME}\b", "variable.other"),
        rule(r"==|!=|<=|>=|&&|\|\||[-+*/^=<>!?:~]", "keyword.operator"),
        rule(r"[(){}\[\],;]", "punctuation"),
        rule(r"\S", "invalid.illegal"),
    ]
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "serq",
        "scopeName": "source.serq",
        "fileTypes": ["sq"],
        "patterns": patterns,
    }


def main(words: list[str]) -> int:
    """Write the grammar, or say which file is not what it would be."""
    text = json.dumps(make(), indent=2) + "\n"
    if words == ["--check"]:
        stale = [path.name for path in TARGETS if not path.exists() or path.read_text() != text]
        for name in stale:
            sys.stdout.write(f"{name} is not what the language says: run `python editors/textmate.py`\n")
        return 1 if stale else 0
    for path in TARGETS:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
