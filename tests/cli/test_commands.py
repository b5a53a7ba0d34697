"""What the commands print, where, and with which exit code."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import serq as package
from tests.cli.serq_command import COMMAND, ENGINE, ENVIRONMENT, ROOT, SMALL, STARVED, serq

HORIZON = ("--horizon", "100")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.sq"
    path.write_text(SMALL)
    return path


def figures(text: str) -> dict[str, object]:
    """A report's JSON without the version, to compare runs."""
    report: dict[str, object] = json.loads(text)
    return report


# ---------------------------------------------------------------- what works


def test_run_prints_the_report() -> None:
    """`run` prints the report of the tutorial's chapter as it is printed there, and nothing else."""
    ended = serq("run", ENGINE, "--horizon", "20000", "--warmup", "2000", "--seed", "1")
    assert ended == (0, (ROOT / "tests/golden/reports/05-engine.txt").read_text(), "")


def test_run_as_json(small: Path) -> None:
    """`--json` prints one line: the report that the API gives."""
    ended = serq("run", small, *HORIZON, "--seed", "7", "--warmup", "10", "--json")
    program = package.compile(small, horizon=100, seed=7, warmup=10)
    assert ended == (0, package.run(program).json() + "\n", "")


def test_check_counts(small: Path) -> None:
    """`check` prints one line about the program and needs no horizon."""
    ended = serq("check", small)
    assert re.fullmatch(r"OK: 0 pool\(s\), 1 stage\(s\), 9 attribute\(s\), \d+ block\(s\)\n", ended.out)
    assert (ended.code, ended.err) == (0, "")


def test_ir_runs_like_the_text(small: Path, tmp_path: Path) -> None:
    """What `ir` prints, `run` takes in place of the text, with its settings; flags replace them."""
    representation = tmp_path / "small.json"
    representation.write_text(serq("ir", small, *HORIZON, "--set", "work=2/4").out)
    expected = serq("run", small, *HORIZON, "--json", "--", "--work", "0.5").out
    assert serq("run", representation, "--json").out == expected
    assert serq("check", representation).out == serq("check", small).out
    assert figures(serq("run", representation, "--json", "--horizon", "50").out)["horizon"] == 50


def test_standard_input(small: Path) -> None:
    """`-` reads a program or a representation from standard input."""
    expected = serq("run", small, *HORIZON)
    assert serq("run", "-", *HORIZON, stdin=SMALL) == expected
    assert serq("run", "-", *HORIZON, stdin="\ufeff" + SMALL) == expected
    assert serq("run", "-", stdin=serq("ir", "-", *HORIZON, stdin=SMALL).out) == expected


def test_program_arguments(small: Path) -> None:
    """`--name value`, `--name=value` and `--set` give arguments; the last of a repeated name wins."""

    def seen(*words: str) -> float:
        report = json.loads(serq("run", small, *HORIZON, "--json", *words).out)
        mean: float = report["observes"]["seen"]["mean"]
        return mean

    assert seen() == 2
    assert seen("--", "--work", "3") == 6
    assert seen("--", "--work=3", "--work=-0.5e0", "--work", "0.25") == 0.5
    assert seen("--set", "work=1/4", "--set", "work=1/8") == 0.25
    assert seen("--set", "work=1/4", "--", "--work", "2") == 4


def test_definitions(small: Path) -> None:
    """`--def` replaces the body of an expression `def`."""
    report = json.loads(serq("run", small, *HORIZON, "--json", "--def", "twice=3 * x + 1").out)
    assert report["observes"]["seen"]["mean"] == 4


def test_every_command_takes_arguments(small: Path, tmp_path: Path) -> None:
    """`check` and `ir` take arguments, definitions and instances as `run` does."""
    (tmp_path / "i.sq").write_text("let work = 3;\nrun { horizon 40; warmup 4; seed 5; arrivals 6; }\n")
    ways = (["--instance", str(tmp_path / "i.sq")], [*HORIZON, "--set", "work=3"], [*HORIZON, "--", "--work", "3"])
    instance, text, pair = (json.loads(serq("ir", small, *words).out) for words in ways)
    assert [instance[key] for key in ("horizon", "warmup", "seed", "arrivals")] == [40, 4, 5, 6]
    assert instance["blocks"] == text["blocks"] == pair["blocks"]
    assert text["blocks"] != json.loads(serq("ir", small, *HORIZON).out)["blocks"]
    for words in (ways[0], ways[1][2:], ways[2][2:], ["--def", "twice=3 * x"]):
        assert serq("check", small, *words).out.startswith("OK: ")


