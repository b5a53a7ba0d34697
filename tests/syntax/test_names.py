"""No word is reserved: what a word is depends on where it stands."""

from __future__ import annotations

from typing import Any

import pytest

from serq.syntax import nodes, tables
from tests.syntax.trees import parsed

WORDS = sorted({word for row in tables.load().actions if isinstance(row, dict) for word in row if word.isalpha()})


def first_statement(text: str) -> Any:
    program = parsed(f"fn main() {{ server {{ {text} }} }}")
    return program.items[0].body.statements[0]  # type: ignore[union-attr]


@pytest.mark.parametrize("word", [*WORDS, "args", "kvt", "stall", "NAME", "été", "_"])
def test_every_word_may_be_a_name(word: str) -> None:
    """Wherever only a name may stand, any word may."""
    text = f"""
    let {word} = {word} + 1;
    def {word}({word}) {{ {word} }}
    fn main() {{
      let {word} = {word}({word}) + ~{word}() + (max {word} in {word} ({word})) + {word}.{word};
      stage {word} : fifo({word});
      pool {word} on {word}.{word} {{ cap {word}; spill {word} via {word} (1) when (2); }}
      device {word} {{ {word} ({word}) = {word}; {word} cap {word}; }}
      engine {word} on {word} {{
        tokens cap {word}; state {word} = {word};
        request ({word}) {{ at admission {{ {word} = {word}; }} }}
        schedule {{ let {word} = {word}; set {word} = {word}; admit waiting taking {word} ({word}); }}
        execute ({word});
      }}
      queue {word} : {word}, {word} {{ }}
      gauge {word} = {word};
      claim {word} : some iteration of {word} ({word});
      workload {{ hidden {word}, {word}; }}
      server {{
        set {word} = {word}; observe {word} = {word}; mark {word}; drop {word};
        choose {word} in {word} by ({word});
        hold {word} ({word}), {word} (1) at admission ({word} = {word}) {{ }} lease {word} ({word})
        run {word}, {word} ({word}({word}, {word}[{word}]), share = share.maxmin);
      }}
    }}
    """
    parsed('use "std/share";' + text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("set x = max;", nodes.Name),
        ("set x = max(a, b);", nodes.Call),
        ("set x = max j in 3 (j);", nodes.Aggregate),
        ("set x = max in in 3 (in);", nodes.Aggregate),
        ("set x = max max in max (max);", nodes.Aggregate),
        ("set x = sum - min;", nodes.Binary),
        ("set x = args.number;", nodes.Ref),
        ("set x = kvt.pull;", nodes.Ref),
    ],
)
def test_words_told_by_what_follows(text: str, value: type) -> None:
    """`max`, `min` and `sum` begin an aggregate only before a word and `in`; `args` and `kvt` are names elsewhere."""
    assert type(first_statement(text).value) is value


@pytest.mark.parametrize(
    ("text", "stages", "work"),
    [
        ("tool on s 2 * 3;", 1, nodes.Binary),
        ("tool on on 3;", 1, nodes.Number),
        ("tool (on) + 1;", 0, nodes.Binary),
        ("tool (1) * 3;", 0, nodes.Binary),
        ("tool (on);", 0, nodes.Group),
        ("tool [1] 2;", 0, nodes.Number),
        ("tool on s (2);", 1, nodes.Number),
        ("tool on s[0] -2;", 1, nodes.Unary),
        ("tool growing growing p;", 0, nodes.Name),
    ],
)
def test_tool(text: str, stages: int, work: type) -> None:
    """What follows `tool` is an expression, unless it is `on`, `[`."""
    statement = first_statement(text)
    assert (len(statement.stages), type(statement.work)) == (stages, work)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("", nodes.Block),
        ("x", nodes.Name),
        ("f(1)", nodes.Call),
        ("f(1);", nodes.Block),
        ("branch (x) { }", nodes.Block),
        ("set + 1", nodes.Binary),
        ("load(1) ? run : end", nodes.Conditional),
        ("max j in 3 (j)", nodes.Aggregate),
        ("1 +", nodes.Unreadable),
        ("x { }", nodes.Unreadable),
        ("set = 3;", nodes.Unreadable),
    ],
)
def test_bodies_of_definitions(body: str, kind: type) -> None:
    """A body with a semicolon or a brace is statements, as is an empty one; any other is one expression."""
    definition = parsed(f"def d(x) {{ {body} }} fn main() {{ }}").before[0]
    assert type(definition.body) is kind  # type: ignore[union-attr]
