"""A client of the language server, over the standard input and output of a process of its own.

It knows the framing of the protocol and nothing else: what is asked and answered is plain JSON. Every wait has an end.
"""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from tests.cli.serq_command import COMMAND, ENVIRONMENT

PATIENCE = 30.0
"""Seconds after which an answer is missing."""


class Client:
    """One conversation."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.number = 0
        self.messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.diagnostics: dict[str, list[Any]] = {}
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self) -> None:
        out = self.process.stdout
        assert out is not None
        while True:
            length = 0
            while (line := out.readline()) not in (b"\r\n", b""):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not line:
                break
            self.messages.put(json.loads(out.read(length)))
        self.messages.put(None)

    def send_bytes(self, body: bytes, head: bytes | None = None) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write((head or b"Content-Length: %d\r\n\r\n" % len(body)) + body)
        self.process.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"method": method, "params": params if params is not None else {}})

    def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        """The answer to a request, as it comes: with `result` or `error`."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params if params is not None else {}})
        while True:
            message = self._next()
            if message.get("id") == self.number and "method" not in message:
                return message

    def result(self, method: str, params: Any = None) -> Any:
        """The result of a request that is answered."""
        message = self.ask(method, params)
        assert "error" not in message, message
        return message["result"]

    def _next(self) -> dict[str, Any]:
        message = self.messages.get(timeout=PATIENCE)
        assert message is not None, "the server has closed its output"
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnostics.setdefault(params["uri"], []).append(params["diagnostics"])
        return message

    def published(self, uri: str) -> list[Any]:
        """The faults told next of a text."""
        while not self.diagnostics.get(uri):
            self._next()
        return list(self.diagnostics[uri].pop(0))

    # ------------------------------------------------------------ documents

    def start(self, **capabilities: Any) -> Any:
        """Begin, and return what the server can do."""
        params = {"processId": None, "rootUri": None, "capabilities": capabilities}
        result = self.result("initialize", params)
        self.notify("initialized")
        return result["capabilities"]

    def open(self, uri: str, text: str, version: int = 1) -> list[Any]:
        """Open a text and return its faults."""
        document = {"uri": uri, "languageId": "serq", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return self.published(uri)

    def change(self, uri: str, text: str, version: int = 2) -> None:
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def at(self, method: str, uri: str, line: int, character: int, **more: Any) -> Any:
        """The result of a request about a place."""
        position = {"line": line, "character": character}
        return self.result(method, {"textDocument": {"uri": uri}, "position": position, **more})

    def stop(self) -> int:
        """End as the protocol says; the exit code."""
        assert self.result("shutdown") is None
        self.notify("exit")
        return self.process.wait(PATIENCE)


@contextmanager
def conversation() -> Iterator[Client]:
    """A server, and a client that has not begun. Whatever happens, the server is gone afterwards."""
    process = subprocess.Popen(
        [*COMMAND, "lsp"], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    client = Client(process)
    try:
        yield client
    finally:
        process.kill()
        process.wait(PATIENCE)
        client.listener.join(PATIENCE)
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()


def place(text: str, mark: str, before: int = 0) -> tuple[int, int]:
    """Line and character, in UTF-16 units, behind the first `mark` in a text, less `before` characters."""
    offset = text.index(mark) + len(mark) - before
    line = text.count("\n", 0, offset)
    return line, len(text[text.rfind("\n", 0, offset) + 1 : offset].encode("utf-16-le")) // 2
