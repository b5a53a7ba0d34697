"""A process that compiles and runs programs one after another, for callers that must survive a crash or a hang.

    python worker.py MODULE

reads one JSON object a line: `text` and `settings`; optional `ir` (run this JSON IR instead), `checked`,
`fast_forward` and `divide_gaps` (kernel switches, for serq only; the last adds `gaps` to the answer). It answers with one line each: `ir` and `report`, or `error`.
MODULE is `serq`, or another module with the same `compile` and `run`. Standard library only.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any


def simulate_with(program: Any, job: dict[str, Any]) -> dict[str, Any]:
    """The report of a serq program whose kernel runs with the switches that the job names, and its gaps if wanted."""
    from serq.kernel import simulate
    from serq.results.report import Report
    from serq.trace import read_trace

    ir = program.ir
    switches = {name: job[name] for name in ("checked", "fast_forward", "divide_gaps") if name in job}
    trace = {"trace": read_trace(ir.trace)} if ir.trace else {}
    recording = simulate(ir, **switches, **trace)
    report = Report._of_recording(recording, program.provenance).json()
    return {"report": report} | ({} if recording.gaps is None else {"gaps": repr(recording.gaps)})


def answer(module: Any, job: dict[str, Any]) -> dict[str, Any]:
    try:
        if "ir" in job:
            program = module.Program.from_json(job["ir"])
        else:
            program = module.compile(source=job["text"], **job["settings"])
    except ValueError as error:
        return {"error": str(error), "stage": "compile", "line": getattr(error, "line", None)}
    result = {"ir": program.to_json()} if job.get("want_ir") else {}
    if job.get("compile_only"):
        return result
    try:
        if module.__name__ == "serq":
            return {**result, **simulate_with(program, job)}
        return {**result, "report": module.run(program).json()}
    except ValueError as error:
        return {**result, "error": str(error), "stage": "run"}


def main() -> None:
    module = importlib.import_module(sys.argv[1])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            text = json.dumps(answer(module, json.loads(line)))
        except Exception as error:  # a fault of the module: told to the caller, who reports it
            text = json.dumps({"error": f"{type(error).__name__}: {error}", "stage": "crash"})
        answers.write(text + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
