"""The process that a run gets: `python -m serq.nano.process JOB`, JOB an object of JSON.

In: a `Job`. Out: the log in a file, and lines of JSON on standard output: `{"progress": [seconds, served, requests]}`
now and then, and at the end one of `{"done": {...}}` and `{"error": "..."}`. Ctrl-C, or nobody reading any more, ends
the run after the current iteration; the log says so.
"""

from __future__ import annotations

import json
import platform
import signal
import sys
from typing import Any, NamedTuple

import numpy as np
import tokenizers

from serq.diagnostics import SerqError
from serq.nano.engine import Engine, Progress
from serq.nano.rungs import settings_of
from serq.nano.workload import make_trace
from serq.stalls.files import write_log
from serq.version import __version__


class Job(NamedTuple):
    """A run to make.

    Attributes:
        rung: one of `RUNGS`.
        duration: seconds during which requests arrive.
        rate: requests a second on average.
        out: the file that the log goes to.
        position: its place in the order of a ladder, from 1; None outside of one.
        until: seconds after which to stop; None for when everything has been served.
    """

    rung: str
    seed: int
    duration: float
    rate: float
    out: str
    position: int | None = None
    until: float | None = None


def main(job: Job) -> None:
    """Make the run."""
    settings = settings_of(job.rung)
    engine = Engine(settings, make_trace(job.seed, job.duration, job.rate))

    def stop(*_: object) -> None:
        engine.stop = True

    def tell(progress: Progress) -> None:
        try:
            print_line({"progress": progress})
        except OSError:  # nobody reads: whoever started the run is gone
            engine.stop = True

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    engine.run(tell, job.until)
    config = {**settings._asdict(), **job._asdict(), **machine()}
    del config["out"]
    if engine.stop:
        config["interrupted"] = True
    log = engine.recording.log(engine.trace, engine.prompt_tokens, config, job.out)
    write_log(log, job.out)
    print_line({"done": {"served": engine.served, "seconds": log.wall, "interrupted": engine.stop}})


def machine() -> dict[str, str]:
    """What the figures of a run depend on beside the settings."""
    return {
        "serq": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "tokenizers": tokenizers.__version__,
        "machine": platform.machine(),
    }


def print_line(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    # Until there is something to keep, Ctrl-C ends the process at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        main(Job(**json.loads(sys.argv[1])))
    except SerqError as error:
        print_line({"error": error.message})
    except MemoryError:
        print_line({"error": "out of memory"})
