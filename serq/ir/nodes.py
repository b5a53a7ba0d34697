"""The typed intermediate representation: a linked program as plain, immutable data.

After lowering no name is looked up any more. Attributes are slots, pools, stages, blocks, observations and
registers are indices into the lists of `Ir`; the names that remain are kept for display. Everything is a named
tuple (creating a frozen dataclass costs about six times as long at import, and start-up is part of speed). Fields
named `index` and `count` hide the methods of tuples by these names, which nobody needs on a node.

Expressions evaluate to one float each, left to right, operands before the operation. Statements live in numbered
blocks (`Ir.blocks`); a statement refers to a nested block by its number. A `Ref` names one pool or stage, or one
member of a family of them chosen when the statement runs.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

IR_VERSION = 13
REPORT_VERSION = 1

BUILT_IN_ATTRIBUTES = ("cached", "serial", "turn_no", "new", "out", "think", "more", "forced", "computed")
"""Names of the attribute slots 0 to 8, in order."""

# ---------------------------------------------------------------- expressions


class Num(NamedTuple):
    """A literal, or a constant of the program after folding."""

    value: float


class Attr(NamedTuple):
    """The session's attribute in `slot`."""

    slot: int


class Reg(NamedTuple):
    """An engine's register (`state`), by its index in `Ir.registers`."""

    index: int  # type: ignore[assignment]


class Ctx(NamedTuple):
    """A value that exists only at its moment, by name.

    `Now`; a cache entry's `Size Age Last Queued`; `Waited` (queue keys); `N` (jobs present at a `ps` stage); an
    engine's `Ntok Ndec Npre Nres Kvb Kvp Attn Decoding Admission Position Remaining Preempted Admitted`; a claim's
    `Demand Served Arrived`.
    """

    name: str


class Unary(NamedTuple):
    """`op` is `Neg` or `Not`."""

    op: str
    operand: Expr


class Binary(NamedTuple):
    """`op` is one of `Add Sub Mul Div Pow Lt Le Gt Ge Eq Ne And Or`; the last two skip what they need not read."""

    op: str
    left: Expr
    right: Expr


class Cond(NamedTuple):
    """`test ? then : otherwise`; only the arm taken is evaluated."""

    test: Expr
    then: Expr
    otherwise: Expr


class Sample(NamedTuple):
    """A draw: `law` is one of `Exp Det Uniform Erlang H2 Bernoulli`."""

    law: str
    args: tuple[Expr, ...]


class Call(NamedTuple):
    """A function of numbers, pools or stages.

    `Min Max Abs Floor Ceil Sqrt Exp Ln` take expressions; `Used Free CachedIn Holders Queued Allocated` a pool;
    `Queue Busy Work BudgetLeft EstLambda EstRho EstWait Price` a stage (`Price` two expressions as well).
    """

    function: str
    args: tuple[Argument, ...]


class Cost(NamedTuple):
    """A type mark: `operand` is an amount of the named resources. Its value is the operand's."""

    resources: tuple[Resource, ...]
    operand: Expr


class Agg(NamedTuple):
    """`Total Count Largest Smallest PrefixTotal` over all samples of an observation (claims at the end)."""

    kind: str
    observe: int


Expr: TypeAlias = Num | Attr | Reg | Ctx | Unary | Binary | Cond | Sample | Call | Cost | Agg


class Ref(NamedTuple):
    """Member `base + index` of a family of `count` pools or stages; `index` None means `base` itself."""

    base: int
    count: int  # type: ignore[assignment]
    index: Expr | None  # type: ignore[assignment]


class PoolArg(NamedTuple):
    """A pool as an argument of a function."""

    ref: Ref


class StageArg(NamedTuple):
    """A stage as an argument of a function."""

    ref: Ref


class PoolResource(NamedTuple):
    """A whole pool family as the resource of a cost."""

    base: int
    count: int  # type: ignore[assignment]


class StageResource(NamedTuple):
    """A whole stage family as the resource of a cost."""

    base: int
    count: int  # type: ignore[assignment]


Argument: TypeAlias = Num | Attr | Reg | Ctx | Unary | Binary | Cond | Sample | Call | Cost | Agg | PoolArg | StageArg
Resource: TypeAlias = PoolResource | StageResource
AttrType: TypeAlias = str | tuple[Resource, ...]
"""`Size` (set by the client side), `Value`, or the resources of which the attribute is a cost."""

# ---------------------------------------------------------------- statements


