"""`serq ladder` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import serq
from tests.cli.serq_command import ENGINE
from tests.cli.serq_command import serq as command

RUN = ["--horizon", "400", "--warmup", "40"]
RUNGS = ["--rung", "as it is", "--rung", "narrow: max_seqs=4", "--rung", "load: Lambda=9/5"]


@pytest.fixture(scope="module")
def ladder() -> dict[str, str]:
    """What each number of processes prints."""
    return {n: command("ladder", ENGINE, *RUN, *RUNGS, "--seeds", "1-2", "--json", "--processes", n).out for n in "124"}


def test_processes_do_not_matter(ladder: dict[str, str]) -> None:
    """The same bytes, whatever the number of processes."""
    assert ladder["1"]
    assert ladder["1"] == ladder["2"] == ladder["4"]


def test_the_figures_are_those_of_single_runs(ladder: dict[str, str]) -> None:
    """Each run is what `serq run` gives with the same arguments and seed."""
    rungs = json.loads(ladder["1"])["rungs"]
    arguments = [{}, {"max_seqs": 4}, {"max_seqs": 4, "Lambda": 1.8}]
    assert [rung["name"] for rung in rungs] == ["as it is", "narrow", "load"]
    for rung, sets in zip(rungs, arguments, strict=True):
        for seed, run in zip((1, 2), rung["runs"], strict=True):
            report = serq.run(serq.compile(ENGINE, horizon=400, warmup=40, seed=seed, sets=sets))
            stage = report.stage("llm")
            assert stage is not None
            assert run["seed"] == seed
            assert run["itl_p50"] == pytest.approx(1e3 * stage.itl_p50, rel=0.011)
            assert run["itl_p99"] == pytest.approx(1e3 * stage.itl_p99, rel=0.011)
            assert run["preemptions"] == sum(pool.preemptions for pool in report.pools)
        values = sorted(run["itl_p99"] for run in rung["runs"])
        assert rung["p99"] == pytest.approx(
            {"median": sum(values) / 2, "least": values[0], "greatest": values[1]}, rel=1e-12
        )
        assert sum(rung["tail_share"].values()) == pytest.approx(1.0, abs=0.01)
        for run in rung["runs"]:
            assert sum(run["tail_share"].values()) == pytest.approx(1.0, rel=1e-9)


def test_a_file_says_the_same(ladder: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "ladder.toml"
    file.write_text(
        f'program = "{ENGINE}"\nhorizon = 400\nwarmup = 40\nseeds = [1, 2]\n'
        '[[rung]]\nname = "as it is"\n[[rung]]\nname = "narrow"\nset = {max_seqs = 4}\n'
        '[[rung]]\nname = "load"\nset = {Lambda = "9/5"}\n'
    )
    out = tmp_path / "out.json"
    ended = command("ladder", file, "--json", "--out", out)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    same = json.loads(ladder["1"])["rungs"]
    assert [rung["runs"] for rung in json.loads(out.read_text())["rungs"]] == [rung["runs"] for rung in same]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([ENGINE, *RUNGS], 1, "needs a horizon"),
        ([ENGINE, *RUN], 1, "no rung"),
        ([ENGINE, *RUN, "--rung", "x: max_seq=2"], 1, "rung `x`: the program has no argument `max_seq`"),
        ([ENGINE, *RUN, "--rung", "x: max_seqs="], 1, "gives no argument a value"),
        ([ENGINE, *RUN, "--rung", "x: max_seqs=(2"], 1, "rung `x`"),
        ([ENGINE, *RUN, "--rung", "x", "--seeds", "0-"], 1, "are no seeds"),
        ([ENGINE, "--horizon", "10", "--warmup", "10", "--rung", "x"], 2, "must be shorter"),
        ([ENGINE, *RUN, "--rung", "x", "--processes", "0"], 2, "`0` is not a positive whole number"),
        (["nowhere.sq", *RUN, "--rung", "x"], 1, "cannot read `nowhere.sq`"),
        (["nowhere.toml"], 1, "cannot read `nowhere.toml`"),
        (["nowhere.toml", "--rung", "x"], 2, "has its own rungs"),
        ([ENGINE, *RUN, "--rung", "x", "--out", "no/such/folder/x"], 1, "no/such/folder"),
    ],
    ids=lambda value: " ".join(str(word) for word in value[1:]) if isinstance(value, list) else "",
)
def test_what_is_refused(words: list[str], code: int, said: str) -> None:
    ended = command("ladder", *words)
    assert ended.code == code
    assert said in ended.err
    assert "Traceback" not in ended.err
    assert ended.out == ""


def test_a_run_that_stops_is_named(tmp_path: Path) -> None:
    program = tmp_path / "stops.sq"
    program.write_text(
        'use "std/args";\nfn main() {\n  let late = args.number("late", 1);\n  stage s : fifo;\n'
        "  workload { arrive poisson(1); }\n"
        "  server { set x = serial > 20 ? late : 1; run s (cost(s, x)); }\n}\n"
    )
    ended = command(
        "ladder", program, "--horizon", "100", "--rung", "good", "--rung", "bad: late=0-1", "--processes", "2"
    )
    assert ended.code == 1
    assert "rung `bad`, seed 1: " in ended.err
    assert "Traceback" not in ended.err
