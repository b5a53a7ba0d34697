"""`serq stalls LOG...`: what the logs of an engine say."""

from __future__ import annotations

import json
from contextlib import ExitStack

from serq.cli.files import write_file
from serq.cli.gap_files import opened
from serq.cli.output import write
from serq.cli.show import show
from serq.stalls.export import add_log
from serq.stalls.files import read_log
from serq.stalls.page import page
from serq.stalls.partition import partition
from serq.stalls.plot import png
from serq.stalls.runs import MeasuredRun, measure, run_object
from serq.stalls.text import called, report_lines
from serq.stalls.worst import WorstGap, longest, worst_gaps

N_WORST = 3
"""Gaps of each cause that pictures show in detail."""


def report_logs(
    files: tuple[str, ...], *, as_json: bool, export: str | None, html: str | None, picture: str | None
) -> None:
    """Write the files that are asked for, and print the report.

    Raises:
        SerqError: a log is refused, or a file cannot be written.
    """
    runs, worst = measured(files, export)
    drawn = {path: make(runs, worst) for path, make in ((html, page), (picture, png)) if path is not None}
    for path, content in drawn.items():
        write_file(path, content)
    if as_json:
        write(json_text(runs) + "\n")
    else:
        show(report_lines(runs))


def measured(files: tuple[str, ...], export: str | None) -> tuple[list[MeasuredRun], list[WorstGap]]:
    """The figures of each log, and the longest gaps of all; one log at a time is in memory.

    Raises:
        SerqError: a log is refused, or the export cannot be written; then nothing is.
    """
    runs: list[MeasuredRun] = []
    worst: list[WorstGap] = []
    with ExitStack() as stack:
        add = None if export is None else stack.enter_context(opened(export))
        for file in files:
            log = read_log(file)
            cut = partition(log)
            runs.append(measure(log, cut))
            worst = longest([*worst, *worst_gaps(called(runs[-1]), log, cut, N_WORST)], N_WORST)
            if add is not None:
                add_log(add, log, cut)
    return runs, worst


def json_text(runs: list[MeasuredRun]) -> str:
    """An object for one run, a list of them for several."""
    objects = [run_object(run) for run in runs]
    return json.dumps(objects[0] if len(objects) == 1 else objects)
