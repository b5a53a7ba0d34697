"""Pictures of stalls: the longest gaps, the page, the PNG, and that labels keep their colours."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from serq.diagnostics import SerqError
from serq.stalls import extras, plot
from serq.stalls.colours import KNOWN, colours
from serq.stalls.drawings import histogram_svg, lane, shares_svg
from serq.stalls.figures import MEASURED_CLASSES, Bin
from serq.stalls.page import page
from serq.stalls.partition import partition
from serq.stalls.runs import measure
from serq.stalls.timeline import LABELS
from serq.stalls.worst import N_COLUMNS, longest, worst_gaps
from tests.unit.stalls.logs import Step, one_gap, random_log, regular_log

VOID = {"meta", "br"}


class Balanced(HTMLParser):
    """Reads a page; every element must be closed where it should be."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def read(text: str) -> Balanced:
    parser = Balanced()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    return parser


@pytest.mark.parametrize("seed", [2, 4, 7])
def test_worst_gaps(seed: int) -> None:
    """Of each cause the longest gaps, the longest first, each with the shares of what ran, which sum to 1."""
    log = random_log(seed)
    cut = partition(log)
    worst = worst_gaps("a", log, cut, 2)
    assert [gap.length for gap in worst] == sorted((gap.length for gap in worst), reverse=True)
    assert worst[0].length == cut.lengths.max() * 1e3
    for gap in worst:
        assert gap.columns.shape == (N_COLUMNS, len(LABELS))
        np.testing.assert_allclose(gap.columns.sum(axis=1), 1.0, atol=1e-6)
        assert all(0 <= begin <= end <= 1 for begin, end in gap.evicted)
    assert all(sum(gap.cause == cause for gap in worst) <= 2 for cause in MEASURED_CLASSES)
    assert longest(worst, 1) == [gap for i, gap in enumerate(worst) if gap.cause not in [g.cause for g in worst[:i]]]


def test_what_ran_in_an_eviction() -> None:
    """A gap with an eviction shows when its request was evicted, and what the engine ran meanwhile."""
    log = one_gap([Step(0, 40, [("prefill", 10, 40)])], (0, 40), evictions=[(10, 30)])
    (gap,) = worst_gaps("a", log, partition(log), 5)
    assert (gap.cause, gap.request, gap.n_tokens, gap.start) == ("preempt", "7", 1, 0.0)
    assert gap.evicted == (pytest.approx((0.25, 0.75)),)
    middle = dict(zip(LABELS, gap.columns[N_COLUMNS // 2], strict=True))
    assert middle == pytest.approx(dict.fromkeys(LABELS, 0.0) | {"prefill": 1.0})


def test_shared_gaps_are_one() -> None:
    """A gap of a whole batch is shown once, with the number of its tokens."""
    log = regular_log("base", 1)
    worst = worst_gaps("a", log, partition(log), 3)
    pauses = [gap for gap in worst if gap.cause == "gc"]
    assert len(pauses) == 3
    assert {gap.n_tokens for gap in pauses} == {4}


def test_page() -> None:
    """A page is whole, needs nothing from elsewhere, and shows every run and every cause."""
    logs = [regular_log("base", 1), regular_log("<other>", 2), regular_log("base", 3)]
    runs = [measure(log) for log in logs]
    worst = worst_gaps("a", logs[0], partition(logs[0]), 3)
    text = page(runs, worst)
    found = read(text)
    assert "http" not in text
    assert not {"script", "img", "link", "iframe"} & set(found.seen)
    assert found.seen.count("svg") == 4  # two rungs, the shares, the longest gaps
    assert "base, seed 3" in found.words
    assert "<other>, seed 2" in found.words
    assert all(KNOWN[label] in text for label in LABELS)
    assert "prefers-color-scheme: dark" in text


def test_page_without_gaps() -> None:
    """A run without gaps has a page, which says so."""
    found = read(page([measure(random_log(1, emissions=()))], []))
    assert "no request emitted two tokens" in found.words


def test_histogram() -> None:
    """A column's height is the logarithm of its tokens, divided in proportion to the causes."""
    drawn = histogram_svg(("prefill", "clean"), [Bin(0, 5, (25, 75)), Bin(5, 10, (10, 0))], KNOWN)
    heights = [float(height) for height in re.findall(r'<rect [^>]*height="([\d.]+)"', drawn)]
    clean, prefill, only = heights
    assert clean == pytest.approx(3 * prefill, rel=0.01)
    assert clean + prefill == pytest.approx(2 * only, rel=0.01)
    assert "<title>prefill: 25 (25.0 %)</title>" in drawn


def test_shares() -> None:
    """Pieces of a bar are as wide as their shares; what has no share has no piece."""
    drawn = shares_svg([("a <group>", []), ("row", [("gc", 0.25), ("tok", 0.0), ("kernel", 0.75)])], KNOWN)
    widths = [float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)"', drawn)]
    assert len(widths) == 2
    assert widths[1] == pytest.approx(3 * widths[0])
    assert "a &lt;group&gt;" in drawn


def test_lane_joins_equal_columns() -> None:
    """The inside of a long pause is one piece, not one for each column."""
    log = one_gap([Step(0, 40, [("prefill", 0, 20)])], (0, 40))
    (gap,) = worst_gaps("a", log, partition(log), 1)
    paths = lane(gap, LABELS, 0.0, 20.0, colours(LABELS))
    assert len(paths) == 2
    assert all(path.count("M") == 1 for path in paths)


def test_colours() -> None:
    """Labels have the colours they always have, and causes with names of their own have others."""
    found = colours(("prefill", "scheduler", "disk", "kernel", "residual"))
    assert found["prefill"] == KNOWN["prefill"]
    assert len(set(found.values())) == len(found) - 1  # clean is the kernel's


def test_png() -> None:
    """The picture is a PNG; a run without gaps has one, too."""
    pytest.importorskip("matplotlib")
    logs = [regular_log("base", 1), regular_log("other", 2)]
    worst = worst_gaps("a", logs[0], partition(logs[0]), 2)
    assert plot.png([measure(log) for log in logs], worst).startswith(b"\x89PNG\r\n")
    assert plot.png([measure(random_log(1, emissions=()))], []).startswith(b"\x89PNG\r\n")


def test_missing_packages() -> None:
    """A package that is not installed is named, with what to install and what does without."""
    with pytest.raises(SerqError) as refused:
        extras.extra("no_such_package.part", "plot", "a PNG", "write a page with `--html`")
    assert refused.value.message == "a PNG needs no_such_package, which is not installed"
    assert refused.value.hint == "`pip install 'serq[plot]'`, or write a page with `--html`"
