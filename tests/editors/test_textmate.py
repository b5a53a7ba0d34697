"""The TextMate grammar is the language's, and colours programs as wanted."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from shutil import which
from typing import Any

import pytest

from serq.semantics.meanings import all_meanings
from tests.cli.serq_command import ENVIRONMENT, ROOT
from tests.editors.textmate import scopes
from tests.fmt.checks import PROGRAMS

EDITORS = ROOT / "editors"
GRAMMAR: dict[str, Any] = json.loads((EDITORS / "serq.tmLanguage.json").read_text())


def test_is_what_the_language_says() -> None:
    """Making it anew changes nothing."""
    script = [sys.executable, EDITORS / "textmate.py", "--check"]
    done = subprocess.run(script, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_patterns() -> None:
    """Its patterns are regular expressions, and none of them matches nothing or uses what Oniguruma reads otherwise."""
    for pattern in GRAMMAR["patterns"]:
        for written in (pattern[key] for key in ("match", "begin", "end") if key in pattern):
            assert re.compile(written).match("") is None
            assert not re.search(r"\(\?P|\\Z|\(\?<[^=!]|\\A", written)
        assert ("match" in pattern) != ("begin" in pattern)


SAMPLES = [
    (
        "let B = 2_048e3;",
        [
            ("let", "storage.type"),
            ("B", "entity.name.type"),
            ("=", "keyword.operator"),
            ("2_048e3", "constant.numeric"),
        ],
    ),
    ("def twice(x) { 2 * x }", [("def", "storage.type"), ("twice", "entity.name.function")]),
    ("engine llm on gpu {", [("llm", "entity.name.type"), ("on", "keyword.other"), ("gpu", "variable.other.resource")]),
    ("engine on d {", [("engine", "storage.type"), ("on", "keyword.other"), ("d", "variable.other.resource")]),
    ("queue Q[2] : prefill {", [("queue", "storage.type"), ("Q", "entity.name.type"), ("prefill", "keyword.other")]),
    (
        "pool r { queue by (waited); }",
        [("queue", "storage.type"), ("by", "keyword.other"), ("waited", "support.variable")],
    ),
    (
        "kv cap blocks * bs;",
        [("kv", "entity.name.type"), ("cap", "storage.type"), ("blocks", "variable.other"), ("*", "keyword.operator")],
    ),
    ("set turn = ~exp(3) + exp(serial);", [("turn", "variable.other.assignment"), ("~", "keyword.operator.draw")]),
    ("set turn = ~exp(3);", [("exp", "support.function.distribution")]),
    (
        "observe q = queue(s) + inf;",
        [("q", "variable.other.assignment"), ("queue", "support.function"), ("inf", "constant.language")],
    ),
    (
        "execute (f(batch.kv_decode));",
        [("execute", "storage.type"), ("f", "entity.name.function"), ("batch", "support.variable")],
    ),
    ("execute (f(batch.kv_decode));", [(".", "punctuation.accessor"), ("kv_decode", "support.variable")]),
    (
        "branch with (p) { end; } else { }",
        [("branch", "keyword.control"), ("with", "keyword.control"), ("end", "keyword.control")],
    ),
    (
        "hold mem (1) { } cache (2)",
        [("hold", "keyword.other"), ("mem", "variable.other.resource"), ("cache", "keyword.other")],
    ),
    ("advance running decode first;", [("advance running", "keyword.other"), ("decode first", "keyword.other")]),
    ("arrive batch(3);", [("arrive", "storage.type"), ("batch", "keyword.other")]),
    ('trace "a // b.csv"; // c', [('"a // b.csv"', "string.quoted.double"), ("// c", "comment.line.double-slash")]),
    (
        "a /* x\n y */ b",
        [
            ("a", "variable.other"),
            ("/*", "comment.block"),
            ("x", "comment.block"),
            ("y */", "comment.block"),
            ("b", "variable.other"),
        ],
    ),
    ("stall t (1); x = stall;", [("stall", "storage.type"), ("t", "entity.name.type"), ("stall", "variable.other")]),
    ("längd % 3", [("längd", "variable.other"), ("%", "invalid.illegal")]),
    (
        "Q[0].prefill (n) from P;",
        [(".", "punctuation.accessor"), ("prefill", "variable.other.member"), ("from", "keyword.other")],
    ),
    ('let x = args.number("x", 1);', [("args", "support.class"), ("number", "support.function")]),
    (
        "queue G : gateway, link { route { } }",
        [("gateway", "keyword.other"), ("link", "keyword.other"), ("route", "storage.type")],
    ),
]


@pytest.mark.parametrize(("line", "wanted"), SAMPLES)
def test_samples(line: str, wanted: list[tuple[str, str]]) -> None:
    """These pieces of a line have these scopes, in this order."""
    found = scopes(GRAMMAR, line)
    rest = iter(found)
    assert all(pair in rest for pair in wanted), found


def test_every_word_of_the_language() -> None:
    """Every word of the grammar and every supplied name has a scope of its own somewhere, and none is just a name."""
    for meaning in all_meanings():
        if meaning.rules == ("roles",):  # known by the colon before it
            continue
        shown = re.sub(r"[\[\]]|\.\.\.", " ", meaning.form)
        coloured = dict(scopes(GRAMMAR, shown))
        for word in re.split("[ .]", meaning.name):
            scope = next((scope for piece, scope in coloured.items() if word in piece.split()), "")
            assert scope not in ("", "variable.other", "invalid.illegal"), (meaning.form, word, scope)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_programs(path: Any) -> None:
    """No program of the corpus has a piece without a scope, and only faulty ones something illegal."""
    text = path.read_text()
    found = scopes(GRAMMAR, text)
    assert not [piece for piece, scope in found if not scope]
    if not path.stem.startswith(("error", "refuse")):
        assert not [piece for piece, scope in found if scope == "invalid.illegal"]


def test_extension() -> None:
    """The files of the VS Code extension are there, are JSON, and speak of the same ending and grammar."""
    folder = EDITORS / "vscode"
    package = json.loads((folder / "package.json").read_text())
    (language,) = package["contributes"]["languages"]
    (grammar,) = package["contributes"]["grammars"]
    assert language["extensions"] == [f".{ending}" for ending in GRAMMAR["fileTypes"]]
    assert grammar["scopeName"] == GRAMMAR["scopeName"]
    assert (folder / grammar["path"]).read_text() == (EDITORS / "serq.tmLanguage.json").read_text()
    assert json.loads((folder / language["configuration"]).read_text())["comments"]["lineComment"] == "//"
    assert (folder / package["main"]).exists()


@pytest.mark.skipif(which("node") is None, reason="needs Node.js")
def test_extension_script() -> None:
    """The extension's script is JavaScript."""
    subprocess.run(["node", "--check", EDITORS / "vscode" / "extension.js"], check=True, timeout=60)
