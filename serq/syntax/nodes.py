"""The syntax tree: what a program text says, as immutable data.

The tree is determined by the text alone. It holds places and no bindings: a name is a `Name`, whatever it may mean.
Everything is a named tuple (creating a frozen dataclass costs about six times as long at import). Beware: named
tuples of different classes compare equal when their fields do, so tell nodes apart by their class.

Where the parser ends and the semantics begins:

- The parser (serq.syntax.parse) refuses what the text alone decides: characters, numbers, the grammar; unknown words
  where an item, a statement or an option begins; what stands outside `fn main`; libraries that do not exist or are
  not used, functions of `args`, `share` and `kvt`; arguments read twice; parameters given twice; the order of items
  in a request, a hold, a schedule; what an engine, a workload, a program or a relation has twice, and what an engine
  or a relation lacks; an empty schedule; bodies of definitions that are neither an expression nor statements.
- The semantics does what needs definitions expanded or names known: classes of names, constants (array sizes
  included), the forms of `exclusive prefill` and of `each at most`, a workload without a server, a session without
  `turn;`, policies of runs, every check on pools, stages, queues, their roles, items and entries, and the statements
  `mark`, `prefill (e)` and `decode (e)`, which a definition may carry to a place where they are out of place.

An expression's span covers it from its first token to its last. Any other node's span is the token at which a
message about the whole node points: the word it begins with, or the name where no word begins it.

Parentheses leave no trace, except around a bare name (`Group`): `used(p)` names a pool, `used((p))` does not.
"""

from __future__ import annotations

from typing import TypeAlias

from serq.diagnostics import Diagnostic
from serq.record import Record
from serq.source import Span

# ---------------------------------------------------------------- expressions


class Name(Record):
    """A word of the text; as an expression, the reading of what it names."""

    text: str
    span: Span


class Number(Record):
    value: float
    span: Span


class Ref(Record):
    """`name`, `name[subscript]`, `name.member`, `name[subscript].member[member_subscript]`.

    Statements name pools and stages so. As an expression it has a subscript or a member (a plain name is a `Name`):
    `running.count`, `Q.at`; with a subscript it stands only as the argument of a call.
    """

    name: Name
    subscript: Expr | None
    member: Name | None
    member_subscript: Expr | None
    span: Span


class Group(Record):
    """A parenthesised bare name or dotted name."""

    inner: Name | Ref
    span: Span


class Unary(Record):
    """`op` is `-` or `!`."""

    op: str
    operand: Expr
    span: Span


class Binary(Record):
    """`op` is one of `+ - * / ^ == != < <= > >= && ||`."""

    op: str
    left: Expr
    right: Expr
    span: Span


class Conditional(Record):
    test: Expr
    then: Expr
    otherwise: Expr
    span: Span


class Draw(Record):
    """`~law(args)`; the span begins at the `~`."""

    law: Name
    args: tuple[Expr, ...]
    span: Span


class Call(Record):
    """`function(args)`: a function, `cost`, a device's time resource, or a definition."""

    function: Name
    args: tuple[Expr, ...]
    span: Span


class Aggregate(Record):
    """`max|min|sum variable in terms (body)`; `word` is the first word."""

    word: Name
    variable: Name
    terms: Expr
    body: Expr
    span: Span


Expr: TypeAlias = Name | Number | Ref | Group | Unary | Binary | Conditional | Draw | Call | Aggregate

# ---------------------------------------------------------------- statements


class Block(Record):
    """Statements in braces; the span is the opening brace."""

    statements: tuple[Statement, ...]
    span: Span


class Set(Record):
    """`word` is `set`, `Size` or `Cost`. In a schedule (`set` only) the target is a register."""

    word: str
    target: Name
    value: Expr
    span: Span


class Observe(Record):
    target: Name
    value: Expr
    span: Span


class Turn(Record):
    span: Span


class End(Record):
    span: Span


class Join(Record):
    span: Span


class Fork(Record):
    body: Block
    span: Span


class Loop(Record):
    body: Block
    span: Span


class While(Record):
    test: Expr
    body: Block
    span: Span


