"""Costs are converted before they are read: an attribute that is a cost begins as a plain 0, which is no cost of
anything, so every path to a reading must have assigned it.

In: a linked program with the types of its attributes. A walk over the blocks carries the set of attributes that every
path so far has assigned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from serq.ir import nodes as ir
from serq.semantics.faults import refuse
from serq.semantics.moments import inside
from serq.semantics.places import Places

Known = frozenset[int]
"""Attributes assigned on every path; None stands for "no path comes here"."""


def check_assigned(program: ir.Ir, places: Places, attrs: Sequence[Any]) -> None:
    """Refuse a reading of a cost that some path has not assigned.

    Args:
        attrs: for each attribute its resources, or None if it is plain.

    Raises:
        SerqError: at the reading.
    """
    costs = frozenset([slot for slot, kind in enumerate(attrs) if kind is not None])
    if costs:
        _Walk(program, places, costs).block(program.session, frozenset())


class _Walk:
    def __init__(self, program: ir.Ir, places: Places, costs: Known) -> None:
        self.program = program
        self.places = places
        self.costs = costs

    def block(self, number: int, known: Known | None) -> Known | None:
        for statement in self.program.blocks[number]:
            if known is None:
                return None
            known = self.statement(statement, known)
        return known

    def statement(self, s: ir.Statement, known: Known) -> Known | None:
        match s:
            case ir.Set(slot, value):
                self.read(value, known)
                return known | {slot}
            case ir.Observe(_, value) | ir.Stall(_, _, value):
                self.read(value, known)
            case ir.Choose(slot, count, keys):
                for e in (count, *keys):
                    self.read(e, known)
                return known | {slot}
            case ir.End():
                return None
            case ir.Branch(test, then, otherwise):
                self.read(test, known)
                return _both(self.block(then, known), self.block(otherwise, known))
            case ir.While(test, body):
                self.read(test, known)
                self.block(body, known)
            case ir.Loop(body):
                # The first pass knows least; nothing but `end` leaves a loop.
                self.block(body, known)
                return None
            case ir.Fork(body):
                self.block(body, known)
            case ir.Hold():
                return self.hold(s, known)
            case ir.Run():
                self.read(s.work, known, s.stage)
            case ir.Grow(pool, amount) | ir.Load(pool, amount):
                self.read(amount, known, pool)
        return known

    def hold(self, s: ir.Hold, known: Known) -> Known | None:
        anchor = s.pools[0].pool
        for held in s.pools:
            self.read(held.units, known, anchor)
            if held.reserve is not None:
                self.read(held.reserve, known, anchor)
        if s.reuse is not None:
            self.read(s.reuse, known, anchor)
        # A preempted hold leaves what it caches from any point of its body, so `cache` knows no more than the header.
        if s.cache is not None:
            self.read(s.cache, known, anchor)
        return self.block(s.body, known)

    def read(self, e: ir.Expr, known: Known, anchor: ir.Ref | None = None) -> None:
        stack = [e]
        while stack:
            node = stack.pop()
            if isinstance(node, ir.Attr) and node.slot in self.costs and node.slot not in known:
                name = self.program.attrs[node.slot]
                span = self.places.of(node) if anchor is None else self.places.of(anchor)
                message = f"`{name}` is a cost, and may be read here before any is assigned to it"
                refuse("cost-unset", message, span)
            stack += reversed(inside(node))


def _both(a: Known | None, b: Known | None) -> Known | None:
    if a is None:
        return b
    return a if b is None else a & b
