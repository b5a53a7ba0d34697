"""What a picture tells of sessions and requests: steps, ways, what they use, what is left out."""

from __future__ import annotations

import serq
from serq.draw.model import Link
from serq.drawing import pictured
from tests.unit.draw.pictures import dot, facts, picture, steps, ways

STALLED = """\
fn main() {
  device gpu { }
  engine llm on gpu {
    reqs cap 8; tokens cap 64;
    request (prompt, output) {
      stall tok (prompt * 0.001);
      prefill (prompt); decode (output);
      stall detok (prompt + 1);
    }
    schedule { advance running; admit waiting taking reqs (1); }
    execute (0.01);
    stall gc (batch.tokens * 0.0001);
    stall graph (2 - 1);
  }
  pool reqs on llm { }
  workload { arrive batch(1); turn { set p = 10; } }
  server { llm (p, 10); }
}
"""


def test_stalls() -> None:
    """Stalls of the loop stand beside what an iteration takes, those of a request in its life, by their labels."""
    shown = picture(STALLED)
    assert facts(shown, "llm")["iteration"] == ("takes 0.01 s",)
    assert facts(shown, "llm")["stall"] == ("gc: batch.tokens * 0.0001 s", "graph: 2 - 1 = 1 s")
    assert steps(shown, "server") == [
        [
            "admission: 1 of reqs",
            "stall: tok: p * 0.001 s",
            "prefill: p",
            "decode: 10",
            "stall: detok: (p + 1) s",
            "give back: reqs",
        ]
    ]


SCHEDULES = {
    "advance running; admit waiting while (running.preempted == 0)": (
        "serve the running in order of admission",
        "admit, if none was preempted",
    ),
    "advance running decode first; admit waiting while (running.count < 3)": (
        "serve the running, decodes first",
        "admit, while running.count < 3",
    ),
    "exclusive prefill; admit waiting while (running.preempted == 0)": (
        "prefills alone while there are any, else decodes",
        "admit, if none was preempted",
    ),
    "branch (running.count == 0) { admit waiting } else { advance running only (decoding); }": (
        "if running.count == 0:",
        "      admit",
        "else:",
        "      serve the running in order of admission, only if decoding",
    ),
}


def test_schedules() -> None:
    """A schedule in words, a line a statement, what a branch guards further in."""
    for schedule, told in SCHEDULES.items():
        text = STALLED.replace("advance running; admit waiting", schedule).replace(
            " } else", " taking reqs (1); } else"
        )
        if "branch" in schedule:
            text = text.replace(" taking reqs (1); }\n", " }\n")
        assert facts(picture(text), "llm")["schedule"] == told


def test_flows() -> None:
    """Work over several stages names them, and how it is shared."""
    shown = picture(
        """use "std/share";
        fn main() {
          stage a : ps(1); stage b[2] : ps(1);
          workload { arrive batch(1); turn { set i = 1; } }
          server { run a, b[i] (cost(a, b, 5), share = share.maxmin); }
        }"""
    )
    assert steps(shown, "server") == [["flow: 5 over a, b[i] / shared max-min fair"]]


def test_branches_and_loops() -> None:
    """Both arms of a chance carry their probabilities, also where it is computed; a loop leads back to its head."""
    shown = picture(
        """fn main() {
          stage s : fifo;
          workload {
            arrive batch(1);
            session {
              set left = 3;
              while (left > 0) { turn; set left = left - 1; }
              branch with (1 / 4) { tool (1); } else { tool (2); }
            }
          }
          server { run s (cost(s, 1)); }
        }"""
    )
    found = ways(shown)
    assert ("while left > 0", "turn: a request", "next", "yes") in found
    assert ("turn: a request", "while left > 0", "back", "") in found
    assert {label for tail, _, _, label in found if tail == "chance"} == {"1 / 4 = 0.25", "0.75"}


def test_a_constant_test_is_no_branch() -> None:
    """Of what arguments decide, only the arm that is taken is drawn."""
    text = """use "std/args";
    fn main() {
      let fast = args.number("fast", 1);
      stage s : fifo;
      workload { arrive batch(1); }
      server { branch (fast) { run s (cost(s, 1)); } else { run s (cost(s, 2)); } }
    }"""
    assert steps(picture(text), "server") == [["serve: 1"]]
    assert steps(picture(text, sets={"fast": 0}), "server") == [["serve: 2"]]


