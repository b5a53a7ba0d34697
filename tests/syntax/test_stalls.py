"""Stalls: where `stall` is a keyword, and what it becomes.

The representation of stalls.sq is kept in tests/golden/stalls.json. After a change on purpose make it anew, and read
the difference:

    python -m tests.syntax.test_stalls
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from serq.compiler import caption_source, compile_source
from serq.diagnostics import SerqError
from serq.ir import nodes as ir
from serq.ir.check import check
from serq.ir.encode import encode
from serq.ir.json import dump, load
from serq.syntax import nodes
from serq.syntax.unparse import unparse
from tests.syntax.trees import parsed

PROGRAM = (Path(__file__).parent / "stalls.sq").read_text()
GOLDEN = Path(__file__).parent.parent / "golden" / "stalls.json"


def representation(text: str) -> str:
    return json.dumps(encode(compile_source(text, horizon=100.0)), indent=1) + "\n"


def test_representation() -> None:
    """A program with stalls in all places has the representation that it had."""
    assert representation(PROGRAM) == GOLDEN.read_text()


def test_representation_is_whole() -> None:
    """The representation is well formed, and writing and reading gives it back."""
    program = compile_source(PROGRAM, horizon=100.0)
    check(program)
    assert load(dump(program)) == program


def test_printed_text_means_the_same() -> None:
    """So does the program printed from its syntax tree."""
    assert representation(unparse(parsed(PROGRAM))) == GOLDEN.read_text()


def test_labels() -> None:
    """Labels are numbered as the text first has them, definitions where they are written; unused ones have none."""
    assert compile_source(PROGRAM, horizon=1.0).stalls == tuple(
        "detok tok linger graph observe spare leg stall gc slow".split()
    )


def test_captions() -> None:
    """What a picture says of a stall is the text's own."""
    program, captions = caption_source(PROGRAM)
    assert captions.texts["stage", "llm", "stall", "graph"] == "batch.decoding > 8 ? again(batch.decoding) : 0"
    places = [
        (number, position)
        for number, block in enumerate(program.blocks)
        for position, statement in enumerate(block)
        if isinstance(statement, ir.Stall) and program.stalls[statement.label] == "observe"
    ]
    assert {captions.texts["block", *place, "value"] for place in places} == {"now - asked"}


ENGINE = """
fn main() {{
  device gpu {{ }}
  engine e on gpu {{
    tokens cap 8; {items}
    request (n) {{ {before} prefill (n); {after} }}
    schedule {{ advance running; }}
    execute (0.01);
  }}
  workload {{ arrive poisson(1); hidden h; turn {{ set h = 3; }} }}
  server {{ e (2); }}
}}
"""


def with_stalls(items: str = "", before: str = "", after: str = "") -> ir.Ir:
    return compile_source(ENGINE.format(items=items, before=before, after=after), horizon=1.0)


def clauses(program: ir.Ir) -> list[tuple[str, ir.Expr]]:
    step = program.stages[0].kind
    assert isinstance(step, ir.Step)
    return [(program.stalls[clause.label], clause.value) for clause in step.stalls]


def test_order() -> None:
    """An engine's stalls are in the order of the text, whatever the numbers of their labels."""
    program = with_stalls("stall b (1); stall a (2);", "stall b (3); stall c (4);")
    assert program.stalls == ("b", "a", "c")
    assert clauses(program) == [("b", ir.Num(1.0)), ("a", ir.Num(2.0))]
    program = compile_source(
        "def late(n) { stall a (n); }" + ENGINE.format(items="stall b (1); stall a (2);", before="late (1);", after=""),
        horizon=1.0,
    )
    assert program.stalls == ("a", "b")
    assert clauses(program) == [("b", ir.Num(1.0)), ("a", ir.Num(2.0))]


def test_statement() -> None:
    """A statement names its own engine, before admission and after; it may read what is hidden, and reveals nothing."""
    program = with_stalls(before="stall a (n);", after="stall b (~exp(h));")
    stalls = [s for block in program.blocks for s in block if isinstance(s, ir.Stall)]
    assert [program.stalls[s.label] for s in stalls] == ["a", "b"]
    assert {s.stage for s in stalls} == {ir.Ref(0, 1, None)}
    assert stalls[0].value == ir.Num(2.0)
    assert isinstance(stalls[1].value, ir.Sample)


