"""`serq stalls`: the tail of the inter-token latency by cause."""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack

import click

from serq.cli.files import write_file
from serq.cli.options import PATH
from serq.cli.output import write
from serq.stalls.export import FORMATS
from serq.stalls.files import read_log, whole_file
from serq.stalls.page import page
from serq.stalls.partition import partition
from serq.stalls.plot import png
from serq.stalls.runs import MeasuredRun, measure, run_object
from serq.stalls.text import called, report_lines, report_text
from serq.stalls.worst import WorstGap, longest, worst_gaps

PROGRAM_SUFFIXES = (".sq", ".json")
"""What names a program and not a log."""

N_WORST = 3
"""Gaps of each cause that pictures show in detail."""

EPILOG = """\b
Examples:
  serq stalls run.npz
  serq stalls baseline-*.npz watermark-*.npz --html ladder.html
  serq stalls run.jsonl --json > stalls.json
  serq stalls run.npz --export gaps.csv

\b
Letters of the bars:
  P prefill     S preemption     C no captured graph     G garbage collection     T tokenizer     · clean"""


@click.command("stalls", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="LOG...")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one line of JSON: an object, or a list.")
@click.option("--export", type=PATH, metavar="FILE", help="Write every gap with its parts, as .csv or .parquet.")
@click.option("--html", type=PATH, metavar="FILE", help="Write the report with its pictures as one page.")
@click.option("--png", "picture", type=PATH, metavar="FILE", help="Write the pictures; needs matplotlib.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    as_json: bool,
    export: str | None,
    html: str | None,
    picture: str | None,
) -> None:
    """Take every gap between tokens apart by cause, and tell where the tail comes from.

    LOG is what an engine recorded of one run: NumPy arrays (.npz) or JSON Lines (.jsonl). Runs with the same `rung` in
    their settings are repetitions: several logs are also compared rung by rung.
    """
    for file in files:
        if file.endswith(PROGRAM_SUFFIXES):
            raise click.UsageError(f"`{file}` is a program; `serq stalls` reads logs (.npz, .jsonl)", ctx)
    if export is not None and suffix(export) not in FORMATS:
        raise click.UsageError(f"`{export}`: export to a name that ends in {' or '.join(FORMATS)}", ctx)
    runs, worst = measured(files, export)
    drawn = {path: make(runs, worst) for path, make in ((html, page), (picture, png)) if path is not None}
    for path, content in drawn.items():
        write_file(path, content)
    if as_json:
        write(json_text(runs) + "\n")
    elif sys.stdout is not None and sys.stdout.isatty():
        # Here because rich takes 60 ms to import, and only a terminal shows what it does.
        from serq.cli.styled import styled

        write(styled(report_lines(runs)))
    else:
        write(report_text(runs))


def suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()


def measured(files: tuple[str, ...], export: str | None) -> tuple[list[MeasuredRun], list[WorstGap]]:
    """The figures of each log, and the longest gaps of all; one log at a time is in memory.

    Raises:
        SerqError: a log is refused, or the export cannot be written; then nothing is.
    """
    runs: list[MeasuredRun] = []
    worst: list[WorstGap] = []
    with ExitStack() as stack:
        add = None
        if export is not None:
            add = stack.enter_context(FORMATS[suffix(export)](stack.enter_context(whole_file(export))))
        for file in files:
            log = read_log(file)
            cut = partition(log)
            runs.append(measure(log, cut))
            worst = longest([*worst, *worst_gaps(called(runs[-1]), log, cut, N_WORST)], N_WORST)
            if add is not None:
                add(log, cut)
    return runs, worst


def json_text(runs: list[MeasuredRun]) -> str:
    """An object for one run, a list of them for several."""
    objects = [run_object(run) for run in runs]
    return json.dumps(objects[0] if len(objects) == 1 else objects)
