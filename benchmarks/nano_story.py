"""Predicted against measured: the demonstrator's ladder and examples/nano.sq beside each other.

    python benchmarks/nano_story.py LOGS

LOGS is a folder with the logs of `serq nano ladder`, every rung with every seed. The parameters of the model come from
one log, `baseline` with the first seed; each rung is then predicted with the settings that it changes, on the arrivals
of every seed. Printed is a table in Markdown for each figure: the median over the seeds of the predicted and of the
measured runs.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from serq.kernel import simulate
from serq.nano.parameters import Parameters, parameters, trace_lines
from serq.nano.rungs import RUNGS, slug
from serq.program import Settings, build
from serq.results.report import Report
from serq.stalls import Log, measure, read_log
from serq.stalls.ladder import Run
from serq.stalls.simulated import simulated_run
from serq.trace import read_trace

PROGRAM = Path(__file__).resolve().parents[1] / "examples" / "nano.sq"

CHANGES: dict[str, dict[str, float]] = {
    "baseline": {},
    "+gc.freeze": {"full_rate": 0},
    "+compact history": {"young": 0},
    "+graphs to 48": {"captured": 48},
    "+budget 256": {"token_budget": 256},
    "+tokenize off-loop": {"tokenize": 0},
    "+admit watermark": {"watermark": 0.1},
}
"""What each rung changes in the model."""

DRAINED = 1000.0
"""Simulated seconds, long enough for all requests to be served."""

FIGURES: dict[str, Callable[[Run], float]] = {
    "p50, ms": lambda run: run.stalls.p50,
    "p99, ms": lambda run: run.stalls.p99,
    "p99.9, ms": lambda run: run.stalls.p999,
    "TTFT p50, ms": lambda run: run.ttft_p50,
}
CAUSES = {
    "prefill": ("prefill",),
    "preempt": ("preempt", "swap", "recompute"),
    "graph": ("graph",),
    "gc": ("gc",),
    "tok": ("tok",),
    "kernel": ("kernel",),
}
"""Shares of the tail: a measured label, and the model's that make it up."""


class Pair(NamedTuple):
    predicted: list[Run]
    measured: list[Run]


def tail_share(run: Run, labels: Sequence[str]) -> float:
    shares = dict(zip(run.stalls.labels, run.stalls.tail_share, strict=True))
    return 100 * sum(shares.get(label, 0.0) for label in labels)


def predicted(log: Log, seed: int, costs: Parameters, changes: dict[str, float], folder: Path) -> Run:
    """A run of the model on the arrivals of a log."""
    trace = folder / f"{seed}.csv"
    lines = list(trace_lines(log))
    trace.write_text("".join(lines))
    sets: dict[str, float | str] = {name: repr(value) for name, value in {**costs._asdict(), **changes}.items()}
    sets["requests"] = str((len(lines) - 2) // 2)
    program = build(PROGRAM.read_text(), Settings(sets=sets, seed=seed, horizon=DRAINED, trace=str(trace)))
    recording = simulate(program.ir, trace=read_trace(trace), divide_gaps=True)
    assert recording.gaps is not None
    return simulated_run(Report._of_recording(recording, program.provenance), recording.gaps, name=str(seed))


def pairs(folder: Path) -> dict[str, Pair]:
    """The runs of each rung."""
    seeds = sorted(int(path.stem.rpartition("__s")[2]) for path in folder.glob("baseline__s*.npz"))
    costs = parameters([read_log(folder / f"baseline__s{seeds[0]}.npz")])
    changes: dict[str, float] = {}
    found = {}
    with tempfile.TemporaryDirectory() as scratch:
        for rung in RUNGS:
            changes |= CHANGES[rung]
            logs = [read_log(folder / f"{slug(rung)}__s{seed}.npz") for seed in seeds]
            model = [predicted(log, seed, costs, changes, Path(scratch)) for log, seed in zip(logs, seeds, strict=True)]
            found[rung] = Pair(model, [measure(log) for log in logs])
    return found


def table(found: dict[str, Pair], columns: dict[str, Callable[[Run], float]], digits: int) -> str:
    """Predicted and measured medians, a row a rung."""
    lines = [f"| rung | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    for rung, pair in found.items():
        cells = []
        for figure in columns.values():
            model, real = median(map(figure, pair.predicted)), median(map(figure, pair.measured))
            cells.append(f"{model:.{digits}f} / {real:.{digits}f}")
        lines.append(f"| {rung} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    found = pairs(Path(sys.argv[1]))
    print("Predicted / measured, median over the seeds.\n")
    print(table(found, FIGURES, 1))
    print("\nShare of the tail's time, %, predicted / measured.\n")

    def share_of(labels: Sequence[str]) -> Callable[[Run], float]:
        return lambda run: tail_share(run, labels)

    print(table(found, {name: share_of((name, *labels)[1:]) for name, labels in CAUSES.items()}, 1))


if __name__ == "__main__":
    main()
