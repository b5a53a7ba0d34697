"""The settings of a run: horizon, warm-up, seed and number of arrivals make sense, alone and together.

In: an `Ir`, from the compiler or from a document. Apart from `serq.ir.check`, which a compiled program has no need of.
"""

from __future__ import annotations

import math
from typing import NoReturn

from serq.diagnostics import Diagnostic, SerqError
from serq.ir import nodes

CLOCKED = (nodes.Poisson, nodes.Renewal)
"""The arrival laws that go on for ever, and so may be cut off by a number of arrivals."""


def check_settings(ir: nodes.Ir) -> None:
    """Refuse settings of a run that make no sense: horizon, warm-up, seed and number of arrivals.

    Raises:
        SerqError: without a place.
    """
    horizon, warmup = ir.horizon, ir.warmup
    if horizon is not None and not (math.isfinite(horizon) and horizon > 0):
        _settings(f"the horizon must be a positive, finite number, not {horizon:g}")
    if not warmup >= 0:
        _settings(f"the warm-up must not be negative, and it is {warmup:g}")
    if horizon is not None and warmup >= horizon:
        _settings(f"the warm-up ({warmup:g}) must be shorter than the horizon ({horizon:g})")
    if not 0 <= ir.seed < 1 << 64:
        _settings(f"the seed must be from 0 to 2^64 - 1, not {ir.seed}")
    if ir.arrivals is not None:
        if ir.arrivals < 1:
            _settings(f"the number of arrivals must be at least 1, not {ir.arrivals}")
        if not isinstance(ir.arrival, CLOCKED):
            _settings("a number of arrivals ends only `arrive poisson` and `arrive renewal`")


def _settings(message: str) -> NoReturn:
    raise SerqError(Diagnostic("settings", message))
