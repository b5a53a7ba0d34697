"""Run a program in sight of its user: a progress bar on a terminal, and Ctrl-C that stops it at once.

The kernel does not come back to Python while it runs, so it gets a thread of its own; this one waits, draws, and tells
it to stop.
"""

from __future__ import annotations

import sys
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any

from serq.kernel import Progress
from serq.program import Program
from serq.results.report import Report
from serq.run import run

if TYPE_CHECKING:
    from serq.cli.bar import Bar

SHOW_AFTER = 1.0
"""Seconds after which a run is long enough for a progress bar."""

POLL = 0.1
"""Seconds between two looks at the run."""

GRACE = 2.0
"""Seconds that an interrupted run is given to stop in."""


class Stopped(Exception):  # noqa: N818 (no error)
    """The user interrupted the run; the text says where."""


class Outcome:
    """A run in a thread of its own: its report, or what went wrong."""

    def __init__(self, program: Program, options: dict[str, Any]) -> None:
        self.progress = Progress()
        self.report: Report | None = None
        self.error: BaseException | None = None
        self.thread = Thread(target=self.work, args=(program, options), daemon=True)

    def work(self, program: Program, options: dict[str, Any]) -> None:
        try:
            self.report = run(program, progress=self.progress, **options)
        except BaseException as error:
            self.error = error


def run_watched(program: Program, **options: Any) -> Report:
    """The report of `program`; the options are those of `serq.run`.

    Raises:
        Stopped: the user interrupted the run.
        SerqError: the run could not go on.
    """
    horizon = program.provenance.horizon
    outcome = Outcome(program, options)
    outcome.thread.start()
    try:
        watch(outcome, horizon)
    except KeyboardInterrupt:
        outcome.progress.stop = 1
        outcome.thread.join(GRACE)
        raise Stopped(f"interrupted after {outcome.progress.now:g} of {horizon:g} simulated seconds") from None
    if outcome.report is None:
        assert outcome.error is not None
        raise outcome.error
    return outcome.report


def watch(outcome: Outcome, horizon: float) -> None:
    """Wait until the run ends, with a bar on standard error from `SHOW_AFTER` on."""
    started = perf_counter()
    bar: Bar | None = None
    shows = sys.stderr is not None and sys.stderr.isatty()
    try:
        while outcome.thread.is_alive():
            outcome.thread.join(POLL)
            if bar is None and shows and perf_counter() - started > SHOW_AFTER:
                # Here because rich takes 60 ms to import, and few runs last long enough.
                from serq.cli.bar import Bar

                bar = Bar(horizon, started)
            if bar is not None:
                bar.show(outcome.progress.now, outcome.progress.events)
    finally:
        if bar is not None:
            bar.close()
