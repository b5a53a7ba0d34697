"""The partition as its rules read: gap by gap, interval by interval, in exact fractions."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import inf, isnan

from serq.stalls.log import Log
from serq.stalls.timeline import Baseline

Parts = dict[str, Fraction]
Interval = tuple[Fraction, Fraction]
LABEL_OF_KIND = ("tok", "preempt", "prefill", "kernel")


class Gap:
    """A gap with its parts, and by label what ran while its request was evicted."""

    def __init__(self, request: float, start: float, end: float) -> None:
        self.request, self.start, self.end = request, start, end
        self.parts: Parts = defaultdict(Fraction)
        self.context: Parts = defaultdict(Fraction)


class Obvious:
    """One log. Comparisons of fractions with floats are exact."""

    def __init__(self, log: Log) -> None:
        self.steps = log.steps.tolist()
        self.segments = [(int(step), int(kind), t0, t1) for step, kind, t0, t1 in log.segs.tolist()]
        self.pauses = [(t0, t1) for t0, t1, _ in log.gcs.tolist()]
        self.evictions = [(request, t0, inf if isnan(t1) else t1) for request, t0, t1 in log.evictions.tolist()]
        self.tokens = log.emissions.tolist()

    def gaps(self, baseline: Baseline | None) -> list[Gap]:
        """Every gap, in order of request and time."""
        shares = [self.excess(step, baseline) for step in range(len(self.steps))]
        result = []
        for request in sorted({request for request, _, _ in self.tokens}):
            times = sorted(time for own, time, _ in self.tokens if own == request)
            for start, end in pairwise(times):
                result.append(Gap(request, start, end))
                self.cut(result[-1], shares)
        return result

    def cut(self, gap: Gap, shares: list[Fraction]) -> None:
        pauses = [(t0, t1) for t0, t1 in self.pauses if t0 < gap.end and t1 > gap.start]
        segments = [one for one in self.segments if one[2] < gap.end and one[3] > gap.start]
        lost = [(t0, t1) for own, t0, t1 in self.evictions if own == gap.request and t0 < gap.end and t1 > gap.start]
        times = {t for one in (*pauses, *lost) for t in one} | {t for one in segments for t in one[2:]}
        inner = {Fraction(t) for t in times if gap.start < t < gap.end}
        for a, b in pairwise(sorted(inner | {Fraction(gap.start), Fraction(gap.end)})):
            middle, evicted = (a + b) / 2, False
            if any(t0 <= middle < t1 for t0, t1 in lost):
                evicted = True
                gap.parts["preempt"] += b - a
            label, share = "residual", Fraction(0)
            for step, kind, t0, t1 in segments:
                if t0 <= middle < t1:
                    label = LABEL_OF_KIND[kind]
                    share = shares[step] if label == "kernel" else Fraction(0)
            if any(t0 <= middle < t1 for t0, t1 in pauses):
                label, share = "gc", Fraction(0)
            to = gap.context if evicted else gap.parts
            to[label] += (1 - share) * (b - a)
            to["graph"] += share * (b - a)

    @cached_property
    def decode_times(self) -> list[Fraction]:
        """Seconds of each iteration's decodes outside of pauses."""
        result = [Fraction(0)] * len(self.steps)
        for step, kind, t0, t1 in self.segments:
            if LABEL_OF_KIND[kind] == "kernel":
                pauses = [(g0, g1) for g0, g1 in self.pauses if g0 < t1 and g1 > t0]
                inner = {Fraction(t) for one in pauses for t in one if t0 < t < t1}
                for a, b in pairwise(sorted(inner | {Fraction(t0), Fraction(t1)})):
                    if not any(g0 <= (a + b) / 2 < g1 for g0, g1 in pauses):
                        result[step] += b - a
        return result

    def excess(self, step: int, baseline: Baseline | None) -> Fraction:
        """Share of an eager iteration's decodes that a captured one would not have taken."""
        full, decodes, graph = self.decode_times[step], self.steps[step][2], self.steps[step][4]
        if graph != 0 or full == 0 or baseline is None:
            return Fraction(0)
        base = Fraction(baseline.slope) * int(decodes) + Fraction(baseline.intercept)
        return max(Fraction(0), full - max(base, Fraction(0))) / full

    def baseline(self) -> Baseline | None:
        """Least squares over captured iterations with a decode; level where they have one size."""
        decoded = {step for step, kind, _, _ in self.segments if LABEL_OF_KIND[kind] == "kernel"}
        points = [(int(s[4]), self.decode_times[i]) for i, s in enumerate(self.steps) if s[4] > 0 and i in decoded]
        if not points:
            return None
        n, sx, sxx = len(points), sum(x for x, _ in points), sum(x * x for x, _ in points)
        sy, sxy = sum((y for _, y in points), Fraction(0)), sum((x * y for x, y in points), Fraction(0))
        below = n * sxx - sx * sx
        slope = (n * sxy - sx * sy) / below if below else Fraction(0)
        return Baseline(float(slope), float((sy - slope * sx) / n))
