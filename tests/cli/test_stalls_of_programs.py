"""`serq stalls PROGRAM` as a user meets it.

`python -m tests.cli.test_stalls_of_programs` makes the golden files anew.
"""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest

import serq as package
from serq.stalls.figures import BIN_EDGES
from serq.stalls.simulated import quantile
from tests.cli.serq_command import ENGINE, ROOT, SMALL, Ended, serq

GOLDEN = ROOT / "tests" / "golden" / "stalls"

STALLED = """\
// An engine whose loop stands still now and then, and replicas behind a router.
fn main() {
  device gpu { kv cap 400; }
  pool kv on gpu { block 1; preempt lifo; }
  engine llm on gpu {
    reqs cap 8;
    tokens cap 64;
    request (p, d) { stall tok (2e-4 * p); prefill (p) growing kv; decode (d) growing kv; }
    schedule { advance running; admit waiting while (running.preempted == 0) taking reqs (1), kv (min(p, 16)); }
    execute (0.008 + 5e-4 * batch.prefilled);
    stall gc (~bernoulli(0.02) * 0.06);
  }
  pool reqs on llm { }
  workload { arrive poisson(1.2); turn { set p = 20 + floor(~exp(40)); set d = 10 + floor(~exp(60)); } }
  server { llm (p, d); }
}
"""

FLEET = """\
fn main() {
  queue replica[2] : decode {
    device card { kv cap 4000; }
    engine on card {
      reqs cap 8;
      tokens cap 256;
      schedule { advance running; admit waiting while (running.preempted == 0); }
      execute (0.01 + 1e-4 * batch.prefilled);
    }
    pool kv on card { block 16; }
    pool reqs on replica { }
    decode (p) {
      hold reqs (cost(reqs, 1)), kv (cost(kv, 0)) {
        run replica prefill (cost(replica, p)) growing kv;
        run replica decode (cost(replica, 20)) growing kv;
      }
    }
  }
  workload { arrive poisson(4); turn { set p = 100; } }
  server { choose j in 2 by (busy(replica[j])); replica[j].decode (p); }
}
"""

REPORTS = {
    "program.txt": ("--horizon", "60", "--warmup", "5"),
    "without.txt": (
        *("--horizon", "60", "--warmup", "5", "--seeds", "1-3"),
        *("--without", "gc", "--without", "prefill,tok"),
    ),
}
"""Golden texts, and the options that give them."""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "program.sq").write_text(STALLED)
    return tmp_path


def report(folder: Path, *words: str) -> Ended:
    return serq("stalls", "program.sq", *words, cwd=folder)


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


@pytest.mark.parametrize("name", REPORTS)
def test_golden(name: str, program: Path) -> None:
    """The whole report: latencies, bars, count against time, and what the latencies become without causes."""
    assert report(program, *REPORTS[name]) == (0, (GOLDEN / name).read_text(), "")


def test_json(program: Path) -> None:
    """An object for one run, a list for several; its figures are those of `serq run`, its labels sum up."""
    found = report(program, "--horizon", "60", "--warmup", "5", "--json")
    assert (found.code, found.err, found.out.count("\n")) == (0, "", 1)
    one = json.loads(found.out)
    compiled = package.compile(source=STALLED, horizon=60, warmup=5)
    stage = package.run(compiled).stages[0]
    assert one["engine"] == "llm"
    assert one["without"] == []
    assert one["itl_p50"] == pytest.approx(1e3 * stage.itl_p50, rel=0.01)
    for share in ("all_share", "tail_share"):
        assert sum(one[share].values()) == pytest.approx(1, abs=1e-12)
        assert one[share]["residual"] == 0
    assert one["all_share"]["gc"] > 0
    assert sum(one["all_count"].values()) == sum(bin_["n"] for bin_ in one["hist"]) == one["gaps"]
    several = json.loads(report(program, "--horizon", "60", "--seeds", "3,1", "--without", "gc", "--json").out)
    assert [(run["seed"], run["without"]) for run in several] == [(3, []), (1, []), (3, ["gc"]), (1, ["gc"])]
    assert several[2]["all_share"]["gc"] == 0


