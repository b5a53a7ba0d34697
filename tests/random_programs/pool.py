"""Keeps one worker process alive and puts a time limit on each of its jobs."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

WORKER = Path(__file__).with_name("worker.py")
ROOT = Path(__file__).resolve().parents[2]


class Worker:
    """One process; started when first needed, and again after a time-out or a crash."""

    def __init__(self, module: str, python: str = sys.executable, *, uncompiled: bool = False) -> None:
        self.command = [python, *(["-X", "faulthandler"] if module == "serq" else []), str(WORKER), module]
        if uncompiled:
            self.command = [python, str(WORKER.with_name("uncompiled.py")), str(WORKER), module]
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT)} if module == "serq" else dict(os.environ)
        self.process: subprocess.Popen[bytes] | None = None
        self.buffer = b""

    def ask(self, job: dict[str, Any], limit: float = 10.0) -> dict[str, Any]:
        """The worker's answer, or an `error` of stage `timeout` or `died`."""
        if self.process is None:
            self.buffer = b""
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self.environment,
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(job).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.close()
            return {"error": "the worker died", "stage": "died"}
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], limit)
            if not ready:
                self.close()
                return {"error": f"no answer in {limit} s", "stage": "timeout"}
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            if not data:
                self.close()
                return {"error": "the worker died", "stage": "died"}
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        result: dict[str, Any] = json.loads(line)
        return result

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