class Branch(Record):
    """`branch (test)`, or with `chance` `branch with (probability)`."""

    chance: bool
    test: Expr
    then: Block
    otherwise: Block | None
    span: Span


class Choose(Record):
    target: Name
    choices: Expr
    keys: tuple[Expr, ...]
    span: Span


class Segment(Record):
    """One `key : length` of a prefix; the span is the key's."""

    key: Expr
    length: Expr
    span: Span


class Prefix(Record):
    segments: tuple[Segment, ...]
    span: Span


class Binding(Record):
    """One `name = value` of an `at admission`."""

    name: Name
    value: Expr


class AtAdmission(Record):
    """Bindings read at admission, in a hold's header or as a statement of a request.

    `opener` is the parenthesis or brace after the words.
    """

    bindings: tuple[Binding, ...]
    opener: Span
    span: Span


class Held(Record):
    """One pool of a hold; the span is the pool's name."""

    pool: Ref
    units: Expr
    reserve: Expr | None
    span: Span


class Lease(Record):
    pool: Ref
    time: Expr
    span: Span


class Hold(Record):
    pools: tuple[Held, ...]
    prefix: Prefix | None
    reuse: Expr | None
    at_admission: AtAdmission | None
    body: Block
    cache: Expr | None
    lease: Lease | None
    span: Span


class Grow(Record):
    pool: Ref
    amount: Expr
    span: Span


class Load(Record):
    pool: Ref
    amount: Expr
    span: Span


class Drop(Record):
    pool: Ref
    span: Span


class Release(Record):
    pool: Ref
    span: Span


class Share(Record):
    """`share = share.policy`; `library` is the word before the dot, the span the word before the `=`."""

    library: Span
    policy: Name
    span: Span


class Run(Record):
    """`run` of `work` on `stages`; none of them: a queue entry's own stage.

    `mode` is `prefill`, `decode` or None; `opener` is the parenthesis before the work.
    """

    stages: tuple[Ref, ...]
    mode: Name | None
    work: Expr
    share: Share | None
    growing: Ref | None
    opener: Span
    span: Span


class Tool(Record):
    """`tool`, `tool [subscript]` or `tool on stages`, and an amount; `opener` is the amount's first token."""

    stages: tuple[Ref, ...]
    subscript: Expr | None
    work: Expr
    share: Share | None
    growing: Ref | None
    opener: Span
    span: Span


class Transfer(Record):
    """`transfer`, `transfer [subscript]` or `transfer on stages`; `opener` is the amount's first token."""

    stages: tuple[Ref, ...]
    subscript: Expr | None
    work: Expr
    share: Share | None
    source: Ref
    target: Ref
    units: Expr
    opener: Span
    span: Span


class Mark(Record):
    target: Name
    span: Span


class Invoke(Record):
    """`name (args);`: an engine's request, or a definition of statements."""

    name: Name
    args: tuple[Expr, ...]
    span: Span


class EntryCall(Record):
    """`queue[subscript].verb (args) from source to target (units);`, the last two optional."""

    queue: Name
    subscript: Expr | None
    verb: Name
    args: tuple[Expr, ...]
    source: Ref | None
    target: Ref | None
    units: Expr | None
    span: Span


class Advance(Record):
    """`prefill (amount)` or `decode (amount)` of an engine's request; `mode` is the word."""

    mode: str
    amount: Expr
    growing: Ref | None
    span: Span


class Stall(Record):
    """`stall label (value);`: `value` seconds of the loop of the engine whose request, or whose queue's entry, it is.

    `stage` is that engine, which the text does not name: the parser leaves it open.
    """

    stage: Ref | None
    label: Name
    value: Expr
    span: Span


Statement: TypeAlias = (
    Set
    | Observe
    | Turn
    | End
    | Join
    | Fork
    | Loop
    | While
    | Branch
    | Choose
    | Hold
    | Grow
    | Load
    | Drop
    | Release
    | Run
    | Tool
    | Transfer
    | Mark
    | Invoke
    | EntryCall
    | Advance
    | Stall
    | AtAdmission
)
"""`AtAdmission` stands only in the outermost block of a request."""

# ---------------------------------------------------------------- devices and engines


