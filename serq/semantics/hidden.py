"""Hidden attributes: what the workload keeps from the server until a run has revealed it.

A length that nobody can know beforehand must not decide where a request goes. The server may put it to work, and once
a run whose work reads it has ended on every path, it is known. Until then no choice of the server may read it, or
anything set from it. What the scheduler reads (headers of holds, keys, capacities) may never read it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from serq.ir import nodes as ir
from serq.semantics import moments
from serq.semantics.faults import refuse
from serq.semantics.link import SERVER, Linked
from serq.semantics.moments import first_place, walk

_SCHEDULER = (
    moments.HEADER,
    moments.PREFIX,
    moments.QUEUE,
    moments.EVICT,
    moments.PREEMPT,
    moments.SHARING,
    moments.BUDGET,
    moments.EXECUTE,
    moments.STALL,
    moments.KEYS,
    moments.ONLY,
    moments.GUARD,
)


def check_scheduler(linked: Linked) -> None:
    """Refuse a hidden attribute where the scheduler reads.

    Raises:
        SerqError: at the name, or at what the message about its place points at.
    """
    hidden = frozenset(linked.program.hidden)
    if not hidden:
        return
    for reading in linked.readings:
        if reading.moment not in _SCHEDULER:
            continue
        for e in walk(reading.expr):
            if isinstance(e, ir.Attr) and e.slot in hidden:
                name = linked.program.attrs[e.slot]
                place = reading.place(e, linked.places)
                refuse("hidden", f"`{name}` is hidden, and cannot be read in {reading.moment.what}", place)


def check_revealed(linked: Linked) -> None:
    """Refuse a choice of the server that reads a hidden attribute before a run has revealed it.

    Raises:
        SerqError: at the beginning of what is read.
    """
    program = linked.program
    if program.hidden:
        _Walk(linked).block(program.session, {slot: frozenset((slot,)) for slot in program.hidden})


Veiled: TypeAlias = dict[int, frozenset[int]]
"""Attributes that may not be read, each with the hidden ones that it would show."""


class _Walk:
    """One walk over the blocks, carrying what is veiled."""

    def __init__(self, linked: Linked) -> None:
        self.program = linked.program
        self.places = linked.places

    def block(self, number: int, veiled: Veiled) -> Veiled:
        for statement, side in zip(self.program.blocks[number], self.program.sides[number], strict=True):
            veiled = self.statement(statement, side == SERVER, veiled)
        return veiled

    def statement(self, s: ir.Statement, server: bool, veiled: Veiled) -> Veiled:
        match s:
            case ir.Turn():
                return {**veiled, **{slot: frozenset((slot,)) for slot in self.program.hidden}}
            case ir.Set(slot, value):
                return self.set(slot, self.shown([value], veiled), server, veiled)
            case ir.Choose(slot, count, keys):
                self.check(server, veiled, "a choice", count, *keys)
                return self.set(slot, self.shown([count, *keys], veiled), server, veiled)
            case ir.Run():
                self.check_member(server, veiled, s.stage, *s.also)
                known = self.shown([s.work], veiled)
                left = {slot: sources - known for slot, sources in veiled.items()}
                return {slot: sources for slot, sources in left.items() if sources}
            case ir.Hold():
                self.check_member(server, veiled, *[held.pool for held in s.pools])
                after = self.block(s.body, veiled)
                if s.lease is not None:
                    self.check(server, after, "a lease", s.lease.time)
                return after
            case ir.Grow(pool, amount) | ir.Load(pool, amount):
                self.check_member(server, veiled, pool)
                self.check(server, veiled, "an allocation", amount)
            case ir.Stall(stage):
                # Work may depend on what is hidden. But nobody waits for a stall, so it reveals nothing.
                self.check_member(server, veiled, stage)
            case ir.Drop(pool) | ir.Release(pool):
                self.check_member(server, veiled, pool)
            case ir.Branch(test, then, otherwise):
                self.check(server, veiled, "a branch", test)
                return _either(self.block(then, veiled), self.block(otherwise, veiled))
            case ir.While(_, body) | ir.Loop(body):
                return self.loop(s, body, server, veiled)
            case ir.Fork(body):
                self.block(body, veiled)
        return veiled

    def loop(self, s: ir.While | ir.Loop, body: int, server: bool, veiled: Veiled) -> Veiled:
        """Repeated until a further pass would veil nothing new."""
        while True:
            if isinstance(s, ir.While):
                self.check(server, veiled, "a loop", s.test)
            again = _either(veiled, self.block(body, veiled))
            if again == veiled:
                return veiled
            veiled = again

    def set(self, slot: int, shown: frozenset[int], server: bool, veiled: Veiled) -> Veiled:
        left = {other: sources for other, sources in veiled.items() if other != slot}
        if not server and slot in self.program.hidden:
            shown = frozenset((slot,))
        return {**left, slot: shown} if shown else left

    def shown(self, exprs: Iterable[ir.Expr], veiled: Veiled) -> frozenset[int]:
        """The hidden attributes that expressions read, themselves or through others."""
        return frozenset(
            [
                source
                for expr in exprs
                for e in walk(expr)
                if isinstance(e, ir.Attr)
                for source in veiled.get(e.slot, ())
            ]
        )

    def check_member(self, server: bool, veiled: Veiled, *refs: ir.Ref) -> None:
        for ref in refs:
            if ref.index is not None:
                self.check(server, veiled, "the choice of a member", ref.index)

    def check(self, server: bool, veiled: Veiled, what: str, *exprs: ir.Expr) -> None:
        if not server:
            return
        for expr in exprs:
            for e in walk(expr):
                if isinstance(e, ir.Attr) and e.slot in veiled:
                    name = self.program.attrs[e.slot]
                    source = self.program.attrs[min(veiled[e.slot])]
                    whose = f"`{name}` is hidden" if name == source else f"`{name}` shows `{source}`, which is hidden"
                    message = f"{whose}, and {what} of the server reads it before a run has revealed it"
                    refuse("hidden", message, self.places.of(expr) or first_place(expr, self.places))


def _either(a: Veiled, b: Veiled) -> Veiled:
    """What is veiled on one of two paths."""
    return {slot: a.get(slot, frozenset()) | b.get(slot, frozenset()) for slot in a | b}
