"""Logs for the tests: small ones written down in milliseconds, and random ones that are true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from serq.stalls.log import KINDS, Log
from serq.stalls.making import make_log

CAPTURED = 16


class Step(NamedTuple):
    """An iteration in milliseconds, with its segments as (kind, start, end)."""

    start: float
    end: float
    segments: Sequence[tuple[str, float, float]] = ()
    graph: int = -1
    decodes: int = 0


def seconds(ms: float) -> float:
    return ms / 1e3


def one_gap(
    steps: Sequence[Step],
    gap: tuple[float, float],
    pauses: Sequence[tuple[float, float]] = (),
    evictions: Sequence[tuple[float, float]] = (),
    shift: float = 0.0,
) -> Log:
    """A log of one request with tokens at both ends of `gap`, ms; everything later by `shift` ms.

    The first token belongs to the first iteration that holds its time, the second to the last.
    """

    def at(ms: float) -> float:
        return seconds(ms + shift)

    tokens = [(gap[0], next(i for i, s in enumerate(steps) if s.start <= gap[0] <= s.end))]
    tokens.append((gap[1], [i for i, s in enumerate(steps) if s.start <= gap[1] <= s.end][-1]))
    return make_log(
        steps=[(at(s.start), at(s.end), s.decodes, 0, s.graph, 0, 0) for s in steps],
        segs=[(i, KINDS.index(kind), at(a), at(b)) for i, s in enumerate(steps) for kind, a, b in s.segments],
        gcs=[(at(a), at(b), 2) for a, b in pauses],
        emissions=[(7, at(time), step) for time, step in tokens],
        evictions=[(7, at(a), at(b)) for a, b in evictions],
        requests=[(7, at(0), 10, 2, at(gap[0]))],
    )


def random_log(seed: int, shift: float = 0.0, **changes: Any) -> Log:
    """A true log of up to 40 iterations, with everything that can happen in it.

    Segments leave holes, pauses overlap each other and everything else, tokens of an iteration differ in their stamps
    now and then, some requests sit out iterations, evictions abut, begin before a request's tokens or never end.

    Args:
        shift: seconds by which everything is later.
        changes: tables to put in place of the random ones.
    """
    rng = np.random.default_rng(seed)
    n_steps = int(rng.integers(0, 40)) if seed % 10 else int(rng.integers(0, 3))
    steps, segments, tokens, time = [], [], [], shift + rng.exponential(0.01)
    sizes = rng.choice([1, 2, 4, 8, 16, 32], size=int(rng.integers(1, 5)), replace=False)
    for i in range(n_steps):
        begin = time
        decodes = int(rng.integers(0, 12)) if rng.random() < 0.9 else 0
        graph = -1 if decodes == 0 else 0 if rng.random() < 0.3 else int(rng.choice(sizes))
        for kind in range(4):
            if (kind == 3 and graph == -1) or rng.random() < 0.4:
                continue
            for _ in range(2 if kind == 2 and rng.random() < 0.2 else 1):
                time += rng.exponential(2e-4) * (rng.random() < 0.7)
                length = rng.exponential((2e-3, 1e-3, 8e-3, 6e-3)[kind]) * (rng.random() < 0.95)
                segments.append((i, kind, time, time + length))
                time += length
        stamp = time
        time += rng.exponential(2e-4)
        steps.append((begin, time, decodes, 0, graph, int(rng.random() < 0.1), 0))
        for request in range(6):
            if rng.random() < 0.8:
                other = rng.random() < 0.05
                tokens.append((request, rng.uniform(begin, time) if other else stamp, i))
        time += rng.exponential(3e-4) * (rng.random() < 0.7)
    evictions = []
    for request in range(6):
        now = shift + rng.uniform(-0.05, 0.2)
        for _ in range(int(rng.integers(0, 4))):
            end = now + rng.exponential(0.02) * (rng.random() < 0.9)
            evictions.append((request, now, end))
            now = end + rng.exponential(0.03) * (rng.random() < 0.7)
        if rng.random() < 0.2:
            evictions.append((request, now, np.nan))
    pauses = rng.uniform(shift - 0.02, time + 0.02, size=int(rng.integers(0, 20)))
    tables = {
        "steps": np.array(steps).reshape(-1, 7),
        "segs": np.array(segments).reshape(-1, 4),
        "gcs": np.column_stack((pauses, pauses + rng.exponential(3e-3, len(pauses)), rng.integers(0, 3, len(pauses)))),
        "emissions": np.array(tokens).reshape(-1, 3),
        "evictions": np.array(evictions).reshape(-1, 3),
        "requests": np.array([(request, shift - 1.0, 10, 5, np.nan) for request in range(6)]),
    }
    return make_log(**(tables | changes))


def shuffled(log: Log, seed: int) -> Log:
    """The same log with the rows of all tables but `steps` in another order."""
    rng = np.random.default_rng(seed)
    tables = ("segs", "gcs", "emissions", "evictions", "requests")
    mixed = {name: rng.permutation(getattr(log, name)) for name in tables}
    return make_log(steps=log.steps, wall=log.wall, config=log.config, **mixed)


def regular_log(rung: str, seed: int, batch: int = 4, n_steps: int = 200) -> Log:
    """A log without randomness in which every cause occurs, now and then; a larger seed is a slower engine.

    Every iteration decodes `batch` requests in 8 ms and up. Every 10th has a prefill, every 25th tokenizes, every 40th
    falls into a pause, every 50th is eager, and from the 90th to the 110th the last request is evicted.
    """
    tick = (1 + seed / 10) / 1e3
    steps: list[tuple[float, ...]] = []
    segments: list[tuple[float, ...]] = []
    pauses: list[tuple[float, ...]] = [(0.0, 0.05, 2)]
    tokens: list[tuple[float, ...]] = []
    time = 0.1
    for i in range(n_steps):
        begin = time
        eager = i % 50 == 49
        for kind, length in ((0, 30 * (i % 25 == 24)), (1, 2 * (i in (90, 110))), (2, 12 * (i % 10 == 9))):
            if length:
                segments.append((i, kind, time, time + length * tick))
                time += length * tick
        length = 8 + 12 * eager + i % 4 / 4
        pause = 40 * (i % 40 == 39)
        segments.append((i, 3, time, time + (length + pause) * tick))
        if pause:
            pauses.append((time + tick, time + (1 + pause) * tick, 2 if i == 39 else 0))
        time += (length + pause) * tick
        out = 90 <= i < 110
        tokens += [(request, time, i) for request in range(batch - out)]
        steps.append((begin, time, batch - out, 100, 0 if eager else 8, i == 90, i == 110))
        time += 0.2 * tick
    evictions = [(batch - 1, tokens[90 * batch - 1][1], steps[110][0])]
    return make_log(
        steps=steps,
        segs=segments,
        gcs=pauses,
        emissions=tokens,
        evictions=evictions,
        requests=[(request, 0.05 + 0.01 * request, 100, n_steps, tokens[0][1]) for request in range(batch)],
        config={"rung": rung, "seed": seed, "duration": 1.0},
        name=f"{rung}-{seed}.npz",
    )