def test_instances_apply_in_order(small: Path, tmp_path: Path) -> None:
    """Instance files and flags apply in the order of the command line, and later ones win."""
    instance = tmp_path / "i.sq"
    instance.write_text("let work = 3;\nrun { horizon 40; seed 5; }\n")

    def run(*words: str | Path) -> tuple[object, object, object]:
        report = json.loads(serq("run", small, "--json", *words).out)
        return report["horizon"], report["seed"], report["observes"]["seen"]["mean"]

    assert run("--instance", instance) == (40, 5, 6)
    assert run("--horizon", "50", "--seed", "6", "--set", "work=1", "--instance", instance) == (40, 5, 6)
    assert run("--instance", instance, "--horizon", "50", "--set", "work=1") == (50, 5, 2)
    assert run("--set", "work=1", "--instance", instance, "--seed", "6", "--", "--work", "2") == (40, 6, 4)


TRACED = """\
fn main() {
  workload { arrive batch(3); trace "t.csv" ordered; session { turn; while (more) { tool (think); turn; } } }
  server { observe seen = new + 10 * forced; observe left = more; }
}
"""


def test_traces(tmp_path: Path) -> None:
    """`--trace` replaces the program's; `ir --inline-trace` writes its sessions into the representation."""
    (tmp_path / "p.sq").write_text(TRACED)
    (tmp_path / "t.csv").write_text("session,turn,new,out,think\n0,1,5,2,1\n0,2,6,3,1,1\n1,1,7,2,3\n")
    (tmp_path / "u.csv").write_text("0,1,9,2,1\n")
    own = json.loads(serq("run", "p.sq", *HORIZON, "--json", cwd=tmp_path).out)
    assert (own["turns"], own["observes"]["seen"]["mean"]) == (5, (5 + 16 + 7 + 5 + 16) / 5)
    other = json.loads(serq("run", "p.sq", *HORIZON, "--json", "--trace", "u.csv", cwd=tmp_path).out)
    assert (other["turns"], other["observes"]["seen"]["mean"]) == (3, 9)
    inlined = json.loads(serq("ir", "p.sq", *HORIZON, "--inline-trace", cwd=tmp_path).out)
    assert inlined["trace"] is None
    first, second, third = inlined["arrival"]["Sessions"]
    assert first == third
    assert first["turns"] == [[[3, 5.0], [4, 2.0], [5, 1.0], [7, 0.0]], [[3, 6.0], [4, 3.0], [5, 1.0], [7, 1.0]]]
    assert second["turns"] == [[[3, 7.0], [4, 2.0], [5, 3.0], [7, 0.0]]]
    (tmp_path / "q.sq").write_text(TRACED.replace(" ordered", ""))
    unordered = serq("ir", "q.sq", *HORIZON, "--inline-trace", cwd=tmp_path)
    assert (unordered.code, unordered.out) == (1, "")
    assert "`ordered`" in unordered.err


def test_dump_needs_a_name(tmp_path: Path) -> None:
    """An empty name, as of an unset variable of the shell, is not the current folder."""
    (tmp_path / "p.sq").write_text("fn main() { }")
    refused = serq("run", "p.sq", "--horizon", "1", "--dump", "", cwd=tmp_path)
    assert refused.code == 2
    assert "`--dump` needs a folder" in refused.err
    assert [path.name for path in tmp_path.iterdir()] == ["p.sq"]


