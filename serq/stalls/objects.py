"""Figures of gaps as objects of JSON, the same whatever the gaps came from. Milliseconds, and shares of 1.

In: `StallFigures`. Out: what `json.dumps` takes; figures that do not exist are None.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

from serq.stalls.figures import StallFigures

NO_UPPER_EDGE = 1e9
"""What stands in JSON for the upper edge of the last bin, which has none."""


def known(value: float) -> float | None:
    return value if isfinite(value) else None


def by_label(stalls: StallFigures, values: tuple[float, ...]) -> dict[str, float | None]:
    return {label: known(value) for label, value in zip(stalls.labels, values, strict=True)}


def histogram_object(stalls: StallFigures) -> list[dict[str, Any]]:
    """The bins, each with its tokens by primary cause."""
    return [
        {
            "lo": bin_.low,
            "hi": bin_.high if isfinite(bin_.high) else NO_UPPER_EDGE,
            "n": bin_.n_tokens,
            **dict(zip(stalls.classes, bin_.by_cause, strict=True)),
        }
        for bin_ in stalls.histogram
    ]
