"""Pictures of stalls as SVG, to stand in a page: a histogram, bars of shares, the worst gaps.

In: bins, shares, gaps. Out: SVG elements as text. Colours of labels are given; all others are the page's, by the
classes `axis`, `grid`, `text` and `lane`, so that a page can be light or dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import log10

from serq.stalls.bars import edges
from serq.stalls.figures import Bin
from serq.stalls.lines import ms, percent
from serq.stalls.worst import N_COLUMNS, WorstGap

WIDTH = 860
LEFT = 300
"""Where bars begin, right of their titles."""


def histogram_svg(classes: Sequence[str], bins: Sequence[Bin], colours: dict[str, str]) -> str:
    """A column a bin: its height the tokens, on a logarithmic scale, its colours their shares by primary cause."""
    height, bottom, left = 210, 240, 60
    greatest = max((one.n_tokens for one in bins), default=1) or 1
    decades = max(1, len(str(greatest)))
    step = (WIDTH - left) / len(bins)
    parts = []
    for decade in range(decades + 1):
        y = bottom - height * decade / decades
        parts.append(f'<path class="grid" d="M{left} {y:.1f}H{WIDTH}"/>')
        parts.append(text(left - 6, y + 4, f"{10**decade:,}".replace(",", " "), "end"))
    for i, one in enumerate(bins):
        x = left + i * step
        parts.append(text(x + step / 2, bottom + 16, edges(one), "middle"))
        if one.n_tokens:
            top = bottom - height * max(log10(one.n_tokens), 0.08) / decades
            parts.append(text(x + step / 2, top - 5, str(one.n_tokens), "middle"))
            parts += column(
                x + 0.1 * step, 0.8 * step, top, bottom, [*zip(classes, one.by_cause, strict=True)], colours
            )
    parts.append(f'<path class="axis" d="M{left} {bottom}H{WIDTH}"/>')
    return svg(bottom + 24, parts, "tokens by gap and primary cause")


def column(
    x: float, width: float, top: float, bottom: float, counts: list[tuple[str, int]], colours: dict[str, str]
) -> list[str]:
    """A column from `bottom` to `top`, divided in proportion to the counts, `clean` at the bottom."""
    total, y, parts = sum(count for _, count in counts), bottom, []
    for name, count in reversed(counts):
        if count:
            high = (bottom - top) * count / total
            y -= high
            title = f"<title>{escape(name)}: {count} ({percent(count / total)} %)</title>"
            parts.append(rectangle(x, y, width, high, colours[name], title))
    return parts


def shares_svg(rows: Sequence[tuple[str, Sequence[tuple[str, float]]]], colours: dict[str, str]) -> str:
    """A bar a row, each with its shares of a whole; a row without shares begins a group."""
    parts, y = [], 0.0
    for title, shares in rows:
        if not shares:
            y += 8
            parts.append(f'<text class="text group" x="0" y="{y + 13:.1f}">{escape(title)}</text>')
            y += 18
            continue
        parts.append(text(LEFT - 8, y + 14, title, "end"))
        x = float(LEFT)
        for name, share in shares:
            width = (WIDTH - LEFT) * max(share, 0.0)
            if width > 0:
                told = f"<title>{escape(name)}: {percent(share)} %</title>"
                parts.append(rectangle(x, y + 2, width, 16, colours[name], told))
                if width > 34:
                    parts.append(
                        f'<text class="inside" x="{x + width / 2:.1f}" y="{y + 14:.1f}">{percent(share)}</text>'
                    )
                x += width
        y += 22
    return svg(y + 4, parts, "shares by cause")


def worst_svg(gaps: Sequence[WorstGap], labels: Sequence[str], colours: dict[str, str]) -> str:
    """A lane a gap: what ran from its begin to its end, and above it when its request was evicted."""
    parts = []
    for i, gap in enumerate(gaps):
        y = 34.0 * i
        parts.append(text(LEFT - 8, y + 13, f"{gap.cause}: {ms(gap.length)} ms from {gap.start:.3f} s", "end"))
        others = "" if gap.n_tokens == 1 else f" and {gap.n_tokens - 1} more"
        parts.append(f'<text class="text small" x="{LEFT - 8}" y="{y + 25:.1f}" text-anchor="end">'
                     f"{escape(f'{gap.run}: request {gap.request}{others}')}</text>")  # fmt: skip
        for begin, end in gap.evicted:
            width = (WIDTH - LEFT) * (end - begin)
            parts.append(
                rectangle(LEFT + (WIDTH - LEFT) * begin, y + 1, width, 5, colours["preempt"], "<title>evicted</title>")
            )
        parts.append(f'<rect class="lane" x="{LEFT}" y="{y + 7:.1f}" width="{WIDTH - LEFT}" height="20"/>')
        parts += lane(gap, labels, y + 7, 20.0, colours)
    return svg(34.0 * len(gaps) + 4, parts, "what ran during the longest gaps")


def lane(gap: WorstGap, labels: Sequence[str], y: float, height: float, colours: dict[str, str]) -> list[str]:
    """One path a label: in each column of time a piece as high as the label's share of it."""
    step = (WIDTH - LEFT) / N_COLUMNS
    tops = gap.columns.cumsum(axis=1)
    parts = []
    for i, label in enumerate(labels):
        pieces = []
        first = 0
        while first < N_COLUMNS:
            share, top = float(gap.columns[first, i]), float(tops[first, i])
            last = first + 1
            # Columns of one and the same division, such as the inside of a pause, are one piece.
            while last < N_COLUMNS and abs(gap.columns[last] - gap.columns[first]).max() < 1e-3:
                last += 1
            if share > 1e-3:
                x, width = LEFT + first * step, (last - first) * step
                pieces.append(f"M{x:.2f} {y + height * (1 - top):.2f}h{width:.2f}v{height * share:.2f}h{-width:.2f}z")
            first = last
        if pieces:
            parts.append(f'<path fill="{colours[label]}" d="{"".join(pieces)}"><title>{escape(label)}</title></path>')
    return parts


def legend_html(labels: Sequence[str], colours: dict[str, str]) -> str:
    keys = (f'<span class="key"><i style="background:{colours[label]}"></i>{escape(label)}</span>' for label in labels)
    return f'<p class="legend">{"".join(keys)}</p>'


def svg(height: float, parts: Sequence[str], title: str) -> str:
    head = f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
    return head + "".join(parts) + "</svg>"


def rectangle(x: float, y: float, width: float, height: float, colour: str, title: str) -> str:
    place = f'x="{x:.2f}" y="{y:.2f}" width="{max(width, 0.3):.2f}" height="{max(height, 0.3):.2f}"'
    return f'<rect {place} fill="{colour}">{title}</rect>'


def text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text class="text" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
