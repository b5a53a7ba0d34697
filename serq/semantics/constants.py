"""Constants: `let`, program arguments, and every number that must be known before a run.

In: expressions of the syntax tree. Out: floats.

A constant reads numbers, `inf`, constants and the functions of numbers. One that is declared again has, for the
constants below, its latest value; everything else in a program sees the last one. Sizes of families are the exception:
they are needed while the program is put together, and see what stands above them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NoReturn

from serq.diagnostics import SerqError
from serq.semantics.arithmetic import BINARY, NUMERIC, UNARY
from serq.semantics.faults import did_you_mean, refuse
from serq.semantics.rewrite import walk
from serq.source import Span
from serq.syntax import nodes
from serq.syntax.words import FUNCTIONS

MOST_TERMS = 4096
"""Terms that the aggregates of one program may have together."""

LARGEST_FAMILY = 10_000


class Terms:
    """Counts the terms of a program's aggregates."""

    def __init__(self) -> None:
        self.left = MOST_TERMS

    def take(self, terms: float, word: nodes.Name) -> int:
        """The number of terms as an integer, taken from what is left."""
        if not is_count(terms):
            message = f"`{word.text}` needs a positive whole number of terms, and has {show(terms)}"
            refuse("aggregate-count", message, word.span)
        if terms > self.left:
            refuse("aggregate-size", f"the aggregates of a program may have {MOST_TERMS} terms together", word.span)
        self.left -= int(terms)
        return int(terms)


def is_count(value: float) -> bool:
    """Whether a value is a positive whole number."""
    return math.isfinite(value) and value >= 1 and value == math.floor(value)


def show(value: float) -> str:
    """A number as a user writes it."""
    if math.isnan(value):
        return "not a number"
    return str(int(value)) if abs(value) < 1e15 and value == math.floor(value) else repr(value)


def evaluate(expr: nodes.Expr, known: Mapping[str, float], terms: Terms) -> float:
    """The value of a constant expression.

    Args:
        known: the constants that it may read.
        terms: where its aggregates are counted.

    Raises:
        SerqError: at the first name that is not a constant.
    """
    match expr:
        case nodes.Number(value):
            return value
        case nodes.Name():
            return _read(expr, known)
        case nodes.Group(inner):
            return evaluate(inner, known, terms)
        case nodes.Unary(op, operand):
            return UNARY[op](evaluate(operand, known, terms))
        case nodes.Binary(op, left, right):
            return BINARY[op](evaluate(left, known, terms), evaluate(right, known, terms))
        case nodes.Conditional(test, then, otherwise):
            return evaluate(then if evaluate(test, known, terms) != 0 else otherwise, known, terms)
        case nodes.Aggregate():
            return _aggregate(expr, known, terms)
        case nodes.Call():
            return _call(expr, known, terms)
        case nodes.Draw(law):
            refuse("constant-draw", "a constant cannot draw", law.span)
        case nodes.Ref(name):
            _not_constant(name, known)


def _read(name: nodes.Name, known: Mapping[str, float]) -> float:
    if name.text in known:
        return known[name.text]
    if name.text == "inf":
        return math.inf
    _not_constant(name, known)


def _not_constant(name: nodes.Name, known: Mapping[str, float]) -> NoReturn:
    hint = did_you_mean(name.text, known)
    refuse("not-constant", f"a constant is needed here, and `{name.text}` is none", name.span, hint=hint)


def _call(call: nodes.Call, known: Mapping[str, float], terms: Terms) -> float:
    name = call.function
    if name.text not in NUMERIC:
        if name.text == "cost" or name.text in FUNCTIONS:
            refuse("not-constant", f"a constant cannot use `{name.text}`", name.span)
        unknown_function(name)
    wanted, function = NUMERIC[name.text]
    check_arity(name, len(call.args), wanted)
    return function(*[evaluate(arg, known, terms) for arg in call.args])


def unknown_function(name: nodes.Name) -> NoReturn:
    hint = "write x ^ y" if name.text == "pow" else did_you_mean(name.text, FUNCTIONS)
    refuse("unknown-function", f"there is no function `{name.text}`", name.span, hint=hint)


def check_arity(name: nodes.Name, given: int, wanted: int) -> None:
    if given != wanted:
        message = f"`{name.text}` takes {wanted} argument{'' if wanted == 1 else 's'}, and is given {given}"
        refuse("arity", message, name.span)


