"""A colour for each label, the same in every picture; legible to most kinds of colour blindness.

In: the labels of a `StallFigures`, whatever its source. Out: colours as `#rrggbb`.

Source: the eight colours of Okabe and Ito, "Color Universal Design" (2008), and greys.
"""

from __future__ import annotations

from serq.stalls.figures import CLEAN, KERNEL, RESIDUAL

KNOWN = {
    "prefill": "#0072b2",
    "preempt": "#d55e00",
    "graph": "#cc79a7",
    "gc": "#e69f00",
    "tok": "#009e73",
    "recompute": "#8c510a",
    "unserved": "#56b4e9",
    "blocked": "#7b3294",
    "away": "#b8a900",
    KERNEL: "#8b96a3",
    CLEAN: "#8b96a3",
    RESIDUAL: "#c9ced4",
}

OTHERS = ("#56b4e9", "#f0e442", "#5e3c99", "#b2182b", "#1b7837", "#c51b7d")
"""For causes with names of their own, in turn."""


def colours(labels: tuple[str, ...]) -> dict[str, str]:
    """A colour for each label, and for `clean`."""
    unknown = [label for label in labels if label not in KNOWN]
    own = {label: OTHERS[i % len(OTHERS)] for i, label in enumerate(unknown)}
    return {label: (KNOWN | own)[label] for label in (*labels, CLEAN)}
