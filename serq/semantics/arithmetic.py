"""The arithmetic of the language on constants: IEEE doubles, without exceptions.

The same operations exist in the kernel for what is computed while a program runs; both give the same doubles.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

INVALID = math.copysign(math.nan, -1.0)
"""What an invalid operation gives. Its sign is set, as x86-64 sets it; ordering by keys sees the sign."""


def _add(a: float, b: float) -> float:
    return INVALID if math.isinf(a) and math.isinf(b) and a != b else a + b


def _multiply(a: float, b: float) -> float:
    return INVALID if (math.isinf(a) and b == 0) or (a == 0 and math.isinf(b)) else a * b


def _divide(a: float, b: float) -> float:
    if b == 0:
        return INVALID if a == 0 else a if math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return INVALID if math.isinf(a) and math.isinf(b) else a / b


def _power(a: float, b: float) -> float:
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0 and b == math.floor(b) and b % 2 == 1 else math.inf
    except ValueError:
        if a == 0:  # a negative exponent
            odd = b == math.floor(b) and b % 2 == 1
            return math.copysign(math.inf, a) if odd else math.inf
        return INVALID


def _least(a: float, b: float) -> float:
    """The smaller one; a NaN loses to a number."""
    return b if math.isnan(a) or b < a else a


def _greatest(a: float, b: float) -> float:
    return b if math.isnan(a) or b > a else a


def _exponential(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _logarithm(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf if x == 0 else x if math.isnan(x) else INVALID


def _root(x: float) -> float:
    return INVALID if x < 0 else math.sqrt(x)


def _floor(x: float) -> float:
    return float(math.floor(x)) if math.isfinite(x) and abs(x) < 2.0**52 else x


def _ceil(x: float) -> float:
    return float(math.ceil(x)) if math.isfinite(x) and abs(x) < 2.0**52 else x


def _truth(test: Callable[[float, float], bool]) -> Callable[[float, float], float]:
    return lambda a, b: 1.0 if test(a, b) else 0.0


BINARY: dict[str, Callable[[float, float], float]] = {
    "+": _add,
    "-": lambda a, b: _add(a, -b),
    "*": _multiply,
    "/": _divide,
    "^": _power,
    "==": _truth(operator.eq),
    "!=": _truth(operator.ne),
    "<": _truth(operator.lt),
    "<=": _truth(operator.le),
    ">": _truth(operator.gt),
    ">=": _truth(operator.ge),
    "&&": lambda a, b: 1.0 if a != 0 and b != 0 else 0.0,
    "||": lambda a, b: 1.0 if a != 0 or b != 0 else 0.0,
}

UNARY: dict[str, Callable[[float], float]] = {"-": operator.neg, "!": lambda x: 1.0 if x == 0 else 0.0}

NUMERIC: dict[str, tuple[int, Callable[..., float]]] = {
    "min": (2, _least),
    "max": (2, _greatest),
    "abs": (1, abs),
    "floor": (1, _floor),
    "ceil": (1, _ceil),
    "sqrt": (1, _root),
    "exp": (1, _exponential),
    "ln": (1, _logarithm),
}
"""The functions of numbers, with their number of arguments."""
