"""Estimates from samples: means, 95 % intervals, squared coefficients of variation, 99th percentiles, time averages.

In: samples in order of recording, or the change points of a gauge, as `array.array`s of doubles. Out: a `Summary` or
a `GaugeSummary`. The functions read nothing else and keep nothing. Sums run left to right, so equal samples give equal
doubles everywhere. docs/semantics/figures.md defines each figure.
"""

from __future__ import annotations

from array import array
from math import ceil, inf, nan
from typing import NamedTuple

from serq.kernel.statistics import batch_half_width, quantile_rank, welford, window_integrals

MIN_SAMPLES_FOR_INTERVAL = 40
"""Below this number of samples there is no interval: twenty batches would hold fewer than two each."""

N_WINDOWS = 20
"""A gauge's interval takes the time averages of this many windows of equal length."""


class Summary(NamedTuple):
    """Estimates of one list of samples, in the samples' unit.

    Attributes:
        mean: NaN without samples.
        ci: half-width of the 95 % interval of the mean; infinite with fewer than 40 samples.
        cv2: sample variance over squared mean; NaN with fewer than two samples or a mean of 0.
        p99: NaN without samples.
    """

    mean: float
    ci: float
    cv2: float
    p99: float


class GaugeSummary(NamedTuple):
    """Time averages of a gauge from the end of warm-up to the end of the run; `ci` is the half-width at 95 %."""

    mean: float
    ci: float
    min: float
    max: float


def summarise(values: array[float]) -> Summary:
    """Estimates of the samples `values`, shape (n,), in order of recording.

    The mean is Welford's running mean over all samples. The interval comes from 20 batch means of equal size; samples
    left over at the end are dropped there. The percentile is the `ceil(0.99 n)`-th smallest sample, without
    interpolation; NaN ranks by its sign, below everything or above.
    """
    n = len(values)
    if n == 0:
        return Summary(nan, inf, nan, nan)
    mean, m2 = welford(values)
    ci = batch_half_width(values) if n >= MIN_SAMPLES_FOR_INTERVAL else inf
    return Summary(mean, ci, squared_variation(n, mean, m2), quantile_rank(values, max(1, ceil(0.99 * n))))


def squared_variation(n: int, mean: float, m2: float) -> float:
    """Sample variance over squared mean, of `n` samples with sum of squared deviations `m2`.

    NaN with fewer than two samples, and with mean and variance 0; infinite with only the mean 0.
    """
    if n < 2:
        return nan
    variance, square = m2 / (n - 1), mean * mean
    if square == 0.0:
        return inf if variance > 0.0 else nan
    return variance / square


def summarise_gauge(times: array[float], values: array[float], warmup: float, end: float) -> GaugeSummary:
    """Time averages over [`warmup`, `end`] of a signal that holds `values[i]` from `times[i]` on.

    The interval is that of the time averages of 20 windows of equal length.

    Args:
        times: seconds, increasing, from 0; shape (n,), n > 0.
        values: shape (n,), any unit. A NaN makes mean and interval NaN; least and greatest pass over it.
        warmup: seconds, less than `end`.
        end: seconds; the last value holds until then.
    """
    areas = array("d", bytes(8 * N_WINDOWS))
    integral, least, greatest = window_integrals(times, values, warmup, end, areas)
    width = (end - warmup) / N_WINDOWS
    averages = array("d", [area / width for area in areas])
    if least > greatest:  # nothing but NaN
        least = greatest = nan
    return GaugeSummary(integral / (end - warmup), batch_half_width(averages), least, greatest)
