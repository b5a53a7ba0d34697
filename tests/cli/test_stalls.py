"""`serq stalls` as a user meets it."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from serq.stalls import measure, read_log, report_text, run_object, write_log
from serq.stalls.log import Log
from tests.cli.serq_command import serq
from tests.cli.test_terminal import on_terminal
from tests.unit.stalls.logs import random_log, regular_log


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    paths = []
    for rung, seed in (("base", 1), ("base", 2), ("other", 1)):
        paths.append(tmp_path / f"{rung}-{seed}.npz")
        write_log(regular_log(rung, seed), paths[-1])
    return paths


def test_report(logs: list[Path]) -> None:
    """It prints the report on all logs, and nothing else."""
    ended = serq("stalls", *logs)
    assert ended == (0, report_text([measure(read_log(path)) for path in logs]), "")
    assert "the ladder" in ended.out


def test_json(logs: list[Path]) -> None:
    """`--json` prints one line: an object for one log, a list for several."""
    one, several = serq("stalls", logs[0], "--json"), serq("stalls", *logs, "--json")
    assert (one.code, one.out.count("\n"), one.err) == (0, 1, "")
    assert json.loads(one.out) == run_object(measure(read_log(logs[0])))
    assert [run["seed"] for run in json.loads(several.out)] == [1, 2, 1]
    assert (
        list(json.loads(one.out))
        == (
            "rung seed duration requests tokens gaps tok_per_s itl_p50 itl_p90 itl_p99 itl_p999 itl_max ttft_p50 "
            "ttft_p99 tail_share all_share tail_count fwd_share_clean_median fwd_share_tail_median evicted_context_ms "
            "reconcile_max_err_ms skipped_steps_without_eviction preemptions eager_steps max_decode_B gen2_serving_ms "
            "gen2_startup_ms gc_counts hist"
        ).split()
    )


def test_files(logs: list[Path], tmp_path: Path) -> None:
    """Gaps and pictures are written beside the report."""
    ended = serq("stalls", *logs, "--export", "gaps.csv", "--html", "page.html", cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    gaps = (tmp_path / "gaps.csv").read_text().splitlines()
    assert len(gaps) == 1 + sum(measure(read_log(path)).stalls.n_gaps for path in logs)
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


def test_extras(logs: list[Path], tmp_path: Path) -> None:
    """PNG and Parquet, where their packages are installed."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("pyarrow")
    ended = serq("stalls", logs[0], "--export", "gaps.parquet", "--png", "a.png", "--json", cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "gaps.parquet").read_bytes().startswith(b"PAR1")


def damaged(log: Log, path: Path) -> Path:
    """The log in a file, with a step that ends before it starts."""
    steps = log.steps.copy()
    steps[3, 1] = steps[3, 0] - 1
    write_log(log._replace(steps=steps), path)
    return path


def test_refusal(logs: list[Path], tmp_path: Path) -> None:
    """A log that cannot be true ends in one line and exit code 1, and no file is touched."""
    bad = damaged(regular_log("base", 1), tmp_path / "bad.npz")
    (tmp_path / "gaps.csv").write_text("as it was")
    ended = serq("stalls", logs[0], bad.name, "--export", "gaps.csv", "--html", "page.html", cwd=tmp_path)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("serq: `bad.npz`: `steps` row 3: it ends (")
    assert ended.err.count("\n") == 1
    assert (tmp_path / "gaps.csv").read_text() == "as it was"
    assert not (tmp_path / "page.html").exists()
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


def test_json_lines(tmp_path: Path) -> None:
    """Logs in JSON Lines are read, too, and a bad line is named."""
    (tmp_path / "a.jsonl").write_text('{"gc": {"t0": 0, "t1": 1}}\n')
    ended = serq("stalls", "a.jsonl", cwd=tmp_path)
    assert ended.code == 0
    assert "no request emitted two tokens" in ended.out
    (tmp_path / "a.jsonl").write_text('{"gc": {"t0": 0, "t1": 1}}\n{"gc"\n')
    ended = serq("stalls", "a.jsonl", cwd=tmp_path)
    assert ended == (
        1,
        "",
        "serq: `a.jsonl`: line 2: it is no JSON: Expecting ':' delimiter: line 2 column 1 (char 6)\n",
    )


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "Missing argument"),
        (("none.npz",), 1, "serq: `none.npz`: it cannot be read: no such file or directory"),
        (("log.txt",), 1, "serq: `log.txt`: a log is a file whose name ends in .npz, .jsonl, .ndjson"),
        (("a.npz", "--export", "gaps.txt"), 2, "`gaps.txt`: export to a name that ends in .csv or .parquet"),
        (("a.npz", "--export", "none/gaps.csv"), 1, "cannot write to `none/gaps.csv`: no such file or directory"),
        (("a.npz", "--html", "none/a.html"), 1, "cannot write to `none/a.html`: no such file or directory"),
    ],
)
def test_usage(words: tuple[str, ...], code: int, message: str, tmp_path: Path) -> None:
    """What is wrong with a command line or a path is said in a sentence."""
    write_log(random_log(4), tmp_path / "a.npz")
    ended = serq("stalls", *words, cwd=tmp_path)
    assert (ended.code, ended.out) == (code, "")
    assert message in ended.err


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_terminal(logs: list[Path]) -> None:
    """On a terminal the same report has colours: the letters of the bars in those of their causes."""
    session = on_terminal("stalls", *map(str, logs))
    assert session.code == 0
    plain = re.sub(r"\x1b\[[0-9;]*m", "", session.shown).replace("\r\n", "\n")
    printed = report_text([measure(read_log(path)) for path in logs])
    assert [line.rstrip() for line in plain.splitlines()] == printed.splitlines()
    assert "\x1b[31mSSSS" in session.shown