def test_member_of_a_family() -> None:
    """In a family of queues the member is that of the call."""
    program = compile_source(PROGRAM, horizon=1.0)
    replica = next(i for i, stage in enumerate(program.stages) if stage.name == "replica")
    found = [s.stage for block in program.blocks for s in block if isinstance(s, ir.Stall) and s.stage.base == replica]
    assert found
    assert set(found) == {ir.Ref(replica, 2, ir.Attr(program.attrs.index("j")))}
    clauses = [stage.kind.stalls for stage in program.stages[replica:][:2] if isinstance(stage.kind, ir.Step)]
    assert len(clauses) == 2
    assert clauses[0] == clauses[1]


def test_none() -> None:
    """A program without stalls has no trace of them."""
    assert "tall" not in representation(ENGINE.format(items="", before="", after=""))


# ---------------------------------------------------------------- no word is reserved


@pytest.mark.parametrize("label", ["a", "stall", "let", "set", "now", "e", "n", "h", "max", "execute", "args", "été"])
def test_labels_are_names_of_their_own(label: str) -> None:
    """Any word may be a label, whatever else it means: it stands for nothing else, not even a parameter."""
    program = with_stalls(f"stall {label} (1);", f"stall {label} (n);")
    assert program.stalls == (label,)
    assert [s.label for block in program.blocks for s in block if isinstance(s, ir.Stall)] == [0]


TAKEN = "kernel prefill preempt recompute unserved blocked away residual clean"


@pytest.mark.parametrize("label", TAKEN.split())
@pytest.mark.parametrize("place", ["items", "before", "after"])
def test_labels_of_reports(label: str, place: str) -> None:
    """The labels that reports give themselves are refused at the label."""
    with pytest.raises(SerqError) as refusal:
        with_stalls(**{place: f"stall {label} (1);"})
    span = refusal.value.diagnostic.span
    text = ENGINE.format(**{"items": "", "before": "", "after": "", place: f"stall {label} (1);"})
    assert refusal.value.kind == "reserved"
    assert span is not None
    assert span.start == text.index(f"stall {label}") + len("stall ")
    assert text[span.start : span.end] == label