def test_what_only_measures_is_left_out() -> None:
    shown = picture(
        """fn main() {
          stage s : fifo;
          workload { arrive batch(1); turn { set start = now; set size_of = 2; } }
          server { run s (cost(s, size_of)); set took = now - start; observe seen = took; }
        }"""
    )
    assert steps(shown, "client") == [["turn: size_of = 2"]]
    assert steps(shown, "server") == [["serve: size_of"]]


def test_a_turn_is_no_step_of_a_tool() -> None:
    """A turn before a pause is a card of its own, which leads to the tool's."""
    shown = picture(
        """fn main() {
          stage s : fifo;
          workload { arrive closed(2); session { loop { turn; tool (5); } } }
          server { run s (cost(s, 1)); }
        }"""
    )
    assert steps(shown, "client") == [["turn: a request"], ["delay: 5"]]
    assert ("turn: a request", "delay: 5", "next", "") in ways(shown)
    assert ("delay: 5", "turn: a request", "back", "") in ways(shown)


HELD = """\
fn main() {{
  pool a {{ cap 9; }}
  pool b {{ cap 9; }}
  stage s : fifo;
  workload {{ arrive batch(1); }}
  server {{ hold a (cost(a, 1)), b (cost(b, 2)) {{ run s (cost(s, 1)); {0} }} }}
}}
"""


def test_nothing_is_given_back_twice() -> None:
    """What a body has released is not given back at its end."""
    assert [rows for rows in steps(picture(HELD.format("")), "server") if "give back: a, b" in rows]
    told = [row for rows in steps(picture(HELD.format("release a;")), "server") for row in rows if "give" in row]
    assert told == ["give back: a", "give back: b"]


ROUTED = """\
fn main() {
  stage server[3] : fifo;
  workload { arrive batch(1); }
  server { choose i in 3 by (queue(server[i]), ~uniform(0, 1)); run server[i] (cost(server, 1)); }
}
"""


def test_routing() -> None:
    """Each key of a choice has a row."""
    (route,) = [card for card in picture(ROUTED).cards if card.kind == "route"]
    assert route.title == "choose i of 3"
    assert [(row.verb, *row.lines) for row in route.rows] == [
        ("least", "queue(server[i])"),
        ("then least", "~uniform(0, 1)"),
    ]


TWICE = """\
fn main() {
  stage disk : fifo;
  stage net : fifo;
  workload { arrive batch(1); }
  server { run disk (cost(disk, 1)); run net (cost(net, 1)); run disk (cost(disk, 2)); }
}
"""


def test_a_unit_stands_beside_the_first_that_uses_it() -> None:
    """What is used twice is joined by a line to the first card alone; both cards name it."""
    shown = picture(TWICE)
    assert steps(shown, "server") == [["serve: 1 at disk"], ["serve: 1"], ["serve: 2 at disk"]]
    assert len([tie for tie in shown.ties if tie.unit == "stage_disk"]) == 2
    assert dot(TWICE).count("style=dotted") == 1


SPILLING = """\
fn main() {{
  device gpu {{ kv cap 100; }}
  pool host {{ cap 1000; }}
  stage link : fifo;
  pool kv on gpu {{ spill host via link (size) when (1); }}
  engine llm on gpu {{
    reqs cap 8; tokens cap 64;
    request (prompt, output) {{ prefill (prompt) growing kv; decode (output) growing kv; cache (prompt); }}
    schedule {{ advance running; admit waiting taking reqs (1), kv (0); }}
    execute (0.01);
  }}
  pool reqs on llm {{ }}
  workload {{ arrive batch(1); }}
  server {{ {0} llm (10, 10); }}
}}
"""


def test_what_a_pool_spills_over() -> None:
    """A link for spilling alone stands below its pool, on the device; one that requests use stands for itself."""
    alone = picture(SPILLING.format(""))
    frames = {unit.title: unit.frame for unit in alone.units}
    assert frames["link"] == frames["kv"] == frames["llm"] != frames["host"]
    order = [unit.title for unit in alone.units]
    assert order.index("link") == order.index("kv") + 1
    used = picture(SPILLING.format("run link (cost(link, 1));"))
    frames = {unit.title: unit.frame for unit in used.units}
    assert frames["link"] != frames["kv"]
    for shown in (alone, used):
        assert [link for link in shown.links if link.kind == "spill"] == [
            Link("pool_kv", "stage_link", "spill"),
            Link("stage_link", "pool_host", "spill"),
        ]


def test_from_the_representation() -> None:
    """Without the text of a program, its picture is drawn from the representation's expressions."""
    program = serq.compile(source=STALLED, horizon=1)
    plain = pictured(serq.Program.from_json(program.to_json()), False)
    assert steps(plain, "server") == steps(picture(STALLED), "server")
    assert plain.notes == ()