def test_dump(small: Path, tmp_path: Path) -> None:
    """`--dump` writes a file a sample list and a gauge, beside the report, replacing what was there."""
    folder = tmp_path / "deep" / "dump"
    for _ in range(2):
        ended = serq("run", small, *HORIZON, "--json", "--dump", folder)
        assert ended.code == 0
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert files == ["client/response.csv", "client/tpot.csv", "client/ttft.csv", "gauge/queueing.csv", "seen.csv"]
    report = package.run(package.compile(small, horizon=100))
    rows = [line.split(",") for line in (folder / "client/response.csv").read_text().splitlines()]
    assert rows[0] == ["time", "session", "turn", "value"]
    response = report.client["response"]
    columns = (response.times, response.sessions, response.turns, response.samples)
    assert [[float(cell) for cell in row] for row in rows[1:]] == [list(row) for row in zip(*columns, strict=True)]
    gauge = [line.split(",") for line in (folder / "gauge/queueing.csv").read_text().splitlines()]
    assert gauge[0] == ["time", "value"]
    assert [float(row[1]) for row in gauge[1:]] == report.gauges["queueing"].values.tolist()
    assert (folder / "client/ttft.csv").read_text() == "time,session,turn,value\n"


def test_timing(small: Path) -> None:
    """`--timing` tells the seconds and the pace on standard error, and leaves standard output as it was."""
    plain, timed = serq("run", small, *HORIZON), serq("run", small, *HORIZON, "--timing")
    assert timed.out == plain.out
    form = r"timing: compile [\d.]+ s, run [\d.]+ s, report [\d.]+ s; [\d.e+]+ events/s, [\d.e+]+ iterations/s\n"
    assert re.fullmatch(form, timed.err)


def test_strict() -> None:
    """A run with faults exits with 3 under `--strict`, its report printed all the same; without faults with 0."""
    plain, strict = (serq("run", "-", *HORIZON, *words, stdin=STARVED) for words in ((), ("--strict",)))
    assert (plain.code, strict.code) == (0, 3)
    assert plain.out == strict.out
    assert "fault: pool mem: 2 sessions rejected" in strict.out
    as_json = serq("run", "-", *HORIZON, "--json", "--strict", stdin=STARVED)
    assert as_json.code == 3
    assert json.loads(as_json.out)["pools"][0]["rejected"] == 2
    assert "fault: pool mem: 2 sessions rejected" in as_json.err
    assert serq("run", ENGINE, "--horizon", "3000", "--strict").code == 0


