"""`Recorder`: what an engine's authors call from their loop, to write a log in JSON Lines as the engine runs.

In: calls, with times in seconds by one clock of the author's. Out: lines in an open text file, in the order of the
calls. The recorder reads no clock itself and keeps nothing but the number of iterations: a line costs some
microseconds.

    recorder = Recorder(file, rung="baseline", seed=1)
    gc.callbacks.append(recorder.pauses(clock))
    ...
    recorder.request(7, arrival=0.25, prompt=310)
    ...
    t0 = clock()
    ...                                                  # an iteration
    recorder.segment("prefill", t0, t1)
    recorder.segment("decode", t1, t2)
    recorder.tokens([3, 5, 7], time=t2)
    recorder.step(t0, clock(), decodes=2, prefill=512, graph=2)

Segments and tokens belong to the iteration that the next call of `step` ends.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import IO, Any

from serq.stalls.log import KINDS

Request = int | str
"""An engine's name or number for a request; one log has names, or numbers."""


class Recorder:
    """Writes events to a text file that stays the author's: opened, flushed and closed by whoever made it."""

    def __init__(self, file: IO[str], **config: Any) -> None:
        """Begin a log.

        Args:
            config: settings of the engine, as far as JSON can say them; `rung`, `seed` and `duration` are read.
        """
        self._write = file.write
        self._pauses: list[tuple[float, float, int]] = []
        self.n_steps = 0
        if config:
            self._event("config", config)

    def request(self, request: Request, arrival: float, prompt: int = 0) -> None:
        """A request has arrived; before its first token."""
        self._event("request", {"request": request, "arrival": arrival, "prompt": prompt})

    def segment(self, kind: str, t0: float, t1: float) -> None:
        """The current iteration spent this time on one thing: `tok`, `swap`, `prefill` or `decode`.

        Raises:
            ValueError: there is no such kind.
        """
        if kind not in KINDS:
            raise ValueError(f"there is no kind of segment `{kind}`; there are {', '.join(KINDS)}")
        self._event("segment", {"step": self.n_steps, "kind": kind, "t0": t0, "t1": t1})

    def tokens(self, requests: Iterable[Request], time: float) -> None:
        """The current iteration has made a token for each of these requests; a request may occur more than once."""
        self._event("tokens", {"requests": list(requests), "time": time, "step": self.n_steps})

    def step(
        self,
        t0: float,
        t1: float,
        *,
        decodes: int,
        prefill: int = 0,
        graph: int | None = None,
        preempted: int = 0,
        swapped_in: int = 0,
    ) -> None:
        """The current iteration has ended, and the next begins.

        Args:
            t0, t1: when it began and ended.
            decodes: requests that it decoded.
            prefill: prompt tokens that it worked on.
            graph: padded size of the captured graph that it ran, 0 if it ran eagerly, None for an engine without
                graphs.
            preempted, swapped_in: requests that it put out of the batch, and took in again.
        """
        fields: dict[str, Any] = {"t0": t0, "t1": t1, "decodes": decodes, "prefill": prefill}
        if graph is not None and decodes:
            fields["graph"] = graph
        if preempted or swapped_in:
            fields |= {"preempted": preempted, "swapped_in": swapped_in}
        self._event("step", fields)
        self.n_steps += 1

    def evicted(self, request: Request, time: float) -> None:
        """From now on the request is out of the batch, though it has not finished."""
        self._event("eviction", {"request": request, "time": time})

    def readmitted(self, request: Request, time: float) -> None:
        """An evicted request is back."""
        self._event("readmission", {"request": request, "time": time})

    def pause(self, t0: float, t1: float, generation: int = 0) -> None:
        """Everything stood still for a garbage collection."""
        self._event("gc", {"t0": t0, "t1": t1, "generation": generation})

    def pauses(self, clock: Callable[[], float]) -> Callable[[str, dict[str, int]], None]:
        """A function for `gc.callbacks` that records every collection of this process, with the event that follows.

        A collection may begin anywhere, also while a line is being written, so that it cannot write one itself.

        Args:
            clock: the one that all other times are read from.
        """
        started = 0.0

        def collected(phase: str, info: dict[str, int]) -> None:
            nonlocal started
            if phase == "start":
                started = clock()
            else:
                self._pauses.append((started, clock(), info["generation"]))

        return collected

    def wall(self, seconds: float) -> None:
        """How long the run took, where it went on after the last iteration."""
        self._event("wall", {"seconds": seconds})

    def _event(self, kind: str, fields: dict[str, Any]) -> None:
        while self._pauses:
            t0, t1, generation = self._pauses.pop(0)
            self._write(json.dumps({"gc": {"t0": t0, "t1": t1, "generation": generation}}) + "\n")
        self._write(json.dumps({kind: fields}) + "\n")