def test_gaps(program: Path) -> None:
    """Every gap is a row, and together the rows say what the report says."""
    found = report(program, "--horizon", "60", "--warmup", "5", "--gaps", "gaps.csv", "--json")
    assert (found.code, found.err) == (0, "")
    one = json.loads(found.out)
    rows = rows_of(program / "gaps.csv")
    labels = list(one["all_share"])[:-1]
    assert list(rows[0]) == [
        *("engine", "session", "turn", "start_s", "end_s", "gap_ms"),
        *(f"{label}_ms" for label in labels),
        "primary",
    ]
    assert len(rows) == one["gaps"]
    total = sum(float(row["gap_ms"]) for row in rows)
    for label in labels:
        assert sum(float(row[f"{label}_ms"]) for row in rows) / total == pytest.approx(
            one["all_share"][label], abs=1e-9
        )
    for cause, count in one["all_count"].items():
        assert sum(row["primary"] == cause for row in rows) == count
    for low, high, bin_ in zip(BIN_EDGES, BIN_EDGES[1:], one["hist"], strict=False):
        # A gap that is an edge but for its last bit may print as the edge.
        assert sum(low - 1e-9 <= float(row["gap_ms"]) < high + 1e-9 for row in rows) >= bin_["n"]
    lengths = sorted(float(row["gap_ms"]) for row in rows)
    for key, percent in (("itl_p50", 50), ("itl_p90", 90), ("itl_p99", 99), ("itl_p999", 99.9), ("itl_max", 100)):
        assert one[key] == pytest.approx(quantile(lengths, percent), rel=0.01)
    assert not [name for name in os.listdir(program) if name.startswith(".")]


def test_parquet(program: Path) -> None:
    """Parquet has the rows of CSV."""
    reading = pytest.importorskip("pyarrow.parquet")
    for name in ("gaps.csv", "gaps.parquet"):
        assert report(program, "--horizon", "20", "--gaps", name).code == 0
    table = reading.read_table(program / "gaps.parquet")
    rows = rows_of(program / "gaps.csv")
    assert table.column_names == list(rows[0])
    assert table.column("primary").to_pylist() == [row["primary"] for row in rows]
    assert table.column("gap_ms").to_pylist() == pytest.approx([float(row["gap_ms"]) for row in rows], abs=1e-9)


def test_families(tmp_path: Path) -> None:
    """Engines of a family are one row, or a row each; both count the same gaps."""
    (tmp_path / "program.sq").write_text(FLEET)
    together = json.loads(report(tmp_path, "--horizon", "20", "--json").out)
    each = json.loads(report(tmp_path, "--horizon", "20", "--json", "--members").out)
    assert together["engine"] == "replica"
    assert [run["engine"] for run in each] == ["replica[0]", "replica[1]"]
    assert sum(run["gaps"] for run in each) == together["gaps"] > 100
    assert report(tmp_path, "--horizon", "20", "--gaps", "gaps.csv").code == 0
    rows = rows_of(tmp_path / "gaps.csv")
    assert {run["engine"]: run["gaps"] for run in each} == {
        name: sum(row["engine"] == name for row in rows) for name in ("replica[0]", "replica[1]")
    }


def test_no_gaps(tmp_path: Path) -> None:
    """A run in which nobody got two tokens says so; its file of gaps has a header and no rows."""
    (tmp_path / "program.sq").write_text(STALLED.replace("decode (d)", "decode (0 * d)"))
    ended = report(tmp_path, "--horizon", "20", "--warmup", "1", "--gaps", "gaps.csv")
    assert ended == (0, "no gaps: after the warm-up no request got two tokens of one turn\n", "")
    assert (tmp_path / "gaps.csv").read_text().count("\n") == 1


def test_part_of_a_report(program: Path) -> None:
    """`serq run --stalls` adds tables or an object to the report, and changes nothing of it."""
    words = ("run", "program.sq", "--horizon", "60", "--warmup", "5")
    plain, divided = serq(*words, cwd=program), serq(*words, "--stalls", cwd=program)
    assert (divided.code, divided.err) == (0, "")
    assert divided.out.startswith(plain.out)
    golden = (GOLDEN / "program.txt").read_text()
    added = divided.out.removeprefix(plain.out)
    assert added.startswith("\ninter-token latency, ms\nengine ")
    assert all(line in golden for line in added.splitlines())
    plain, divided = serq(*words, "--json", cwd=program), serq(*words, "--json", "--stalls", cwd=program)
    assert divided.out.startswith(plain.out[:-2] + ',"stalls":{"unit":"ms","engines":[{"engine":"llm",')
    engine = json.loads(divided.out)["stalls"]["engines"][0]
    alone = json.loads(report(program, *words[2:], "--json").out)
    assert engine == {key: value for key, value in alone.items() if key != "without"}
    assert "stalls" not in json.loads(plain.out)