class TimeResource(Record):
    """`name (parameters) = value;`; the span is the name's."""

    name: Name
    parameters: tuple[Name, ...]
    value: Expr
    span: Span


class Capacity(Record):
    """`name cap value;`; the span is the name's."""

    name: Name
    value: Expr
    span: Span


class Device(Record):
    """A device; a family of them (`size`) cannot carry engines."""

    name: Name
    size: Size | None
    items: tuple[TimeResource | Capacity, ...]
    span: Span


class TokensCap(Record):
    """The engine's token budget; `opener` is the first token of the value."""

    value: Expr
    opener: Span
    span: Span


class Granule(Record):
    value: Expr
    span: Span


class State(Record):
    """A register and its initial value."""

    name: Name
    value: Expr
    span: Span


class Execute(Record):
    """The seconds that an iteration takes."""

    value: Expr
    span: Span


class StallClause(Record):
    """`stall label (value);`: seconds that an iteration takes besides those of `execute`."""

    label: Name
    value: Expr
    span: Span


class Request(Record):
    """What the engine does for one request; `body` is without the `prefix` and `cache` items.

    `cache_word` is the place of the last.
    """

    parameters: tuple[Name, ...]
    prefix: Prefix | None
    body: Block
    cache: Expr | None
    cache_word: Span | None
    span: Span


class Each(Record):
    """`each at most (limit)`."""

    limit: Expr
    span: Span


class Order(Record):
    """Who is served first: `kind` is `admission`, `decode first` or `by`, the last with keys."""

    kind: str
    keys: tuple[Expr, ...]
    span: Span


class AdvanceRunning(Record):
    only: Expr | None
    order: Order | None
    each: Each | None
    span: Span


class Take(Record):
    """One capacity that an admitted request takes; the span is its name."""

    name: Name
    units: Expr
    reserve: Expr | None
    span: Span


class Taking(Record):
    takes: tuple[Take, ...]
    reuse: Expr | None
    span: Span


class AdmitWaiting(Record):
    """`gate` is the condition after `while`."""

    only: Expr | None
    gate: Expr | None
    each: Each | None
    taking: Taking | None
    span: Span


class ExclusivePrefill(Record):
    each: Each | None
    span: Span


class ScheduleBlock(Record):
    statements: tuple[ScheduleStatement, ...]
    span: Span


class ScheduleBranch(Record):
    test: Expr
    then: ScheduleBlock
    otherwise: ScheduleBlock | None
    span: Span


ScheduleStatement: TypeAlias = AdvanceRunning | AdmitWaiting | ExclusivePrefill | ScheduleBranch | Set


class Schedule(Record):
    """`lets` are substituted in the statements. `opener` is the brace, where faults of the whole are told."""

    lets: tuple[Binding, ...]
    statements: tuple[ScheduleStatement, ...]
    opener: Span
    span: Span


EngineItem: TypeAlias = TokensCap | Capacity | Granule | State | Request | Schedule | Execute | StallClause


class Engine(Record):
    """An engine: exactly one `TokensCap`, `Schedule` and `Execute`, at most one `Request`.

    As an item of a queue it has no name of its own (None: it is called as the queue).
    """

    name: Name | None
    device: Name
    items: tuple[EngineItem, ...]
    span: Span


# ---------------------------------------------------------------- pools and stages


class Size(Record):
    """A family's `[value]`; the span is the first token of the value."""

    value: Expr
    span: Span


class Owner(Record):
    """`on first` or `on first.second`: a device or an engine, or an engine and its device."""

    first: Name
    second: Name | None
    span: Span


class Cap(Record):
    value: Expr
    span: Span


class BlockSize(Record):
    value: Expr
    span: Span


class Evict(Record):
    """`keys` None: `lru`."""

    keys: tuple[Expr, ...] | None
    span: Span


class Preempt(Record):
    """`kind` is `none`, `lifo`, `by` or `leases`; the last two have keys, and `by` may say where to requeue."""

    kind: str
    keys: tuple[Expr, ...]
    requeue: str | None
    span: Span


class QueueOrder(Record):
    """`keys` None: `fifo`."""

    keys: tuple[Expr, ...] | None
    span: Span


