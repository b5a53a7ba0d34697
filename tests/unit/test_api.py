"""The public names: what they take, what they refuse and as what, and that they are typed."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import serq

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "docs/tutorial/programs/05-engine.sq"
SMALL = """
use "std/args";
fn main() {
  let work = args.number("work", 1);
  stage s : fifo;
  workload { arrive poisson(0.5); }
  server { run s (cost(s, work)); observe seen = now; }
}
"""


def test_names() -> None:
    """Every promised name is there, and nothing else is promised."""
    for name in serq.__all__:
        assert getattr(serq, name) is not None
    assert set(serq.__all__) <= set(dir(serq))
    assert (serq.IR_VERSION, serq.REPORT_VERSION) == (13, 1)
    assert isinstance(serq.__version__, str)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = serq.nonsense


@pytest.mark.parametrize("first", ["serq.run", "serq.program", "serq.cli.run"])
def test_functions_are_not_hidden_by_modules(first: str) -> None:
    """`serq.run` is the function, whichever module was imported first."""
    code = f"import {first}, serq; assert serq.run.__name__ == 'run'; assert serq.compile.__name__ == 'compile'"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import serq", ["serq.program", "numpy", "lark"]),
        ("import serq; serq.run(serq.compile('{engine}', horizon=10)).json()", ["numpy", "rich", "click", "scipy"]),
        ("from serq.cli.main import status; status(['--version'])", ["serq.kernel", "serq.program", "lark", "rich"]),
    ],
)
def test_nothing_slow_is_imported(code: str, unwanted: list[str]) -> None:
    """What a use does not need it does not load."""
    check = f"; import sys; found = [m for m in {unwanted} if m in sys.modules]; assert not found, found"
    subprocess.run([sys.executable, "-c", code.format(engine=ENGINE) + check], check=True, cwd=ROOT)


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({}, serq.SerqError, "horizon"),
    ({"horizon": -1}, serq.SerqError, "horizon"),
    ({"horizon": float("inf")}, serq.SerqError, "horizon"),
    ({"horizon": float("nan")}, serq.SerqError, "horizon"),
    ({"horizon": 10, "warmup": 10}, serq.SerqError, "warm-up"),
    ({"horizon": 10, "warmup": -1}, serq.SerqError, "warm-up"),
    ({"horizon": 10, "warmup": float("nan")}, serq.SerqError, "warm-up"),
    ({"horizon": "10"}, TypeError, "horizon"),
    ({"horizon": 10, "seed": -1}, OverflowError, "seed"),
    ({"horizon": 10, "seed": 1 << 64}, OverflowError, "seed"),
    ({"horizon": 10, "seed": 1.0}, TypeError, "seed"),
    ({"horizon": 10, "arrivals": 0}, serq.SerqError, "arrivals"),
    ({"horizon": 10, "arrivals": -1}, OverflowError, "arrivals"),
    ({"horizon": 10, "arrivals": 2.0}, TypeError, "arrivals"),
    ({"horizon": 10, "sets": {"work": None}}, TypeError, "work"),
    ({"horizon": 10, "sets": {1: 2}}, TypeError, "sets"),
    ({"horizon": 10, "sets": [("work", 1)]}, TypeError, "sets"),
    ({"horizon": 10, "sets": {"wrk": 1}}, serq.SerqError, "work"),
    ({"horizon": 10, "sets": {"work": float("nan")}}, serq.SerqError, "work"),
    ({"horizon": 10, "defs": {"work": 1}}, TypeError, "defs"),
    ({"horizon": 10, "trace": 3}, TypeError, "PathLike"),
    ({"horizon": 10, "path": "x.sq"}, serq.SerqError, "either"),
]


@pytest.mark.parametrize(("keywords", "error", "word"), REFUSED, ids=[str(case[0]) for case in REFUSED])
def test_compile_refuses(keywords: dict[str, Any], error: type[Exception], word: str) -> None:
    """Wrong values are refused as the documented kind of exception, which names the keyword."""
    with pytest.raises(error, match=word):
        serq.compile(source=SMALL, **keywords)


def test_compile_needs_a_program() -> None:
    """Neither path nor source, a path that is none, and a file that is not there."""
    with pytest.raises(serq.SerqError, match="either"):
        serq.compile(horizon=1)
    with pytest.raises(TypeError):
        serq.compile(3, horizon=1)  # type: ignore[arg-type]
    with pytest.raises(serq.SerqError, match=r"nowhere\.sq.*no such file"):
        serq.compile("nowhere.sq", horizon=1)


def test_arguments_are_numbers_or_expressions() -> None:
    """A number and the text of an expression of the same value give the same run, and other figures than another."""
    half = [serq.run(serq.compile(source=SMALL, horizon=100, sets={"work": w})).json() for w in (0.5, "1/2", "2 - 3/2")]
    assert half[0] == half[1] == half[2]
    assert half[0] != serq.run(serq.compile(source=SMALL, horizon=100)).json()


def test_a_program_runs_again() -> None:
    """Runs of one program are equal, one after the other and at the same time."""
    program = serq.compile(ENGINE, horizon=200)
    expected = serq.run(program).json()
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(serq.run(program).json())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_run_takes_programs_only() -> None:
    """Anything but a program is a TypeError."""
    with pytest.raises(TypeError, match="Program"):
        serq.run(SMALL)  # type: ignore[arg-type]


def test_json_round_trip() -> None:
    """A program read back from its JSON gives the same report, and the same JSON."""
    program = serq.compile(ENGINE, horizon=200, warmup=20, seed=3)
    again = serq.Program.from_json(program.to_json())
    assert again.to_json() == program.to_json()
    assert serq.run(again).json() == serq.run(program).json()


def test_a_representation_keeps_its_settings(tmp_path: Path) -> None:
    """An IR carries its settings, keywords replace them, and its constants are fixed."""
    path = tmp_path / "p.json"
    path.write_text(serq.compile(source=SMALL, horizon=100, warmup=10, seed=5).to_json())
    kept, replaced = serq.compile(path), serq.compile(path, horizon=50, seed=6)
    assert (kept.ir.horizon, kept.ir.warmup, kept.ir.seed) == (100.0, 10.0, 5)
    assert (replaced.ir.horizon, replaced.ir.warmup, replaced.ir.seed) == (50.0, 10.0, 6)
    refused: tuple[dict[str, Any], ...] = ({"sets": {"work": 1}}, {"defs": {"f": "1"}}, {"warmup": 100})
    for keywords in refused:
        with pytest.raises(serq.SerqError):
            serq.compile(path, **keywords)
    with pytest.raises(serq.SerqError, match=r"12.*13|13.*12"):
        serq.Program.from_json('{"version": 12}')
    for text in ("", "{", "[]", "3"):
        with pytest.raises(serq.SerqError):
            serq.Program.from_json(text)


def test_representations_of_other_tools() -> None:
    """Fields that serq does not know are passed over; one that is missing, or points nowhere, is refused by name."""
    program = serq.compile(source=SMALL, horizon=100)
    document = json.loads(program.to_json())
    assert serq.Program.from_json(json.dumps({**document, "author": "a tool"})).ir == program.ir
    changes: tuple[tuple[dict[str, Any], str], ...] = (
        ({"session": 99}, "block 99"),
        ({"hidden": [77]}, "77"),
        ({"observes": []}, "observ"),
        ({"stages": []}, "stage"),
        ({"seed": -1}, "seed"),
        ({"seed": None}, "seed"),
    )
    for change, named in changes:
        with pytest.raises(serq.SerqError, match=named):
            serq.Program.from_json(json.dumps({**document, **change}))
    for field in ("version", "attrs", "pools", "arrival", "blocks", "warmup"):
        with pytest.raises(serq.SerqError, match=field):
            serq.Program.from_json(json.dumps({key: value for key, value in document.items() if key != field}))


STOPPED = [
    ("stage s[2] : fifo;", "run s[serial] (cost(s, 1));", {}, "index 2"),
    ("stage s : fifo;", "run s (cost(s, 1 - serial));", {}, "-1"),
    (
        "pool p { cap 2; } stage s : fifo;",
        "hold p (cost(p, 1)) { load p (cost(p, 3)); run s (cost(s, 1)); }",
        {},
        "load",
    ),
    ("stage s : fifo;", "run s (cost(s, 1));", {"arrivals": 1000}, "1000"),
]


@pytest.mark.parametrize(("declared", "served", "settings", "named"), STOPPED, ids=[case[3] for case in STOPPED])
def test_runs_that_stop(declared: str, served: str, settings: dict[str, Any], named: str) -> None:
    """A run that cannot go on raises a `SerqError` without a place, and the program may run again."""
    text = f"fn main() {{ {declared} workload {{ arrive poisson(1); }} server {{ {served} }} }}"
    program = serq.compile(source=text, horizon=50, **settings)
    for _ in range(2):
        with pytest.raises(serq.SerqError, match=named) as stop:
            serq.run(program)
        assert (stop.value.line, stop.value.column) == (None, None)


TRACED = """
fn main() {
  workload { arrive batch(1); trace "t.csv"; session { turn; while (more) { tool (1); turn; } } }
  server { observe seen = new; }
}
"""


def test_where_a_trace_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program's trace lies beside it, the one given in the current directory, and neither is opened to compile."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/p.sq").write_text(TRACED)
    monkeypatch.chdir(tmp_path)
    program = serq.compile("sub/p.sq", horizon=10)
    with pytest.raises(serq.SerqError, match="cannot read"):
        serq.run(program)
    (tmp_path / "sub/t.csv").write_text("0,1,7,1,1\n")
    (tmp_path / "t.csv").write_text("0,1,8,1,1\n0,2,9,1,1\n")

    def seen(program: serq.Program) -> list[float]:
        values: list[float] = serq.run(program).observes["seen"].samples.tolist()
        return values

    assert seen(program) == [7.0]
    assert seen(serq.compile("sub/p.sq", horizon=10, trace="t.csv")) == [8.0, 9.0]
    assert seen(serq.compile(source=TRACED, horizon=10)) == [8.0, 9.0]
    assert seen(serq.Program.from_json(program.to_json())) == [8.0, 9.0]


def test_provenance_of_a_run() -> None:
    """A report tells the source, the arguments and all settings of its run."""
    made = serq.run(serq.compile(source=SMALL, horizon=100, warmup=1, seed=9, sets={"work": "1/4"})).provenance
    assert made == (serq.__version__, SMALL, (("work", "1/4"),), (), None, 9, 100.0, 1.0, None)


def test_an_error_tells_its_place() -> None:
    """A refusal is a ValueError with line and column, and shows the source line with a caret."""
    with pytest.raises(serq.SerqError) as refusal:
        serq.compile(source="fn main() {\n  workload { arrive poisson(1) }\n}", horizon=1)
    error = refusal.value
    assert isinstance(error, ValueError)
    assert (error.line, error.column) == (2, 32)
    assert str(error).startswith("2:32: ")
    assert "2 |   workload { arrive poisson(1) }" in str(error)


def test_random_numbers() -> None:
    """The generator's first numbers, in the order in which its methods are called here."""
    rng = serq.Rng(1)
    assert rng.next_u32() == 3543144545
    assert rng.next_u64() == 14703524129167383140
    assert rng.random_f64() == 0.196423164264121
    assert rng.range_f64(0, 1) == 0.21637188350501813
    assert rng.range_u32(0, 9) == 1
    assert rng.range_u64(0, 9) == 2


USER_CODE = """
import serq
from numpy import float64
from numpy.typing import NDArray

program: serq.Program = serq.compile("p.sq", horizon=10.0, sets={"a": 1, "b": "2*3"})
report: serq.Report = serq.run(program)
mean: float = report.client["ttft"].mean
samples: NDArray[float64] = report.client["ttft"].samples
first: float | None = report.claims["c"].first
stuck: int = report.pools[0].stuck
stage: serq.Stage | None = report.stage("llm")
over = report.pools[0].over_cap
need: float = 0.0 if over is None else over.need
rows: list[list[tuple[float, float, float, float]]] = serq.read_trace("t.csv")
"""


def test_types(tmp_path: Path) -> None:
    """The public names are typed for users' programs: right uses pass mypy --strict, wrong ones do not."""
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(USER_CODE)
    wrong.write_text(
        "import serq\nserq.run('p.sq')\nserq.compile(3)\nx: str = serq.Rng(1).next_u32()\nserq.nonsense()\n"
    )
    mypy = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary"]
    done = subprocess.run([*mypy, right, wrong], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1, done.stderr
    found = done.stdout
    assert "right.py" not in found
    assert [line.split(":")[1] for line in found.splitlines() if "wrong.py" in line and "error" in line] == list("2345")
