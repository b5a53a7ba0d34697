"""A run from the IR to its recording; what goes wrong on the way becomes a sentence here."""

from collections.abc import Callable, Collection, Sequence

import cython

from serq.diagnostics import Diagnostic, SerqError
from serq.ir.nodes import Ir, Sessions
from serq.kernel.extract import GAP_LABELS, recording_of
from serq.kernel.faults import describe_fault
from serq.kernel.progress import Progress
from serq.kernel.recording import KeptGaps, Recording
from serq.kernel.tables import write_tables

if not cython.compiled:
    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.kept import take_kept
    from serq.kernel.loop import begin, finish, simulate_events
    from serq.kernel.state import Sim

TraceSessions = Sequence[Sequence[tuple[float, float, float, float]]]


class Interrupted(Exception):  # noqa: N818 (not an error)
    """The run was asked to stop before its end."""


def simulate(
    program: Ir,
    *,
    trace: TraceSessions | None = None,
    checked: bool = False,
    fast_forward: bool = True,
    fleet: bool = True,
    divide_gaps: bool = False,
    without: Collection[str] = (),
    keep: Callable[[KeptGaps], None] | None = None,
    progress: Progress | None = None,
) -> Recording:
    """Run a program with the settings in it. The interpreter lock is released while it runs.

    Args:
        program: its `horizon` must be set.
        trace: sessions of the trace it names: of each its turns (new, out, think, forced).
        checked: verify conservation after every event; slow.
        fast_forward: run stretches of decodes in one loop. Off, every iteration is an event; the results are the same.
        fleet: serve steady decodes together. Off, every run is visited in every iteration; the results are the same.
        divide_gaps: divide every inter-token gap by cause; no other figure changes.
        without: labels (`prefill`, names of stalls) whose time is left out of the iterations.
        keep: called with every divided gap after the warm-up, some `KEPT_AT_ONCE` at a time; no figure changes, but
            the run is slower. What it raises ends the run.
        progress: watched and stopped through it.

    Raises:
        SerqError: the run cannot go on, or is against its settings.
        Interrupted: `progress.stop` was set.
    """
    if program.horizon is None:
        raise SerqError(Diagnostic("settings", "a run needs a horizon", hint="give one: --horizon 1000"))
    if progress is None:
        progress = Progress()
    tables = write_tables(program)
    if keep is not None:
        fleet = fast_forward = False
    if not fleet:
        for stage in range(len(program.stages)):
            tables.stages[11 * stage + 7] = 0
    sim = Sim(tables, program.seed, program.horizon, program.warmup, min(program.arrivals or 0, 1 << 62), progress)
    _give_sessions(sim, program, trace)
    if not fast_forward:
        sim.forward = 0
    if divide_gaps or without or keep is not None:
        labels = (*GAP_LABELS, *program.stalls)
        sim.divide_gaps([labels.index(name) for name in without])
    if keep is not None:
        sim.keep_gaps()
    sim.checked = checked
    with cython.nogil:
        begin(sim)
        simulate_events(sim)
    while keep is not None and sim.n_kept > 0:
        keep(take_kept(sim))
        with cython.nogil:
            simulate_events(sim)
    if not sim.fault:
        with cython.nogil:
            finish(sim)
    progress.now = sim.now
    progress.events = sim.events
    if sim.fault == F_STOPPED:
        raise Interrupted
    if sim.fault:
        serial = sim.fault_agent
        if sim.fault in (F_ACTIVATIONS, F_STATEMENTS, F_JOIN_CYCLE):
            serial = sim.a_serial[serial]
        raise SerqError(
            describe_fault(
                program, sim.fault, sim.now, sim.fault_value, sim.fault_count, serial, sim.arrivals, sim.live
            )
        )
    return recording_of(sim, program)


def _trace_row(turn: tuple[tuple[int, float], ...]) -> tuple[float, float, float, float]:
    """`new`, `out`, `think` and `forced` of a turn given by slots."""
    given = dict(turn)
    new, out, think, forced = [given.get(slot, 0.0) for slot in (3, 4, 5, 7)]
    return new, out, think, forced


def _give_sessions(sim: "Sim", program: Ir, trace: TraceSessions | None) -> None:
    """Hand the run its trace, or the sessions that the IR spells out."""
    sessions = trace
    ordered = program.trace_ordered
    if isinstance(program.arrival, Sessions):
        presets = program.arrival.sessions
        sim.set_presets(
            [len(one.attrs) for one in presets],
            [slot for one in presets for slot, _ in one.attrs],
            [value for one in presets for _, value in one.attrs],
        )
        if sessions is None and all(one.turns for one in presets) and presets:
            sessions = [[_trace_row(turn) for turn in one.turns] for one in presets]
            ordered = True
    if sessions is not None:
        firsts = [0]
        values: list[float] = []
        for session in sessions:
            for row in session:
                values += row
            firsts.append(len(values) // 4)
        sim.set_corpus(firsts, values, ordered)
