"""Constants settled: what a program's arguments decide is not a choice in its picture.

In: a representation. Out: the same with conditions on constants replaced by their outcome. `policy == 2 ? a : b` is
`b` in the picture of a program whose `policy` is 1.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeVar

from serq.ir import nodes as ir

T = TypeVar("T")

OPERATORS: dict[str, Callable[[float, float], float]] = {
    "Eq": operator.eq,
    "Ne": operator.ne,
    "Lt": operator.lt,
    "Le": operator.le,
    "Gt": operator.gt,
    "Ge": operator.ge,
    "And": lambda a, b: a != 0 and b != 0,
    "Or": lambda a, b: a != 0 or b != 0,
    "Add": operator.add,
    "Sub": operator.sub,
    "Mul": operator.mul,
    "Div": operator.truediv,
}


def settled(program: ir.Ir) -> ir.Ir:
    """The program without conditions on constants in its expressions; its blocks and their numbers stay."""
    parts = {name: _settled(getattr(program, name)) for name in ("pools", "stages", "arrival", "blocks")}
    return program._replace(**parts)


def constant(e: ir.Expr) -> float | None:
    """The value of what reads numbers alone: comparisons, the four operations, and what joins tests."""
    match e:
        case ir.Num(value):
            return value
        case ir.Unary(op, operand):
            inner = constant(operand)
            return None if inner is None else -inner if op == "Neg" else float(inner == 0)
        case ir.Binary(op, left, right) if op in OPERATORS:
            first, second = constant(left), constant(right)
            if first is None or second is None or (op == "Div" and second == 0):
                return None
            return float(OPERATORS[op](first, second))
    return None


def _settled(node: T) -> T:
    if not isinstance(node, tuple):
        return node
    parts: list[Any] = [_settled(part) if isinstance(part, tuple) else part for part in node]
    if all(new is old for new, old in zip(parts, node, strict=True)):
        whole: Any = node
    else:
        whole = tuple(parts) if type(node) is tuple else type(node)(*parts)
    outcome: T = _outcome(whole)
    return outcome


def _outcome(node: Any) -> Any:
    match node:
        case ir.Cond(test, then, otherwise):
            known = constant(test)
            return node if known is None else otherwise if known == 0 else then
        case ir.Binary("And" | "Or" as op, left, right):
            for side, other in ((left, right), (right, left)):
                known = constant(side)
                if known is not None:
                    return other if (known != 0) == (op == "And") else ir.Num(float(known != 0))
    return node
