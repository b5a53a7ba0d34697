"""Who runs in an iteration: evicted requests, running ones, waiting ones, in this order.

In: requests with their tokens, and what the pool has free. Out: a `Plan` an iteration. What is decided happens at
once: blocks are taken, and keys and values are copied out and in.

The rules, in the order in which they apply to an iteration:

1. Evicted requests come back, in the order in which they were evicted, while the first of them finds room in the batch
   and free blocks for all its tokens, one token and `slack_blocks` more.
2. Every request that decodes needs room for one token. Where no block is free, the newest request of the batch is
   evicted: copied out, or, if its prompt is not worked off yet, put back in front of the waiting ones to start anew.
3. What the decodes leave of the token budget goes to the prompts that are worked on, in order,
4. and then to waiting requests, in order, while the first of them finds room in the batch, blocks for its whole prompt
   and one token, and the watermark's share of blocks beyond them. Evicted requests do not hold waiting ones up.

The newest request is the last to have joined the batch, also where it came back.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from serq.nano.pool import BLOCK, Copy, Pool, blocks_for
from serq.nano.recording import SWAP, Recording
from serq.nano.rungs import Settings


class Request:
    """A request that the engine knows.

    Attributes:
        number: its number in the trace.
        prompt: its tokens, cut off.
        output_tokens: how many tokens it gets.
        blocks: what it holds of the pool.
        worked: tokens of the prompt that have been worked on.
        made: tokens that it has got.
        last_token: the latest of them.
        copy: what it held, while it is evicted.
    """

    __slots__ = ("blocks", "copy", "last_token", "made", "number", "output_tokens", "prompt", "worked")

    def __init__(self, number: int, prompt: list[int], output_tokens: int) -> None:
        self.number, self.prompt, self.output_tokens = number, prompt, output_tokens
        self.blocks: list[int] = []
        self.worked = self.made = self.last_token = 0
        self.copy: Copy | None = None

    @property
    def decodes(self) -> bool:
        """Whether its prompt is worked off."""
        return self.worked == len(self.prompt)

    @property
    def position(self) -> int:
        """Where its last token stands: the next decode writes there."""
        return len(self.prompt) + self.made - 1

    @property
    def done(self) -> bool:
        return self.made >= self.output_tokens


class Chunk(NamedTuple):
    """Tokens `start` to `end` of a request's prompt."""

    request: Request
    start: int
    end: int


class Plan(NamedTuple):
    """What an iteration works on, and what its scheduling did.

    Attributes:
        decodes: requests that get a token each.
        chunks: prompts to work on.
        preempted, swapped_in: requests put out of the batch, and taken in again.
    """

    decodes: list[Request]
    chunks: list[Chunk]
    preempted: int
    swapped_in: int


class Scheduler:
    """The queues of an engine.

    Attributes:
        waiting: requests that have not begun, or that start anew.
        running: the batch, in the order in which requests joined it.
        evicted: requests that were copied out, in the order in which they were.
    """

    def __init__(self, pool: Pool, settings: Settings, recording: Recording) -> None:
        self.pool, self.settings, self.recording = pool, settings, recording
        self.waiting: deque[Request] = deque()
        self.running: list[Request] = []
        self.evicted: deque[Request] = deque()
        self.reserve = int(settings.watermark * settings.n_blocks)

    @property
    def idle(self) -> bool:
        return not (self.waiting or self.running or self.evicted)

    def plan(self) -> Plan:
        """Decide on the next iteration."""
        swapped_in = self.readmit()
        preempted = self.make_room()
        decodes = [request for request in self.running if request.decodes]
        chunks = self.chunks(self.settings.token_budget - len(decodes))
        return Plan(decodes, chunks, preempted, swapped_in)

    def readmit(self) -> int:
        """Take evicted requests in again; their number."""
        count = 0
        while self.evicted and len(self.running) < self.settings.max_requests:
            request = self.evicted[0]
            assert request.copy is not None
            # Its last token has no keys yet: the position after those it has, and so one more.
            needed = blocks_for(request.position + 1) + self.settings.slack_blocks
            if needed > self.pool.free_blocks:
                break
            self.evicted.popleft()
            t0 = self.recording.now()
            request.blocks = self.pool.copy_in(request.copy)
            request.copy = None
            self.recording.segment(SWAP, t0, self.recording.now())
            self.recording.readmitted(request.number)
            self.running.append(request)
            count += 1
        return count

    def make_room(self) -> int:
        """Give every request that decodes room for one token; the number of requests evicted for it."""
        preempted = place = 0
        while place < len(self.running):
            request = self.running[place]
            if request.decodes and request.position == len(request.blocks) * BLOCK:
                if not self.pool.free_blocks:
                    self.preempt()
                    preempted += 1
                    continue  # with the same request, if it was not the newest
                request.blocks += self.pool.take(1)
            place += 1
        return preempted

    def preempt(self) -> None:
        """Put the newest request out of the batch."""
        request = self.running.pop()
        self.recording.evicted(request.number)
        if request.decodes:
            t0 = self.recording.now()
            request.copy = self.pool.copy_out(request.blocks)
            self.recording.segment(SWAP, t0, self.recording.now())
            self.evicted.append(request)
        else:
            self.pool.give_back(request.blocks)
            request.worked = 0
            self.waiting.appendleft(request)

    def chunks(self, budget: int) -> list[Chunk]:
        """Spend a token budget on prompts."""
        chunks: list[Chunk] = []
        for request in self.running:
            if budget > 0 and not request.decodes:
                budget -= self.work_on(request, budget, chunks)
        while self.waiting and budget > 0 and len(self.running) < self.settings.max_requests:
            request = self.waiting[0]
            needed = blocks_for(len(request.prompt) + 1)
            if needed + self.reserve > self.pool.free_blocks:
                break
            self.waiting.popleft()
            request.blocks = self.pool.take(needed)
            if request.number in self.recording.evicted_row:
                self.recording.readmitted(request.number)
            self.running.append(request)
            budget -= self.work_on(request, budget, chunks)
        return chunks

    def work_on(self, request: Request, budget: int, chunks: list[Chunk]) -> int:
        """Add a chunk of the request's prompt to the iteration; its tokens."""
        end = min(len(request.prompt), request.worked + budget)
        chunks.append(Chunk(request, request.worked, end))
        return end - request.worked

    def finish(self, request: Request) -> None:
        """A request of the batch has its last token."""
        self.running.remove(request)
        self.pool.give_back(request.blocks)
