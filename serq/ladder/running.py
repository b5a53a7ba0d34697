"""Running a ladder: each rung with each seed, in processes.

In: a `Plan`. Out: a `SimulatedRun` for each rung and seed, rung by rung, whatever the number of processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from serq.diagnostics import Diagnostic, SerqError
from serq.kernel import simulate
from serq.ladder.plan import Plan, Rung, refuse
from serq.parallel import Failed, run_all
from serq.program import Program, Settings, build, names_ir, read_program
from serq.results.report import Report
from serq.stalls.simulated import SimulatedRun, simulated_run
from serq.trace import read_trace


class Cell(NamedTuple):
    """A run of a ladder.

    Attributes:
        ir: the rung's program as JSON.
        directory: where its trace is looked for.
    """

    rung: str
    ir: str
    directory: str
    seed: int


def run_ladder(plan: Plan, *, processes: int, done: Callable[[int], None]) -> list[SimulatedRun]:
    """The runs of a ladder.

    Args:
        done: called with the number of runs that have ended.

    Raises:
        SerqError: a rung is refused, before anything runs, or a run stops; the message names rung and seed.
    """
    cells = cells_of(plan)
    ended = 0

    def count(_place: int, _run: SimulatedRun) -> None:
        nonlocal ended
        ended += 1
        done(ended)

    try:
        return run_all(run_cell, cells, processes=processes, done=count)
    except Failed as failed:
        refuse_run(cells[failed.job], failed)


def cells_of(plan: Plan) -> list[Cell]:
    """All runs, each rung compiled once."""
    directory = os.path.dirname(plan.program)
    programs = [(rung, compiled(plan, rung)) for rung in plan.rungs]
    return [Cell(rung.name, program.to_json(), directory, seed) for rung, program in programs for seed in plan.seeds]


def compiled(plan: Plan, rung: Rung) -> Program:
    """The program of a rung.

    Raises:
        SerqError: it is refused; the message names the rung.
    """
    settings = Settings(sets=rung.sets, defs=rung.defs, horizon=plan.horizon, warmup=plan.warmup)
    is_ir, text = names_ir(plan.program), read_program(plan.program)
    if plan.horizon is None and not is_ir:
        refuse("a ladder needs a horizon", "`--horizon T`, or `horizon = T` in the file, in simulated seconds")
    try:
        program = build(text, settings, is_ir=is_ir, directory=os.path.dirname(plan.program))
    except SerqError as error:
        diagnostic = error.diagnostic
        raise SerqError(diagnostic._replace(message=f"rung `{rung.name}`: {diagnostic.message}")) from None
    return program


def run_cell(cell: Cell) -> SimulatedRun:
    """One run."""
    program = build(cell.ir, Settings(seed=cell.seed), is_ir=True, directory=cell.directory)
    trace = None if program.trace_path is None else read_trace(program.trace_path)
    recording = simulate(program.ir, trace=trace, divide_gaps=True)
    report = Report._of_recording(recording, program.provenance)
    assert recording.gaps is not None
    return simulated_run(report, recording.gaps, name=f"{cell.rung}, seed {cell.seed}", rung=cell.rung)


def refuse_run(cell: Cell, failed: Failed) -> NoReturn:
    """Say which run ended badly.

    Raises:
        SerqError: always, unless the fault is ours.
    """
    where = f"rung `{cell.rung}`, seed {cell.seed}"
    if isinstance(failed.cause, SerqError):
        diagnostic = failed.cause.diagnostic
        raise SerqError(diagnostic._replace(message=f"{where}: {diagnostic.message}")) from None
    if failed.cause is not None:
        raise failed.cause
    hint = "its memory may have run out: fewer processes (`--processes`) need less"
    raise SerqError(Diagnostic("ladder", f"{where}: the process ended with status {failed.status}", hint=hint))
