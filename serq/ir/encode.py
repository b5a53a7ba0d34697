"""IR -> plain data (dicts, lists, strings, numbers), in the shape of the JSON form, version 13.

Enums are tagged from outside: a variant without content is a string (`"End"`), one with content a dict of one entry
(`{"Num": 3.0}`). An infinite number is the string `"inf"`. Fields that a program does not use are left out where the
form allows it, so that a plain program stays short: see each function.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from serq.ir import nodes

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"

SLOT_FIELDS = {
    "slot_cached": 0,
    "slot_serial": 1,
    "slot_turn": 2,
    "slot_new": 3,
    "slot_out": 4,
    "slot_think": 5,
    "slot_more": 6,
    "slot_forced": 7,
    "slot_computed": 8,
}


def encode(ir: nodes.Ir) -> dict[str, Plain]:
    """A program as plain data, keys in the order of the JSON form."""
    plain: dict[str, Plain] = {
        "version": nodes.IR_VERSION,
        "attrs": list(ir.attrs),
        "attr_types": [_attr_type(kind) for kind in ir.attr_types],
        "sides": [list(block) for block in ir.sides],
        "observes": list(ir.observes),
        "pools": [_pool(pool) for pool in ir.pools],
        "stages": [_stage(stage) for stage in ir.stages],
        "arrival": _arrival(ir.arrival),
        "trace": ir.trace,
        "trace_ordered": ir.trace_ordered,
        "init": ir.init,
        "turn": ir.turn,
        "session": ir.session,
        "blocks": [[_statement(statement) for statement in block] for block in ir.blocks],
        "horizon": None if ir.horizon is None else real(ir.horizon),
        "warmup": real(ir.warmup),
        "seed": ir.seed,
    }
    if ir.arrivals is not None:
        plain["arrivals"] = ir.arrivals
    plain.update(SLOT_FIELDS)
    plain["hidden"] = list(ir.hidden)
    if ir.gauges:
        plain["gauges"] = [{"name": gauge.name, "expr": expr(gauge.value)} for gauge in ir.gauges]
    if ir.claims:
        plain["claims"] = [_claim(claim) for claim in ir.claims]
    if ir.stalls:
        plain["stalls"] = list(ir.stalls)
    if ir.registers:
        plain["registers"] = [{"name": r.name, "stage": r.stage, "init": real(r.init)} for r in ir.registers]
    return plain


def real(value: float) -> Plain:
    """A number; the ones that JSON has no spelling for become strings."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return "nan" if math.isnan(value) else float(value)


def _attr_type(kind: nodes.AttrType) -> Plain:
    return kind if isinstance(kind, str) else {"Cost": _resources(kind)}


def _resource(resource: nodes.Resource) -> Plain:
    tag = "Pool" if isinstance(resource, nodes.PoolResource) else "Stage"
    return {tag: {"base": resource.base, "count": resource.count}}


def _resources(resources: tuple[nodes.Resource, ...]) -> Plain:
    if len(resources) == 1:
        return _resource(resources[0])
    return {"Joint": [_resource(resource) for resource in resources]}


# ---------------------------------------------------------------- expressions


def expr(e: nodes.Expr) -> Plain:
    match e:
        case nodes.Num(value):
            return {"Num": real(value)}
        case nodes.Attr(slot):
            return {"Attr": slot}
        case nodes.Reg(index):
            return {"Reg": index}
        case nodes.Ctx(name):
            return {"Ctx": name}
        case nodes.Unary(op, operand):
            return {"Unary": [op, expr(operand)]}
        case nodes.Binary(op, left, right):
            return {"Binary": [op, expr(left), expr(right)]}
        case nodes.Cond(test, then, otherwise):
            return {"Cond": [expr(test), expr(then), expr(otherwise)]}
        case nodes.Sample(law, args):
            return {"Sample": [law, [expr(arg) for arg in args]]}
        case nodes.Call(function, call_args):
            return {"Call": [function, [_argument(arg) for arg in call_args]]}
        case nodes.Cost(resources, operand):
            return {"Cost": [_resources(resources), expr(operand)]}
        case nodes.Agg(kind, observe):
            return {"Agg": [kind, observe]}