class Turn(NamedTuple):
    """Start the session's next turn: number, trace row, `turn` block."""


class End(NamedTuple):
    """End the session."""


class Join(NamedTuple):
    """Wait until every leg forked so far has ended."""


class Set(NamedTuple):
    slot: int
    value: Expr


class Observe(NamedTuple):
    """Record one sample of observation `observe`."""

    observe: int
    value: Expr


class Held(NamedTuple):
    """One pool of a hold: the units it takes, and what must fit when it is admitted."""

    pool: Ref
    units: Expr
    reserve: Expr | None


class Segment(NamedTuple):
    """One segment of a hold's prefix: content named by `key`, `length` units long."""

    key: Expr
    length: Expr


class Lease(NamedTuple):
    """The pool whose allocation outlives the hold, and for how many seconds."""

    pool: Ref
    time: Expr


class Hold(NamedTuple):
    """Wait until every pool fits, take the units, run block `body`, give them back."""

    pools: tuple[Held, ...]
    prefix: tuple[Segment, ...]
    reuse: Expr | None
    body: int
    cache: Expr | None
    lease: Lease | None


class Run(NamedTuple):
    """A job of `work` on a stage; `mode` is `Plain`, `Prefill` or `Decode`. With `also`, one flow over all stages.

    `share` is `MaxMin`, `Bottleneck` or None (a single stage).
    """

    stage: Ref
    mode: str
    work: Expr
    growing: Ref | None
    also: tuple[Ref, ...]
    share: str | None


class Grow(NamedTuple):
    pool: Ref
    amount: Expr


class Load(NamedTuple):
    pool: Ref
    amount: Expr


class Drop(NamedTuple):
    pool: Ref


class Release(NamedTuple):
    pool: Ref


class Branch(NamedTuple):
    test: Expr
    then: int
    otherwise: int


class While(NamedTuple):
    test: Expr
    body: int


class Loop(NamedTuple):
    body: int


class Choose(NamedTuple):
    """Set attribute `slot` to the number below `count` with the least keys."""

    slot: int
    count: Expr  # type: ignore[assignment]
    keys: tuple[Expr, ...]


class Fork(NamedTuple):
    """Start a leg of the session that runs block `body`."""

    body: int


class Stall(NamedTuple):
    """Let the loop of an engine owe `value` seconds, which its next iteration pays; `label` numbers `Ir.stalls`."""

    stage: Ref
    label: int
    value: Expr


Statement: TypeAlias = (
    Turn
    | End
    | Join
    | Set
    | Observe
    | Hold
    | Run
    | Grow
    | Load
    | Drop
    | Release
    | Branch
    | While
    | Loop
    | Choose
    | Fork
    | Stall
)

# ---------------------------------------------------------------- pools and stages


class Spill(NamedTuple):
    """Where evicted units go: pool `to`, by a job of `work` on stage `via`, if `when` is not 0."""

    to: int
    via: int
    work: Expr
    when: Expr


class Preempt(NamedTuple):
    """Who gives way to a growth that does not fit: the running request, or the lease, with the least keys."""

    leases: bool
    keys: tuple[Expr, ...]
    tail: bool


class Pool(NamedTuple):
    """A memory pool, or one member of a family (`index` not None).

    Attributes:
        cap: capacity in units; may be infinite.
        block: units a block, or None: allocations are not rounded.
        evict: keys of the entry to evict first, or None: least recently used.
        preempt: None: a growth that does not fit waits.
        queue: keys of the hold to admit first, or None: first come, first served.
        admit_via: stage of the engine that admits this queue, or None: holds are admitted as events settle.
        reserve_held: reservations of admitted holds count against later admissions.
    """

    name: str
    index: int | None  # type: ignore[assignment]
    cap: float
    block: float | None
    evict: tuple[Expr, ...] | None
    preempt: Preempt | None
    queue: tuple[Expr, ...] | None
    spill: Spill | None
    admit_via: int | None
    reserve_held: bool


class Fifo(NamedTuple):
    servers: int


class Ps(NamedTuple):
    """Processor sharing of `capacity`, which may read `Ctx("N")`. A delay is `Ps(Ctx("N"))`."""

    capacity: Expr


class Serve(NamedTuple):
    """`advance running`: keys in `by`, or admission order when empty; only runs for which `only` is not 0."""

    only: Expr | None
    by: tuple[Expr, ...]


