"""The pictures of the report as a PNG, drawn by matplotlib.

In: measured runs and the longest of their gaps. Out: bytes. Matplotlib is imported when a picture is asked for; it
comes with the extra `plot`.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from serq.stalls.bars import added, edges
from serq.stalls.colours import colours
from serq.stalls.extras import extra
from serq.stalls.figures import CLEAN, KERNEL
from serq.stalls.ladder import Rung, rungs
from serq.stalls.lines import ms
from serq.stalls.page import shares
from serq.stalls.runs import MeasuredRun
from serq.stalls.worst import N_COLUMNS, WorstGap

WIDTH = 11.0
"""Inches."""


def png(runs: Sequence[MeasuredRun], worst: Sequence[WorstGap]) -> bytes:
    """Histograms by rung, the tail's composition by run, the longest gaps.

    Raises:
        SerqError: matplotlib is not installed.
    """
    figure_module: Any = extra("matplotlib.figure", "plot", "a PNG", "write a page with `--html`")
    ladder = [rung for rung in rungs(runs) if any(run.stalls.n_gaps for run in rung.runs)]
    bars = list(shares(ladder))
    heights = [*[2.6] * len(ladder), 0.6 + 0.26 * len(bars), 0.6 + 0.42 * len(worst)]
    figure = figure_module.Figure(figsize=(WIDTH, sum(heights) + 1.0), layout="constrained")
    axes = figure.subplots(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    shades = colours(runs[0].stalls.labels)
    for rung, ax in zip(ladder, axes, strict=False):
        draw_histogram(ax, rung, shades)
    draw_shares(axes[-2], bars, shades)
    draw_worst(axes[-1], worst, runs[0].stalls.labels, shades)
    patches: Any = extra("matplotlib.patches", "plot", "a PNG", "write a page with `--html`")
    names = {label: f"{label}, {CLEAN}" if label == KERNEL else label for label in runs[0].stalls.labels}
    keys = [patches.Patch(color=shades[label], label=name) for label, name in names.items()]
    figure.legend(handles=keys, loc="outside upper center", ncols=len(keys), frameon=False)
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=120)
    return file.getvalue()


def draw_histogram(ax: Any, rung: Rung[MeasuredRun], shades: dict[str, str]) -> None:
    """A column a bin: its height the tokens, on a logarithmic scale, its colours their shares by primary cause."""
    stalls = [run.stalls for run in rung.runs]
    bins = added([one.histogram for one in stalls])
    for i, one in enumerate(bins):
        below, tokens = 0, one.n_tokens
        for name, count in reversed(list(zip(stalls[0].classes, one.by_cause, strict=True))):
            if count:
                # On the axis's scale the shares of a column are powers of its tokens.
                low, high = (max(tokens, 1.2) ** (n / tokens) for n in (below, below + count))
                ax.bar(i, high - low, 0.8, bottom=low, color=shades[name])
                below += count
        if tokens:
            ax.text(i, max(tokens, 1.2) * 1.15, str(tokens), ha="center", va="bottom", fontsize=8)
    ax.set_yscale("log")
    ax.set_ylim(1, max(one.n_tokens for one in bins) * 4)
    ax.set_xlim(-0.6, len(bins) - 0.4)
    ax.set_xticks(range(len(bins)), [edges(one) for one in bins], fontsize=8)
    together = f", {len(stalls)} runs together" if len(stalls) > 1 else ""
    ax.set_title(f"{rung.name}{together}: tokens by gap (ms) and primary cause", fontsize=10, loc="left")
    plain(ax)


def draw_shares(ax: Any, bars: Sequence[tuple[str, list[tuple[str, float]]]], shades: dict[str, str]) -> None:
    """For each run the tail's tokens, the tail's time and all time, each as shares of a whole."""
    for y, (_, parts) in enumerate(bars):
        left = 0.0
        for name, share in parts:
            if share > 0:
                ax.barh(y, 100 * share, 0.75, left=left, color=shades[name])
                left += 100 * share
    ax.set_yticks(range(len(bars)), [title for title, _ in bars], fontsize=8)
    for tick, (_, parts) in zip(ax.get_yticklabels(), bars, strict=True):
        tick.set_fontweight("normal" if parts else "bold")
    ax.set_ylim(len(bars) - 0.4, -0.6)
    ax.set_xlim(0, 100)
    ax.set_title("the tail (gaps at or above p99) by tokens and by time, %", fontsize=10, loc="left")
    plain(ax)


def draw_worst(ax: Any, worst: Sequence[WorstGap], labels: Sequence[str], shades: dict[str, str]) -> None:
    """A lane a gap: what ran from its begin to its end, and above it when its request was evicted."""
    for y, gap in enumerate(worst):
        bottoms = gap.columns.cumsum(axis=1) - gap.columns
        for i, label in enumerate(labels):
            heights = 0.62 * gap.columns[:, i]
            at = [column + 0.5 for column in range(N_COLUMNS)]
            ax.bar(at, -heights, 1.0, bottom=y + 0.36 - 0.62 * bottoms[:, i], color=shades[label], linewidth=0)
        for begin, end in gap.evicted:
            width = N_COLUMNS * (end - begin)
            ax.barh(y - 0.34, width, 0.12, left=N_COLUMNS * begin, color=shades["preempt"])
    titles = [
        f"{gap.cause}: {ms(gap.length)} ms from {gap.start:.3f} s\n{gap.run}: request {gap.request}" for gap in worst
    ]
    ax.set_yticks(range(len(worst)), titles, fontsize=7)
    ax.set_ylim(len(worst) - 0.5, -0.6)
    ax.set_xlim(0, N_COLUMNS)
    ax.set_xticks([])
    ax.set_title(
        "the longest gaps of each cause: what ran; strip above: the request was evicted", fontsize=10, loc="left"
    )
    plain(ax)


def plain(ax: Any) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
