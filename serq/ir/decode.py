"""Plain data -> IR: the reverse of `encode`, refusing what is not in the shape of the JSON form.

Only shapes are checked here (a missing field, a word where a number belongs, an unknown variant, another version);
that numbers of slots, blocks, pools and stages exist is the subject of `check`. Fields that the form does not know
are ignored. Every complaint says where in the document it is: `blocks[2][0].Hold.body`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NoReturn, TypeVar

from serq.diagnostics import Diagnostic, SerqError
from serq.ir import nodes
from serq.ir.encode import SLOT_FIELDS, Plain

T = TypeVar("T")

UNARY_OPS = frozenset(("Neg", "Not"))
BINARY_OPS = frozenset(("Add", "Sub", "Mul", "Div", "Pow", "Lt", "Le", "Gt", "Ge", "Eq", "Ne", "And", "Or"))
LAWS = {"Exp": 1, "Det": 1, "Uniform": 2, "Erlang": 2, "H2": 2, "Bernoulli": 1}
"""The distributions, with their number of parameters."""
CONTEXTS = frozenset(
    (
        *("Now", "Size", "Age", "Last", "Queued", "Waited", "N"),
        *("Ntok", "Ndec", "Npre", "Nres", "Kvb", "Kvp", "Attn"),
        *("Decoding", "Admission", "Position", "Remaining", "Preempted", "Admitted"),
        *("Demand", "Served", "Arrived"),
    )
)
FUNCTIONS = {
    **dict.fromkeys(("Abs", "Floor", "Ceil", "Sqrt", "Exp", "Ln"), ("Expr",)),
    **dict.fromkeys(("Min", "Max"), ("Expr", "Expr")),
    **dict.fromkeys(("Used", "Free", "CachedIn", "Holders", "Queued", "Allocated"), ("Pool",)),
    **dict.fromkeys(("Queue", "Busy", "Work", "BudgetLeft", "EstLambda", "EstRho", "EstWait"), ("Stage",)),
    "Price": ("Stage", "Expr", "Expr"),
}
"""The functions, with the kinds of their arguments."""
AGGREGATES = frozenset(("Total", "Count", "Largest", "Smallest", "PrefixTotal"))


def decode(plain: Plain) -> nodes.Ir:
    """The program that `plain` describes, unchecked beyond its shape.

    Raises:
        SerqError: `plain` is not in the shape of the IR; without a place, since there is no program text.
    """
    top = _object(plain, "")
    version = _integer(_field(top, "version", ""), "version")
    if version != nodes.IR_VERSION:
        _malformed(f"this IR has version {version}, and version {nodes.IR_VERSION} is needed")
    for name, slot in SLOT_FIELDS.items():
        if _integer(_field(top, name, ""), name) != slot:
            _malformed(f"`{name}` must be {slot} in an IR of this version")
    arrivals = top.get("arrivals")
    return nodes.Ir(
        attrs=_many(top, "attrs", "", _string),
        attr_types=_many(top, "attr_types", "", _attr_type),
        observes=_many(top, "observes", "", _string),
        pools=_many(top, "pools", "", _pool),
        stages=_many(top, "stages", "", _stage),
        arrival=_arrival(_field(top, "arrival", ""), "arrival"),
        trace=None if top.get("trace") is None else _string(top["trace"], "trace"),
        trace_ordered=_boolean(_field(top, "trace_ordered", ""), "trace_ordered"),
        init=_index(_field(top, "init", ""), "init"),
        turn=_index(_field(top, "turn", ""), "turn"),
        session=_index(_field(top, "session", ""), "session"),
        blocks=_many(top, "blocks", "", _block),
        sides=_many(top, "sides", "", _sides),
        hidden=_many(top, "hidden", "", _index),
        gauges=_many(top, "gauges", "", _gauge, missing=()),
        claims=_many(top, "claims", "", _claim, missing=()),
        registers=_many(top, "registers", "", _register, missing=()),
        horizon=None if _field(top, "horizon", "") is None else _finite(top["horizon"], "horizon"),
        warmup=_finite(_field(top, "warmup", ""), "warmup"),
        seed=_index(_field(top, "seed", ""), "seed"),
        arrivals=None if arrivals is None else _index(arrivals, "arrivals"),
        stalls=_many(top, "stalls", "", _string, missing=()),
    )


# ---------------------------------------------------------------- shapes


def _malformed(message: str, hint: str | None = None) -> NoReturn:
    raise SerqError(Diagnostic("ir", message, hint=hint))


def _wanted(what: str, found: Plain, where: str) -> NoReturn:
    shown = found if isinstance(found, int | float) else f"`{found}`" if isinstance(found, str) else _KINDS[type(found)]
    _malformed(f"the IR has {shown} at `{where or 'the top'}`, where {what} belongs")


_KINDS = {dict: "an object", list: "a list", type(None): "null"}


def _object(plain: Plain, where: str) -> dict[str, Plain]:
    return plain if isinstance(plain, dict) else _wanted("an object", plain, where)


def _list(plain: Plain, where: str, length: int | None = None) -> list[Plain]:
    if not isinstance(plain, list):
        _wanted("a list", plain, where)
    if length is not None and len(plain) != length:
        _malformed(f"the IR's list at `{where}` has {len(plain)} entries, where {length} belong")
    return plain


def _string(plain: Plain, where: str) -> str:
    return plain if isinstance(plain, str) else _wanted("a string", plain, where)


def _boolean(plain: Plain, where: str) -> bool:
    return plain if isinstance(plain, bool) else _wanted("true or false", plain, where)


def _integer(plain: Plain, where: str) -> int:
    if isinstance(plain, bool) or not isinstance(plain, int):
        _wanted("a whole number", plain, where)
    return plain


def _index(plain: Plain, where: str) -> int:
    number = _integer(plain, where)
    return number if 0 <= number < 1 << 64 else _wanted("a number from 0 to 2^64 - 1", plain, where)


def _real(plain: Plain, where: str) -> float:
    if plain in ("inf", "-inf", "nan"):
        return math.copysign(math.nan, -1.0) if plain == "nan" else float(plain)
    return _finite(plain, where)


def _finite(plain: Plain, where: str) -> float:
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        _wanted("a number", plain, where)
    try:
        return float(plain)
    except OverflowError:
        _wanted("a number", "a number too large", where)


def _word(plain: Plain, where: str, words: frozenset[str]) -> str:
    word = _string(plain, where)
    return word if word in words else _wanted(f"one of {', '.join(sorted(words))}", plain, where)


def _field(plain: dict[str, Plain], name: str, where: str) -> Plain:
    if name not in plain:
        _malformed(f"the IR has no field `{_inside(where, name)}`")
    return plain[name]


def _inside(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _each(plain: Plain, where: str, read: Callable[[Plain, str], T]) -> tuple[T, ...]:
    return tuple([read(item, f"{where}[{i}]") for i, item in enumerate(_list(plain, where))])


def _many(
    plain: dict[str, Plain],
    name: str,
    where: str,
    read: Callable[[Plain, str], T],
    missing: tuple[T, ...] | None = None,
) -> tuple[T, ...]:
    if missing is not None and name not in plain:
        return missing
    return _each(_field(plain, name, where), _inside(where, name), read)


def _variant(plain: Plain, where: str) -> tuple[str, Plain, str]:
    """The tag of a variant, its content (None for one without), and where the content stands."""
    if isinstance(plain, str):
        return plain, None, where
    variant = _object(plain, where)
    if len(variant) != 1:
        _malformed(f"the IR's object at `{where}` has {len(variant)} fields, where one belongs")
    (tag, content), *_ = variant.items()
    return tag, content, _inside(where, tag)


# ---------------------------------------------------------------- expressions


def expr(plain: Plain, where: str) -> nodes.Expr:
    tag, content, where = _variant(plain, where)
    match tag:
        case "Num":
            return nodes.Num(_real(content, where))
        case "Attr":
            return nodes.Attr(_index(content, where))
        case "Reg":
            return nodes.Reg(_index(content, where))
        case "Ctx":
            return nodes.Ctx(_word(content, where, CONTEXTS))
        case "Unary":
            op, operand = _list(content, where, 2)
            return nodes.Unary(_word(op, where, UNARY_OPS), expr(operand, where))
        case "Binary":
            op, left, right = _list(content, where, 3)
            return nodes.Binary(_word(op, where, BINARY_OPS), expr(left, where), expr(right, where))
        case "Cond":
            test, then, otherwise = _list(content, where, 3)
            return nodes.Cond(expr(test, where), expr(then, where), expr(otherwise, where))
        case "Sample":
            law, args = _list(content, where, 2)
            return nodes.Sample(_word(law, where, frozenset(LAWS)), _each(args, where, expr))
        case "Call":
            function, call_args = _list(content, where, 2)
            return nodes.Call(_word(function, where, frozenset(FUNCTIONS)), _each(call_args, where, _argument))
        case "Cost":
            resource, operand = _list(content, where, 2)
            return nodes.Cost(_resources(resource, where), expr(operand, where))
        case "Agg":
            kind, observe = _list(content, where, 2)
            return nodes.Agg(_word(kind, where, AGGREGATES), _index(observe, where))
    return _wanted("an expression", tag, where)


def _argument(plain: Plain, where: str) -> nodes.Argument:
    tag, content, where = _variant(plain, where)
    match tag:
        case "Expr":
            return expr(content, where)
        case "Pool":
            return nodes.PoolArg(_ref(content, where))
        case "Stage":
            return nodes.StageArg(_ref(content, where))
    return _wanted("one of Expr, Pool, Stage", tag, where)


def _optional(plain: Plain, where: str) -> nodes.Expr | None:
    return None if plain is None else expr(plain, where)


def _ref(plain: Plain, where: str) -> nodes.Ref:
    fields = _object(plain, where)
    return nodes.Ref(
        _index(_field(fields, "base", where), where),
        _index(_field(fields, "count", where), where),
        _optional(fields.get("index"), _inside(where, "index")),
    )


def _resources(plain: Plain, where: str) -> tuple[nodes.Resource, ...]:
    tag, content, inside = _variant(plain, where)
    if tag == "Joint":
        return _each(content, inside, _resource)
    return (_resource(plain, where),)


def _resource(plain: Plain, where: str) -> nodes.Resource:
    tag, content, where = _variant(plain, where)
    if tag not in ("Pool", "Stage"):
        _wanted("one of Pool, Stage", tag, where)
    fields = _object(content, where)
    base, count = _index(_field(fields, "base", where), where), _index(_field(fields, "count", where), where)
    return nodes.PoolResource(base, count) if tag == "Pool" else nodes.StageResource(base, count)


def _attr_type(plain: Plain, where: str) -> nodes.AttrType:
    tag, content, where = _variant(plain, where)
    if tag in ("Size", "Value") and content is None:
        return tag
    return _resources(content, where) if tag == "Cost" else _wanted("one of Size, Value, Cost", tag, where)


# ---------------------------------------------------------------- statements


def _block(plain: Plain, where: str) -> tuple[nodes.Statement, ...]:
    return _each(plain, where, _statement)


_SIDES = frozenset(("Workload", "Server"))


def _sides(plain: Plain, where: str) -> tuple[str, ...]:
    return _each(plain, where, lambda side, at: _word(side, at, _SIDES))


def _statement(plain: Plain, where: str) -> nodes.Statement:
    tag, content, where = _variant(plain, where)
    if content is None:
        return _STATEMENT_WORDS[tag] if tag in _STATEMENT_WORDS else _wanted("a statement", tag, where)
    if tag not in _STATEMENTS:
        _wanted("a statement", tag, where)
    return _STATEMENTS[tag](content, where)


def _set(plain: Plain, where: str) -> nodes.Statement:
    slot, value = _list(plain, where, 2)
    return nodes.Set(_index(slot, where), expr(value, where))


def _observe(plain: Plain, where: str) -> nodes.Statement:
    observe, value = _list(plain, where, 2)
    return nodes.Observe(_index(observe, where), expr(value, where))


def _hold(plain: Plain, where: str) -> nodes.Statement:
    fields = _object(plain, where)
    lease = fields.get("lease")
    return nodes.Hold(
        pools=_many(fields, "pools", where, _held),
        prefix=_many(fields, "prefix", where, _segment, missing=()),
        reuse=_optional(fields.get("reuse"), _inside(where, "reuse")),
        body=_index(_field(fields, "body", where), _inside(where, "body")),
        cache=_optional(fields.get("cache"), _inside(where, "cache")),
        lease=None if lease is None else _lease(lease, _inside(where, "lease")),
    )


def _held(plain: Plain, where: str) -> nodes.Held:
    pool, units, reserve = _list(plain, where, 3)
    return nodes.Held(_ref(pool, where), expr(units, where), _optional(reserve, where))


def _segment(plain: Plain, where: str) -> nodes.Segment:
    key, length = _list(plain, where, 2)
    return nodes.Segment(expr(key, where), expr(length, where))


def _lease(plain: Plain, where: str) -> nodes.Lease:
    pool, time = _list(plain, where, 2)
    return nodes.Lease(_ref(pool, where), expr(time, where))


_MODES = frozenset(("Plain", "Prefill", "Decode"))
_SHARES = frozenset(("MaxMin", "Bottleneck"))


def _run(plain: Plain, where: str) -> nodes.Statement:
    fields = _object(plain, where)
    growing, share = fields.get("growing"), fields.get("share")
    return nodes.Run(
        stage=_ref(_field(fields, "stage", where), _inside(where, "stage")),
        mode=_word(_field(fields, "mode", where), _inside(where, "mode"), _MODES),
        work=expr(_field(fields, "work", where), _inside(where, "work")),
        growing=None if growing is None else _ref(growing, _inside(where, "growing")),
        also=_many(fields, "also", where, _ref, missing=()),
        share=None if share is None else _word(share, _inside(where, "share"), _SHARES),
    )


def _grow(plain: Plain, where: str) -> nodes.Statement:
    pool, amount = _list(plain, where, 2)
    return nodes.Grow(_ref(pool, where), expr(amount, where))


def _load(plain: Plain, where: str) -> nodes.Statement:
    pool, amount = _list(plain, where, 2)
    return nodes.Load(_ref(pool, where), expr(amount, where))


def _branch(plain: Plain, where: str) -> nodes.Statement:
    test, then, otherwise = _list(plain, where, 3)
    return nodes.Branch(expr(test, where), _index(then, where), _index(otherwise, where))


def _while(plain: Plain, where: str) -> nodes.Statement:
    test, body = _list(plain, where, 2)
    return nodes.While(expr(test, where), _index(body, where))


def _choose(plain: Plain, where: str) -> nodes.Statement:
    fields = _object(plain, where)
    return nodes.Choose(
        _index(_field(fields, "var", where), where),
        expr(_field(fields, "count", where), where),
        _many(fields, "key", where, expr),
    )


def _stall(plain: Plain, where: str) -> nodes.Statement:
    stage, label, value = _list(plain, where, 3)
    return nodes.Stall(_ref(stage, where), _index(label, where), expr(value, where))


_STATEMENT_WORDS: dict[str, nodes.Statement] = {"Turn": nodes.Turn(), "End": nodes.End(), "Join": nodes.Join()}
_STATEMENTS: dict[str, Callable[[Plain, str], nodes.Statement]] = {
    "Set": _set,
    "Observe": _observe,
    "Hold": _hold,
    "Run": _run,
    "Grow": _grow,
    "Load": _load,
    "Drop": lambda plain, where: nodes.Drop(_ref(plain, where)),
    "Release": lambda plain, where: nodes.Release(_ref(plain, where)),
    "Branch": _branch,
    "While": _while,
    "Loop": lambda plain, where: nodes.Loop(_index(plain, where)),
    "Choose": _choose,
    "Fork": lambda plain, where: nodes.Fork(_index(plain, where)),
    "Stall": _stall,
}

# ---------------------------------------------------------------- pools, stages, the rest


def _family_index(fields: dict[str, Plain], where: str) -> int | None:
    index = fields.get("index")
    return None if index is None else _index(index, where)


def _pool(plain: Plain, where: str) -> nodes.Pool:
    fields = _object(plain, where)
    block, queue, spill, via = fields.get("block"), fields.get("queue"), fields.get("spill"), fields.get("admit_via")
    held = fields.get("reserve_held", False)
    return nodes.Pool(
        name=_string(_field(fields, "name", where), _inside(where, "name")),
        index=_family_index(fields, _inside(where, "index")),
        cap=_real(_field(fields, "cap", where), _inside(where, "cap")),
        block=None if block is None else _real(block, _inside(where, "block")),
        evict=_evict(_field(fields, "evict", where), _inside(where, "evict")),
        preempt=_preempt(_field(fields, "preempt", where), _inside(where, "preempt")),
        queue=None if queue is None else _each(queue, _inside(where, "queue"), expr),
        spill=None if spill is None else _spill(spill, _inside(where, "spill")),
        admit_via=None if via is None else _index(via, _inside(where, "admit_via")),
        reserve_held=_boolean(held, _inside(where, "reserve_held")),
    )


def _evict(plain: Plain, where: str) -> tuple[nodes.Expr, ...] | None:
    tag, content, where = _variant(plain, where)
    if tag == "Lru" and content is None:
        return None
    return _each(content, where, expr) if tag == "By" else _wanted("one of Lru, By", tag, where)


def _preempt(plain: Plain, where: str) -> nodes.Preempt | None:
    tag, content, where = _variant(plain, where)
    if tag == "None" and content is None:
        return None
    if tag not in ("By", "Leases"):
        _wanted("one of None, By, Leases", tag, where)
    fields = _object(content, where)
    tail = _boolean(fields.get("tail", False), _inside(where, "tail"))
    return nodes.Preempt(tag == "Leases", _many(fields, "keys", where, expr), tail)


def _spill(plain: Plain, where: str) -> nodes.Spill:
    fields = _object(plain, where)
    return nodes.Spill(
        _index(_field(fields, "to", where), _inside(where, "to")),
        _index(_field(fields, "via", where), _inside(where, "via")),
        expr(_field(fields, "work", where), _inside(where, "work")),
        expr(_field(fields, "when", where), _inside(where, "when")),
    )


def _stage(plain: Plain, where: str) -> nodes.Stage:
    fields = _object(plain, where)
    name = _string(_field(fields, "name", where), _inside(where, "name"))
    tag, content, inside = _variant(_field(fields, "kind", where), _inside(where, "kind"))
    kind: nodes.Fifo | nodes.Ps | nodes.Step
    match tag:
        case "Fifo":
            kind = nodes.Fifo(_index(content, inside))
        case "Ps":
            kind = nodes.Ps(expr(content, inside))
        case "Step":
            kind = _step(content, inside)
        case _:
            _wanted("one of Fifo, Ps, Step", tag, inside)
    return nodes.Stage(name, _family_index(fields, _inside(where, "index")), kind)


def _step(plain: Plain, where: str) -> nodes.Step:
    fields = _object(plain, where)
    granule, memory, iteration = fields.get("granule"), fields.get("memory"), fields.get("iteration")
    return nodes.Step(
        budget=expr(_field(fields, "budget", where), _inside(where, "budget")),
        cost=expr(_field(fields, "cost", where), _inside(where, "cost")),
        chunk=expr(_field(fields, "chunk", where), _inside(where, "chunk")),
        granule=None if granule is None else _granule(granule, _inside(where, "granule")),
        serve=_serve_order(_field(fields, "serve", where), _inside(where, "serve")),
        memory=None if memory is None else _index(memory, _inside(where, "memory")),
        iteration=None if iteration is None else _each(iteration, _inside(where, "iteration"), _schedule),
        stalls=_many(fields, "stalls", where, _stall_clause, missing=()),
    )


def _stall_clause(plain: Plain, where: str) -> nodes.StallClause:
    label, value = _list(plain, where, 2)
    return nodes.StallClause(_index(label, where), expr(value, where))


def _granule(plain: Plain, where: str) -> float:
    granule = expr(plain, where)
    return granule.value if isinstance(granule, nodes.Num) else _malformed(f"the IR's `{where}` must be a `Num`")


def _serve_order(plain: Plain, where: str) -> tuple[nodes.Expr, ...] | None:
    tag, content, where = _variant(plain, where)
    if tag == "ExclusivePrefill" and content is None:
        return None
    return _each(content, where, expr) if tag == "By" else _wanted("one of ExclusivePrefill, By", tag, where)


def _schedule(plain: Plain, where: str) -> nodes.ScheduleStatement:
    tag, content, where = _variant(plain, where)
    match tag:
        case "Serve":
            fields = _object(content, where)
            by = _many(fields, "by", where, expr, missing=())
            return nodes.Serve(_optional(fields.get("only"), _inside(where, "only")), by)
        case "Admit":
            fields = _object(content, where)
            only = _optional(fields.get("only"), _inside(where, "only"))
            return nodes.Admit(only, _optional(fields.get("gate"), _inside(where, "gate")))
        case "Set":
            register, value = _list(content, where, 2)
            return nodes.SetRegister(_index(register, where), expr(value, where))
        case "Branch":
            test, then, otherwise = _list(content, where, 3)
            return nodes.ScheduleBranch(
                expr(test, where), _each(then, where, _schedule), _each(otherwise, where, _schedule)
            )
    return _wanted("one of Serve, Admit, Set, Branch", tag, where)


def _arrival(plain: Plain, where: str) -> nodes.Arrival:
    tag, content, where = _variant(plain, where)
    match tag:
        case "Poisson":
            return nodes.Poisson(_real(content, where))
        case "Renewal":
            return nodes.Renewal(expr(content, where))
        case "Closed":
            return nodes.Closed(_index(content, where))
        case "Batch":
            return nodes.Batch(_index(content, where))
        case "Sessions":
            return nodes.Sessions(_each(content, where, _preset_session))
        case "None" if content is None:
            return nodes.NoArrivals()
    return _wanted("one of Poisson, Renewal, Closed, Batch, Sessions, None", tag, where)


def _preset_session(plain: Plain, where: str) -> nodes.PresetSession:
    fields = _object(plain, where)
    attrs = _assignments(_field(fields, "attrs", where), _inside(where, "attrs"))
    return nodes.PresetSession(attrs, _many(fields, "turns", where, _assignments, missing=()))


def _assignments(plain: Plain, where: str) -> tuple[tuple[int, float], ...]:
    return _each(plain, where, _assignment)


def _assignment(plain: Plain, where: str) -> tuple[int, float]:
    slot, value = _list(plain, where, 2)
    return _index(slot, where), _real(value, where)


def _gauge(plain: Plain, where: str) -> nodes.Gauge:
    fields = _object(plain, where)
    name = _string(_field(fields, "name", where), _inside(where, "name"))
    return nodes.Gauge(name, expr(_field(fields, "expr", where), _inside(where, "expr")))


def _claim(plain: Plain, where: str) -> nodes.Claim:
    fields = _object(plain, where)
    kind, content, inside = _variant(_field(fields, "kind", where), _inside(where, "kind"))
    if kind not in ("EveryIteration", "SomeIteration", "AtEnd"):
        _wanted("one of EveryIteration, SomeIteration, AtEnd", kind, inside)
    return nodes.Claim(
        name=_string(_field(fields, "name", where), _inside(where, "name")),
        kind=kind,
        stage=None if kind == "AtEnd" else _index(content, inside),
        given=_optional(fields.get("given"), _inside(where, "given")),
        test=expr(_field(fields, "expr", where), _inside(where, "expr")),
    )


def _register(plain: Plain, where: str) -> nodes.Register:
    fields = _object(plain, where)
    return nodes.Register(
        _string(_field(fields, "name", where), _inside(where, "name")),
        _index(_field(fields, "stage", where), _inside(where, "stage")),
        _real(_field(fields, "init", where), _inside(where, "init")),
    )
