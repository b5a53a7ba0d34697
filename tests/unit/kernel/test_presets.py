"""Sessions written into a representation run as those of the trace that they come from."""

from pathlib import Path

import serq
from serq.trace import read_trace

PROGRAM = """
fn main() {
  stage s : fifo;
  workload { arrive batch(5); trace "t.csv" ordered; session { loop { turn; branch (more == 0) { end; } } } }
  server { observe t = think; observe n = new + forced; run s (cost(s, out)); }
}
"""
TRACE = "1,1,10,0.5,0.25\n1,2,20,1.5,0.5,3\n2,1,30,2.5,0.75\n"


def test_inlined_trace_gives_the_same_run(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TRACE)
    (tmp_path / "p.sq").write_text(PROGRAM)
    program = serq.compile(tmp_path / "p.sq", horizon=100)
    inlined = serq.Program.from_json(program.with_sessions(read_trace(tmp_path / "t.csv")).to_json())
    assert inlined.trace_path is None
    expected, got = serq.run(program), serq.run(inlined)
    assert expected.turns == 3 * 2 + 2 * 1
    assert expected.observes["n"].mean == (3 * (10 + 23) + 2 * 30) / 8
    assert got.json() == expected.json()
