"""Arithmetic on which compiled and uncompiled runs must agree to the last bit.

Compiled, these are the C operations (see the header); here are the same results for Python, whose operators raise
where IEEE arithmetic gives an infinity or NaN.
"""

import cython

if not cython.compiled:
    import math
    import struct

    def truncate(x: float) -> int:
        """Toward zero; 0 for what no integer holds."""
        return int(x) if math.isfinite(x) else 0

    def divide(a: float, b: float) -> float:
        if b != 0.0:
            return a / b
        if a == 0.0 or a != a:
            return math.copysign(math.nan, -1.0) if a == a else a
        return math.copysign(math.inf, a) * math.copysign(1.0, b)

    def power(a: float, b: float) -> float:
        try:
            return math.pow(a, b)
        except OverflowError:
            return -math.inf if a < 0.0 and b % 2.0 == 1.0 else math.inf
        except ValueError:
            if a == 0.0:
                return math.copysign(math.inf, a) if b % 2.0 == 1.0 or b % 2.0 == -1.0 else math.inf
            return math.copysign(math.nan, -1.0)

    def floor_of(x: float) -> float:
        return float(math.floor(x)) if math.isfinite(x) else x

    def ceil_of(x: float) -> float:
        if not math.isfinite(x):
            return x
        return math.copysign(float(math.ceil(x)), x) if -1.0 < x <= 0.0 else float(math.ceil(x))

    def root(x: float) -> float:
        return math.sqrt(x) if x >= 0.0 else (x if x != x else math.copysign(math.nan, -1.0))

    def exponential(x: float) -> float:
        try:
            return math.exp(x)
        except OverflowError:
            return math.inf

    def logarithm(x: float) -> float:
        if x > 0.0:
            return math.log(x)
        return -math.inf if x == 0.0 else (x if x != x else math.copysign(math.nan, -1.0))

    def order(x: float) -> int:
        """A number by which doubles sort in IEEE total order: NaN by its sign, -0 below 0."""
        bits: int = struct.unpack("<q", struct.pack("<d", x))[0]
        return bits if bits >= 0 else bits ^ 0x7FFFFFFFFFFFFFFF
