"""Widths of text in Helvetica, which every renderer has or has an equal of.

Source: the metrics of the fonts Helvetica and Helvetica-Bold that Adobe published.
"""

from __future__ import annotations

PLAIN = """\
278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584
584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667
611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500
722 500 500 500 334 260 334 584"""
BOLD = """\
278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 333 584
584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 667 944 667 667
611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 611 556
778 556 556 500 389 280 389 584"""
"""Widths of the letters from space to `~`, in thousandths of the size."""
WIDTHS = {False: [int(w) for w in PLAIN.split()], True: [int(w) for w in BOLD.split()]}
OTHER = 556
"""The width taken for any other letter."""


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of a line of text in points."""
    widths = WIDTHS[bold]
    return sum(widths[ord(letter) - 32] if " " <= letter <= "~" else OTHER for letter in text) * size / 1000
