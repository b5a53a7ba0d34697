"""An engine's schedule, linked: its statements become an iteration program, or none for the default one.

In: a `StepModel`. Out: an `ir.Step` (its memory pool is filled in by the caller).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from serq.diagnostics import SerqError
from serq.ir import nodes as ir
from serq.semantics import moments
from serq.semantics.expressions import Expressions, constant_value
from serq.semantics.faults import did_you_mean, refuse
from serq.semantics.model import StepModel
from serq.semantics.moments import Moment
from serq.semantics.places import Places
from serq.semantics.rewrite import walk
from serq.source import Span
from serq.syntax import nodes

DECODE_FIRST = ir.Cond(ir.Ctx("Decoding"), ir.Num(0.0), ir.Num(1.0))


class ScheduleLinker:
    """Links one engine."""

    def __init__(self, name: str, expressions: Expressions, places: Places, read: Callable[..., ir.Expr]) -> None:
        self.name = name
        self.expressions = expressions
        self.places = places
        self.linked = read

    def read(self, expr: nodes.Expr, moment: Moment) -> ir.Expr:
        return self.linked(expr, moment, None, self.name)

    def step(self, step: StepModel, registers: list[ir.Register], stalls: Sequence[str]) -> ir.Step:
        """The engine.

        Args:
            stalls: labels of the program's stalls.
        """
        budget = self.read(step.budget.value, moments.BUDGET)
        value = constant_value(budget)
        if value is not None and value <= 0:
            refuse("budget", f"engine `{self.name}` needs a positive `tokens cap`, not {value:g}", step.budget.opener)
        chunk = ir.Num(0.0) if step.chunk is None else self.chunk(step.chunk)
        granule = self.granule(step)
        iteration: tuple[ir.ScheduleStatement, ...] | None = None
        serve: tuple[ir.Expr, ...] | None = ()
        if step.schedule is None:
            serve = None
        elif step.default:
            serve = self.order(step.order)
        else:
            self.check_paths(step)
            iteration = tuple([self.statement(s, registers) for s in step.schedule])
        cost = self.read(step.execute, moments.EXECUTE)
        clauses = tuple([self.stall(stall, stalls.index(stall.label.text)) for stall in step.stalls])
        return ir.Step(budget, cost, chunk, granule, serve, None, iteration, clauses)

    def stall(self, stall: nodes.StallClause, label: int) -> ir.StallClause:
        linked = ir.StallClause(label, self.read(stall.value, moments.STALL))
        self.places.put(linked, stall.span)
        return linked

    def granule(self, step: StepModel) -> float | None:
        if step.granule is None:
            return None
        if step.schedule is None:
            message = (
                "under `exclusive prefill` a prefill that `granule` holds back would still keep the decodes waiting"
            )
            refuse("granule", message, step.granule.span, hint="leave one of them out")
        value = self.expressions.constant(step.granule.value)
        if not value > 0:
            refuse("granule", f"the granule of engine `{self.name}` must be positive, not {value:g}", step.granule.span)
        if step.chunk is not None:
            self.check_granule(step.granule, value, step.chunk)
        return value

    def check_granule(self, granule: nodes.Granule, value: float, chunk: nodes.Expr) -> None:
        """A chunk that may be smaller than the granule would never be served. (A choice of chunks is left alone.)"""
        if not isinstance(chunk, nodes.Conditional) and self.floor(chunk) < value:
            message = f"`each at most` may be smaller than the granule {value:g}, and no prefill would fit"
            refuse("granule", message, granule.span)

    # ------------------------------------------------------------ the cap of a chunk

    def chunk(self, limit: nodes.Expr) -> ir.Expr:
        """The limit of `each at most`, a constant or a choice among such; 0 stands for none."""
        match limit:
            case nodes.Conditional(test, then, otherwise):
                condition = self.read(test, moments.BUDGET)
                known = constant_value(condition)
                if known is not None:
                    return self.chunk(then if known != 0 else otherwise)
                return ir.Cond(condition, self.chunk(then), self.chunk(otherwise))
            case nodes.Call(nodes.Name("max"), (first, second)) if not self.is_constant(limit):
                return self.floored(limit, first, second)
        if not self.is_constant(limit):
            self.read(limit, moments.BUDGET)
            message = f"`each at most` of engine `{self.name}` must be a constant, or have one as its floor"
            refuse("chunk", message, place_of(limit), hint="write max(k, ...) with a constant k above 0")
        value = self.expressions.constant(limit)
        if not value > 0:
            message = f"`each at most` of engine `{self.name}` must be positive, not {value:g}"
            refuse("chunk", message, place_of(limit), hint="no limit is written inf")
        return ir.Num(0.0 if math.isinf(value) else value)

    def floored(self, limit: nodes.Expr, first: nodes.Expr, second: nodes.Expr) -> ir.Expr:
        """A limit that is reckoned anew for each iteration, and never below a constant."""
        linked = self.read(limit, moments.BUDGET)
        constants = [self.expressions.constant(arg) for arg in (first, second) if self.is_constant(arg)]
        floors = constants or [self.floor(arg) for arg in (first, second)]
        if not max(floors) > 0:
            message = f"`each at most` of engine `{self.name}` could be 0, which would serve nobody"
            refuse("chunk", message, place_of(limit), hint="write max(k, ...) with a constant k above 0")
        return linked

    def floor(self, limit: nodes.Expr) -> float:
        """What a limit cannot fall below, as far as its form shows."""
        if self.is_constant(limit):
            return self.expressions.constant(limit)
        match limit:
            case nodes.Call(nodes.Name("max"), (first, second)):
                return max(self.floor(first), self.floor(second))
        return -math.inf

    def is_constant(self, expr: nodes.Expr) -> bool:
        left = self.expressions.terms.left
        try:
            self.expressions.constant(expr)
        except SerqError:
            return False
        finally:
            self.expressions.terms.left = left
        return True

    # ------------------------------------------------------------ statements

    def order(self, order: nodes.Order | None) -> tuple[ir.Expr, ...]:
        if order is None or order.kind == "admission":
            return ()
        if order.kind == "decode first":
            return (DECODE_FIRST,)
        return tuple([self.read(key, moments.KEYS) for key in order.keys])

    def statement(self, s: nodes.ScheduleStatement, registers: list[ir.Register]) -> ir.ScheduleStatement:
        match s:
            case nodes.AdvanceRunning(only, order, _, _):
                condition = None if only is None else self.read(only, moments.ONLY)
                return ir.Serve(condition, self.order(order))
            case nodes.AdmitWaiting():
                condition = None if s.only is None else self.read(s.only, moments.ONLY)
                gate = None if s.gate is None else self.read(s.gate, moments.GUARD)
                return ir.Admit(condition, gate)
            case nodes.Set(_, target, value, _):
                return self.set(target, value, registers)
            case nodes.ScheduleBranch(test, then, otherwise, _):
                linked = self.read(test, moments.GUARD)
                first = tuple([self.statement(inner, registers) for inner in then.statements])
                rest = () if otherwise is None else otherwise.statements
                return ir.ScheduleBranch(linked, first, tuple([self.statement(inner, registers) for inner in rest]))
            case nodes.ExclusivePrefill():
                raise AssertionError("exclusive prefill is a schedule of its own")

    def set(self, target: nodes.Name, value: nodes.Expr, registers: list[ir.Register]) -> ir.SetRegister:
        number = self.expressions.stages[self.name].base
        for i, register in enumerate(registers):
            if register.name == target.text and register.stage == number:
                return ir.SetRegister(i, self.read(value, moments.GUARD))
        own = [register.name for register in registers if register.stage == number]
        hint = did_you_mean(target.text, own) or f"declare it in the engine: state {target.text} = 0;"
        message = f"engine `{self.name}` has no register `{target.text}` to set"
        refuse("unknown-register", message, target.span, hint=hint)

    def check_paths(self, step: StepModel) -> None:
        """Every way through a schedule advances or admits."""
        assert step.schedule is not None
        if not _acts(step.schedule):
            span = step.schedule[0].span if step.schedule else None
            message = f"a way through the schedule of engine `{self.name}` neither advances nor admits"
            refuse("schedule-idle", message, span)


def _acts(statements: tuple[nodes.ScheduleStatement, ...]) -> bool:
    for s in statements:
        if isinstance(s, nodes.AdvanceRunning | nodes.AdmitWaiting):
            return True
        if isinstance(s, nodes.ScheduleBranch):
            otherwise = () if s.otherwise is None else s.otherwise.statements
            if _acts(s.then.statements) and _acts(otherwise):
                return True
    return False


def place_of(expr: nodes.Expr) -> Span:
    """Where a message about an expression points: its first name, or its beginning."""
    for node in walk(expr):
        found: Any = node
        match found:
            case nodes.Name():
                return found.span
            case nodes.Ref(name):
                return name.span
            case nodes.Call(function):
                return function.span
            case nodes.Draw(law):
                return law.span
    return expr.span
