"""Single completions: of a meaning from the table, and of the words of the grammar.

The forms of the table become snippets: `set NAME = EXPR;` is typed with its placeholders to be filled in, without what
may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from serq.lsp.contexts import Context
from serq.lsp.describe import describe_meaning
from serq.record import Record
from serq.semantics.meanings import Meaning, all_meanings
from serq.syntax import lexer

SUPPLIED_RANK, WORD_RANK = 2, 3


class Completion(Record):
    """One proposal.

    Attributes:
        label: what is shown.
        kind: a kind of symbol or of meaning, or `keyword`, `function`, `library`.
        detail: one line beside the label.
        text: Markdown about it.
        insert: what is typed; with `${1:...}` in it for parts to be filled in if `snippet`.
        snippet: whether it has such parts.
        rank: where it stands in the list; less is earlier.
    """

    label: str
    kind: str
    detail: str
    text: str
    insert: str
    snippet: bool
    rank: int


SKELETONS = {
    "engine": """\
engine ${1:llm} on ${2:gpu} {
  ${3:seqs} cap ${4:256};
  tokens cap ${5:2048};
  request (prompt, output) {
    prefill (prompt) growing ${6:kv};
    decode (output - 1) growing ${6:kv};
  }
  schedule {
    advance running;
    admit waiting while (running.preempted == 0) taking ${3:seqs} (1), ${6:kv} (prompt);
  }
  execute (${7:0.01});
}
pool ${3:seqs} on ${1:llm} { queue fifo; }""",
    "device": """\
device ${1:gpu} {
  compute (t) = ${2:1e-4} * t;
  kv cap ${3:400000};
}
pool kv on ${1:gpu} { block 16; evict lru; preempt lifo; }""",
    "workload": """\
workload {
  arrive poisson(${1:1});
  turn { set ${2:prompt} = ${3:~exp(500) + 1}; set ${4:output} = ${5:~exp(200) + 1}; }
}""",
}
"""Longer beginnings than the forms of the table, for declarations."""

WORDS = {lexer.STALL: "stall", lexer.KVT: "kvt"}
"""Words that the lexer knows by what follows them."""

_PLACES = (
    ("workload", ("declaration",)),
    ("fn", ("declaration",)),
    ("observe", ("statement", "clause")),
    ("advance", ("statement", "declaration")),
    ("evict", ("option",)),
    ("granule", ("item",)),
    ("hidden", ("item",)),
    ("serve", ("declaration", "item", "clause")),
)
"""For words that tell a place, the kinds of meanings that begin there."""

_ELSEWHERE = ("clause", "option", "statement", "item")


def plain(name: str, kind: str, detail: str) -> Completion:
    """A proposal of a mere word."""
    return Completion(name, kind, detail, "", name, False, WORD_RANK)


def of_meaning(meaning: Meaning) -> Completion:
    """A proposal of something that expressions read."""
    kind = "function" if meaning.kind in ("function", "distribution") else meaning.kind
    detail = meaning.unit or _first_sentence(meaning.text)
    name = meaning.form.partition("(")[0] if meaning.kind == "distribution" else meaning.name
    insert = meaning.name if meaning.kind in ("value", "attribute") else snippet(meaning.form)
    return Completion(name, kind, detail, describe_meaning(meaning), insert, "${" in insert, SUPPLIED_RANK)


def keywords(found: Context) -> Iterator[Completion]:
    """The words of the grammar that may stand at a place, each with what begins with it there."""
    kinds = next((kinds for word, kinds in _PLACES if word in found.expected), _ELSEWHERE)
    for word in sorted({WORDS.get(terminal, terminal) for terminal in found.expected}):
        if not word[0].isalpha() or ("observe" in found.expected and _is_out_of_place(word, found)):
            continue
        meanings = [m for m in all_meanings() if m.rules and re.split("[ .]", m.name)[0] == word]
        fitting = sorted([m for m in meanings if m.kind in kinds], key=lambda meaning: kinds.index(meaning.kind))
        if not fitting:
            yield plain(word, "keyword", _first_sentence(meanings[0].text) if meanings else "")
            continue
        meaning = fitting[0]
        insert = snippet(meaning.form)
        if meaning.kind == "declaration":
            insert = SKELETONS.get(word, insert)
        yield Completion(word, "keyword", meaning.form, describe_meaning(meaning), insert, "${" in insert, WORD_RANK)


_OWNERS = ("server", "session", "init", "turn", "request", "queue", "def")

_ONLY_IN = {
    "prefill": ("request", "def"),
    "decode": ("request", "def"),
    "mark": ("request", "queue", "def"),
    "turn": ("session", "def"),
    "end": ("server", "session", "def"),
    "fork": ("server", "session", "queue", "def"),
    "join": ("server", "session", "queue", "def"),
    "stall": ("request", "queue", "def"),
}
"""Statements that make sense only in some places, which the grammar does not tell."""


def _is_out_of_place(word: str, found: Context) -> bool:
    """Whether a statement that begins with a word makes no sense here."""
    owner = next((each for each in reversed(found.symbols) if each in _OWNERS), "")
    if owner in ("init", "turn"):
        return word not in ("set", "Size", "observe")
    return word in _ONLY_IN and owner not in _ONLY_IN[word]


def snippet(form: str) -> str:
    """A form with its placeholders as parts to be filled in."""
    while (shorter := re.sub(r" ?\[[^\[\]]*\]", "", form)) != form:
        form = shorter
    form = re.sub(r",? \.\.\.", "", form)
    count = 0

    def number(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"${{{count}:{match[0].lower()}}}"

    return re.sub(r"\b[A-Z][A-Z0-9_]*\b", number, form)


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].removesuffix(".")
