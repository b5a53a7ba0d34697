"""A checker of well-formedness: what the kernel takes for granted of every IR, from the compiler or from a document.

Every number of an attribute, observation, register, pool, stage or block exists; references stay within one family;
functions have the arguments that they take; blocks form a tree, so that each belongs to one statement; only engines
prefill and decode; the settings of the run make sense. What makes a program meaningful beyond that (names in their
places, types, loops that take time) is the subject of the compiler's `semantics` and is not repeated here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NoReturn

from serq.diagnostics import Diagnostic, SerqError
from serq.ir import nodes
from serq.ir.decode import FUNCTIONS, LAWS
from serq.ir.settings import check_settings


def check(ir: nodes.Ir) -> None:
    """Refuse an IR that is not well-formed.

    Raises:
        SerqError: the first fault found; without a place, since an IR has no text.
    """
    _Checker(ir).check()


def _fault(message: str) -> NoReturn:
    raise SerqError(Diagnostic("ir", message))


class _Checker:
    """One pass over an IR. `self.reached` counts, per block, the statements (or roots) that lead to it."""

    def __init__(self, ir: nodes.Ir) -> None:
        self.ir = ir
        self.reached = [0] * len(ir.blocks)

    def check(self) -> None:
        self.check_tables()
        for pool in self.ir.pools:
            self.check_pool(pool)
        for number, stage in enumerate(self.ir.stages):
            self.check_stage(number, stage)
        self.check_arrival()
        self.check_blocks()
        for gauge in self.ir.gauges:
            self.expr(gauge.value)
        for claim in self.ir.claims:
            self.check_claim(claim)
        check_settings(self.ir)

    # ------------------------------------------------------------ tables

    def check_tables(self) -> None:
        ir = self.ir
        if ir.attrs[: len(nodes.BUILT_IN_ATTRIBUTES)] != nodes.BUILT_IN_ATTRIBUTES:
            _fault(f"the first attributes must be {', '.join(nodes.BUILT_IN_ATTRIBUTES)}")
        if len(ir.attr_types) != len(ir.attrs):
            _fault(f"there are {len(ir.attrs)} attributes and {len(ir.attr_types)} attribute types")
        if [len(block) for block in ir.sides] != [len(block) for block in ir.blocks]:
            _fault("every statement must say its side, `Workload` or `Server`")
        for kind in ir.attr_types:
            if not isinstance(kind, str):
                self.resources(kind)
        for slot in ir.hidden:
            self.number("attribute", slot, ir.attrs)
        for register in ir.registers:
            self.engine(register.stage, f"register `{register.name}`")
        _check_families("pool", [(pool.name, pool.index) for pool in ir.pools])
        _check_families("stage", [(stage.name, stage.index) for stage in ir.stages])

    def number(self, what: str, number: int, table: Sequence[object]) -> None:
        size = len(table)
        if not 0 <= number < size:
            _fault(f"there is no {what} {number}: the IR has {size}")

    def engine(self, stage: int, what: str) -> None:
        self.number("stage", stage, self.ir.stages)
        if not isinstance(self.ir.stages[stage].kind, nodes.Step):
            _fault(f"{what} needs an engine, and stage {stage} (`{self.ir.stages[stage].name}`) is none")

    # ------------------------------------------------------------ pools, stages, arrivals, claims

    def check_pool(self, pool: nodes.Pool) -> None:
        if math.isnan(pool.cap):
            _fault(f"pool `{pool.name}` has no number for its cap")
        if pool.block is not None and not pool.block > 0:
            _fault(f"pool `{pool.name}` has blocks of {pool.block:g} units, and a block must be positive")
        if pool.admit_via is not None:
            self.engine(pool.admit_via, f"admission to pool `{pool.name}`")
        for keys in (pool.evict, pool.queue, pool.preempt and pool.preempt.keys):
            for key in keys or ():
                self.expr(key)
        if pool.spill is not None:
            self.number("pool", pool.spill.to, self.ir.pools)
            self.number("stage", pool.spill.via, self.ir.stages)
            self.expr(pool.spill.work)
            self.expr(pool.spill.when)

    def check_stage(self, number: int, stage: nodes.Stage) -> None:
        match stage.kind:
            case nodes.Fifo(servers):
                if servers < 1:
                    _fault(f"stage `{stage.name}` has {servers} servers, and needs at least one")
            case nodes.Ps(capacity):
                self.expr(capacity)
            case nodes.Step():
                self.check_step(number, stage.kind)

    def check_step(self, number: int, step: nodes.Step) -> None:
        for e in (step.budget, step.cost, step.chunk, *(step.serve or ())):
            self.expr(e)
        if step.memory is not None:
            self.number("pool", step.memory, self.ir.pools)
        for statement in step.iteration or ():
            self.schedule(number, statement)
        for stall in step.stalls:
            self.number("stall", stall.label, self.ir.stalls)
            self.expr(stall.value)
        if len({stall.label for stall in step.stalls}) < len(step.stalls):
            _fault(f"stage {number} has a stall twice")

    def schedule(self, stage: int, statement: nodes.ScheduleStatement) -> None:
        match statement:
            case nodes.Serve(only, by):
                self.exprs(only, *by)
            case nodes.Admit(only, gate):
                self.exprs(only, gate)
            case nodes.SetRegister(register, value):
                self.number("register", register, self.ir.registers)
                if self.ir.registers[register].stage != stage:
                    _fault(f"stage {stage} sets register {register}, which belongs to another engine")
                self.expr(value)
            case nodes.ScheduleBranch(test, then, otherwise):
                self.expr(test)
                for inner in (*then, *otherwise):
                    self.schedule(stage, inner)

    def check_arrival(self) -> None:
        match self.ir.arrival:
            case nodes.Poisson(rate):
                if not (math.isfinite(rate) and rate > 0):
                    _fault(f"arrivals at rate {rate:g}: a rate must be positive and finite")
            case nodes.Renewal(gap):
                self.expr(gap)
            case nodes.Closed(count) | nodes.Batch(count):
                if not 1 <= count <= 1_000_000:
                    _fault(f"a closed or batch workload has from 1 to 1000000 sessions, not {count}")
            case nodes.Sessions(sessions):
                for session in sessions:
                    for assignments in (session.attrs, *session.turns):
                        for slot, _ in assignments:
                            self.number("attribute", slot, self.ir.attrs)

    def check_claim(self, claim: nodes.Claim) -> None:
        if claim.stage is not None:
            self.engine(claim.stage, f"claim `{claim.name}`")
        self.exprs(claim.given, claim.test)

    # ------------------------------------------------------------ blocks

    def check_blocks(self) -> None:
        ir = self.ir
        for root in (ir.init, ir.turn, ir.session):
            self.reach(root)
        for number in (ir.init, ir.turn):
            if not all(isinstance(statement, nodes.Set | nodes.Observe) for statement in ir.blocks[number]):
                _fault(f"block {number} (init or turn) may contain only `Set` and `Observe`")
        if not (ir.blocks[ir.session] and isinstance(ir.blocks[ir.session][-1], nodes.End)):
            _fault("the session's block must end with `End`")
        for block in ir.blocks:
            for statement in block:
                self.statement(statement)
        for number, times in enumerate(self.reached):
            if times != 1:
                _fault(f"block {number} is reached {times} times, and every block must belong to one statement")

    def reach(self, block: int) -> None:
        self.number("block", block, self.ir.blocks)
        self.reached[block] += 1

    def statement(self, s: nodes.Statement) -> None:
        match s:
            case nodes.Set(slot, value):
                self.number("attribute", slot, self.ir.attrs)
                self.expr(value)
            case nodes.Observe(observe, value):
                self.number("observation", observe, self.ir.observes)
                self.expr(value)
            case nodes.Stall(stage, label, value):
                self.stage(stage)
                self.engine(stage.base, "a stall")
                self.number("stall", label, self.ir.stalls)
                self.expr(value)
            case nodes.Hold():
                self.hold(s)
            case nodes.Run():
                self.run(s)
            case nodes.Grow(pool, amount) | nodes.Load(pool, amount):
                self.pool(pool)
                self.expr(amount)
            case nodes.Drop(pool) | nodes.Release(pool):
                self.pool(pool)
            case nodes.Branch(test, then, otherwise):
                self.expr(test)
                self.reach(then)
                self.reach(otherwise)
            case nodes.While(test, body):
                self.expr(test)
                self.reach(body)
            case nodes.Loop(body) | nodes.Fork(body):
                self.reach(body)
            case nodes.Choose(slot, count, keys):
                self.number("attribute", slot, self.ir.attrs)
                self.exprs(count, *keys)

    def hold(self, hold: nodes.Hold) -> None:
        if not hold.pools:
            _fault("a `Hold` must take at least one pool")
        for held in hold.pools:
            self.pool(held.pool)
            self.exprs(held.units, held.reserve)
        for segment in hold.prefix:
            self.exprs(segment.key, segment.length)
        self.exprs(hold.reuse, hold.cache)
        self.reach(hold.body)
        if hold.lease is not None:
            self.pool(hold.lease.pool)
            self.expr(hold.lease.time)

    def run(self, run: nodes.Run) -> None:
        self.stage(run.stage)
        self.expr(run.work)
        if run.mode != "Plain":
            self.engine(run.stage.base, f"a {run.mode.lower()} run")
        elif isinstance(self.ir.stages[run.stage.base].kind, nodes.Step):
            _fault(f"engine `{self.ir.stages[run.stage.base].name}` can only prefill or decode")
        if run.growing is not None:
            if run.mode == "Plain":
                _fault("only a prefill or decode run may grow a pool")
            self.pool(run.growing)
        for stage in run.also:
            self.stage(stage)
        if bool(run.also) != (run.share is not None):
            _fault("a run over several stages needs a sharing policy, and only such a run")

    # ------------------------------------------------------------ references and expressions

    def pool(self, ref: nodes.Ref) -> None:
        self.ref("pool", ref, [(pool.name, pool.index) for pool in self.ir.pools[ref.base : ref.base + ref.count]])

    def stage(self, ref: nodes.Ref) -> None:
        members = self.ir.stages[ref.base : ref.base + ref.count]
        self.ref("stage", ref, [(stage.name, stage.index) for stage in members])

    def ref(self, what: str, ref: nodes.Ref, members: list[tuple[str, int | None]]) -> None:
        self.family(what, ref.base, ref.count, members)
        if ref.index is not None:
            self.expr(ref.index)
        elif members[0][1] is not None:
            _fault(f"{what} `{members[0][0]}` is a family, and is used without an index")

    def family(self, what: str, base: int, count: int, members: list[tuple[str, int | None]]) -> None:
        if count < 1 or len(members) < count:
            _fault(f"there are no {what}s {base} to {base + count - 1}")
        name, index = members[0]
        expected = [(name, None)] if index is None else [(name, i) for i in range(count)]
        if members != expected:
            _fault(f"{what}s {base} to {base + count - 1} are not a whole family")

    def resources(self, resources: tuple[nodes.Resource, ...]) -> None:
        if not resources:
            _fault("a cost must name at least one pool or stage")
        for resource in resources:
            base, count = resource.base, resource.count
            if isinstance(resource, nodes.PoolResource):
                pools = self.ir.pools[base : base + count]
                self.family("pool", base, count, [(pool.name, pool.index) for pool in pools])
            else:
                stages = self.ir.stages[base : base + count]
                self.family("stage", base, count, [(stage.name, stage.index) for stage in stages])

    def exprs(self, *es: nodes.Expr | None) -> None:
        for e in es:
            if e is not None:
                self.expr(e)

    def expr(self, e: nodes.Expr) -> None:
        match e:
            case nodes.Attr(slot):
                self.number("attribute", slot, self.ir.attrs)
            case nodes.Reg(index):
                self.number("register", index, self.ir.registers)
            case nodes.Agg(_, observe):
                self.number("observation", observe, self.ir.observes)
            case nodes.Unary(_, operand):
                self.expr(operand)
            case nodes.Binary(_, left, right):
                self.expr(left)
                self.expr(right)
            case nodes.Cond():
                self.exprs(*e)
            case nodes.Sample(law, args):
                if len(args) != LAWS[law]:
                    _fault(f"distribution `{law}` takes {LAWS[law]} parameters, and has {len(args)}")
                self.exprs(*args)
            case nodes.Call(function, call_args):
                self.call(function, call_args)
            case nodes.Cost(resources, operand):
                self.resources(resources)
                self.expr(operand)

    def call(self, function: str, args: tuple[nodes.Argument, ...]) -> None:
        kinds = tuple([_argument_kind(arg) for arg in args])
        if kinds != FUNCTIONS[function]:
            _fault(f"function `{function}` takes ({', '.join(FUNCTIONS[function])}), and has ({', '.join(kinds)})")
        for arg in args:
            if isinstance(arg, nodes.PoolArg):
                self.pool(arg.ref)
            elif isinstance(arg, nodes.StageArg):
                self.stage(arg.ref)
            else:
                self.expr(arg)


def _argument_kind(argument: nodes.Argument) -> str:
    if isinstance(argument, nodes.PoolArg):
        return "Pool"
    return "Stage" if isinstance(argument, nodes.StageArg) else "Expr"


def _check_families(what: str, members: list[tuple[str, int | None]]) -> None:
    """Names are unique, and the members of a family stand together, numbered from 0."""
    seen: set[str] = set()
    for position, (name, index) in enumerate(members):
        if index in (None, 0):
            if name in seen:
                _fault(f"there are two {what}s named `{name}`")
            seen.add(name)
        elif members[position - 1] != (name, index - 1 if index is not None else None):
            _fault(f"{what} {position} (`{name}`) is out of its family's order")
