"""The table of meanings says something about every word that the language has, and of no other."""

from __future__ import annotations

import pytest
from lark import Lark

from serq.semantics import moments
from serq.semantics.meanings import KINDS, all_meanings, meaning_in, meanings_of, readable_in
from serq.semantics.words import BUILT_IN, SUPPLIED
from serq.syntax.tables import grammar
from serq.syntax.words import DISTRIBUTIONS, FUNCTIONS

CALLERS = {"mode": ("advance", "run")}
"""Rules whose words mean different things in the rules that use them."""


def keywords() -> set[tuple[str, tuple[str, ...]]]:
    """Each word of the grammar, with the names of each rule in which it stands."""
    lark = Lark(grammar(), parser="lalr", lexer="basic", maybe_placeholders=True)
    spelling = {t.name: t.pattern.value for t in lark.terminals if t.pattern is not None}
    found = set()
    for rule in lark.rules:
        origin = str(rule.origin.name)
        # A repetition in a rule is a rule that Lark makes up, `__schedule_lets_star_8`.
        names = (str(rule.alias), origin, origin.strip("_").rsplit("_", 2)[0])
        for outer in CALLERS.get(origin, ("",)):
            found |= {(spelling.get(symbol.name, ""), (*names, outer)) for symbol in rule.expansion}
    return {(word, rules) for word, rules in found if word[:1].isalpha()}


KEYWORDS = keywords()


def names_of(*kinds: str) -> set[str]:
    return {meaning.name for meaning in all_meanings() if meaning.kind in kinds}


def test_every_word_of_the_grammar() -> None:
    """A word of the grammar has a meaning wherever it stands, if not its own then that of what it is a part of."""
    assert len(KEYWORDS) > 140
    assert [(word, rules) for word, rules in sorted(KEYWORDS) if meaning_in(word, rules) is None] == []


def test_no_other_rule() -> None:
    """The rules that the table names exist, and have the word."""
    without = ("roles", "entry", "args_library", "kvt_library", "aggregate", "stall", "stall_clause")
    for meaning in all_meanings():
        for rule in meaning.rules:
            if rule in without:  # names and terminals that are no single word
                continue
            words = {word for word, rules in KEYWORDS if rule in rules}
            assert words & set(meaning.name.replace(".", " ").split()), (meaning.name, rule)


@pytest.mark.parametrize(
    ("kinds", "names"),
    [
        (("attribute",), set(BUILT_IN)),
        (("function",), set(FUNCTIONS) | {"cost"}),
        (("distribution",), set(DISTRIBUTIONS)),
    ],
)
def test_same_names_as_the_compiler(kinds: tuple[str, ...], names: set[str]) -> None:
    """What the compiler knows as an attribute, a function or a distribution is in the table, and nothing else."""
    assert names_of(*kinds) == names


def test_values() -> None:
    """So are the names that the language supplies, alone and behind a list."""
    members = {f"{of}.{member}" for of, member in moments.LISTS} | {"waiting.count"}
    # Read only behind their list.
    behind = {"preempted", "admitted"}
    assert names_of("value") == (SUPPLIED - behind) | members


def test_readable() -> None:
    """Every value can be read somewhere, as the compiler sees it, and the table says where if it is not everywhere."""
    for meaning in all_meanings():
        if meaning.kind == "value" and meaning.name not in ("inf", "self", "running", "waiting", "batch"):
            assert readable_in(meaning.name), meaning.name
            assert meaning.moment, meaning.name
    assert [place.what for place in readable_in("batch.kv_decode")] == ["`execute`", "an engine's `stall`"]
    assert moments.EVICT in readable_in("size")
    assert moments.GAUGE not in readable_in("work")
    assert moments.GAUGE in readable_in("used")
    assert moments.PREEMPT not in readable_in("computed")


def test_several_meanings() -> None:
    """A word that means several things has several records, told apart by kind or by rule."""
    assert [meaning.unit for meaning in meanings_of("decoding", "value")] == ["0 or 1", "0 or 1"]
    assert meanings_of("prefill", "statement")[0].form == "prefill (EXPR) [growing POOL];"
    inside = meaning_in("prefill", ("mode", "advance"))
    beside = meaning_in("prefill", ("mode", "run"))
    assert inside is not None
    assert beside is not None
    assert inside.kind == "statement"
    assert beside.kind == "clause"


def test_texts() -> None:
    """Every record has its kind, a form and a sentence."""
    for meaning in all_meanings():
        assert meaning.kind in KINDS
        assert meaning.form
        assert meaning.text[0].isalnum()
        assert meaning.text.endswith(".")