def _aggregate(aggregate: nodes.Aggregate, known: Mapping[str, float], terms: Terms) -> float:
    count = terms.take(evaluate(aggregate.terms, known, terms), aggregate.word)
    check_index(aggregate, known)
    inner, variable = dict(known), aggregate.variable.text
    values = []
    for i in range(count):
        inner[variable] = float(i)
        values.append(evaluate(aggregate.body, inner, terms))
    combine = BINARY["+"] if aggregate.word.text == "sum" else NUMERIC[aggregate.word.text][1]
    result = values[0]
    for value in values[1:]:
        result = combine(result, value)
    return result


def check_index(aggregate: nodes.Aggregate, lets: Mapping[str, float]) -> None:
    """An aggregate's index is a name of its own."""
    if aggregate.variable.text in lets:
        message = f"`{aggregate.variable.text}` is a constant, and cannot be the index of an aggregate as well"
        refuse("aggregate-index", message, aggregate.word.span)


# ---------------------------------------------------------------- declarations


class Constants:
    """The constants of a program, in the order of its text.

    Attributes:
        values: the value of each constant so far.
        terms: the count of aggregate terms.
        fault: the first that a declaration had.
    """

    def __init__(self, sets: Mapping[str, float | nodes.Expr]) -> None:
        self.values: dict[str, float] = {}
        self.terms = Terms()
        self.sets = dict(sets)
        self.arguments: dict[str, Span] = {}
        self.supplied: set[str] = set()
        self.fault: SerqError | None = None

    def declare(self, let: nodes.Let) -> None:
        """Add a constant. What is wrong with it is kept as `fault`, since faults of other kinds are told before it."""
        try:
            self.define(let)
        except SerqError as error:
            self.fault = self.fault or error

    def define(self, let: nodes.Let) -> None:
        name, value = let.name, let.value
        if isinstance(value, nodes.Argument):
            result = self.argument(value)
            supplied = value.external in self.sets
        else:
            result = evaluate(value, self.values, self.terms)
            supplied = self.depends_on_supplied(value)
        self.values[name.text] = result
        (self.supplied.add if supplied else self.supplied.discard)(name.text)
        if math.isnan(result):
            refuse("nan", f"the constant `{name.text}` is not a number", name.span)

    def argument(self, argument: nodes.Argument) -> float:
        external = argument.external
        self.arguments[external] = argument.span
        default = evaluate(argument.default, self.values, self.terms)
        given = self.sets.get(external)
        if given is None:
            return default
        if isinstance(given, float):
            return given
        try:
            return evaluate(given, self.values, self.terms)
        except SerqError as error:
            refuse("argument", f"the value supplied for `{external}` is no constant: {error.message}", None)

    def depends_on_supplied(self, expr: nodes.Expr) -> bool:
        """Whether a value given from outside reaches an expression."""
        return bool(self.supplied) and any(
            isinstance(node, nodes.Name) and node.text in self.supplied for node in walk(expr)
        )

    def check_supplied(self) -> None:
        """Every argument given from outside must have been declared."""
        for name in self.sets:
            if name not in self.arguments:
                listed = ", ".join(f"`{other}`" for other in self.arguments) or "none"
                hint = did_you_mean(name, self.arguments)
                refuse("argument-unknown", f"the program has no argument `{name}`; it has {listed}", None, hint=hint)
            value = self.sets[name]
            if isinstance(value, float) and math.isnan(value):
                refuse("nan", f"the value supplied for `{name}` is not a number", None)

    def family_size(self, size: nodes.Size) -> int:
        """The number of members of a family.

        Raises:
            SerqError: it is no whole number from 1 to 10000, or depends on a supplied argument.
        """
        try:
            value = evaluate(size.value, self.values, self.terms)
        except SerqError as error:
            refuse("family-size", f"the size of a family must be a constant: {error.message}", size.span)
        if not (is_count(value) and value <= LARGEST_FAMILY):
            message = f"the size of a family must be a whole number from 1 to {LARGEST_FAMILY}, not {show(value)}"
            refuse("family-size", message, size.span)
        if self.depends_on_supplied(size.value):
            message = "the size of a family cannot depend on an argument that is supplied"
            refuse("family-size", message, size.span, hint="write the size in the program")
        return int(value)