def _argument(argument: nodes.Argument) -> Plain:
    if isinstance(argument, nodes.PoolArg):
        return {"Pool": ref(argument.ref)}
    if isinstance(argument, nodes.StageArg):
        return {"Stage": ref(argument.ref)}
    return {"Expr": expr(argument)}


def _optional(e: nodes.Expr | None) -> Plain:
    return None if e is None else expr(e)


def ref(r: nodes.Ref) -> Plain:
    return {"base": r.base, "count": r.count, "index": _optional(r.index)}


def _exprs(es: tuple[nodes.Expr, ...]) -> Plain:
    return [expr(e) for e in es]


# ---------------------------------------------------------------- statements


def _statement(s: nodes.Statement) -> Plain:
    match s:
        case nodes.Turn():
            return "Turn"
        case nodes.End():
            return "End"
        case nodes.Join():
            return "Join"
        case nodes.Set(slot, value):
            return {"Set": [slot, expr(value)]}
        case nodes.Stall(stage, label, value):
            return {"Stall": [ref(stage), label, expr(value)]}
        case nodes.Observe(observe, value):
            return {"Observe": [observe, expr(value)]}
        case nodes.Hold():
            return {"Hold": _hold(s)}
        case nodes.Run():
            return {"Run": _run(s)}
        case nodes.Grow(pool, amount):
            return {"Grow": [ref(pool), expr(amount)]}
        case nodes.Load(pool, amount):
            return {"Load": [ref(pool), expr(amount)]}
        case nodes.Drop(pool):
            return {"Drop": ref(pool)}
        case nodes.Release(pool):
            return {"Release": ref(pool)}
        case nodes.Branch(test, then, otherwise):
            return {"Branch": [expr(test), then, otherwise]}
        case nodes.While(test, body):
            return {"While": [expr(test), body]}
        case nodes.Loop(body):
            return {"Loop": body}
        case nodes.Choose(slot, count, keys):
            return {"Choose": {"var": slot, "count": expr(count), "key": _exprs(keys)}}
        case nodes.Fork(body):
            return {"Fork": body}


def _hold(hold: nodes.Hold) -> Plain:
    plain: dict[str, Plain] = {
        "pools": [[ref(held.pool), expr(held.units), _optional(held.reserve)] for held in hold.pools],
        "reuse": _optional(hold.reuse),
        "body": hold.body,
        "cache": _optional(hold.cache),
    }
    if hold.prefix:
        plain["prefix"] = [[expr(segment.key), expr(segment.length)] for segment in hold.prefix]
    plain["lease"] = None if hold.lease is None else [ref(hold.lease.pool), expr(hold.lease.time)]
    return plain


def _run(run: nodes.Run) -> Plain:
    plain: dict[str, Plain] = {
        "stage": ref(run.stage),
        "mode": run.mode,
        "work": expr(run.work),
        "growing": None if run.growing is None else ref(run.growing),
    }
    if run.also:
        plain["also"] = [ref(stage) for stage in run.also]
    if run.share is not None:
        plain["share"] = run.share
    return plain


# ---------------------------------------------------------------- pools, stages, the rest


def _pool(pool: nodes.Pool) -> Plain:
    plain: dict[str, Plain] = {"name": pool.name}
    if pool.index is not None:
        plain["index"] = pool.index
    plain["cap"] = real(pool.cap)
    plain["block"] = None if pool.block is None else real(pool.block)
    plain["evict"] = "Lru" if pool.evict is None else {"By": _exprs(pool.evict)}
    plain["preempt"] = "None" if pool.preempt is None else _preempt(pool.preempt)
    plain["queue"] = None if pool.queue is None else _exprs(pool.queue)
    plain["spill"] = None if pool.spill is None else _spill(pool.spill)
    plain["admit_via"] = pool.admit_via
    if pool.reserve_held:
        plain["reserve_held"] = True
    return plain


