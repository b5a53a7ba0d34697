"""Comparing a report with expected figures: counts exactly, the rest to a relative 1e-9."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any


def differences(expected: Any, actual: Any, path: str = "") -> Iterator[str]:
    """Yield a line for each figure listed in `expected` on which `actual` disagrees."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            if key == "serq_version":
                continue
            if not isinstance(actual, dict) or key not in actual:
                yield f"{path}.{key}: missing"
            else:
                yield from differences(value, actual[key], f"{path}.{key}")
    elif isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            yield f"{path}: expected {len(expected)} entries"
            return
        for index, (one, other) in enumerate(zip(expected, actual, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif isinstance(expected, bool) or expected is None or isinstance(expected, str):
        if expected != actual:
            yield f"{path}: expected {expected!r}, got {actual!r}"
    elif not isinstance(actual, int | float) or isinstance(actual, bool):
        yield f"{path}: expected {expected!r}, got {actual!r}"
    elif not math.isclose(expected, actual, rel_tol=1e-9, abs_tol=1e-15):
        yield f"{path}: expected {expected!r}, got {actual!r}"
