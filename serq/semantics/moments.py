"""Moments: where an expression is evaluated, and what it may read there.

An attribute belongs to a session, `size` to a cache entry that may have to go, `batch.tokens` to an iteration that has
been put together. So the same name makes sense in one place of a program and none in another. Each place is a row of
the table below; `check_moment` holds an expression against its row.
"""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from serq.ir import nodes as ir
from serq.record import Record
from serq.semantics.faults import refuse
from serq.semantics.places import Places
from serq.source import Span

POOL_FUNCTIONS = frozenset(("Used", "Free", "CachedIn", "Holders", "Queued", "Allocated"))
STAGE_FUNCTIONS = frozenset(("Queue", "Busy", "Work", "BudgetLeft", "EstLambda", "EstRho", "EstWait", "Price"))
LIVE = POOL_FUNCTIONS | STAGE_FUNCTIONS

WORDS = {
    "now": "Now",
    "size": "Size",
    "age": "Age",
    "last": "Last",
    "waiting": "Queued",
    "waited": "Waited",
    "present": "N",
    "decoding": "Decoding",
    "admission": "Admission",
    "position": "Position",
    "remaining": "Remaining",
    "residents": "Nres",
    "decoders": "Ndec",
    "kv_decode": "Kvb",
    "kv_prefill": "Kvp",
    "tokens": "Ntok",
    "prefilled": "Npre",
    "attention": "Attn",
    "preempted": "Preempted",
    "admitted": "Admitted",
    "demand": "Demand",
    "served": "Served",
    "arrived": "Arrived",
}
"""Names that the language supplies, with the context value of each."""

LISTS = {
    ("running", "count"): "Nres",
    ("running", "decoding"): "Ndec",
    ("running", "kv_decode"): "Kvb",
    ("running", "kv_prefill"): "Kvp",
    ("running", "preempted"): "Preempted",
    ("waiting", "admitted"): "Admitted",
    ("batch", "tokens"): "Ntok",
    ("batch", "decoding"): "Ndec",
    ("batch", "prefilled"): "Npre",
    ("batch", "kv_decode"): "Kvb",
    ("batch", "kv_prefill"): "Kvp",
    ("batch", "attention"): "Attn",
}
"""What an engine's lists say of themselves. `waiting.count` is a sum over pools, and is none of these."""

SPELLED = {
    "residents": "running.count",
    "decoders": "running.decoding",
    "kv_decode": "running.kv_decode",
    "kv_prefill": "running.kv_prefill",
    "tokens": "batch.tokens",
    "prefilled": "batch.prefilled",
    "attention": "batch.attention",
    "preempted": "running.preempted",
    "admitted": "waiting.admitted",
}
"""Values that an engine's clauses read from its lists, not under the names that claims use."""


class Moment(NamedTuple):
    """A place of expressions.

    Attributes:
        what: the place in words, after "in".
        attributes: whether there is a session whose attributes can be read.
        draws: whether a draw has a stream to come from.
        context: the values that exist there.
        functions: the functions of pools and stages.
        registers: whether an engine's registers can be read: `none`, the `own` engine's, or `any`.
        lists: for a clause of an engine, what it may read of `running`, `waiting` and `batch`.
        fixed: indices must be constants, since nothing chooses a member.
    """

    what: str
    attributes: bool = False
    draws: bool = False
    context: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    registers: str = "none"
    lists: frozenset[tuple[str, str]] | None = None
    fixed: bool = False
    barred: frozenset[str] = frozenset()


def _of(list_name: str, *members: str) -> frozenset[tuple[str, str]]:
    return frozenset([(list_name, member) for member in members])


_RUNNING = _of("running", "count", "decoding", "kv_decode", "kv_prefill") | _of("waiting", "count")
_PRESENT = frozenset(("Nres", "Ndec", "Kvb", "Kvp"))

