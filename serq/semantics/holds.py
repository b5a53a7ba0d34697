"""What stands inside a hold, and what a hold may ask for.

Checked in the order of the statements: amounts that are known to be impossible, pools taken twice, memory touched
outside of a hold or a lease of it, legs within memory that may be taken away, prefixes, members that do not exist.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from serq.ir import nodes as ir
from serq.semantics.expressions import constant_value
from serq.semantics.faults import refuse
from serq.semantics.link import Linked
from serq.semantics.moments import inside, walk
from serq.source import Span

Held: TypeAlias = tuple[tuple[ir.Ref, ...], ...]
"""The pools of each hold around a statement, the innermost last."""


SERIAL = ir.BUILT_IN_ATTRIBUTES.index("serial")


def check_holds(linked: Linked) -> None:
    """Refuse statements that no run could carry out.

    Raises:
        SerqError: at the pool or stage of the statement; of a hold, at its first pool.
    """
    _Holds(linked).check()


class _Holds:
    def __init__(self, linked: Linked) -> None:
        self.linked = linked
        self.program = linked.program
        self.places = linked.places
        self.leased: list[ir.Ref] = [
            statement.lease.pool
            for block in self.program.blocks
            for statement in block
            if isinstance(statement, ir.Hold) and statement.lease is not None
        ]

    def check(self) -> None:
        for root in (self.program.init, self.program.turn):
            for statement in self.program.blocks[root]:
                if not isinstance(statement, ir.Set | ir.Observe):
                    message = "`init` and `turn` may only set and observe"
                    refuse("workload-statement", message, self.place(statement))
        self.block(self.program.session, ())

    def place(self, s: ir.Statement) -> Span | None:
        match s:
            case ir.Run():
                return self.places.of(s.stage)
            case ir.Hold():
                return self.places.of(s.pools[0].pool)
            case ir.Grow() | ir.Load() | ir.Drop() | ir.Release():
                return self.places.of(s.pool)
        return self.places.of(s)

    def block(self, number: int, around: Held) -> None:
        for statement in self.program.blocks[number]:
            self.statement(statement, around)

    def statement(self, s: ir.Statement, around: Held) -> None:
        match s:
            case ir.Hold():
                self.hold(s)
                self.block(s.body, (*around, tuple([held.pool for held in s.pools])))
            case ir.Run():
                self.run(s, around)
            case ir.Grow(pool, amount):
                self.within(pool, around, "grow", leases=True)
                self.amount(amount, self.places.of(pool))
            case ir.Load(pool, amount):
                self.within(pool, around, "load", leases=False)
                self.amount(amount, self.places.of(pool))
            case ir.Release(pool):
                self.within(pool, around, "release", leases=True)
            case ir.Fork(body):
                self.check_fork(s, around)
                self.block(body, ())
            case ir.Branch():
                self.block(s.then, around)
                self.block(s.otherwise, around)
            case ir.While(_, body) | ir.Loop(body):
                self.block(body, around)

    # ------------------------------------------------------------ runs, amounts

    def run(self, s: ir.Run, around: Held) -> None:
        stage, span = self.program.stages[s.stage.base], self.places.of(s.stage)
        engine = isinstance(stage.kind, ir.Step)
        if engine != (s.mode != "Plain"):
            if engine:
                message = f"engine `{stage.name}` prefills or decodes, and the run does not say which"
                hint = f"write run {stage.name} prefill (...)"
            else:
                message, hint = f"`{stage.name}` is no engine, and cannot {s.mode.lower()}", None
            refuse("run-mode", message, span, hint=hint)
        if s.growing is not None:
            if not engine:
                refuse("growing", f"`growing` needs an engine, and `{stage.name}` is none", span)
            self.within(s.growing, around, "growing", leases=False)
        self.amount(s.work, span)

    def amount(self, e: ir.Expr, span: Span | None) -> None:
        """A constant amount is a number, and not negative."""
        value = constant_value(e)
        if value is not None and not value >= 0:
            shown = "not a number" if math.isnan(value) else f"{value:g}"
            refuse("amount", f"an amount cannot be {shown}", span)

    def within(self, pool: ir.Ref, around: Held, what: str, *, leases: bool) -> None:
        """Memory is touched only within a hold of the same pool, spelt alike, or under a lease of it."""
        if any(alike(pool, held) for hold in around for held in hold):
            return
        if leases and any(alike(pool, lease) for lease in self.leased):
            return
        name = self.program.pools[pool.base].name
        message = f"`{what}` of `{name}` stands outside of any hold of it"
        refuse("outside-hold", message, self.places.of(pool), hint="write the pool as the hold does, index included")

    # ------------------------------------------------------------ holds

    def hold(self, s: ir.Hold) -> None:
        anchor = self.places.of(s.pools[0].pool)
        for i, held in enumerate(s.pools):
            name = self.program.pools[held.pool.base].name
            if any(alike(held.pool, other.pool) for other in s.pools[:i]):
                refuse("held-twice", f"a hold takes `{name}` twice", anchor, hint="take the sum once")
            self.amount(held.units, anchor)
        for held in s.pools:
            for e in (held.units, held.reserve):
                if e is not None:
                    self.check_fits(held.pool, e, anchor)
        if s.lease is not None and not any(alike(s.lease.pool, held.pool) for held in s.pools):
            name = self.program.pools[s.lease.pool.base].name
            refuse("lease", f"a hold leases `{name}`, which it does not take", anchor)
        if s.cache is None:
            for what, clause in (("reuse", s.reuse), ("prefix", s.prefix)):
                if clause:
                    message = f"`{what}` needs a hold with `cache`: without it nothing is kept and nothing found"
                    refuse("no-cache", message, anchor, hint="add, after the body: cache (...)")
        if s.prefix:
            self.check_prefix(s, anchor)
        self.check_member_stays(s, anchor)

    def check_member_stays(self, s: ir.Hold, anchor: Span | None) -> None:
        """The index of a held pool is read at admission and again inside: the body must leave it alone."""
        read = {e.slot for held in s.pools if held.pool.index for e in walk(held.pool.index) if isinstance(e, ir.Attr)}
        changed = read & self.assigned(s.body) if read else set()
        if changed:
            name = self.program.attrs[min(changed)]
            message = f"the body of this hold changes `{name}`, which says which member it holds"
            refuse("index-changed", message, anchor, hint="set it before the hold, or use another attribute inside")

    def assigned(self, block: int) -> set[int]:
        """The attributes that a block assigns, without its legs, whose attributes are copies."""
        found: set[int] = set()
        for s in self.program.blocks[block]:
            match s:
                case ir.Set(slot) | ir.Choose(slot):
                    found.add(slot)
                case ir.Hold(body=body) | ir.While(_, body) | ir.Loop(body):
                    found |= self.assigned(body)
                case ir.Branch(_, then, otherwise):
                    found |= self.assigned(then) | self.assigned(otherwise)
        return found

    def check_fits(self, pool: ir.Ref, e: ir.Expr, anchor: Span | None) -> None:
        value = constant_value(e)
        if value is None or math.isnan(value):
            return
        members = self.program.pools[pool.base : pool.base + pool.count]
        if isinstance(pool.index, ir.Num):
            members = members[int(pool.index.value) :][:1]
        cap, block = max(member.cap for member in members), members[0].block
        units = value if block is None or math.isinf(value) else math.ceil(value / block) * block
        if units > cap:
            rounded = "" if units == value else f" ({units:g} in blocks of {block:g})"
            message = f"a hold asks `{members[0].name}` for {value:g} units{rounded}, and its cap is {cap:g}"
            refuse("over-cap", message, anchor)

    def check_prefix(self, s: ir.Hold, anchor: Span | None) -> None:
        """A shared prefix is kept in blocks, and no tier knows it."""
        tiers = {pool.spill.to for pool in self.program.pools if pool.spill is not None}
        pools = [self.program.pools[held.pool.base + i] for held in s.pools for i in range(held.pool.count)]
        if not any(pool.block is not None for pool in pools):
            message = "a prefix is shared in blocks, and no pool of this hold has any"
            refuse("prefix-blocks", message, anchor, hint="give the pool: block n;")
        for held in s.pools:
            for number in range(held.pool.base, held.pool.base + held.pool.count):
                pool = self.program.pools[number]
                if pool.block is not None and (pool.spill is not None or number in tiers):
                    message = f"`{pool.name}` spills or is spilled to, and a shared prefix cannot be"
                    refuse("prefix-spill", message, anchor)
        key, length = s.prefix[0]
        own = isinstance(key, ir.Attr) and key.slot == SERIAL
        if own and isinstance(length, ir.Num) and math.isinf(length.value):
            message = "a prefix of the session's own without end is what a hold without `prefix` has"
            refuse("prefix-own", message, anchor, hint="leave the clause out")
        for segment in s.prefix[:-1]:
            if constant_value(segment.length) == math.inf:
                refuse("prefix-endless", "only the last segment of a prefix may be endless", anchor)

    def check_fork(self, s: ir.Fork, around: Held) -> None:
        for hold in around:
            for pool in hold:
                member = self.program.pools[pool.base]
                if member.preempt is not None and not member.preempt.leases:
                    message = f"a hold of `{member.name}` may be preempted, and would fork its legs again"
                    refuse("fork-in-hold", message, self.places.of(s), hint="fork before the hold")


def alike(a: ir.Ref, b: ir.Ref) -> bool:
    """Whether two references to pools are the same one, index included."""
    if a.base != b.base:
        return False
    if a.index is None or b.index is None:
        return a.index is b.index or (a.count == 1 and b.count == 1)
    return same(a.index, b.index)


def same(a: ir.Expr, b: ir.Expr) -> bool:
    """Whether two expressions are built alike. (Nodes of different classes may compare equal as tuples.)"""
    stack = [(a, b)]
    while stack:
        x, y = stack.pop()
        if type(x) is not type(y) or _head(x) != _head(y):
            return False
        xs, ys = inside(x), inside(y)
        if len(xs) != len(ys):
            return False
        stack += zip(xs, ys, strict=True)
    return True


def _head(e: ir.Expr) -> object:
    match e:
        case ir.Num() | ir.Attr() | ir.Reg() | ir.Ctx() | ir.Agg():
            return tuple(e)
        case ir.Unary() | ir.Binary():
            return e.op
        case ir.Sample():
            return e.law
        case ir.Call(function, args):
            refs = [(type(arg), arg.ref.base) for arg in args if isinstance(arg, ir.PoolArg | ir.StageArg)]
            return function, refs
        case ir.Cost(resources, _):
            return [(type(resource), resource.base) for resource in resources]
    return None
