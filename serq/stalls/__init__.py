"""Where the tail of the inter-token latency comes from: every gap between tokens taken apart by cause.

In: a log that an engine recorded (a file, or arrays). Out: figures, tables, pictures, and the gaps themselves.

    log = serq.stalls.read_log("run.npz")
    cut = serq.stalls.partition(log)            # every gap, seconds by label
    run = serq.stalls.measure(log, cut)         # the figures of the run, milliseconds
    print(run.stalls.p99, run.stalls.tail_share)

docs/stalls/measuring.md says what to record, docs/stalls/log.md in which form. `__all__` is what users may rely on.
"""

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
