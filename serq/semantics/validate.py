"""Validation: a linked program makes sense. The checks, in order; the first that fails is the one that is told.

In: a linked program. Out: nothing, or a refusal. Each check is a function of its own, most in a module of their own,
and sees the whole program. The order is part of the language: it decides which of two faults a user hears of first.
"""

from __future__ import annotations

from collections.abc import Callable

from serq.ir import nodes as ir
from serq.semantics import moments
from serq.semantics.expressions import constant_value
from serq.semantics.faults import refuse
from serq.semantics.flows import check_flows
from serq.semantics.hidden import check_revealed, check_scheduler
from serq.semantics.holds import check_holds
from serq.semantics.link import Linked
from serq.semantics.moments import check_moment
from serq.semantics.progress import check_progress
from serq.semantics.staleness import check_cached, check_stale_headers


def validate(linked: Linked) -> None:
    """Refuse a program that makes no sense.

    Raises:
        SerqError: by the first check that fails.
    """
    for check in CHECKS:
        check(linked)


def check_guards(linked: Linked) -> None:
    """A constant condition is 0 or 1. (One that is not a number stops the run.)"""
    for block in linked.program.blocks:
        for statement in block:
            if isinstance(statement, ir.Branch | ir.While):
                value = constant_value(statement.test)
                if value is not None and value not in (0.0, 1.0) and value == value:
                    message = f"a condition is 0 or 1, and this one is always {value:g}"
                    hint = "a probability is written: branch with (p)"
                    refuse("guard", message, linked.places.of(statement), hint=hint)


def check_moments(linked: Linked) -> None:
    """Every name is read where it exists."""
    program = linked.program
    for reading in linked.readings:
        if reading.moment not in (moments.GAUGE, moments.GIVEN, moments.ITERATION, moments.AT_END):
            check_moment(reading, program.attrs, program.registers, linked.places)


def check_measurements(linked: Linked) -> None:
    """The same for gauges and claims, which may be declared once."""
    program = linked.program
    for reading in linked.readings:
        if reading.moment in (moments.GAUGE, moments.GIVEN, moments.ITERATION, moments.AT_END):
            check_moment(reading, program.attrs, program.registers, linked.places)
    for what, declared in (("gauge", program.gauges), ("claim", program.claims)):
        names: set[str] = set()
        for item in declared:
            if item.name in names:
                refuse("twice", f"the {what} `{item.name}` is declared twice", linked.places.of(item))
            names.add(item.name)


def check_legs(linked: Linked) -> None:
    """A program that forks joins, and one that joins forks."""
    statements = [statement for block in linked.program.blocks for statement in block]
    forks = [s for s in statements if isinstance(s, ir.Fork)]
    joins = [s for s in statements if isinstance(s, ir.Join)]
    if forks and not joins:
        message = "the program forks legs and never joins them, and a session cannot end before its legs"
        refuse("fork-without-join", message, linked.places.of(forks[0]), hint="write join; where they must have ended")
    if joins and not forks:
        refuse("join-without-fork", "the program joins legs and forks none", linked.places.of(joins[0]))


def check_leases(linked: Linked) -> None:
    """A pool whose leases may be taken away is leased by some hold."""
    program = linked.program
    leased = {
        statement.lease.pool.base + i
        for block in program.blocks
        for statement in block
        if isinstance(statement, ir.Hold) and statement.lease is not None
        for i in range(statement.lease.pool.count)
    }
    for number, pool in enumerate(program.pools):
        if pool.preempt is not None and pool.preempt.leases and number not in leased:
            message = f"pool `{pool.name}` preempts leases, and no hold leases it"
            refuse("no-lease", message, linked.places.of(pool.preempt))


def check_stalls(linked: Linked) -> None:
    """A constant stall is a number of seconds, and not negative. (Any other that is not stops the run.)"""
    program = linked.program
    if not program.stalls:
        return
    stalls: list[ir.StallClause | ir.Stall] = []
    for stage in program.stages:
        stalls += stage.kind.stalls if isinstance(stage.kind, ir.Step) else ()
    for block in program.blocks:
        stalls += [statement for statement in block if isinstance(statement, ir.Stall)]
    for stall in stalls:
        value = constant_value(stall.value)
        if value is not None and not value >= 0:
            shown = "is not a number" if value != value else f"is always {value:g}"
            message = f"a stall is 0 or more seconds, and `{program.stalls[stall.label]}` {shown}"
            refuse("amount", message, linked.places.of(stall))


def check_registers(linked: Linked) -> None:
    """A default schedule sets no register, and so has none. (Elsewhere one that is never set is a constant.)"""
    program = linked.program
    for register in program.registers:
        step = program.stages[register.stage].kind
        if isinstance(step, ir.Step) and step.iteration is None:
            message = f"nothing sets the register `{register.name}`"
            refuse("register-unset", message, linked.places.of(register), hint="set it in the schedule, or use `let`")


CHECKS: tuple[Callable[[Linked], None], ...] = (
    check_registers,
    check_scheduler,
    check_revealed,
    check_stale_headers,
    check_cached,
    check_guards,
    check_progress,
    check_moments,
    check_holds,
    check_stalls,
    check_legs,
    check_flows,
    check_leases,
    check_measurements,
)
"""The checks of a linked program, in order."""