def _preempt(preempt: nodes.Preempt) -> Plain:
    fields: dict[str, Plain] = {"keys": _exprs(preempt.keys)}
    if preempt.tail:
        fields["tail"] = True
    return {"Leases" if preempt.leases else "By": fields}


def _spill(spill: nodes.Spill) -> Plain:
    return {"to": spill.to, "via": spill.via, "work": expr(spill.work), "when": expr(spill.when)}


def _stage(stage: nodes.Stage) -> Plain:
    plain: dict[str, Plain] = {"name": stage.name}
    if stage.index is not None:
        plain["index"] = stage.index
    match stage.kind:
        case nodes.Fifo(servers):
            plain["kind"] = {"Fifo": servers}
        case nodes.Ps(capacity):
            plain["kind"] = {"Ps": expr(capacity)}
        case nodes.Step():
            plain["kind"] = {"Step": _step(stage.kind)}
    return plain


def _step(step: nodes.Step) -> Plain:
    plain: dict[str, Plain] = {"budget": expr(step.budget), "cost": expr(step.cost), "chunk": expr(step.chunk)}
    if step.granule is not None:
        plain["granule"] = {"Num": real(step.granule)}
    plain["serve"] = "ExclusivePrefill" if step.serve is None else {"By": _exprs(step.serve)}
    plain["memory"] = step.memory
    if step.iteration is not None:
        plain["iteration"] = [_schedule(statement) for statement in step.iteration]
    if step.stalls:
        plain["stalls"] = [[stall.label, expr(stall.value)] for stall in step.stalls]
    return plain


def _schedule(s: nodes.ScheduleStatement) -> Plain:
    fields: dict[str, Plain] = {}
    match s:
        case nodes.Serve(only, by):
            if only is not None:
                fields["only"] = expr(only)
            if by:
                fields["by"] = _exprs(by)
            return {"Serve": fields}
        case nodes.Admit(only, gate):
            if only is not None:
                fields["only"] = expr(only)
            if gate is not None:
                fields["gate"] = expr(gate)
            return {"Admit": fields}
        case nodes.SetRegister(register, value):
            return {"Set": [register, expr(value)]}
        case nodes.ScheduleBranch(test, then, otherwise):
            return {"Branch": [expr(test), [_schedule(t) for t in then], [_schedule(t) for t in otherwise]]}


def _arrival(arrival: nodes.Arrival) -> Plain:
    match arrival:
        case nodes.Poisson(rate):
            return {"Poisson": real(rate)}
        case nodes.Renewal(gap):
            return {"Renewal": expr(gap)}
        case nodes.Closed(count):
            return {"Closed": count}
        case nodes.Batch(count):
            return {"Batch": count}
        case nodes.NoArrivals():
            return "None"
        case nodes.Sessions(sessions):
            return {"Sessions": [_preset_session(session) for session in sessions]}


def _preset_session(session: nodes.PresetSession) -> Plain:
    plain: dict[str, Plain] = {"attrs": _assignments(session.attrs)}
    if session.turns:
        plain["turns"] = [_assignments(turn) for turn in session.turns]
    return plain


def _assignments(pairs: tuple[tuple[int, float], ...]) -> Plain:
    return [[slot, real(value)] for slot, value in pairs]


def _claim(claim: nodes.Claim) -> Plain:
    plain: dict[str, Plain] = {"name": claim.name}
    if claim.given is not None:
        plain["given"] = expr(claim.given)
    plain["kind"] = claim.kind if claim.stage is None else {claim.kind: claim.stage}
    plain["expr"] = expr(claim.test)
    return plain
