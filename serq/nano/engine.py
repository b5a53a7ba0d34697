"""The loop of the engine: requests in, one iteration after the other, tokens out.

In: settings and a trace. Out: a `Recording`, and the prompts' lengths. An iteration takes in what has arrived, lets the
scheduler decide, works on prompts, decodes, and stamps its tokens right after the last forward pass; what is kept of
them, and which requests are done, comes after the stamp.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from time import sleep
from typing import NamedTuple

import numpy as np

from serq.nano.history import CompactHistory, History, ObjectHistory
from serq.nano.intake import Intake, OffLoop, OnLoop
from serq.nano.model import CANDIDATES, LAYERS, WIDTH, Model, Row, Tokens
from serq.nano.pool import Pool
from serq.nano.recording import DECODE, PREFILL, Recording
from serq.nano.rungs import Settings
from serq.nano.scheduler import Chunk, Request, Scheduler
from serq.nano.tokenizer import train
from serq.nano.workload import MAX_OUTPUT, Arrival, prompt_text
from serq.stalls.log import EAGER, NO_DECODE

NAP = 0.01
"""Seconds that an idle engine waits at most before it looks again."""

REPORT_EVERY = 0.2
"""Seconds between two calls that say how far a run is."""


class Progress(NamedTuple):
    """How far a run is: seconds, and requests served out of those that come."""

    seconds: float
    served: int
    requests: int


class Engine:
    """One run.

    Attributes:
        stop: set to True, from a signal handler for instance, it ends the run after the current iteration.
        prompt_tokens: of each request that the engine has taken in.
    """

    def __init__(self, settings: Settings, trace: Sequence[Arrival]) -> None:
        self.settings, self.trace = settings, trace
        self.stop = False
        self.recording = Recording()
        self.pool = Pool(settings.n_blocks, LAYERS, WIDTH)
        self.scheduler = Scheduler(self.pool, settings, self.recording)
        self.model = Model(settings.max_prompt + MAX_OUTPUT)
        self.history: History = CompactHistory(CANDIDATES) if settings.compact_history else ObjectHistory()
        self.texts = [prompt_text(arrival) for arrival in trace]
        self.prompt_tokens: dict[int, int] = {}
        self.arrived = self.served = 0
        self.long_lived: list[list[int]] = []

    def run(self, tell: Callable[[Progress], object] = lambda _: None, until: float | None = None) -> None:
        """Serve the trace.

        Args:
            tell: called now and then.
            until: seconds after which to stop; None for when everything has been served.
        """
        gc.callbacks.append(self.recording.collected)
        intake: Intake | None = None
        try:
            tokenizer = train()
            limit = self.settings.max_prompt
            intake = OffLoop(tokenizer, limit) if self.settings.off_loop else OnLoop(tokenizer, limit, self.recording)
            self.warm_up()
            self.long_lived = [[number] for number in range(self.settings.long_lived)]
            if self.settings.freeze:
                gc.collect()
                gc.freeze()
            self.recording.begin()
            self.serve(intake, tell, until)
        finally:
            if self.settings.freeze:
                gc.unfreeze()
            gc.callbacks.remove(self.recording.collected)
            if intake is not None:
                intake.close()

    def warm_up(self) -> None:
        """Run every size once, as engines do when they capture: the first call of a kind is slow."""
        blocks = self.pool.take(1)
        self.model.best(self.model.prefill(self.pool, [0, 1], 0, blocks))
        for size in self.settings.captured_sizes:
            self.model.decode(self.pool, [Row(0, 2, blocks)], size)
        self.pool.give_back(blocks)

    def serve(self, intake: Intake, tell: Callable[[Progress], object], until: float | None) -> None:
        told = 0.0
        while not self.stop:
            t0 = self.recording.now()
            if t0 - told > REPORT_EVERY:
                tell(Progress(t0, self.served, len(self.trace)))
                told = t0
            if until is not None and t0 >= until:
                break
            self.take_in(intake, t0)
            if not self.scheduler.idle:
                self.iteration(t0)
            elif self.arrived == len(self.trace) and not intake.pending:
                break
            else:
                self.wait(intake)

    def take_in(self, intake: Intake, now: float, wait: float = 0.0) -> None:
        """Everything that has arrived goes to the tokenizer, and what comes from it to the scheduler."""
        while self.arrived < len(self.trace) and self.trace[self.arrived].time <= now:
            intake.put(self.arrived, self.texts[self.arrived])
            self.arrived += 1
        for number, prompt in intake.ready(wait):
            self.prompt_tokens[number] = len(prompt)
            self.scheduler.waiting.append(Request(number, prompt, self.trace[number].output_tokens))

    def wait(self, intake: Intake) -> None:
        """Nothing to do until something arrives, or comes from the tokenizer."""
        nap = NAP
        if self.arrived < len(self.trace):
            nap = min(nap, max(0.0, self.trace[self.arrived].time - self.recording.now()))
        if intake.pending:
            self.take_in(intake, -1.0, nap)
        else:
            sleep(nap)

    def iteration(self, t0: float) -> None:
        """One iteration, which began at `t0`."""
        recording = self.recording
        plan = self.scheduler.plan()
        decodes = plan.decodes
        # What was given room and then evicted for another's sake is not in the plan; an empty plan would be a loop
        # without end.
        assert decodes or plan.chunks or plan.preempted
        emitting = list(decodes)
        made: list[Tokens] = []
        if plan.chunks:
            begun = recording.now()
            for chunk in plan.chunks:
                tokens = self.prefill(chunk)
                if tokens is not None:
                    emitting.append(chunk.request)
                    made.append(tokens)
            recording.segment(PREFILL, begun, recording.now())
        graph = NO_DECODE
        if decodes:
            begun = recording.now()
            graph, tokens = self.decode(decodes)
            made.insert(0, tokens)
            recording.segment(DECODE, begun, recording.now())
        if emitting:
            self.emit(emitting, made, recording.now())
        prefilled = sum(chunk.end - chunk.start for chunk in plan.chunks)
        recording.step(t0, recording.now(), len(decodes), prefilled, graph, plan.preempted, plan.swapped_in)

    def prefill(self, chunk: Chunk) -> Tokens | None:
        """Work on a chunk; the request's first token, if its prompt is worked off."""
        request = chunk.request
        state = self.model.prefill(self.pool, request.prompt[chunk.start : chunk.end], chunk.start, request.blocks)
        request.worked = chunk.end
        return self.model.best(state) if request.decodes else None

    def decode(self, requests: list[Request]) -> tuple[int, Tokens]:
        """The padded size that the batch ran with, `EAGER` for none, and its tokens."""
        rows = [Row(request.last_token, request.position, request.blocks) for request in requests]
        size = next((size for size in self.settings.captured_sizes if size >= len(rows)), EAGER)
        if size == EAGER:
            return EAGER, self.model.decode_alone(self.pool, rows)
        return size, self.model.decode(self.pool, rows, size)

    def emit(self, requests: list[Request], made: list[Tokens], time: float) -> None:
        """The requests have got a token each, all at the same time."""
        numbers = [request.number for request in requests]
        self.recording.tokens(numbers, time)
        tokens = made[0] if len(made) == 1 else Tokens(*(np.concatenate(parts) for parts in zip(*made, strict=True)))
        for request, token in zip(requests, tokens.token.tolist(), strict=True):
            request.last_token = token
            request.made += 1
            if request.done:
                self.scheduler.finish(request)
                self.served += 1
        self.history.add(numbers, tokens, time)
