"""`serq stalls`: the tail of the inter-token latency by cause."""

from __future__ import annotations

import json

import click

from serq.cli.options import PATH
from serq.cli.output import write
from serq.stalls.lines import plain
from serq.stalls.reading import read_log
from serq.stalls.runs import MeasuredRun, measure, run_object
from serq.stalls.text import report_lines

EPILOG = """\b
Examples:
  serq stalls run.npz
  serq stalls baseline-*.npz watermark-*.npz
  serq stalls run.jsonl --json > stalls.json"""


@click.command("stalls", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="LOG...")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one line of JSON: an object, or a list.")
@click.pass_context
def command(ctx: click.Context, /, files: tuple[str, ...], as_json: bool) -> None:
    """Take every gap between tokens apart by cause, and tell where the tail comes from.

    LOG is what an engine recorded of one run: NumPy arrays (.npz) or JSON Lines (.jsonl). Runs with the same `rung` in
    their settings are repetitions.
    """
    runs = [measure(read_log(file)) for file in files]
    if as_json:
        write(json_text(runs) + "\n")
    else:
        write(plain(report_lines(runs)))


def json_text(runs: list[MeasuredRun]) -> str:
    """An object for one run, a list of them for several."""
    objects = [run_object(run) for run in runs]
    return json.dumps(objects[0] if len(objects) == 1 else objects)
