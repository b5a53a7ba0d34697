"""The figures of gaps: percentiles, the tail, primary causes, shares, the histogram; and what a log counts beside."""

from __future__ import annotations

import json
from math import isnan, nan

import numpy as np
import pytest

from serq.stalls.counting import figures, primary_cause
from serq.stalls.figures import BIN_EDGES, MEASURED_CAUSES, MEASURED_CLASSES, Cause
from serq.stalls.partition import partition
from serq.stalls.runs import measure, run_object
from tests.unit.stalls.logs import Step, one_gap, random_log, regular_log

N_CAUSES = len(MEASURED_CAUSES)


@pytest.mark.parametrize(
    ("parts", "length", "cause"),
    [
        ((1.0, 0, 0, 0, 0, 3.0, 0), 4.0, "prefill"),  # both limits are reached
        ((0.999, 0, 0, 0, 0, 1.0, 0), 1.999, "clean"),  # less than a millisecond
        ((1.0, 0, 0, 0, 0, 3.01, 0), 4.01, "clean"),  # less than a quarter
        ((2.0, 2.0, 0, 0, 0, 0, 0), 4.0, "prefill"),  # of equals the first
        ((2.0, 2.1, 0, 0, 0, 0, 0), 4.1, "preempt"),
        ((0, 0, 5.0, 0, 0, 10.0, 0), 15.0, "graph"),
        ((0, 0, 0, 5.0, 4.0, 1.0, 0), 10.0, "gc"),
        ((0, 0, 0, 0, 4.0, 1.0, 0), 5.0, "tok"),
        ((0, 0, 0, 0, 0, 1.0, 9.0), 10.0, "clean"),  # what nothing covers is no cause
        ((0, 0, 0, 0, 0, 0, 0), 0.0, "clean"),
    ],
)
def test_primary_cause(parts: tuple[float, ...], length: float, cause: str) -> None:
    """The cause with the largest part, if that is a millisecond and a quarter of the gap; else the gap is clean."""
    found = primary_cause(np.array([parts]), np.array([length]), N_CAUSES)
    assert MEASURED_CLASSES[found[0]] == cause


@pytest.mark.parametrize("seed", range(40))
def test_against_single_gaps(seed: int) -> None:
    """Figures of shared rows are those of the gaps one by one, computed as they are defined."""
    cut = partition(random_log(seed))
    parts, gaps = cut.parts * 1e3, cut.lengths * 1e3
    found = measure(random_log(seed), cut).stalls
    assert found.n_gaps == len(gaps)
    if not len(gaps):
        return
    assert (found.p50, found.p90, found.p99, found.p999) == tuple(np.percentile(gaps, [50, 90, 99, 99.9]))
    assert found.max == gaps.max()
    tail = gaps >= found.p99
    primary = primary_cause(parts, gaps, N_CAUSES)
    for share, chosen in ((found.tail_share, tail), (found.all_share, gaps >= 0)):
        np.testing.assert_allclose(share, parts[chosen].sum(axis=0) / gaps[chosen].sum(), rtol=1e-12)
        assert sum(share) == pytest.approx(1.0, abs=1e-12)
    assert found.tail_count == tuple((primary[tail] == i).sum() for i in range(N_CAUSES + 1))
    assert found.all_count == tuple((primary == i).sum() for i in range(N_CAUSES + 1))
    assert found.tail_time == pytest.approx(gaps[tail].sum())
    taking = gaps > 0
    for value, chosen in ((found.kernel_share_clean, primary == N_CAUSES), (found.kernel_share_tail, tail)):
        shares = parts[chosen & taking, N_CAUSES] / gaps[chosen & taking]
        assert value == pytest.approx(np.median(shares) if len(shares) else nan, nan_ok=True)
    np.testing.assert_allclose(found.context, cut.context.sum(axis=0) * 1e3, rtol=1e-12)
    assert found.reconcile < 1e-12
    for i, one in enumerate(found.histogram):
        inside = (gaps >= BIN_EDGES[i]) & (gaps < BIN_EDGES[i + 1])
        assert (one.low, one.high) == BIN_EDGES[i : i + 2]
        assert one.by_cause == tuple((primary[inside] == cause).sum() for cause in range(N_CAUSES + 1))


def test_edges_of_bins() -> None:
    """A bin holds its lower edge, and the last one everything above."""
    lengths = np.array([0.0, 5.0, 10.0, 799.0, 800.0, 1e9])
    parts = np.zeros((6, 7))
    parts[:, 5] = lengths
    found = figures(MEASURED_CAUSES, parts, lengths, np.arange(6), np.zeros((0, 7)))
    assert [one.n_tokens for one in found.histogram] == [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2]


