"""`serq nano`: short real runs, the order and the memory of a ladder, and what is refused."""

from __future__ import annotations

import signal
import subprocess
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from serq.cli import nano_ladder
from serq.cli.nano_ladder import make_ladder, order, tokens_a_second
from serq.nano.rungs import RUNGS
from serq.nano.workload import make_trace, mean_output_tokens
from serq.stalls import measure, partition, read_log, write_log
from tests.cli.serq_command import COMMAND, ENVIRONMENT
from tests.cli.serq_command import serq as command
from tests.unit.stalls.logs import regular_log

real = pytest.mark.skipif(find_spec("tokenizers") is None, reason="`pip install 'serq[nano]'` is not done")
SHORT = ["--duration", "2", "--rate", "6"]


@real
def test_a_run(tmp_path: Path) -> None:
    """Every request of the trace is served, every gap reconciles, and no iteration is skipped without a reason."""
    ended = command("nano", "run", "--seed", "3", *SHORT, "--out", tmp_path)
    assert ended.code == 0, ended.err
    log = read_log(tmp_path / "baseline__s3.npz")
    trace = make_trace(3, 2.0, 6.0)
    assert len(log.requests) == len(trace) == len(log.trace)
    assert sorted(log.requests[:, 3]) == sorted(arrival.output_tokens for arrival in trace)
    assert len(log.emissions) == sum(arrival.output_tokens for arrival in trace)
    run = measure(log)
    assert run.stalls.reconcile < 1e-9
    assert run.skipped == 0
    assert log.config["rung"] == "baseline"
    assert np.all(log.steps[1:, 0] >= log.steps[:-1, 1])
    assert partition(log).table.shape[1] == 7


@real
def test_a_ladder_goes_on_where_it_ended(tmp_path: Path) -> None:
    """Runs that are there are not made again; a log of other settings is."""
    words = ["nano", "ladder", "--rungs", "admit-watermark,baseline", "--seeds", "1", "--duration", "1", "--rate", "5"]
    first = command(*words, "--out", tmp_path)
    assert first.code == 0, first.err
    written = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert sorted(written) == ["admit-watermark__s1.npz", "baseline__s1.npz"]
    again = command(*words, "--out", tmp_path)
    assert again.out == first.out
    assert "2 of 2 logs were there already" in again.err
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == written


@real
def test_an_interrupted_run_keeps_its_log(tmp_path: Path) -> None:
    begun = subprocess.Popen(
        [*COMMAND, "nano", "run", "--duration", "100", "--rate", "6", "--out", str(tmp_path)],
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(6)
    begun.send_signal(signal.SIGINT)
    _, said = begun.communicate(timeout=60)
    assert begun.returncode == 130
    assert "interrupted after" in said
    log = read_log(tmp_path / "baseline__s1.npz")
    assert log.config["interrupted"] is True
    assert len(log.emissions) > 0
    assert measure(log).stalls.reconcile < 1e-9


@pytest.mark.parametrize("n_seeds", [1, 5])
def test_the_order_of_a_ladder(n_seeds: int) -> None:
    """Every rung with every seed, seed by seed; each seed begins with another rung."""
    cells = order(RUNGS, range(1, n_seeds + 1))
    assert Counter((cell.rung, cell.seed) for cell in cells) == Counter(
        (rung, seed) for rung in RUNGS for seed in range(1, n_seeds + 1)
    )
    assert [cell.position for cell in cells] == list(range(1, len(cells) + 1))
    assert [cell.seed for cell in cells] == sorted(cell.seed for cell in cells)
    begins = [cells[i * len(RUNGS)].rung for i in range(n_seeds)]
    assert len(set(begins)) == n_seeds


def test_only_what_is_missing_is_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A log that was interrupted, of another rate, or damaged is made again."""
    cells = order(RUNGS[:5], [1])
    made: list[str] = []

    def make(job: dict[str, Any], _title: str) -> None:
        made.append(job["rung"])
        write(job["rung"], job["out"], 6.5)

    def write(rung: str, out: str, rate: float, **more: object) -> None:
        log = regular_log(rung, 1)
        write_log(
            log._replace(config={**log.config, "duration": 9.0, "rate": rate, "seed": 1, "rung": rung, **more}), out
        )

    monkeypatch.setattr(nano_ladder, "make_run", make)
    paths = [cell.path(tmp_path) for cell in cells]
    write(RUNGS[0], str(paths[0]), 6.5)
    write(RUNGS[1], str(paths[1]), 7.0)
    write(RUNGS[2], str(paths[2]), 6.5, interrupted=True)
    paths[3].write_text("no log")
    found, kept = make_ladder(cells, tmp_path, 9.0, 6.5)
    assert (found, kept) == (paths, 1)
    assert made == list(RUNGS[1:5])


def test_the_pace_leaves_the_beginning_out() -> None:
    """Tokens of the last three quarters, over their time."""
    log = regular_log("base", 1)
    late = log.emissions[:, 1] >= log.wall / 4
    assert tokens_a_second(log) == pytest.approx(late.sum() / (0.75 * log.wall))


def test_mean_output() -> None:
    """The mean of the law is that of many draws."""
    drawn = [arrival.output_tokens for seed in range(40) for arrival in make_trace(seed, 100.0, 10.0)]
    assert np.mean(drawn) == pytest.approx(mean_output_tokens(), abs=4 * np.std(drawn) / len(drawn) ** 0.5)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "--rung", "base-line"], "did you mean `baseline`"),
        (["run", "--seed", "-1"], "`-1` is not a whole number"),
        (["run", "--duration", "0"], "`0` is not a number of seconds above 0"),
        (["run", "--rate", "nan"], "`nan` is not a number of requests a second"),
        (["ladder", "--rungs", "baseline,top"], "there is no rung `top`"),
        (["ladder", "--seeds", "5-1"], "backwards"),
        (["calibrate", "--each", "x"], "`x` is not a number of seconds"),
        (["model", "nowhere.npz"], "nowhere.npz"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@real
def test_what_is_refused(words: list[str], said: str, tmp_path: Path) -> None:
    ended = command("nano", *words, cwd=tmp_path)
    assert ended.code == 1
    assert said in ended.err
    assert "Traceback" not in ended.err
    assert list(tmp_path.iterdir()) == []


@real
def test_calibration() -> None:
    ended = command("nano", "calibrate", "--each", "2", "--rounds", "1")
    assert ended.code == 0, ended.err
    assert ended.out.startswith("this machine serves ")
