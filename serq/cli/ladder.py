"""`serq ladder`: configurations of a program beside each other."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from serq.cli.files import write_file
from serq.cli.options import COUNT, HORIZON, PATH, WARMUP, assignment
from serq.cli.output import INTERRUPTED, kernel_is_compiled, say, write
from serq.ladder.plan import Plan, climb, read_rung, read_seeds
from serq.ladder.running import run_ladder
from serq.ladder.text import ladder_lines, ladder_object
from serq.parallel import usable_cores
from serq.stalls.lines import plain

FILE_SUFFIX = ".toml"

EPILOG = """\b
Examples:
  serq ladder ladder.toml
  serq ladder program.sq --horizon 2000 --warmup 200 --seeds 1-5
    --rung "as it is" --rung "small budget: B=256" --rung "and more memory: blocks=8000"

\b
A file says the same:
  program = "program.sq"
  horizon = 2000
  warmup = 200
  seeds = "1-5"
  set = { Lambda = 1.8 }
  [[rung]]
  name = "as it is"
  [[rung]]
  name = "small budget"
  set = { B = 256 }"""

SET_HELP = "Give an argument this value in all rungs that do not change it. Repeatable."
RUNG_HELP = "A rung: its name, and the arguments that it changes. Repeatable; each keeps what those before it changed."
SEEDS_HELP = "Seeds, such as 1-5 or 1,2,7.  [default: 1]"
PROCESSES_HELP = "Processes that run at the same time; the figures do not depend on it.  [default: one a core]"


@click.command("ladder", epilog=EPILOG)
@click.argument("file", type=PATH)
@click.option("--rung", "rungs", multiple=True, metavar='"NAME: ARG=EXPR, ..."', help=RUNG_HELP)
@click.option("--set", "sets", type=assignment, multiple=True, metavar="NAME=EXPR", help=SET_HELP)
@click.option("--horizon", type=HORIZON, metavar="T", help="Simulated seconds. A program text needs it.")
@click.option("--warmup", type=WARMUP, metavar="T", help="Simulated seconds left out of the figures.  [default: 0]")
@click.option("--seeds", metavar="LIST", help=SEEDS_HELP)
@click.option("--processes", type=COUNT, metavar="N", help=PROCESSES_HELP)
@click.option("--json", "as_json", is_flag=True, help="Print the figures of every rung and run as one line of JSON.")
@click.option("--out", type=PATH, metavar="FILE", help="Write to a file instead of standard output.")
@click.pass_context
def command(
    ctx: click.Context, /, file: str, processes: int | None, as_json: bool, out: str | None, **_: object
) -> None:
    """Run configurations of a program beside each other, and tell what each change did to the tail of the
    inter-token latency.

    FILE is a program (.sq, .json) whose rungs are options, or a ladder (.toml) that names a program and its rungs.
    Every rung runs with every seed; figures of a rung are the median of its runs, with the least and the greatest.
    """
    plan = plan_of(ctx, file)
    if not kernel_is_compiled():
        say("serq: the kernel is not compiled; these runs take about 100 times as long as they could")
    n_runs = len(plan.rungs) * len(plan.seeds)
    try:
        with counting(n_runs) as done:
            runs = run_ladder(plan, processes=processes or usable_cores(), done=done)
    except KeyboardInterrupt:
        say("serq: interrupted; nothing is printed, for the rungs are not complete")
        ctx.exit(INTERRUPTED)
    if as_json:
        show(json.dumps(ladder_object(plan, runs)) + "\n", out)
    elif out is None and sys.stdout is not None and sys.stdout.isatty():
        # Here because rich takes 60 ms to import, and only a terminal shows what it does.
        from serq.cli.styled import styled

        write(styled(ladder_lines(plan, runs)))
    else:
        show(plain(ladder_lines(plan, runs)), out)


def show(text: str, out: str | None) -> None:
    if out is None:
        write(text)
    else:
        write_file(out, text)


def plan_of(ctx: click.Context, file: str) -> Plan:
    """The ladder that the command line asks for.

    Raises:
        click.UsageError: the options contradict each other.
        SerqError: a file or an option makes no ladder.
    """
    given = ctx.params
    sets: dict[str, float | str] = dict(given["sets"])
    if file.endswith(FILE_SUFFIX):
        if given["rungs"] or sets:
            raise click.UsageError(
                f"`{file}` has its own rungs and arguments; `--rung` and `--set` go with a program", ctx
            )
        # Here because most ladders of a command line need no file of theirs.
        from serq.ladder.toml import read_plan

        plan = read_plan(file)
    else:
        none: dict[str, str] = {}
        changes = [(name, dict[str, float | str](change), none) for name, change in map(read_rung, given["rungs"])]
        plan = Plan(program=file, rungs=climb(changes, sets, none), seeds=(1,), horizon=None, warmup=None)
    own: dict[str, Any] = {name: given[name] for name in ("horizon", "warmup") if given[name] is not None}
    if given["seeds"] is not None:
        own["seeds"] = read_seeds(given["seeds"])
    plan = plan._replace(**own)
    if plan.horizon is not None and (plan.warmup or 0.0) >= plan.horizon:
        message = f"the warm-up ({plan.warmup:g}) must be shorter than the horizon ({plan.horizon:g})"
        raise click.UsageError(message, ctx)
    return plan


@contextmanager
def counting(total: int) -> Iterator[Callable[[int], None]]:
    """A bar of ended runs on a terminal; nothing elsewhere."""
    if total < 2 or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _ended: None
        return
    # Here because rich takes 60 ms to import, and only a terminal shows what it does.
    from serq.cli.bar import CountBar

    bar = CountBar(total, "runs")
    try:
        yield bar.show
    finally:
        bar.close()