def test_other_causes() -> None:
    """A source with causes of its own gets the same figures: labels are the causes, the kernel and the residual."""
    causes = (Cause("prefill", "P"), Cause("scheduler", "H"))
    parts = np.array([[0.0, 6.0, 4.0, 0.0], [0.0, 0.0, 5.0, 1.0]])
    found = figures(causes, parts, parts.sum(axis=1), np.array([0, 1, 1]), np.zeros((0, 4)))
    assert found.labels == ("prefill", "scheduler", "kernel", "residual")
    assert found.classes == ("prefill", "scheduler", "clean")
    assert found.all_count == (0, 1, 2)
    assert found.all_share == pytest.approx((0, 6 / 22, 14 / 22, 2 / 22))
    assert found.kernel_share_clean == pytest.approx(5 / 6)


def test_no_gaps() -> None:
    """Without gaps figures do not exist: NaN, and null in JSON."""
    run = measure(random_log(1, emissions=()))
    assert run.stalls.n_gaps == 0
    assert all(map(isnan, (run.stalls.p50, run.stalls.max, run.stalls.reconcile, *run.stalls.tail_share)))
    object_ = json.loads(json.dumps(run_object(run), allow_nan=False))
    assert object_["itl_p99"] is None
    assert object_["tail_share"]["gc"] is None
    assert object_["tail_count"] == dict.fromkeys(MEASURED_CLASSES, 0)
    assert object_["fwd_share_tail_median"] is None
    assert object_["ttft_p50"] is None


def test_empty_log() -> None:
    """A log in which nothing happened has figures, too."""
    nothing = dict.fromkeys(("steps", "segs", "gcs", "emissions", "evictions", "requests"), ())
    run = measure(random_log(1, **nothing))
    assert (run.n_requests, run.n_tokens, run.max_decodes, run.wall) == (0, 0, 0, 0.0)
    assert run_object(run)["tok_per_s"] is None
    assert run_object(run)["gc_counts"] == {"0": 0, "1": 0, "2": 0}


def test_counts_of_a_log() -> None:
    """Requests, tokens, first tokens, preemptions, eager iterations, pauses by generation, before and in serving."""
    run = measure(regular_log("base", 1))
    assert (run.rung, run.seed, run.duration, run.name) == ("base", 1, 1.0, "base-1.npz")
    assert (run.n_requests, run.n_tokens) == (4, 780)
    assert run.tokens_per_second == pytest.approx(780 / run.wall)
    assert (run.ttft_p50, run.ttft_p99) == pytest.approx((43.8, 58.5))
    assert (run.preemptions, run.eager_steps, run.max_decodes, run.skipped) == (1, 4, 4, 0)
    assert run.full_startup == pytest.approx((50.0,))
    assert run.full_serving == pytest.approx((44.0,))
    assert run.gc_counts == ((0, 4), (1, 0), (2, 2))
    assert run.baseline is not None
    keys = run_object(run)
    assert (keys["gen2_startup_ms"], keys["gen2_serving_ms"]) == ([50.0], [44.0])
    assert keys["hist"][-1]["hi"] == 1e9


def test_pauses_of_other_runtimes() -> None:
    """Generations other than Python's three are counted, too; a pause that began before serving is start-up."""
    log = one_gap([Step(10, 30)], (10, 30), pauses=[(5, 12), (12, 13)])
    gcs = log.gcs.copy()
    gcs[1, 2] = 7
    run = measure(random_log(1, steps=log.steps, segs=(), emissions=(), evictions=(), gcs=gcs))
    assert run.gc_counts == ((0, 0), (1, 0), (2, 1), (7, 1))
    assert run.full_startup == pytest.approx((7.0,))
    assert run.full_serving == ()


def test_skipped_iterations() -> None:
    """A gap over an iteration without a token needs a recorded eviction of that request."""
    steps = [Step(0, 10), Step(10, 20), Step(20, 30)]
    assert measure(one_gap(steps, (5, 15))).skipped == 0
    assert measure(one_gap(steps, (5, 25))).skipped == 1
    assert measure(one_gap(steps, (5, 25), evictions=[(12, 18)])).skipped == 0
    assert measure(one_gap(steps, (5, 25), evictions=[(26, 28)])).skipped == 1
