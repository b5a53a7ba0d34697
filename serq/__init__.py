"""serq: a language and an iteration-level simulator for LLM serving.

    program = serq.compile("05-engine.sq", horizon=20000, warmup=2000)
    report = serq.run(program)
    print(report.client["ttft"].p99)

`__all__` is what users may rely on. Each name is imported when it is first asked for, so `import serq` costs nothing
and `serq --version` does not load the compiler.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from serq.version import __version__

if TYPE_CHECKING:
    from serq.diagnostics import SerqError
    from serq.drawing import draw
    from serq.ir.nodes import IR_VERSION, REPORT_VERSION
    from serq.kernel.rng import Rng
    from serq.program import Program, compile  # noqa: A004 (the public name)
    from serq.results.report import Claim, Gauge, Observe, Pool, Report, Stage
    from serq.run import run
    from serq.trace import read_trace

__all__ = (
    "IR_VERSION",
    "REPORT_VERSION",
    "Claim",
    "Gauge",
    "Observe",
    "Pool",
    "Program",
    "Report",
    "Rng",
    "SerqError",
    "Stage",
    "__version__",
    "compile",
    "draw",
    "read_trace",
    "run",
)

_HOMES = {
    "IR_VERSION": "serq.ir.nodes",
    "REPORT_VERSION": "serq.ir.nodes",
    "Claim": "serq.results.report",
    "Gauge": "serq.results.report",
    "Observe": "serq.results.report",
    "Pool": "serq.results.report",
    "Program": "serq.program",
    "Report": "serq.results.report",
    "Rng": "serq.kernel.rng",
    "SerqError": "serq.diagnostics",
    "Stage": "serq.results.report",
    "compile": "serq.program",
    "draw": "serq.drawing",
    "read_trace": "serq.trace",
    "run": "serq.run",
}
"""The module in which each public name is defined."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'serq' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Face(ModuleType):
    """This module, whose function `run` is not hidden by the module `serq.run` when that is imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Face