class ReserveHeld(Record):
    span: Span


class Spill(Record):
    tier: Name
    via: Name
    work: Expr
    when: Expr
    span: Span


PoolOption: TypeAlias = Cap | BlockSize | Evict | Preempt | QueueOrder | ReserveHeld | Spill


class Pool(Record):
    """A pool, a family of them (`size`), or the pool that gives a capacity its queue (`owner`)."""

    name: Name
    size: Size | None
    owner: Owner | None
    options: tuple[PoolOption, ...]
    span: Span


class Fifo(Record):
    """`servers` None: one."""

    servers: Expr | None
    span: Span


class Ps(Record):
    capacity: Expr
    span: Span


class Delay(Record):
    span: Span


Kind: TypeAlias = Fifo | Ps | Delay


class Stage(Record):
    name: Name
    size: Size | None
    kind: Kind
    span: Span


# ---------------------------------------------------------------- queues


class Latency(Record):
    """`latency value` or `latency = value`; `opener` is the first token of the value."""

    value: Expr
    opener: Span
    span: Span


class Serve(Record):
    kind: Kind
    latency: Latency | None
    span: Span


class Nic(Record):
    kind: Kind
    span: Span


class Entry(Record):
    """`verb (parameters) from source { }`; the span is the verb's. `parameters` None: no parentheses."""

    verb: Name
    parameters: tuple[Name, ...] | None
    source: Name | None
    body: Block
    span: Span


QueueItem: TypeAlias = Pool | Device | Serve | Nic | Engine | Entry


class Queue(Record):
    name: Name
    size: Size | None
    roles: tuple[Name, ...]
    items: tuple[QueueItem, ...]
    span: Span


class Relation(Record):
    """`kvt.kind (source, reader, settings);`; the span is the word `kvt`."""

    kind: Name
    source: Name
    reader: Name
    latency: Latency | None
    share: Share | None
    span: Span


# ---------------------------------------------------------------- workload, server, measurement


class Arrive(Record):
    """`law` is `poisson`, `renewal`, `closed`, `batch`, or `none` (no value)."""

    law: Name
    value: Expr | None
    span: Span


class Trace(Record):
    path: str
    ordered: bool
    span: Span


class Init(Record):
    body: Block
    span: Span


class TurnBlock(Record):
    body: Block
    span: Span


class Session(Record):
    body: Block
    span: Span


class Hidden(Record):
    names: tuple[Name, ...]
    span: Span


WorkloadItem: TypeAlias = Arrive | Trace | Init | TurnBlock | Session | Hidden


class Workload(Record):
    """At most one `Session`; `after` is the token after the closing brace."""

    items: tuple[WorkloadItem, ...]
    after: Span
    span: Span


class Server(Record):
    body: Block
    span: Span


class Gauge(Record):
    name: Name
    value: Expr
    span: Span


class Claim(Record):
    """`kind` is `every`, `some` (iteration of `engine`) or `end` (`engine` None)."""

    name: Name
    given: Expr | None
    kind: str
    engine: Ref | None
    test: Expr
    span: Span


# ---------------------------------------------------------------- the program


class Use(Record):
    """`library` is `std/args`, `std/share` or `std/kvt`."""

    library: str
    span: Span


class Argument(Record):
    """`args.number("external", default)`; the span is `args`, `after` the token after the string."""

    external: str
    default: Expr
    after: Span
    span: Span


class Let(Record):
    name: Name
    value: Expr | Argument
    span: Span


class Unreadable(Record):
    """The body of a definition that does not parse: refused where the definition is used, and only there."""

    fault: Diagnostic


class Def(Record):
    """A definition: of an expression, or of statements (`Block`)."""

    name: Name
    parameters: tuple[Name, ...]
    body: Expr | Block | Unreadable
    span: Span


Item: TypeAlias = (
    Use | Let | Def | Device | Engine | Pool | Stage | Queue | Relation | Workload | Server | Gauge | Claim
)


class Program(Record):
    """`before` stands before `fn main`, `items` within; `end` is the end of the text."""

    before: tuple[Use | Let | Def, ...]
    items: tuple[Item, ...]
    end: Span