NAMES = """
def STALL(STALL) { STALL + 1 }
fn main() {
  let n = STALL(1);
  workload { arrive poisson(1); }
  server { set x = STALL(2) * STALL (n); observe y = x; }
}
// ----
def STALL (n) { set x = n; }
fn main() {
  workload { arrive poisson(1); }
  server { STALL (1); branch (x > 0) { STALL (2); } }
}
// ----
fn main() {
  device d { STALL (n) = n; STALL2 (t) = STALL (t); }
  engine e on d {
    STALL cap (4); tokens cap 8;
    request (STALL2) { prefill (STALL2); }
    schedule { advance running; admit waiting taking reqs (1); }
    execute (STALL (1) + STALL2 (batch.tokens));
    reqs cap 2;
  }
  pool STALL on e { }
  pool reqs on e { }
  workload { arrive poisson(1); }
  server { e (1); }
}
// ----
fn main() {
  device d { STALL_kv cap (9); }
  engine STALL on d {
    slots cap (4); tokens cap 8;
    request (n) { prefill (n) growing STALL_kv; }
    schedule { advance running by (remaining); admit waiting taking slots (1), STALL_kv (1); }
    execute (1);
  }
  pool slots on STALL { }
  pool STALL_kv on STALL.d { }
  stage q : ps(1);
  workload { arrive poisson(1); }
  server { STALL (1); observe x = busy(STALL) + queue (STALL); }
  claim c : every iteration of STALL (tokens > 0);
}
// ----
fn main() {
  device d { STALL cap (9); }
  engine e on d {
    tokens cap 8;
    request (n) { prefill (n) growing STALL; }
    schedule { advance running; admit waiting taking STALL (1) reserve (2); }
    execute (used (STALL) + 1);
  }
  pool STALL on e.d { }
  workload { arrive poisson(1); }
  server { e (1); }
}
// ----
fn main() {
  stage STALL : fifo;
  pool p { cap 1; spill t via STALL (size) when (size > 1); evict by (last); }
  pool t { cap inf; }
  workload { arrive poisson(1); session { set w = max STALL_i in 2 (STALL_i); turn; } }
  server { run STALL (cost(STALL, 1)); hold p (cost(p, 1)) { } cache (cost(p, 1)) tool on STALL (1); }
  gauge g = queue(STALL);
}
// ----
fn main() {
  pool STALL { cap 9; }
  workload { arrive poisson(1); }
  server {
    hold STALL (cost(STALL, 1)) reserve (cost(STALL, 2)) at admission (b = 1) { grow STALL (cost(STALL, b)); }
    cache (cost(STALL, 0)) lease STALL (1)
    release STALL; drop STALL;
  }
}
// ----
fn main() {
  workload { arrive poisson(1); turn { set STALL = 3; } session { turn; } hidden STALL; }
  server { choose other in (3) by (0); observe x = STALL + (STALL) * max STALL_j in (2) (STALL_j); }
  claim STALL_c given (other >= 0) : at end (total (x) >= 0);
}
// ----
fn main() {
  stage s : delay;
  workload { arrive poisson(1); }
  server { choose STALL in (3) by (STALL); observe STALL_o = STALL; }
  claim STALL_b given (STALL >= 0) : at end (count(STALL_o) > 0);
}
// ----
fn main() {
  queue STALL[2] : decode {
    pool kv { cap 4; }
    serve fifo;
    decode (n) { hold kv (cost(kv, n)) { run (cost(STALL, n)); mark STALL_m; } }
  }
  queue one : decode { serve delay; decode (STALL) { run (cost(one, STALL)); } }
  queue STALL_g : gateway { route { choose j in 2 by (used(STALL[j].kv)); STALL[j].decode (1); one.decode (2); } }
  workload { arrive poisson(1); }
  server { STALL_g.route (); observe at = STALL.STALL_m; }
}
"""
"""Programs in which `STALL` stands for a name of the user's."""


def renamed(text: str, word: str) -> str:
    """The representation of a program that uses a word as a name."""
    return representation(text.replace("STALL", word)).replace(word, "STALL")


@pytest.mark.parametrize("text", NAMES.split("// ----"))
def test_stall_stays_a_name(text: str) -> None:
    """A program that calls something `stall` is the program that calls it anything else of that length."""
    assert renamed(text, "stall") == renamed(text, "stull")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("stall (1);", nodes.Invoke),
        ("stall (stall);", nodes.Invoke),
        ("stall.stall (1);", nodes.EntryCall),
        ("stall[stall].stall (1);", nodes.EntryCall),
        ("stall stall (1);", nodes.Stall),
        ("stall gc (1);", nodes.Stall),
        ("stall\n// the collector\ngc (1);", nodes.Stall),
        ("run stall prefill (1);", nodes.Run),
        ("run a, stall decode (1);", nodes.Run),
        ("choose stall in (3) by (1);", nodes.Choose),
        ("set stall = stall;", nodes.Set),
        ("drop stall;", nodes.Drop),
    ],
)
def test_beginning_of_a_statement(text: str, kind: type) -> None:
    """`stall` is the keyword where a statement begins, before a label and a parenthesis; elsewhere it is a name."""
    program: Any = parsed(f"fn main() {{ server {{ {text} }} }}")
    assert [type(s) for s in program.items[0].body.statements] == [kind]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("stall cap 1;", [nodes.Capacity]),
        ("stall cap (1);", [nodes.Capacity]),
        ("stall cap (1) + 2;", [nodes.Capacity]),
        ("stall gc (1); stall cap (2); stall tok (3);", [nodes.StallClause, nodes.Capacity, nodes.StallClause]),
    ],
)
def test_item_of_an_engine(text: str, kinds: list[type]) -> None:
    """In an engine a capacity may be called so."""
    program: Any = parsed(
        f"fn main() {{ engine e on d {{ tokens cap 1; schedule {{ advance running; }} execute (1); {text} }} }}"
    )
    assert [type(item) for item in program.items[0].items[3:]] == kinds


if __name__ == "__main__":
    GOLDEN.write_text(representation(PROGRAM))