class Admit(NamedTuple):
    """`admit waiting`: while `gate` is 1; a newcomer is served at once if `only` is not 0 for it."""

    only: Expr | None
    gate: Expr | None


class SetRegister(NamedTuple):
    register: int
    value: Expr


class ScheduleBranch(NamedTuple):
    test: Expr
    then: tuple[ScheduleStatement, ...]
    otherwise: tuple[ScheduleStatement, ...]


ScheduleStatement: TypeAlias = Serve | Admit | SetRegister | ScheduleBranch


class StallClause(NamedTuple):
    """What makes each iteration of an engine `value` seconds longer; `label` numbers `Ir.stalls`."""

    label: int
    value: Expr


class Step(NamedTuple):
    """An engine.

    Attributes:
        budget: tokens one iteration may schedule.
        cost: seconds an iteration takes.
        chunk: greatest prefill chunk of a request in an iteration; `Num(0)`: no limit.
        granule: prefill chunks are whole multiples of it, the last one excepted; None: no rounding.
        serve: keys of the default schedule, or None for `exclusive prefill`.
        memory: pool on the engine's device, or None.
        iteration: the schedule; None: advance running by `serve`, then admit while nothing was preempted.
        stalls: what an iteration takes besides `cost`, in order, each label once.
    """

    budget: Expr
    cost: Expr
    chunk: Expr
    granule: float | None
    serve: tuple[Expr, ...] | None
    memory: int | None
    iteration: tuple[ScheduleStatement, ...] | None
    stalls: tuple[StallClause, ...] = ()


class Stage(NamedTuple):
    """A stage, or one member of a family (`index` not None)."""

    name: str
    index: int | None  # type: ignore[assignment]
    kind: Fifo | Ps | Step


# ---------------------------------------------------------------- the program


class Poisson(NamedTuple):
    rate: float


class Renewal(NamedTuple):
    gap: Expr


class Closed(NamedTuple):
    count: int  # type: ignore[assignment]


class Batch(NamedTuple):
    count: int  # type: ignore[assignment]


class NoArrivals(NamedTuple):
    """No session ever arrives."""


class PresetSession(NamedTuple):
    """One session given by its attributes, and by what each of its turns assigns, as (slot, value) pairs.

    Both are written after the session's `init` and before a turn's `turn` block. A turn after the last one given
    repeats it; `more` is 1 while another one follows.
    """

    attrs: tuple[tuple[int, float], ...]
    turns: tuple[tuple[tuple[int, float], ...], ...]


class Sessions(NamedTuple):
    """These sessions, all at time 0 (written by tools, not by the language)."""

    sessions: tuple[PresetSession, ...]


Arrival: TypeAlias = Poisson | Renewal | Closed | Batch | NoArrivals | Sessions


class Gauge(NamedTuple):
    name: str
    value: Expr


class Claim(NamedTuple):
    """`kind` is `EveryIteration`, `SomeIteration` (of `stage`) or `AtEnd` (`stage` None)."""

    name: str
    kind: str
    stage: int | None
    given: Expr | None
    test: Expr


class Register(NamedTuple):
    name: str
    stage: int
    init: float


class Ir(NamedTuple):
    """A whole program with the settings of its run.

    Attributes:
        attrs: attribute names by slot; the first nine are `BUILT_IN_ATTRIBUTES`.
        attr_types: each attribute's type, by slot.
        observes: names of the observations.
        blocks: statement lists; `init`, `turn` and `session` are the numbers of three of them.
        sides: for each block, for each statement, `Workload` or `Server`.
        trace: path of the trace as the program gives it, or None.
        hidden: slots of attributes that the server may not look at before a run revealed them.
        horizon: simulated seconds, or None when not given yet.
        arrivals: number of sessions after which a run ends, or None.
        stalls: names of the declared stalls.
    """

    attrs: tuple[str, ...]
    attr_types: tuple[AttrType, ...]
    observes: tuple[str, ...]
    pools: tuple[Pool, ...]
    stages: tuple[Stage, ...]
    arrival: Arrival
    trace: str | None
    trace_ordered: bool
    init: int
    turn: int
    session: int
    blocks: tuple[tuple[Statement, ...], ...]
    sides: tuple[tuple[str, ...], ...]
    hidden: tuple[int, ...]
    gauges: tuple[Gauge, ...]
    claims: tuple[Claim, ...]
    registers: tuple[Register, ...]
    horizon: float | None
    warmup: float
    seed: int
    arrivals: int | None
    stalls: tuple[str, ...] = ()
