"""Names of a program and what they stand for, and the folding of constants."""

from __future__ import annotations

import math
from typing import Any, NoReturn

from lark import Tree
from lark.lexer import Token

from serq.diagnostics import Diagnostic, SerqError
from serq.source import Source, Span
from serq.syntax.tree_lexer import number_of

Node = Any
"""A tree or a token of the parse."""


def first_token(node: Node) -> Token | None:
    """The first token below a node."""
    if isinstance(node, Token):
        return node
    if isinstance(node, Tree):
        for child in node.children:
            token = first_token(child)
            if token is not None:
                return token
    return None


def fail(source: Source, kind: str, message: str, node: Node, hint: str | None = None) -> NoReturn:
    """Refuse the program where a node begins."""
    token = first_token(node)
    start = getattr(getattr(node, "meta", None), "start_pos", None)
    if start is not None and (token is None or token.start_pos != start):
        end = start + len(source.text[start : start + 30].split(maxsplit=1)[0].split("(")[0].split(";")[0])
        raise SerqError(Diagnostic(kind, message, Span(start, max(end, start + 1)), hint=hint, source=source))
    span = Span(token.start_pos or 0, token.end_pos or 0) if token is not None else None
    raise SerqError(Diagnostic(kind, message, span, hint=hint, source=source))


def text_of(word: Node) -> str:
    """The text of a `word`."""
    return str(first_token(word))


BINARY = {
    "add": "Add",
    "sub": "Sub",
    "mul": "Mul",
    "div": "Div",
    "pow": "Pow",
    "lt": "Lt",
    "le": "Le",
    "gt": "Gt",
    "ge": "Ge",
    "eq": "Eq",
    "ne": "Ne",
    "and": "And",
    "or": "Or",
}


def _divide(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    return math.nan if a == 0.0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _power(a: float, b: float) -> float:
    try:
        return math.pow(a, b)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.inf if a == 0.0 else math.nan


def apply_binary(op: str, a: float, b: float) -> float:
    """The value of a binary operator on numbers."""
    match op:
        case "Add":
            return a + b
        case "Sub":
            return a - b
        case "Mul":
            return a * b
        case "Div":
            return _divide(a, b)
        case "Pow":
            return _power(a, b)
        case "And":
            return float(a != 0 and b != 0)
        case "Or":
            return float(a != 0 or b != 0)
    return float({"Lt": a < b, "Le": a <= b, "Gt": a > b, "Ge": a >= b, "Eq": a == b, "Ne": a != b}[op])


def _pick(a: float, b: float, greatest: bool) -> float:
    if a != a or b != b:
        return b if a != a else a
    return max(a, b) if greatest else min(a, b)


def apply_function(name: str, args: list[float]) -> float:
    """The value of a numeric function."""
    x = args[0]
    match name:
        case "min" | "max":
            return _pick(x, args[1], name == "max")
        case "abs":
            return abs(x)
        case "floor":
            return float(math.floor(x)) if math.isfinite(x) else x
        case "ceil":
            return float(math.ceil(x)) if math.isfinite(x) else x
        case "sqrt":
            return math.sqrt(x) if x >= 0 else math.nan
        case "exp":
            return math.exp(x) if x < 709.7 else math.inf
    if x > 0:
        return math.log(x)
    return -math.inf if x == 0 else math.nan


NUMERIC = {"min": 2, "max": 2, "abs": 1, "floor": 1, "ceil": 1, "sqrt": 1, "exp": 1, "ln": 1}


class Constants:
    """Constants by name; later ones replace earlier ones of the same name."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.values: dict[str, float] = {}
        self.definitions: dict[str, Node] = {}

    def value(self, node: Node, index: dict[str, float] | None = None) -> float:
        """Fold a constant expression.

        Raises:
            SerqError: at a name that is no constant here.
        """
        rule = node.data
        children = node.children
        if rule == "number":
            number = number_of(str(children[0]))
            assert number is not None
            return number
        if rule == "group":
            return self.value(children[0], index)
        if rule == "name":
            name = text_of(node)
            if index and name in index:
                return index[name]
            if name == "inf":
                return math.inf
            if name in self.values:
                return self.values[name]
            fail(self.source, "constant", f"`{name}` is not a constant here", node)
        if rule in BINARY:
            if rule in ("and", "or"):
                left = self.value(children[0], index) != 0
                if left == (rule == "or"):
                    return float(left)
                return float(self.value(children[1], index) != 0)
            return apply_binary(BINARY[rule], self.value(children[0], index), self.value(children[1], index))
        if rule == "neg":
            return -self.value(children[0], index)
        if rule == "not":
            return float(self.value(children[0], index) == 0)
        if rule == "cond":
            return self.value(children[1 if self.value(children[0], index) != 0 else 2], index)
        if rule == "function" and text_of(children[0]) in self.definitions:
            definition = self.definitions[text_of(children[0])]
            params = [text_of(child) for child in definition.children[1:-1] if child is not None]
            args = [child for child in children[1:] if child is not None]
            if definition.children[-1].data == "def_expr" and len(args) == len(params):
                inner = {param: self.value(arg, index) for param, arg in zip(params, args, strict=True)}
                return self.value(definition.children[-1].children[0], inner)
        if rule == "function" and text_of(children[0]) in NUMERIC:
            args = [child for child in children[1:] if child is not None]
            name = text_of(children[0])
            if len(args) != NUMERIC[name]:
                fail(self.source, "arity", f"`{name}` takes {NUMERIC[name]} arguments, not {len(args)}", node)
            return apply_function(name, [self.value(arg, index) for arg in args])
        if rule.startswith("aggregate_") and rule != "aggregate_count":
            total: float | None = None
            for k in range(int(self.value(children[1], index))):
                one = self.value(children[2], {**(index or {}), text_of(children[0]): float(k)})
                if total is None:
                    total = one
                else:
                    total = total + one if rule == "aggregate_sum" else _pick(total, one, rule == "aggregate_max")
            return total or 0.0
        fail(self.source, "constant", "this is not a constant", node)