STATEMENT = Moment("a statement", attributes=True, draws=True, context=frozenset(("Now",)), functions=LIVE)
HEADER = Moment("the header of a hold", attributes=True, context=frozenset(("Now",)), functions=LIVE, registers="own")
PREFIX = Moment(
    "a prefix, which names content and not the state of a run",
    attributes=True,
    barred=frozenset(("cached", "computed")),
)
QUEUE = Moment(
    "a pool's queue keys", attributes=True, context=frozenset(("Now", "Waited")), functions=LIVE, registers="own"
)
EVICT = Moment(
    "a pool's eviction keys or its `spill`",
    attributes=True,
    draws=True,
    context=frozenset(("Now", "Size", "Age", "Last", "Queued")),
    functions=LIVE,
)
PREEMPT = Moment(
    "a pool's preemption keys",
    attributes=True,
    context=frozenset(("Now", "Decoding", "Admission", "Position")),
    functions=LIVE - {"BudgetLeft"},
    barred=frozenset(("computed",)),
)
SHARING = Moment("the capacity of a `ps` stage", draws=True, context=frozenset(("Now", "N")), functions=LIVE)
BUDGET = Moment(
    "`tokens cap` or `each at most`",
    draws=True,
    context=_PRESENT | {"Now"},
    functions=LIVE - {"BudgetLeft"},
    registers="own",
    lists=_RUNNING,
)
EXECUTE = Moment(
    "`execute`",
    draws=True,
    context=frozenset(("Now", "Nres", "Ntok", "Ndec", "Npre", "Kvb", "Kvp", "Attn")),
    functions=LIVE,
    registers="own",
    lists=_of("batch", "tokens", "decoding", "prefilled", "kv_decode", "kv_prefill", "attention")
    | _of("running", "count")
    | _of("waiting", "count"),
)
STALL = EXECUTE._replace(what="an engine's `stall`")
KEYS = Moment(
    "the keys of `advance running by`",
    attributes=True,
    context=_PRESENT | {"Now", "Decoding", "Admission", "Remaining"},
    functions=LIVE,
    registers="own",
    lists=_RUNNING,
)
ONLY = Moment(
    "`only`, which is not read again when time passes",
    attributes=True,
    context=_PRESENT | {"Decoding", "Admission", "Remaining"},
    functions=LIVE - {"Work"},
    registers="own",
    lists=_RUNNING,
)
GUARD = Moment(
    "a schedule's guard, gate or `set`, which are not read again when time passes",
    context=_PRESENT | {"Preempted", "Admitted", "Ntok", "Npre"},
    functions=LIVE - {"Work", "BudgetLeft"},
    registers="own",
    lists=_RUNNING | _of("running", "preempted") | _of("waiting", "admitted") | _of("batch", "tokens", "prefilled"),
)
RENEWAL = Moment("the gap between arrivals", draws=True)
INDEX = STATEMENT._replace(what="the index of a member")
_WHOLE = (PREFIX, INDEX)
GAUGE = Moment(
    "a gauge, which is constant between events",
    functions=LIVE - {"Work", "BudgetLeft", "CachedIn", "Allocated"},
    registers="any",
    fixed=True,
)
GIVEN = Moment("a claim's `given`", attributes=True)
ITERATION = Moment(
    "a claim over iterations",
    context=frozenset(("Now", "Ntok", "Npre", "Ndec", "Nres", "Kvb", "Kvp", "Attn", "Demand", "Served", "Arrived")),
    functions=frozenset(("Queue", "Busy", "Used", "Free", "Holders", "Queued")),
    registers="any",
    fixed=True,
)
AT_END = Moment("a claim at the end", context=frozenset(("Now",)), registers="any", fixed=True)


class Reading(Record):
    """An expression with its place.

    Attributes:
        anchor: what a message points at instead of the name at fault: a hold's first pool, a run's stage.
        engine: number of the stage whose registers are its own, or None.
        plain: not an amount or a value of a statement, which have types of their own: it must be a plain number.
    """

    expr: ir.Expr
    moment: Moment
    anchor: Span | None
    engine: int | None
    plain: bool

    def place(self, e: ir.Expr, places: Places) -> Span | None:
        """What a message about a name in the expression points at.

        A bare name that is an argument of a function has no place of its own (it might have been a pool's name).
        """
        return places.of(e) or self.anchor or first_place(self.expr, places)


