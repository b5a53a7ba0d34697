"""Loops over samples that are too long for plain Python.

In: an `array.array` of doubles, in order of recording. Out: numbers. What the figures mean, and when there is none, is
for the estimators to say (docs/semantics/figures.md); here are their sums, from left to right.
"""

import cython

if not cython.compiled:
    from array import array
    from math import inf, sqrt

    from serq.kernel.memory import longs, release
    from serq.kernel.numbers import order

    def numbers_of(values: "array[float]") -> "array[float]":
        if values.typecode != "d":
            raise TypeError("an array of doubles is wanted")
        return values


def welford(values: "array[float]") -> tuple[float, float]:
    """Running mean of the samples and the sum of their squared deviations; (0, 0) without samples.

    Source: Welford (1962), the form in which each sample moves the mean by its distance over the count.
    """
    x = numbers_of(values)
    mean = 0.0
    m2 = 0.0
    for i in range(len(values)):
        distance = x[i] - mean
        mean += distance / (i + 1)
        m2 += distance * (x[i] - mean)
    return mean, m2


def batch_half_width(values: "array[float]") -> float:
    """Half-width of the 95 % interval of a mean, from the means of 20 batches of equal size.

    The samples left over are dropped from the end. Infinite with fewer than 20 samples.

    Source: method of batch means; 2.093 is Student's t of 19 degrees of freedom at 97.5 %.
    """
    x = numbers_of(values)
    size = len(values) // 20
    if size == 0:
        return inf
    means = [0.0] * 20
    for batch in range(20):
        total = 0.0
        first = batch * size
        for i in range(first, first + size):
            total += x[i]
        means[batch] = total / size
    total = 0.0
    for i in range(20):
        total += means[i]
    grand_mean = total / 20.0
    squares = 0.0
    for i in range(20):
        distance = means[i] - grand_mean
        squares += distance * distance
    return 2.093 * sqrt(squares / 19.0 / 20.0)


def window_integrals(
    times: "array[float]", values: "array[float]", start: float, end: float, areas: "array[float]"
) -> tuple[float, float, float]:
    """Integrals of a signal from `start` to `end` over windows of equal length, added into `areas`, one a window.

    The signal holds `values[i]` from `times[i]` until the next time, the last one until the end. Returned are the
    integral over all, and the least and the greatest value; NaN is neither, and without another value they are
    inf and -inf. Pieces of length 0 count for nothing.
    """
    t = numbers_of(times)
    v = numbers_of(values)
    area = numbers_of(areas)
    n = len(times)
    last = len(areas) - 1
    width = (end - start) / (last + 1)
    window = 0
    window_end = start + width if last > 0 else end
    total = 0.0
    least = inf
    greatest = -inf
    for i in range(n):
        # At the top: the windows before `window` are complete, and it ends after the pieces so far.
        begin = t[i] if t[i] > start else start
        stop = t[i + 1] if i + 1 < n and t[i + 1] < end else end
        if stop <= begin:
            continue
        value = v[i]
        total += value * (stop - begin)
        if value < least:
            least = value
        if value > greatest:
            greatest = value
        while window < last and stop > window_end:
            if window_end > begin:
                area[window] += value * (window_end - begin)
                begin = window_end
            window += 1
            window_end = start + (window + 1) * width if window < last else end
        area[window] += value * (stop - begin)
    return total, least, greatest


def quantile_rank(values: "array[float]", k: int) -> float:
    """The k-th smallest sample, 1 <= k <= n.

    Samples rank in IEEE total order: NaN with the sign bit below everything, NaN without it above, -0 below 0.
    """
    n = len(values)
    if not 1 <= k <= n:
        raise ValueError(f"there is no sample number {k} among {n}")
    x = numbers_of(values)
    keys = longs(n)
    for i in range(n):
        keys[i] = order(x[i])
    key = select_key(keys, n, k)
    release(keys)
    i = 0
    while order(x[i]) != key:
        i += 1
    return x[i]


def select_key(keys: list[int], n: int, k: int) -> int:
    """The k-th smallest of n keys, which are overwritten.

    Eight bits at a time from the top: count the keys by their digit, find the digit of the k-th, keep the keys that
    have it. What is left shares all digits so far and holds the one looked for, as the k-th. Linear in n whatever the
    keys; in practice the second round leaves few.
    """
    counts = longs(256)
    shift = 56
    flip = 128  # the top digit has the sign
    while shift >= 0:
        for digit in range(256):
            counts[digit] = 0
        for i in range(n):
            counts[((keys[i] >> shift) & 255) ^ flip] += 1
        digit = 0
        while k > counts[digit]:
            k -= counts[digit]
            digit += 1
        kept = 0
        for i in range(n):
            if ((keys[i] >> shift) & 255) ^ flip == digit:
                keys[kept] = keys[i]
                kept += 1
        n = kept
        shift -= 8
        flip = 0
    release(counts)
    return keys[0]
