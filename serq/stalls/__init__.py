"""Where the tail of the inter-token latency comes from: every gap between tokens taken apart by cause.

In: a log that an engine recorded (a file, or arrays). Out: figures, tables, pictures, and the gaps themselves.

    log = serq.stalls.read_log("run.npz")
    cut = serq.stalls.partition(log)            # every gap, seconds by label
    run = serq.stalls.measure(log, cut)         # the figures of the run, milliseconds
    print(run.stalls.p99, run.stalls.tail_share)

docs/stalls/measuring.md says what to record, docs/stalls/log.md in which form. `__all__` is what users may rely on.
Each name is imported when it is first asked for: a simulated run needs none of the arrays of a measured one.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serq.stalls.figures import Cause, StallFigures
    from serq.stalls.files import read_log, write_log
    from serq.stalls.log import Log
    from serq.stalls.making import make_log
    from serq.stalls.partition import Partition, partition
    from serq.stalls.recorder import Recorder
    from serq.stalls.runs import MeasuredRun, measure, run_object
    from serq.stalls.text import report_text
    from serq.stalls.timeline import LABELS, Baseline

__all__ = [
    "LABELS",
    "Baseline",
    "Cause",
    "Log",
    "MeasuredRun",
    "Partition",
    "Recorder",
    "StallFigures",
    "make_log",
    "measure",
    "partition",
    "read_log",
    "report_text",
    "run_object",
    "write_log",
]

_HOMES = {
    "Baseline": "serq.stalls.timeline",
    "Cause": "serq.stalls.figures",
    "LABELS": "serq.stalls.timeline",
    "Log": "serq.stalls.log",
    "MeasuredRun": "serq.stalls.runs",
    "Partition": "serq.stalls.partition",
    "Recorder": "serq.stalls.recorder",
    "StallFigures": "serq.stalls.figures",
    "make_log": "serq.stalls.making",
    "measure": "serq.stalls.runs",
    "partition": "serq.stalls.partition",
    "read_log": "serq.stalls.files",
    "report_text": "serq.stalls.text",
    "run_object": "serq.stalls.runs",
    "write_log": "serq.stalls.files",
}
"""The module in which each public name is defined."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'serq.stalls' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Face(ModuleType):
    """This module, whose function `partition` is not hidden by the module of that name when that is imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Face
