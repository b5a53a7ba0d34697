"""What happens in a run, as it happens, and the log of it.

In: calls from the engine's loop. Out: a `Log`. Everything is kept in flat arrays of numbers: a recording that made
objects would give the collector work that it then measured.

Time is seconds since serving began, by one clock; start-up is before it.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from math import nan
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from serq.stalls.log import KINDS, Log
from serq.stalls.making import make_log

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from serq.nano.workload import Arrival

TOK, SWAP, PREFILL, DECODE = range(len(KINDS))
"""Kinds of segments."""


class Recording:
    """The tables of a log, growing. `begin` sets the clock to 0."""

    def __init__(self) -> None:
        self.origin = perf_counter()
        self.steps, self.segments, self.pauses = array("d"), array("d"), array("d")
        self.evictions = array("d")
        self.evicted_row: dict[int, int] = {}
        self.emitted, self.emitted_count, self.emitted_time = array("q"), array("q"), array("d")
        self.n_steps = 0
        self.n_evicted = 0
        self._pause_start = 0.0

    def now(self) -> float:
        return perf_counter() - self.origin

    def begin(self) -> None:
        """Serving begins now: what was recorded before gets times below 0."""
        later = perf_counter()
        shift = later - self.origin
        for place in range(0, len(self.pauses), 3):
            self.pauses[place] -= shift
            self.pauses[place + 1] -= shift
        self.origin = later

    def collected(self, phase: str, info: Mapping[str, int]) -> None:
        """For `gc.callbacks`: a pause for a collection."""
        if phase == "start":
            self._pause_start = perf_counter() - self.origin
        else:
            self.pauses.extend((self._pause_start, perf_counter() - self.origin, info["generation"]))

    def segment(self, kind: int, t0: float, t1: float) -> None:
        """The current iteration spent this time on one thing."""
        self.segments.extend((self.n_steps, kind, t0, t1))

    def tokens(self, requests: Sequence[int], time: float) -> None:
        """The current iteration has made a token for each of the requests."""
        self.emitted.extend(requests)
        self.emitted_time.append(time)
        self.emitted_count.append(len(requests))

    def step(self, t0: float, t1: float, decodes: int, prefill: int, graph: int, preempted: int, back: int) -> None:
        """The current iteration has ended; one that made no token has none by then."""
        self.steps.extend((t0, t1, decodes, prefill, graph, preempted, back))
        self.n_steps += 1
        if len(self.emitted_count) < self.n_steps:
            self.tokens((), t1)

    def evicted(self, request: int) -> None:
        """From now on the request is out of the batch."""
        self.evicted_row[request] = len(self.evictions) + 2
        self.evictions.extend((request, self.now(), nan))
        self.n_evicted += 1

    def readmitted(self, request: int) -> None:
        """An evicted request is back."""
        self.evictions[self.evicted_row.pop(request)] = self.now()

    def log(
        self, trace: Sequence[Arrival], prompt_tokens: Mapping[int, int], config: Mapping[str, Any], name: str
    ) -> Log:
        """The log of what has been recorded, checked.

        Args:
            prompt_tokens: of the requests that have come to be known to the engine; the log has these.
        """
        count = np.asarray(self.emitted_count, dtype=np.int64)[: self.n_steps]
        n_tokens = int(count.sum())
        emissions = np.empty((n_tokens, 3))
        emissions[:, 0] = np.asarray(self.emitted, dtype=np.int64)[:n_tokens]
        emissions[:, 1] = np.repeat(np.asarray(self.emitted_time)[: self.n_steps], count)
        emissions[:, 2] = np.repeat(np.arange(self.n_steps), count)
        segments = table(self.segments, 4)
        return make_log(
            steps=table(self.steps, 7),
            segs=segments[segments[:, 0] < self.n_steps],
            gcs=table(self.pauses, 3),
            emissions=emissions,
            evictions=table(self.evictions, 3),
            requests=requests_table(trace, prompt_tokens, emissions),
            trace=[(a.request, a.time, a.characters, a.output_tokens) for a in trace],
            wall=self.now(),
            config=config,
            name=name,
        )


def table(numbers: array[float], columns: int) -> NDArray[np.float64]:
    return np.array(numbers, dtype=np.float64).reshape(-1, columns)


def requests_table(
    trace: Sequence[Arrival], prompt_tokens: Mapping[int, int], emissions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """A row a request that the engine knows: its arrival, its prompt, its tokens and when the first was made."""
    emitted: NDArray[np.intp] = emissions[:, 0].astype(np.intp)
    count = np.bincount(emitted, minlength=len(trace))
    first = np.full(len(trace), nan)
    # Emissions stand in order of time: written backwards, the first one stays.
    first[emitted[::-1]] = emissions[::-1, 1]
    rows = [
        (a.request, a.time, prompt_tokens[a.request], count[a.request], first[a.request])
        for a in trace
        if a.request in prompt_tokens
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, 5)