def test_part_of_a_report_without_gaps(tmp_path: Path) -> None:
    """A program without engines has no gaps to tell of."""
    (tmp_path / "program.sq").write_text(SMALL)
    ended = serq("run", "program.sq", "--horizon", "60", "--stalls", cwd=tmp_path)
    assert ended.out.endswith("\n\nno gaps: after the warm-up no request got two tokens of one turn\n")
    ended = serq("run", "program.sq", "--horizon", "60", "--stalls", "--json", cwd=tmp_path)
    assert json.loads(ended.out)["stalls"] == {"unit": "ms", "engines": []}


def test_arguments() -> None:
    """A program takes its arguments as for `serq run`, and comes from standard input, too."""
    words = ("--horizon", "50", "--json")
    by_set = serq("stalls", ENGINE, *words, "--set", "Lambda=1.8")
    assert by_set.code == 0
    assert serq("stalls", ENGINE, *words, "--", "--Lambda", "1.8").out == by_set.out
    assert serq("stalls", "-", *words, "--set", "Lambda=1.8", stdin=Path(ENGINE).read_text()).out == by_set.out


CANNOT = "serq: `{}` cannot be left out of a run: `prefill`, `tok`, `gc` can\n"
HORIZON = ("--horizon", "20")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "a program text needs a horizon"),
        ((*HORIZON, "--without", "gcc"), 1, CANNOT.format("gcc") + "help: did you mean `gc`?"),
        ((*HORIZON, "--without", "gc,"), 1, CANNOT.format("")),
        ((*HORIZON, "--without", "preempt"), 1, CANNOT.format("preempt") + "help: it follows from memory"),
        ((*HORIZON, "--seeds", "3-1"), 1, "the range of seeds `3-1` runs backwards"),
        ((*HORIZON, "--seeds", "1-3", "--seed", "1"), 2, "give either `--seed` or `--seeds`"),
        ((*HORIZON, "--seeds", "1-3", "--gaps", "g.csv"), 2, "`--gaps` writes the gaps of one run: give one seed"),
        ((*HORIZON, "--gaps", "gaps.txt"), 2, "`gaps.txt`: export to a name that ends in .csv or .parquet"),
        ((*HORIZON, "--gaps", "none/gaps.csv"), 1, "cannot write to `none/gaps.csv`: no such file or directory"),
        ((*HORIZON, "--html", "a.html"), 2, "`--html` goes with logs, and `program.sq` is a program"),
        ((*HORIZON, "other.sq"), 2, "`program.sq` is a program: give one program, or logs (.npz, .jsonl)"),
    ],
)
def test_refusals(words: tuple[str, ...], code: int, message: str, program: Path) -> None:
    """What is wrong with the options is said in a sentence, and no file is left."""
    ended = report(program, *words)
    assert (ended.code, ended.out) == (code, "")
    assert message in ended.err
    assert os.listdir(program) == ["program.sq"]


def test_options_of_programs_are_not_for_logs(tmp_path: Path) -> None:
    """An option that only a program has is refused for a log."""
    ended = serq("stalls", "a.npz", "--without", "gc", cwd=tmp_path)
    assert ended.code == 2
    assert "`--without` goes with a program, and `a.npz` is a log" in ended.err


def test_a_run_that_stops_leaves_no_file(tmp_path: Path) -> None:
    """A stall that turns negative on the way ends the run with its name, and the file that was there stays."""
    (tmp_path / "program.sq").write_text(STALLED.replace("~bernoulli(0.02) * 0.06", "5 - now"))
    (tmp_path / "gaps.csv").write_text("as it was")
    ended = report(tmp_path, *HORIZON, "--gaps", "gaps.csv")
    assert (ended.code, ended.out) == (1, "")
    assert "stall `gc` of engine `llm` is -" in ended.err
    assert "help: a stall must be finite and not negative: max(0, x)" in ended.err
    assert (tmp_path / "gaps.csv").read_text() == "as it was"
    assert sorted(os.listdir(tmp_path)) == ["gaps.csv", "program.sq"]


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "program.sq").write_text(STALLED)
        for name, options in REPORTS.items():
            (GOLDEN / name).write_text(report(Path(folder), *options).out)