_SHOWN = {value: word for word, value in WORDS.items()}


def check_moment(reading: Reading, attrs: tuple[str, ...], registers: tuple[ir.Register, ...], places: Places) -> None:
    """Refuse an expression that reads what does not exist where it stands.

    Raises:
        SerqError: at the name, or at the reading's anchor.
    """
    moment = reading.moment
    for e in walk(reading.expr):
        what: str | None = None
        match e:
            case ir.Attr(slot):
                if not moment.attributes or attrs[slot] in moment.barred:
                    what = f"the attribute `{attrs[slot]}`"
            case ir.Ctx(name):
                if name not in moment.context:
                    what = f"`{_SHOWN[name]}`"
            case ir.Reg(index):
                own = registers[index].stage == reading.engine
                if moment.registers == "none" or (moment.registers == "own" and not own):
                    what = f"the register `{registers[index].name}`"
            case ir.Sample():
                if not moment.draws:
                    what = "a draw"
            case ir.Call(function):
                if function in LIVE and function not in moment.functions:
                    what = f"`{FUNCTION_WORDS[function]}`"
            case ir.Agg():
                if moment is not AT_END:
                    what = "the samples of an observation"
        if what is not None:
            # An index and a prefix are blamed as a whole, and so are amounts that draw.
            whole = moment in _WHOLE or (moment is HEADER and isinstance(e, ir.Sample))
            _refuse(what, moment, reading.anchor if whole else reading.place(e, places))
    if moment.fixed:
        _check_fixed(reading, places)


def _refuse(what: str, moment: Moment, span: Span | None) -> NoReturn:
    refuse("moment", f"{what} cannot be read in {moment.what}", span)


def _check_fixed(reading: Reading, places: Places) -> None:
    for e in walk(reading.expr):
        if isinstance(e, ir.Call):
            for arg in e.args:
                if isinstance(arg, ir.PoolArg | ir.StageArg) and not isinstance(arg.ref.index, ir.Num | None):
                    what = "a member chosen by a computed index"
                    _refuse(what, reading.moment, places.of(arg.ref))


FUNCTION_WORDS = {
    "Used": "used",
    "Free": "free",
    "CachedIn": "cachedin",
    "Holders": "holders",
    "Queued": "queued",
    "Allocated": "allocated",
    "Queue": "queue",
    "Busy": "busy",
    "Work": "work",
    "BudgetLeft": "budget_left",
    "EstLambda": "est_lambda",
    "EstRho": "est_rho",
    "EstWait": "est_wait",
    "Price": "price",
}
"""The functions of pools and stages, as programs spell them."""


def walk(expr: ir.Expr) -> list[ir.Expr]:
    """The nodes of an expression, indices included, in the order of evaluation from the outside in."""
    found: list[ir.Expr] = []
    stack: list[ir.Expr] = [expr]
    while stack:
        e = stack.pop()
        found.append(e)
        stack += reversed(inside(e))
    return found


def inside(e: ir.Expr) -> list[ir.Expr]:
    """The expressions directly inside one."""
    match e:
        case ir.Unary(_, operand) | ir.Cost(_, operand):
            return [operand]
        case ir.Binary(_, left, right):
            return [left, right]
        case ir.Cond(test, then, otherwise):
            return [test, then, otherwise]
        case ir.Sample(_, args):
            return list(args)
        case ir.Call(_, call_args):
            found: list[ir.Expr] = []
            for arg in call_args:
                if not isinstance(arg, ir.PoolArg | ir.StageArg):
                    found.append(arg)
                elif arg.ref.index is not None:
                    found.append(arg.ref.index)
            return found
    return []


def first_place(e: ir.Expr, places: Places) -> Span | None:
    """The place of the first name in an expression, in the order of the text."""
    stack = [e]
    while stack:
        node = stack.pop()
        span = places.of(node)
        if span is not None:
            return span
        stack += reversed(inside(node))
    return None
