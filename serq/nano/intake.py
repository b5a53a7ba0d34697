"""Where prompts become tokens: on the engine's loop, or in a process of its own.

In: requests with their text. Out: requests with their tokens, in the order in which they were put in. Both ways have
the same three calls: `put` a request, `ready` for those that are done, `close`.

Off the loop, texts and tokens travel over a socket that never blocks: what does not fit into its buffer waits here
until the next iteration. A frame is a header (request, bytes that follow) and its bytes.
"""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from select import select
from typing import Protocol

import numpy as np
from tokenizers import Tokenizer

from serq.diagnostics import Diagnostic, SerqError
from serq.nano.recording import TOK, Recording
from serq.nano.tokenizer import encode

HEADER = struct.Struct("<qq")
CHUNK = 1 << 18

Prompt = tuple[int, list[int]]
"""A request and its tokens."""


class Intake(Protocol):
    """Turns texts into tokens."""

    def put(self, request: int, text: str) -> None:
        """Take a request in."""

    def ready(self, wait: float = 0.0) -> list[Prompt]:
        """Requests that have become tokens since the last call; waits for one up to `wait` seconds."""

    @property
    def pending(self) -> int:
        """Requests that have been put in and are not ready yet."""

    def close(self) -> None:
        """Nothing more will be put in."""


class OnLoop:
    """The engine's loop tokenizes each prompt as it comes, and does nothing else meanwhile."""

    def __init__(self, tokenizer: Tokenizer, limit: int, recording: Recording) -> None:
        self.tokenizer, self.limit, self.recording = tokenizer, limit, recording
        self.done: list[Prompt] = []
        self.pending = 0

    def put(self, request: int, text: str) -> None:
        t0 = self.recording.now()
        tokens = encode(self.tokenizer, text, self.limit)
        self.recording.segment(TOK, t0, self.recording.now())
        self.done.append((request, tokens))

    def ready(self, wait: float = 0.0) -> list[Prompt]:
        done, self.done = self.done, []
        return done

    def close(self) -> None:
        pass


class OffLoop:
    """A worker process tokenizes; the loop hands over bytes and takes numbers."""

    def __init__(self, tokenizer: Tokenizer, limit: int) -> None:
        here, there = socket.socketpair()
        self.socket, self.limit = here, limit
        words = [sys.executable, "-m", "serq.nano.worker", str(there.fileno()), str(limit)]
        with there:
            self.worker = subprocess.Popen(words, pass_fds=[there.fileno()], stdin=subprocess.DEVNULL)
        self.outgoing, self.incoming = bytearray(), bytearray()
        self.pending = 0
        try:
            send(here, 0, tokenizer.to_str().encode())
            receive(here)  # it says when it is ready
        except OSError as error:
            raise lost() from error
        here.setblocking(False)

    def put(self, request: int, text: str) -> None:
        data = text.encode()
        self.outgoing += HEADER.pack(request, len(data)) + data
        self.pending += 1

    def ready(self, wait: float = 0.0) -> list[Prompt]:
        if not self.pending:
            return []
        self._send()
        if wait > 0.0:
            select([self.socket], [self.socket] if self.outgoing else [], [], wait)
        with suppress(BlockingIOError):
            while data := self._receive():
                self.incoming += data
        return list(self._frames())

    def _send(self) -> None:
        try:
            while self.outgoing:
                del self.outgoing[: self.socket.send(memoryview(self.outgoing)[:CHUNK])]
        except BlockingIOError:
            pass
        except OSError as error:
            raise lost() from error

    def _receive(self) -> bytes:
        try:
            data = self.socket.recv(CHUNK)
        except BlockingIOError:
            raise
        except OSError as error:
            raise lost() from error
        if not data:
            raise lost()
        return data

    def _frames(self) -> Iterator[Prompt]:
        while len(self.incoming) >= HEADER.size:
            request, size = HEADER.unpack_from(self.incoming)
            if len(self.incoming) < HEADER.size + size:
                break
            tokens = np.frombuffer(self.incoming[HEADER.size : HEADER.size + size], dtype=np.int32).tolist()
            del self.incoming[: HEADER.size + size]
            self.pending -= 1
            yield request, tokens

    def close(self) -> None:
        self.socket.close()
        try:
            self.worker.wait(5.0)
        except subprocess.TimeoutExpired:
            self.worker.kill()
            self.worker.wait()


def lost() -> SerqError:
    return SerqError(Diagnostic("nano", "the process that tokenizes has ended"))


def send(to: socket.socket, request: int, data: bytes) -> None:
    """Send a frame, however long it takes."""
    to.sendall(HEADER.pack(request, len(data)) + data)


def receive(source: socket.socket) -> tuple[int, bytes]:
    """The next frame, however long it takes.

    Raises:
        EOFError: the other side has closed the socket.
    """
    request, size = HEADER.unpack(exactly(source, HEADER.size))
    return request, exactly(source, size)


def exactly(source: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = source.recv(min(CHUNK, size - len(data)))
        if not part:
            raise EOFError
        data += part
    return bytes(data)
