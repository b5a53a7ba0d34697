"""Which decimals a figure is shown with, and how the shapes that chapter 5 does not have are set."""

from __future__ import annotations

import math
from array import array

import pytest

from serq.kernel.recording import ChangePoints
from serq.report.tables import decimals, fixed
from serq.report.text import report_text
from tests.recordings import claim, pool, report, samples, stage


@pytest.mark.parametrize(
    ("ci", "places"),
    [
        *((0.00303, 4), (0.000449, 5), (0.000946, 5), (0.00000601, 7), (0.01, 4), (0.001, 4), (0.0001, 5)),
        *((12.0, 4), (0.0, 4), (math.inf, 4), (math.nan, 4), (1e-17, 4)),
    ],
)
def test_decimals_show_two_digits_of_the_interval(ci: float, places: int) -> None:
    """At least four decimals, and two significant digits of the half-width; rounding noise counts as no width."""
    assert decimals(1.0, ci) == places


def test_a_small_interval_of_a_small_mean_is_no_noise() -> None:
    """What is noise depends on the mean."""
    assert decimals(1e-15, 1e-17) == 18


@pytest.mark.parametrize(
    ("value", "places", "shown"),
    [
        *((2.5, 0, "2"), (0.125, 2, "0.12"), (-0.0001, 3, "0.000"), (-0.5, 3, "-0.500"), (1e22, 1, f"1{'0' * 22}.0")),
        *((math.nan, 3, "NaN"), (math.inf, 3, "inf"), (-math.inf, 3, "-inf")),
    ],
)
def test_fixed(value: float, places: int, shown: str) -> None:
    """Decimals round the exact binary value; a zero has no sign."""
    assert fixed(value, places) == shown


def test_every_section() -> None:
    """Sections stand in order, columns as wide as their widest cell, rows without blanks at the end."""
    engine = stage(name="rep", index=1, iterations=7, prefill_only=0.25, decode_only=0.5, mixed=0.125, itl_p50=0.01)
    shown = report_text(
        report(
            observes=(samples("hit", [0.0, 1.0] * 20),),
            gauges=(ChangePoints("waiting", array("d", [0.0, 50.0]), array("d", [1.0, 3.0])),),
            claims=(claim(kind="at_end", result="not_evaluated", note="3 sessions live"),),
            stages=(stage(name="tool"), engine),
            pools=(pool(name="kv", index=0, mean_used=12.34),),
        )
    )
    assert shown == EVERY_SECTION


EVERY_SECTION = """\
run: horizon 100 end 100 warmup 0 seed 1 events 41 arrivals 40 ended 40 turns 40 mean live 0.000

observe  count    mean   95% CI    cv2     p99
-------  -----  ------  -------  -----  ------
hit         40  0.5000  ±0.0000  1.026  1.0000

client    count    mean   95% CI    cv2     p99
--------  -----  ------  -------  -----  ------
ttft          0     NaN     ±inf    NaN     NaN
tpot          0     NaN     ±inf    NaN     NaN
response     40  1.0000  ±0.0000  0.000  1.0000

gauge      mean   95% CI     min     max
-------  ------  -------  ------  ------
waiting  2.0000  ±0.4802  1.0000  3.0000

claim  kind    result         checked  failures  first             note
-----  ------  -------------  -------  --------  -----  ---------------
c      at end  not evaluated        8         0      -  3 sessions live

stage   number   util  done    thru    wait  service  iters
------  ------  -----  ----  ------  ------  -------  -----
tool     0.000  0.000     0  0.0000  0.0000   0.0000      0
rep[1]   0.000  0.000     0  0.0000  0.0000   0.0000      7

step    prefill only  decode only  mixed   idle  decodes  decode batch  decode step   itl p50  itl p99
------  ------------  -----------  -----  -----  -------  ------------  -----------  --------  -------
rep[1]         0.250        0.500  0.125  0.125    0.000           NaN          NaN  0.010000      NaN

pool   used  cached  queue  holders  wait  admits  evict(n)  evict(u)  preempt  spill  rej  stuck
-----  ----  ------  -----  -------  ----  ------  --------  --------  -------  -----  ---  -----
kv[0]  12.3     0.0  0.000    0.000   NaN       0         0         0        0      0    0      0

note: waiting (±24 %): interval wider than 10 % of the mean; lengthen `--horizon`
"""
