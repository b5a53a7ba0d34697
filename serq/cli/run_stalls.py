"""`serq run --stalls`: the gaps of a run by cause, as a part of its report."""

from __future__ import annotations

import json

from serq.results.report import Report
from serq.stalls.lines import Line, line
from serq.stalls.simulated import engine_runs
from serq.stalls.study import run_lines, stalls_object


def stalls_json(report: Report) -> str:
    """The object `stalls` of the report's JSON."""
    return json.dumps(stalls_object(engine_runs(report)), separators=(",", ":"))


def stalls_lines(report: Report) -> list[Line]:
    """The tables that follow the report's own, with the empty line between."""
    return [line(""), *run_lines(engine_runs(report))]
