"""Time the partition of a long log: gaps a second on one core, and the memory of a process that reads one.

    python benchmarks/stalls.py [--gaps 2000000] [--batch 18] [--rounds 5]

The log is made up: an engine whose batch is always full, with prefill chunks, tokenizing, pauses, eager iterations and
evictions in about the proportions of a loaded engine. It is written to a temporary file once. Timed are the partition
with its figures, in this process, and then the whole of `serq stalls LOG --json` in a process of its own. Seconds are
of CPU, since nothing here runs on two cores and a shared machine should not count against it.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serq.stalls.files import read_log
from serq.stalls.log import Log
from serq.stalls.making import make_log
from serq.stalls.npz import write_npz
from serq.stalls.runs import measure
from serq.version import __version__

ROOT = Path(__file__).resolve().parent.parent
MEAN_OUTPUT = 300
"""Tokens of a request, on average."""

EVICTED_EVERY = 500
"""Tokens between two evictions."""


def synthetic_log(n_gaps: int, batch: int, seed: int = 1) -> Log:
    """A log with about `n_gaps` gaps of an engine that always decodes `batch` requests."""
    rng = np.random.default_rng(seed)
    n_steps = n_gaps // batch + 1
    kinds = step_kinds(rng, n_steps)
    durations = np.column_stack(
        (
            np.where(kinds.tokenizes, rng.exponential(4e-3, n_steps), 0.0),
            np.where(kinds.swaps, rng.exponential(1e-3, n_steps), 0.0),
            np.where(kinds.prefills, rng.exponential(8e-3, n_steps), 0.0),
            rng.normal(5e-3, 4e-4, n_steps).clip(1e-3) * np.where(kinds.eager, 2.0, 1.0),
        )
    )
    holes = rng.exponential(3e-5, durations.shape)
    ends = np.cumsum((durations + holes).ravel()).reshape(durations.shape)
    starts = ends - durations
    t0, t1 = starts[:, 0], ends[:, 3]
    graph = np.where(kinds.eager, 0, 8 * (1 + batch // 8))
    used = durations > 0
    segments = np.column_stack(
        [array[used] for array in np.broadcast_arrays(np.arange(n_steps)[:, None], np.arange(4), starts, ends)]
    )
    request, step, evictions = tokens(rng, n_steps, batch, starts[:, 0], ends[:, 3])
    ids, first, count = np.unique(request, return_index=True, return_counts=True)
    arrival, token = t0[step[first]], ends[step[first], 3]
    pauses = np.sort(rng.choice(n_steps, n_steps // 5, replace=False))
    pause_start = starts[pauses, 3] + 1e-3
    return make_log(
        steps=np.column_stack(
            (t0, t1, np.full(n_steps, batch), 100.0 * kinds.prefills, graph, kinds.swaps, np.zeros(n_steps))
        ),
        segs=segments,
        gcs=np.column_stack((pause_start, pause_start + rng.exponential(5e-4, len(pauses)), pauses % 3)),
        emissions=np.column_stack((request, ends[step, 3], step)),
        evictions=evictions,
        requests=np.column_stack((ids, arrival, np.full(len(ids), 200.0), count, token)),
        config={"rung": "synthetic", "seed": seed},
        name="synthetic",
    )


class StepKinds(NamedTuple):
    """What each iteration does besides decoding, as truth values."""

    tokenizes: NDArray[np.bool_]
    swaps: NDArray[np.bool_]
    prefills: NDArray[np.bool_]
    eager: NDArray[np.bool_]


def step_kinds(rng: np.random.Generator, n_steps: int) -> StepKinds:
    return StepKinds(*(rng.random(n_steps) < part for part in (0.06, 0.04, 0.15, 0.12)))


def tokens(
    rng: np.random.Generator, n_steps: int, batch: int, begin: NDArray[np.float64], end: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """Request and iteration of every token, iteration by iteration, and the evictions that leave holes in them."""
    ends = rng.random((n_steps, batch)) < 1 / MEAN_OUTPUT
    serial = np.cumsum(ends, axis=0) * batch + np.arange(batch)
    kept = np.ones((n_steps, batch), dtype=bool)
    evictions = []
    for _ in range(n_steps * batch // EVICTED_EVERY):
        slot, first, length = rng.integers(batch), rng.integers(1, max(n_steps - 60, 2)), rng.integers(2, 50)
        last = first + length
        around = slice(first - 1, last + 1)
        if last < n_steps and serial[first - 1, slot] == serial[last, slot] and kept[around, slot].all():
            kept[first:last, slot] = False
            evictions.append((serial[first, slot], end[first - 1] + 1e-5, begin[last]))
    step, slot = np.nonzero(kept)
    return serial[step, slot], step, np.array(evictions, dtype=np.float64)


def peak_mib(command: list[str]) -> tuple[float, float]:
    """CPU seconds and peak memory of a command in a process of its own."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / ((1 << 20) if sys.platform == "darwin" else (1 << 10))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gaps", type=int, default=2_000_000)
    parser.add_argument("--batch", type=int, default=18, help="requests that every iteration decodes")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(
        f"serq {__version__}, NumPy {np.__version__}, Python {platform.python_version()}; load {os.getloadavg()[0]:.1f}"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "synthetic.npz")
        with path.open("wb") as file:
            write_npz(synthetic_log(options.gaps, options.batch), file)
        log = read_log(path)
        taken, gaps = [], 0
        for _ in range(options.rounds):
            started = time.process_time()
            run = measure(log)
            taken.append(time.process_time() - started)
            gaps = run.stalls.n_gaps
        print(f"{gaps} gaps, {len(log.steps)} iterations, {len(log.segs)} segments, {len(log.evictions)} evictions")
        print(f"parts sum to the gaps within {run.stalls.reconcile:.1e} ms over {log.wall:.0f} s")
        least, median = min(taken), statistics.median(taken)
        print(f"partition and figures: least {least:.3f} s of CPU, median {median:.3f} s: {gaps / least:.3g} gaps/s")
        whole = [peak_mib([sys.executable, "-m", "serq", "stalls", str(path), "--json"]) for _ in range(options.rounds)]
        seconds, peak = min(seconds for seconds, _ in whole), max(peak for _, peak in whole)
        size = path.stat().st_size / 1e6
        print(f"serq stalls --json: least {seconds:.3f} s of CPU, peak {peak:.0f} MiB, file {size:.0f} MB")


if __name__ == "__main__":
    main()
