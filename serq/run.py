"""Run a program: from a `Program` to a `Report`.

In: a compiled program. Out: the report of its run. The trace of the program, if it has one, is opened here; the
simulation itself is the kernel's, which releases the interpreter lock.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from serq.diagnostics import Diagnostic, SerqError
from serq.kernel import simulate
from serq.program import Program
from serq.results.report import Report
from serq.spelling import suggest
from serq.trace import read_trace

if TYPE_CHECKING:
    from serq.kernel import Progress
    from serq.kernel.recording import KeptGaps

PREFILL = "prefill"
"""The cause that every engine has and that a run can leave out."""

NOT_REMOVABLE = {
    "kernel": "it is what serving takes; change `execute`, or a parameter of it by `--set`",
    "preempt": "it follows from memory: run with more of it, by `--set`",
    "recompute": "it follows from memory: run with more of it, by `--set`",
    "unserved": "it follows from the schedule: change the budget by `--set`, or the schedule",
    "blocked": "it follows from memory and the budget: run with more of them, by `--set`",
    "away": "it is time on other stages: change their work",
}
"""What decides causes that are no time of an iteration, and so what to change instead."""


def run(
    program: Program,
    *,
    progress: Progress | None = None,
    divide_gaps: bool = False,
    without: Collection[str] = (),
    keep: Callable[[KeptGaps], None] | None = None,
) -> Report:
    """Run a program and report on it.

    The same program may be run again, also at the same time from other threads; equal programs and settings give
    equal figures.

    Args:
        program: what `serq.compile` returned.
        progress: shows another thread how far the run is, and stops it.
        divide_gaps: divide every inter-token gap by cause, for `Report.gaps`; no other figure changes.
        without: causes whose time is left out of the iterations: `prefill`, and names of the program's stalls.
        keep: called with every gap after the warm-up, divided by cause, some ten thousand at a time.

    Raises:
        SerqError: (a ValueError) the program does something that no run can go on from, the trace cannot be read,
            the horizon was reached before the arrivals asked for, or `without` names no cause that can be left out.
        TypeError: `program` is no `Program`.
        Interrupted: (serq.kernel) the run was stopped through `progress`.
    """
    if not isinstance(program, Program):
        raise TypeError(f"run takes a Program as serq.compile returns it, not {type(program).__name__}")
    check_causes(program, without)
    provenance = program.provenance
    trace = None if program.trace_path is None else read_trace(program.trace_path)
    recording = simulate(
        program.ir, trace=trace, progress=progress, divide_gaps=divide_gaps, without=without, keep=keep
    )
    return Report._of_recording(recording, provenance)


def check_causes(program: Program, causes: Collection[str]) -> None:
    """Refuse causes that a run of the program cannot leave out.

    Raises:
        SerqError: the message names one, and all that can be.
    """
    known = (PREFILL, *program.ir.stalls)
    for cause in causes:
        if cause not in known:
            names = ", ".join(f"`{name}`" for name in known)
            hint = (
                NOT_REMOVABLE.get(cause) or suggest(cause, known) or "a program declares more: `stall NAME (seconds);`"
            )
            raise SerqError(Diagnostic("settings", f"`{cause}` cannot be left out of a run: {names} can", hint=hint))
