"""Programs to start from are good as they are: each combination compiles, runs, serves, and is laid out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import serq
from serq.fmt import format_text
from serq.report.remarks import remarks
from serq.starters import ENGINES, WORKLOADS, starter

COMBINATIONS = [(engine, workload) for engine in ENGINES for workload in WORKLOADS]


@pytest.mark.parametrize(("engine", "workload"), COMBINATIONS)
def test_runs(engine: str, workload: str, tmp_path: Path) -> None:
    """It runs at once, serves its sessions and leaves nobody stuck, under the load that its comments propose too."""
    program = starter("demo", engine, workload)
    file = tmp_path / "demo.sq"
    file.write_text(program.text)
    if program.trace is not None:
        (tmp_path / program.trace_name).write_text(program.trace)
    rate = float(WORKLOADS[workload].rate)
    for sets in ({}, {"rate": 2 * rate}):
        report = serq.run(serq.compile(file, horizon=300, warmup=30, sets=sets))
        assert report.ended > 0
        assert report.client["ttft"].mean > 0
        assert not [remark for remark in remarks(report) if remark.is_fault]


@pytest.mark.parametrize(("engine", "workload"), COMBINATIONS)
def test_is_laid_out(engine: str, workload: str) -> None:
    """`serq fmt` has nothing to change in it, and its lines are not too long."""
    text = starter("demo", engine, workload).text
    assert format_text(text) == text
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_are_explained(engine: str) -> None:
    """Every argument says what it is, the opening names the version or the paper, and every setting is used."""
    text = starter("demo", engine, "chat").text
    arguments = re.findall(r'let (\w+) = args\.number\("(\w+)", [\d.]+\); +// \w', text)
    assert len(arguments) == text.count("args.number")
    assert all(name == external and len(re.findall(rf"\b{name}\b", text)) > 2 for name, external in arguments)
    assert re.search(r"// Engine: [\w ,.-]+ (\d|\()", text)


def test_reuse(tmp_path: Path) -> None:
    """Engines with a prefix cache find a conversation in it; a larger share of a prompt than one without."""
    seen = {}
    for engine in ("vllm", "sarathi"):
        (tmp_path / "demo.sq").write_text(starter("demo", engine, "chat").text)
        report = serq.run(serq.compile(tmp_path / "demo.sq", horizon=500, warmup=50))
        seen[engine] = report.client["ttft"].mean
    assert seen["vllm"] < seen["sarathi"] / 2
