"""What the tests of `serq.parallel` let processes do."""

from __future__ import annotations

import os
import signal
import time

from serq.diagnostics import Diagnostic, SerqError
from serq.source import Source, Span


def square(x: int) -> int:
    """Later jobs are done sooner."""
    time.sleep(0.02 * max(0, 5 - x))
    return x * x


def process(_x: int) -> int:
    time.sleep(0.05)
    return os.getpid()


def refuse_three(x: int) -> int:
    if x == 3:
        raise SerqError(Diagnostic("test", "three is refused", Span(0, 5), hint="two", source=Source("t", "three")))
    return x


def die_at_three(x: int) -> int:
    if x == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def sleep_long(_x: int) -> None:
    time.sleep(600)
