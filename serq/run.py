"""Run a program: from a `Program` to a `Report`.

In: a compiled program. Out: the report of its run. The trace of the program, if it has one, is opened here; the
simulation itself is the kernel's, which releases the interpreter lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from serq.kernel import simulate
from serq.program import Program
from serq.results.report import Report
from serq.trace import read_trace

if TYPE_CHECKING:
    from serq.kernel import Progress


def run(program: Program, *, progress: Progress | None = None) -> Report:
    """Run a program and report on it.

    The same program may be run again, also at the same time from other threads; equal programs and settings give
    equal figures.

    Args:
        program: what `serq.compile` returned.
        progress: shows another thread how far the run is, and stops it.

    Raises:
        SerqError: (a ValueError) the program does something that no run can go on from, the trace cannot be read,
            or the horizon was reached before the arrivals asked for.
        TypeError: `program` is no `Program`.
        Interrupted: (serq.kernel) the run was stopped through `progress`.
    """
    if not isinstance(program, Program):
        raise TypeError(f"run takes a Program as serq.compile returns it, not {type(program).__name__}")
    provenance = program.provenance
    trace = None if program.trace_path is None else read_trace(program.trace_path)
    recording = simulate(program.ir, trace=trace, progress=progress)
    return Report._of_recording(recording, provenance)
