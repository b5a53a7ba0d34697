"""Running the command `serq` in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "serq"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
ENGINE = str(ROOT / "docs/tutorial/programs/05-engine.sq")

SMALL = """\
use "std/args";
def twice(x) { 2 * x }
fn main() {
  let work = args.number("work", 1);
  stage s : fifo;
  workload { arrive poisson(0.5); }
  server { run s (cost(s, work)); observe seen = twice(work); }
  gauge queueing = queue(s);
}
"""

STARVED = """\
fn main() {
  pool mem { cap 10; }
  stage s : fifo;
  workload { arrive batch(2); init { set n = 20; } }
  server { hold mem (cost(mem, n)) { run s (cost(s, 1)); } cache (cost(mem, 0)); }
}
"""
"""Each session asks for more than the pool has, and is rejected."""


PATIENCE = 180.0
"""Seconds until a command is taken to hang; the first picture of a machine takes matplotlib half a minute."""


class Ended(NamedTuple):
    """How a command ended: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


def serq(*words: str | Path, cwd: Path | None = None, stdin: str | bytes = "") -> Ended:
    """Run `serq words...`."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [*COMMAND, *map(str, words)],
        input=data,
        capture_output=True,
        cwd=cwd,
        env=ENVIRONMENT,
        timeout=PATIENCE,
        check=False,
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