def test_version_and_help() -> None:
    """`--version` and `-V` print the version; every command explains itself, with examples."""
    assert serq("--version") == serq("-V") == (0, f"serq {package.__version__}\n", "")
    for command in ("run", "check", "ir", "completion"):
        ended = serq(command, "--help")
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.startswith(f"Usage: serq {command} ")
        assert "Examples:" in ended.out
        assert re.search(rf"^  {command}  +\S", serq("--help").out, re.M)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    """`completion` prints a script, and the script's questions are answered."""
    ended = serq("completion", shell)
    assert ended.code == 0
    assert f"{shell}_complete" in ended.out
    answer = subprocess.run(
        COMMAND,
        env={**ENVIRONMENT, "_SERQ_COMPLETE": "bash_complete", "COMP_WORDS": "serq run --str", "COMP_CWORD": "2"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--strict" in answer.stdout


# ---------------------------------------------------------------- what does not

USAGE = [
    ([], "Usage: serq"),
    (["walk"], "walk"),
    (["run"], "FILE"),
    (["run", "--json"], "FILE"),
    (["run", "x.sq", *HORIZON, "--draw"], "--draw"),
    (["check", "x.sq", *HORIZON], "--horizon"),
    (["run", "x.sq"], "horizon"),
    (["ir", "x.sq"], "horizon"),
    (["run", "-"], "horizon"),
    (["run", "x.sq", "y.sq", *HORIZON], "y.sq"),
    (["run", "x.sq", "--horizon"], "--horizon"),
    (["run", "x.sq", "--horizon", "soon"], "`soon`"),
    (["run", "x.sq", "--horizon", "0"], "`0`"),
    (["run", "x.sq", "--horizon", "-5"], "`-5`"),
    (["run", "x.sq", "--horizon", "inf"], "`inf`"),
    (["run", "x.sq", "--horizon", "nan"], "`nan`"),
    (["run", "x.sq", "--horizon", "1e999"], "`1e999`"),
    (["run", "x.sq", *HORIZON, "--warmup", "-1"], "`-1`"),
    (["run", "x.sq", *HORIZON, "--warmup", "100"], "warm-up"),
    (["run", "x.sq", *HORIZON, "--seed", "-1"], "`-1`"),
    (["run", "x.sq", *HORIZON, "--seed", "18446744073709551616"], "2^64"),
    (["run", "x.sq", *HORIZON, "--seed", "1.5"], "`1.5`"),
    (["run", "x.sq", *HORIZON, "--seed", "9" * 5000], "2^64"),
    (["run", "x.sq", *HORIZON, "--arrivals", "0"], "`0`"),
    (["run", "x.sq", *HORIZON, "--set", "work"], "name=expr"),
    (["run", "x.sq", *HORIZON, "--set", "=3"], "name=expr"),
    (["run", "x.sq", *HORIZON, "--def", "twice="], "name=expr"),
    (["run", "x.sq", *HORIZON, "--", "work", "3"], "`work`"),
    (["run", "x.sq", *HORIZON, "--", "--work"], "`--work`"),
    (["run", "x.sq", *HORIZON, "--", "--work", "many"], "`many`"),
    (["completion", "ksh"], "ksh"),
]


@pytest.mark.parametrize(("words", "named"), USAGE, ids=[" ".join(words)[:60] or "nothing" for words, _ in USAGE])
def test_usage(words: list[str], named: str, tmp_path: Path) -> None:
    """A wrong command line exits with 2 before any file is opened, with a message and the usage on standard error."""
    ended = serq(*words, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert named in ended.err
    assert "Usage: serq" in ended.err
    assert "Traceback" not in ended.err


def refused(*words: str | Path, cwd: Path | None = None, stdin: str | bytes = "") -> str:
    """Run a command that must fail with exit code 1 and print nothing on standard output; what it says."""
    ended = serq(*words, cwd=cwd, stdin=stdin)
    assert (ended.code, ended.out) == (1, "")
    assert "Traceback" not in ended.err
    assert "internal error" not in ended.err
    return ended.err


def test_a_refused_program_shows_its_place(tmp_path: Path) -> None:
    """A refusal names file, line and column, and shows the line with a caret."""
    (tmp_path / "bad.sq").write_text("fn main() {\n  workload { arrive poisson(1) }\n}")
    lines = refused("check", "bad.sq", cwd=tmp_path).splitlines()
    assert lines[0].startswith("bad.sq:2:32: ")
    assert lines[1:3] == ["2 |   workload { arrive poisson(1) }", " " * 35 + "^"]
    assert refused("check", "-", stdin="fn").startswith("<stdin>:1:")


def test_files_that_are_none(tmp_path: Path) -> None:
    """A missing file, a directory, a file that may not be read, and one that is no text are each said to be so."""
    (tmp_path / "bytes.sq").write_bytes(b"fn main() {\n  // \xff\xfe\n}")
    assert "`none.sq`: no such file" in refused("check", "none.sq", cwd=tmp_path)
    assert "is a directory" in refused("check", tmp_path)
    assert refused("check", "bytes.sq", cwd=tmp_path).startswith("bytes.sq:2:6: byte 0xff is not UTF-8")
    assert refused("check", "-", stdin=b"\xc3(").startswith("<stdin>:1:1: byte 0xc3 is not UTF-8")
    assert "`i.sq`: no such file" in refused("run", ENGINE, "--instance", "i.sq", *HORIZON, cwd=tmp_path)
    assert "`t.csv`: no such file" in refused("run", ENGINE, "--trace", "t.csv", *HORIZON, cwd=tmp_path)
    assert refused("check", "-", stdin="\0").startswith("<stdin>:1:1: ")


def test_programs_that_cannot_run(small: Path, tmp_path: Path) -> None:
    """Unknown arguments, settings against the program, and a run that stops name the program and the reason."""
    assert "`work`" in refused("run", small, *HORIZON, "--", "--wrk", "3")
    assert "`wrk`" in refused("check", small, "--set", "wrk=3")
    assert "twice" in refused("check", small, "--def", "thrice=3")
    assert "arrive" in refused("run", "-", *HORIZON, "--arrivals", "3", stdin=STARVED)
    late = refused("run", small, *HORIZON, "--arrivals", "5000")
    assert late.startswith(f"{small}: ")
    assert "5000" in late
    (tmp_path / "i.json").write_text(serq("ir", small, *HORIZON).out)
    assert "IR" in refused("run", tmp_path / "i.json", "--set", "work=1")
    assert "JSON" in refused("run", "-", stdin="{")


NO_CONSTANTS = ["1 +", "x y", "1; let b = 2", "$", "1 /*", "undeclared", "now", "~exp(1)", "max(1)", "twice(2)"]


@pytest.mark.parametrize("text", NO_CONSTANTS)
def test_a_value_that_is_none_has_no_place(small: Path, text: str) -> None:
    """What is wrong with `--set name=expr` names the argument, and no place, since it is in no file."""
    shown = refused("check", small, "--set", f"work={text}")
    assert re.match(rf"{small}: [^\d\n]*`work`", shown)
    assert "^" not in shown


@pytest.mark.parametrize("text", ["undeclared", "max(x)", "used(s)", "x + nothing", "twice(x)"])
def test_a_body_that_is_wrong_is_shown_where_it_goes(small: Path, text: str) -> None:
    """What is wrong with a body from `--def`, once it stands in the program, is shown at the definition's name."""
    assert refused("check", small, "--def", f"twice={text}").startswith(f"{small}:2:5: ")


@pytest.mark.parametrize("text", ["x +", "x y", "x; 2", "$", "{ x }"])
def test_a_body_that_is_none_has_no_place(small: Path, text: str) -> None:
    """A body from `--def` that is no expression is in no file."""
    shown = refused("check", small, "--def", f"twice={text}")
    assert shown.startswith(f"{small}: the body given for `twice`")
    assert "^" not in shown


def test_an_instance_that_is_wrong_shows_its_place(tmp_path: Path) -> None:
    """A fault in an instance file is shown there, not in the program."""
    (tmp_path / "i.sq").write_text("let a = 1;\nrun { horizont 3; }\n")
    shown = refused("run", ENGINE, "--instance", "i.sq", *HORIZON, cwd=tmp_path)
    assert shown.startswith("i.sq:2:7: found `horizont`")


def test_dumps_that_cannot_be_written(small: Path, tmp_path: Path) -> None:
    """Where no dump can be written nothing is printed, and no half of one is left behind."""
    (tmp_path / "file").write_text("")
    assert "not a directory" in refused("run", small, *HORIZON, "--dump", tmp_path / "file")
    assert "not a directory" in refused("run", small, *HORIZON, "--dump", tmp_path / "file" / "sub")
    folder = tmp_path / "dump"
    (folder / "gauge" / "queueing.csv").mkdir(parents=True)
    assert "queueing.csv" in refused("run", small, *HORIZON, "--dump", folder)
    assert [path for path in folder.rglob("*") if path.is_file()] == []


def test_a_reader_that_leaves(small: Path) -> None:
    """When nobody reads the output any more, the command ends in silence."""
    for words in (["run", str(small), *HORIZON], ["ir", ENGINE, *HORIZON], ["--help"], ["run", "--help"]):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([*COMMAND, *words], stdout=write, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False)
        os.close(write)
        assert done.stderr == b""
        assert done.returncode == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_disk_that_is_full(small: Path) -> None:
    """Output that cannot be written is one sentence and exit code 1."""
    for words in (["run", str(small), *HORIZON], ["--version"], ["--help"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False)
        assert (done.returncode, done.stderr) == (1, b"serq: cannot write the output: no space left on device\n")


def test_an_output_without_the_letter(small: Path) -> None:
    """An encoding that has no `±` gets a `?`, and the columns stay in place."""
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*COMMAND, "run", small, *HORIZON], capture_output=True, env=environment, check=True)
    assert done.stdout.decode("ascii") == serq("run", small, *HORIZON).out.replace("±", "?")
