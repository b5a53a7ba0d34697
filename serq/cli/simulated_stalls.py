"""`serq stalls PROGRAM`: the gaps of a program's runs by cause, as it is and without causes."""

from __future__ import annotations

import json
from typing import Any

import click

from serq.cli.output import INTERRUPTED, kernel_is_compiled, say, write
from serq.cli.programs import load_program
from serq.cli.show import show
from serq.cli.watch import Stopped, run_watched
from serq.kernel.extract import GAP_LABELS
from serq.ladder.plan import read_seeds
from serq.program import Program
from serq.results.report import Report
from serq.run import check_causes
from serq.stalls.simulated import engine_runs
from serq.stalls.study import AS_IT_IS, Study, study_lines, study_objects


def report_program(ctx: click.Context, file: str) -> None:
    """Run the program, write its gaps if they are asked for, and print the report.

    Raises:
        click.UsageError: the options contradict each other.
        SerqError: the program or a cause is refused, a run stops, or the file cannot be written.
    """
    given = ctx.params
    seeds = None if given["seeds"] is None else read_seeds(given["seeds"])
    if seeds is not None and given["seed"] is not None:
        raise click.UsageError("give either `--seed` or `--seeds`", ctx)
    if given["gaps"] is not None and seeds is not None and len(seeds) > 1:
        raise click.UsageError("`--gaps` writes the gaps of one run: give one seed", ctx)
    ctx.params["file"] = file
    program = load_program(ctx, needs_horizon=True)
    left_out = [AS_IT_IS, *(causes_of(text) for text in given["without"])]
    check_causes(program, [cause for causes in left_out for cause in causes])
    if not kernel_is_compiled():
        say("serq: the kernel is not compiled; this run takes about 100 times as long as it could")
    programs = [program] if seeds is None else [program.with_seed(seed) for seed in seeds]
    runs: dict[tuple[str, ...], list[Any]] = {causes: [] for causes in left_out}
    try:
        for causes in runs:
            for one in programs:
                report = divided(one, causes, given["gaps"] if causes == AS_IT_IS else None)
                runs[causes] += engine_runs(report, members=given["members"], seeded=len(programs) > 1)
    except Stopped as stop:
        say(f"serq: {stop}")
        ctx.exit(INTERRUPTED)
    study = Study(runs)
    if given["as_json"]:
        objects = study_objects(study)
        write(json.dumps(objects[0] if len(objects) == 1 else objects) + "\n")
    else:
        show(study_lines(study))


def causes_of(text: str) -> tuple[str, ...]:
    """The causes of one `--without`, separated by commas: each once, in the order given."""
    return tuple(dict.fromkeys(word.strip() for word in text.split(",")))


def divided(program: Program, causes: tuple[str, ...], path: str | None) -> Report:
    """A run whose gaps are divided, without causes; all of them go to the file at `path`.

    Raises:
        Stopped: the user interrupted it.
        SerqError: it could not go on, or the file cannot be written; there is none then.
    """
    if path is None:
        return run_watched(program, divide_gaps=True, without=causes)
    # Here because few runs are written, and what writes them needs NumPy, which takes 100 ms of a start.
    from serq.cli.gap_files import opened
    from serq.stalls.simulated_export import keeper

    stages = [one.name if one.index is None else f"{one.name}[{one.index}]" for one in program.ir.stages]
    with opened(path) as add:
        return run_watched(program, keep=keeper(add, (*GAP_LABELS, *program.ir.stalls), stages))
