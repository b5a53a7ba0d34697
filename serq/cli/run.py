"""`serq run`: simulate a program and print its report."""

from __future__ import annotations

import sys
from itertools import pairwise
from time import perf_counter

import click

from serq.cli.options import COMPILE_OPTIONS, PATH, RUN_OPTIONS, ProgramCommand, with_options
from serq.cli.output import INTERRUPTED, kernel_is_compiled, say, write
from serq.cli.programs import load_program
from serq.cli.watch import Stopped, run_watched
from serq.report.remarks import remarks
from serq.report.text import report_text
from serq.results.json import report_json
from serq.results.report import Report

FAULTS_FOUND = 3

EPILOG = """\b
Examples:
  serq run program.sq --horizon 20000 --warmup 2000
  serq run program.sq --horizon 20000 --json > report.json
  serq run program.sq --horizon 20000 --dump samples -- --max_seqs 32
  serq run - --horizon 1000 < program.sq

\b
Exit codes:
  0 done     1 the program is refused, the run stops, or an output cannot be written
  2 usage    3 faults, with --strict     130 interrupted"""


@click.command("run", cls=ProgramCommand, epilog=EPILOG)
@with_options(RUN_OPTIONS, COMPILE_OPTIONS)
@click.option("--json", "as_json", is_flag=True, help="Print the report as one line of JSON.")
@click.option(
    "--dump",
    type=PATH,
    metavar="DIR",
    help="Write the samples as CSV: DIR/NAME.csv, DIR/client/NAME.csv, DIR/gauge/NAME.csv.",
)
@click.option("--stalls", is_flag=True, help="Also tell what the gaps between tokens consist of; see `serq stalls`.")
@click.option("--strict", is_flag=True, help="Exit with 3 if the report has a fault (stuck or refused sessions, ...).")
@click.option("--timing", is_flag=True, help="Print how long compiling, running and reporting took, on standard error.")
@click.pass_context
def command(
    ctx: click.Context, /, as_json: bool, dump: str | None, stalls: bool, strict: bool, timing: bool, **_: object
) -> None:
    """Simulate FILE and print its report.

    FILE is a program text (.sq), an intermediate representation (.json, see `serq ir`), or - for standard input.
    Arguments that the program declares with args.number follow a lone --, as `--name value`.
    """
    times = [perf_counter()]
    if dump == "":
        raise click.UsageError("`--dump` needs a folder, and its name is empty", ctx)
    program = load_program(ctx, needs_horizon=True)
    if dump is not None:
        # Here because few runs are dumped, and what writes files takes 5 ms of every start.
        from serq.cli.dump import check_dump, write_dump

        check_dump(dump)
    if not kernel_is_compiled():
        say("serq: the kernel is not compiled; this run takes about 100 times as long as it could")
    times.append(perf_counter())
    try:
        report = run_watched(program, divide_gaps=stalls)
    except Stopped as stop:
        say(f"serq: {stop}")
        ctx.exit(INTERRUPTED)
    times.append(perf_counter())
    if dump is not None:
        write_dump(report, dump)
    print_report(report, as_json)
    times.append(perf_counter())
    if timing:
        say(timing_line(report, times))
    if strict:
        faults = [remark for remark in remarks(report) if remark.is_fault]
        if faults and as_json:
            say("\n".join(fault.line for fault in faults))
        ctx.exit(FAULTS_FOUND if faults else 0)


def print_report(report: Report, as_json: bool) -> None:
    """Print a report, and what its gaps consist of if the run has divided them."""
    if report.gaps is not None:
        # Here because few runs ask for it, and their start need not wait for it.
        from serq.cli.run_stalls import stalls_json, stalls_lines
        from serq.cli.show import show

        if as_json:
            write(report_json(report, {"stalls": stalls_json(report)}) + "\n")
        else:
            print_tables(report)
            show(stalls_lines(report))
    elif as_json:
        write(report.json() + "\n")
    else:
        print_tables(report)


def print_tables(report: Report) -> None:
    if sys.stdout is not None and sys.stdout.isatty():
        # Here because rich takes 60 ms to import, and only a terminal shows what it does.
        from serq.report.rich_tables import terminal_text

        write(terminal_text(report))
    else:
        write(report_text(report))


def timing_line(report: Report, times: list[float]) -> str:
    """Seconds of compiling, running and reporting, and the pace of the run."""
    compiled, ran, reported = (later - earlier for earlier, later in pairwise(times))
    iterations = sum(stage.iterations for stage in report.stages)
    return (
        f"timing: compile {compiled:.3f} s, run {ran:.3f} s, report {reported:.3f} s; "
        f"{report.events / ran:.3g} events/s, {iterations / ran:.3g} iterations/s"
    )
