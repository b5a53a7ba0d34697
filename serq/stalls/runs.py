"""What a measured run says: the figures of its gaps, and what its log counts beside them.

In: a `Log` and its `Partition`. Out: a `MeasuredRun`, and the object of JSON that stands for it. Milliseconds.
"""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from serq.stalls.counting import figures
from serq.stalls.figures import MEASURED_CAUSES, StallFigures
from serq.stalls.log import EAGER, Log
from serq.stalls.objects import by_label, histogram_object, known
from serq.stalls.partition import Partition, partition
from serq.stalls.timeline import Baseline

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

MS = 1e3
"""Milliseconds in a second."""

FULL = 2
"""The collector's oldest generation, whose pauses are told one by one."""


class MeasuredRun(NamedTuple):
    """One run of an engine. Milliseconds.

    Attributes:
        name: what the log is called.
        rung, seed, duration: as configured; None where the log does not say. Seconds.
        n_requests, n_tokens: what the log holds.
        wall: seconds of the run.
        ttft_p50, ttft_p99: of the requests that got a token; NaN without any.
        stalls: figures of the gaps.
        skipped: gaps that skip iterations although no eviction of the request is recorded in them.
        preemptions, eager_steps, max_decodes: of all iterations.
        full_serving, full_startup: pauses of the oldest generation after and before the first iteration began.
        gc_counts: pauses by generation.
        baseline: what eager iterations were compared with, seconds; None where no iteration was captured.
    """

    name: str
    rung: str | None
    seed: int | str | None
    duration: float | None
    n_requests: int
    n_tokens: int
    wall: float
    ttft_p50: float
    ttft_p99: float
    stalls: StallFigures
    skipped: int
    preemptions: int
    eager_steps: int
    max_decodes: int
    full_serving: tuple[float, ...]
    full_startup: tuple[float, ...]
    gc_counts: tuple[tuple[int, int], ...]
    baseline: Baseline | None

    @property
    def tokens_per_second(self) -> float:
        return self.n_tokens / self.wall if self.wall > 0 else nan


def measure(log: Log, parts: Partition | None = None) -> MeasuredRun:
    """The figures of a log.

    Args:
        parts: the log's partition, if there is one already.
    """
    parts = parts or partition(log)
    steps, ttft = log.steps, (log.requests[:, 4] - log.requests[:, 1]) * MS
    ttft = ttft[~np.isnan(ttft)]
    p50, p99 = np.percentile(ttft, (50.0, 99.0)) if len(ttft) else (nan, nan)
    serving, startup = full_pauses(log)
    return MeasuredRun(
        name=log.name,
        rung=log.rung,
        seed=log.seed,
        duration=log.duration,
        n_requests=len(log.requests),
        n_tokens=len(log.emissions),
        wall=log.wall,
        ttft_p50=float(p50),
        ttft_p99=float(p99),
        stalls=figures(MEASURED_CAUSES, parts.table * MS, parts.length * MS, parts.row, parts.context * MS),
        skipped=skipped(parts),
        preemptions=int(steps[:, 5].sum()),
        eager_steps=int((steps[:, 4] == EAGER).sum()),
        max_decodes=int(steps[:, 2].max()) if len(steps) else 0,
        full_serving=serving,
        full_startup=startup,
        gc_counts=pauses_by_generation(log),
        baseline=parts.timeline.baseline,
    )


def skipped(parts: Partition) -> int:
    """Gaps over iterations in which the request got no token, without an eviction that would say why."""
    skips = parts.gaps.last_step - parts.gaps.first_step > 1
    skips[parts.evicted] = False
    return int(skips.sum())


def full_pauses(log: Log) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Durations of the oldest generation's pauses, ms in order of time: in serving, and before it."""
    pauses = log.gcs[log.gcs[:, 2] == FULL]
    pauses = pauses[np.argsort(pauses[:, 0], kind="stable")]
    begin = log.steps[0, 0] if len(log.steps) else inf
    taken, early = (pauses[:, 1] - pauses[:, 0]) * MS, pauses[:, 0] < begin
    return tuple(taken[~early].tolist()), tuple(taken[early].tolist())


def pauses_by_generation(log: Log) -> tuple[tuple[int, int], ...]:
    """Generation and number of pauses; 0, 1 and 2 always, others where they occur."""
    found, count = np.unique(log.gcs[:, 2], return_counts=True)
    counts = dict.fromkeys(range(FULL + 1), 0) | {int(g): int(n) for g, n in zip(found, count, strict=True)}
    return tuple(sorted(counts.items()))


def run_object(run: MeasuredRun) -> dict[str, Any]:
    """What `--json` prints of a run; figures that do not exist are None."""
    stalls = run.stalls
    return {
        "rung": run.rung,
        "seed": run.seed,
        "duration": run.duration,
        "requests": run.n_requests,
        "tokens": run.n_tokens,
        "gaps": stalls.n_gaps,
        "tok_per_s": known(run.tokens_per_second),
        "itl_p50": known(stalls.p50),
        "itl_p90": known(stalls.p90),
        "itl_p99": known(stalls.p99),
        "itl_p999": known(stalls.p999),
        "itl_max": known(stalls.max),
        "ttft_p50": known(run.ttft_p50),
        "ttft_p99": known(run.ttft_p99),
        "tail_share": by_label(stalls, stalls.tail_share),
        "all_share": by_label(stalls, stalls.all_share),
        "tail_count": dict(zip(stalls.classes, stalls.tail_count, strict=True)),
        "fwd_share_clean_median": known(stalls.kernel_share_clean),
        "fwd_share_tail_median": known(stalls.kernel_share_tail),
        "evicted_context_ms": by_label(stalls, stalls.context),
        "reconcile_max_err_ms": known(stalls.reconcile),
        "skipped_steps_without_eviction": run.skipped,
        "preemptions": run.preemptions,
        "eager_steps": run.eager_steps,
        "max_decode_B": run.max_decodes,
        "gen2_serving_ms": [round(ms, 1) for ms in run.full_serving],
        "gen2_startup_ms": [round(ms, 1) for ms in run.full_startup],
        "gc_counts": {str(generation): n for generation, n in run.gc_counts},
        "hist": histogram_object(stalls),
    }
