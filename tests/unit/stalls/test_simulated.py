"""Figures from buckets are those of the gaps themselves, to what a bucket is wide."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import serq
from serq.kernel import simulate
from serq.kernel.recording import GAP_EDGES, GapBucket, KeptGaps
from serq.stalls.counting import figures
from serq.stalls.figures import BIN_EDGES, StallFigures
from serq.stalls.simulated import KERNEL, MS, at_rank, by_engine, causes_of, stall_figures

ENGINE = Path(__file__).resolve().parents[3] / "docs" / "tutorial" / "programs" / "05-engine.sq"


@pytest.fixture(scope="module")
def both() -> tuple[StallFigures, StallFigures]:
    """The figures of a run with preemptions and stalls, from its buckets and from its gaps one by one."""
    text = ENGINE.read_text().replace("execute (", "stall gc (~bernoulli(0.01) * ~uniform(0, 0.02));\nexecute (")
    ir = serq.compile(source=text, horizon=60, warmup=5, sets={"Lambda": 1.8, "blocks": 1500}).ir
    kept: list[KeptGaps] = []
    gaps = simulate(ir, keep=kept.append).gaps
    assert gaps is not None
    order = [*range(KERNEL + 1, len(gaps.labels)), KERNEL]
    parts = np.concatenate([np.array([chunk.parts[label] for label in order]).T for chunk in kept]) * MS
    parts = np.column_stack((parts, np.zeros(len(parts))))
    length = np.concatenate([np.array(chunk.gaps) for chunk in kept]) * MS
    rows = np.arange(len(length))
    return stall_figures(gaps), figures(causes_of(gaps.labels), parts, length, rows, np.zeros((0, parts.shape[1])))


def test_exact(both: tuple[StallFigures, StallFigures]) -> None:
    """Counts by cause, the histogram and the longest gap are exact, sums to rounding."""
    buckets, single = both
    assert buckets.n_gaps == single.n_gaps > 10_000
    assert buckets.all_count == single.all_count
    assert buckets.histogram == single.histogram
    assert sum(1 for one in buckets.histogram if one.n_tokens) > 6
    assert buckets.max == pytest.approx(single.max, rel=1e-15)
    assert buckets.all_share == pytest.approx(single.all_share, abs=1e-9)
    present = {label for label, share in zip(buckets.labels, buckets.all_share, strict=True) if share > 0}
    assert present == {"prefill", "preempt", "recompute", "gc", "kernel"}


def test_percentiles(both: tuple[StallFigures, StallFigures]) -> None:
    """Percentiles are within a bucket of those of the gaps, and the tail holds all gaps from p99 on."""
    buckets, single = both
    for name in ("p50", "p90", "p99", "p999"):
        assert getattr(buckets, name) == pytest.approx(getattr(single, name), rel=0.01)
    assert sum(buckets.tail_count) >= sum(single.tail_count)
    assert sum(buckets.tail_share) == pytest.approx(1, abs=1e-9)


def test_edges() -> None:
    """The kernel counts apart at the edges of the histogram's bins."""
    assert [MS * edge for edge in GAP_EDGES] == list(BIN_EDGES[1:-1])


def bucket(count: int, least: float, greatest: float) -> GapBucket:
    return GapBucket(0, count, least, greatest, count * least, (), (), float("inf"), ())


@pytest.mark.parametrize("percent", [0.0, 25.0, 40.0, 50.0, 60.0, 99.0, 100.0])
def test_ranks(percent: float) -> None:
    """Ranks are linear between neighbours, also where these are in two buckets."""
    lengths = [1.0, 1.0, 2.0, 4.0, 4.25, 4.5]
    buckets = [bucket(2, 1.0, 1.0), bucket(1, 2.0, 2.0), bucket(3, 4.0, 4.5)]
    found = at_rank(buckets, percent / 100 * 5)
    assert found.length == pytest.approx(np.percentile(lengths, percent))
    assert buckets[found.place].greatest >= found.length
    assert all(one.greatest < found.length for one in buckets[: found.place] if one.least < found.length)


def test_letters() -> None:
    """Each cause has a letter of its own, whatever stalls are called; those that are customary keep theirs."""
    stalls = ("gc", "gpu", "PREFILL", "p", "s", "tok", "graph")
    causes = causes_of(("kernel", "prefill", "preempt", "recompute", "unserved", "blocked", "away", *stalls))
    letters = {cause.name: cause.letter for cause in causes}
    assert len(set(letters.values())) == len(causes)
    assert [letters[name] for name in ("prefill", "preempt", "gc", "tok", "graph")] == ["P", "S", "G", "T", "C"]


def test_engines_apart() -> None:
    """Engines without gaps are left out."""
    request = "request (n) { prefill (n); decode (n); }"
    engine = f"tokens cap 9; {request} schedule {{ advance running; admit waiting; }} execute (1);"
    text = f"""fn main() {{
      device a {{ kv cap 100; }}
      device b {{ spare cap 100; }}
      pool kv on a {{ block 1; }}
      pool spare on b {{ block 1; }}
      engine one on a {{ {engine} }}
      engine two on b {{ {engine} }}
      workload {{ arrive batch(1); turn {{ set n = 3; }} }}
      server {{ one (n); }}
    }}"""
    gaps = simulate(serq.compile(source=text, horizon=50).ir, divide_gaps=True).gaps
    assert gaps is not None
    assert [engine.name for engine in gaps.engines] == ["one", "two"]
    assert list(by_engine(gaps)) == ["one"]
