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

from typing import NamedTuple, TypeAlias

from serq.diagnostics import Diagnostic
from serq.source import Span

# ---------------------------------------------------------------- expressions


class Name(NamedTuple):
    """A word of the text; as an expression, the reading of what it names."""

    text: str
    span: Span


class Number(NamedTuple):
    value: float
    span: Span


class Ref(NamedTuple):
    """`name`, `name[subscript]`, `name.member`, `name[subscript].member[member_subscript]`.

    Statements name pools and stages so. As an expression it has a subscript or a member (a plain name is a `Name`):
    `running.count`, `Q.at`; with a subscript it stands only as the argument of a call.
    """

    name: Name
    subscript: Expr | None
    member: Name | None
    member_subscript: Expr | None
    span: Span


class Group(NamedTuple):
    """A parenthesised bare name or dotted name."""

    inner: Name | Ref
    span: Span


class Unary(NamedTuple):
    """`op` is `-` or `!`."""

    op: str
    operand: Expr
    span: Span


class Binary(NamedTuple):
    """`op` is one of `+ - * / ^ == != < <= > >= && ||`."""

    op: str
    left: Expr
    right: Expr
    span: Span


class Conditional(NamedTuple):
    test: Expr
    then: Expr
    otherwise: Expr
    span: Span


class Draw(NamedTuple):
    """`~law(args)`; the span begins at the `~`."""

    law: Name
    args: tuple[Expr, ...]
    span: Span


class Call(NamedTuple):
    """`function(args)`: a function, `cost`, a device's time resource, or a definition."""

    function: Name
    args: tuple[Expr, ...]
    span: Span


class Aggregate(NamedTuple):
    """`max|min|sum variable in terms (body)`; `word` is the first word."""

    word: Name
    variable: Name
    terms: Expr
    body: Expr
    span: Span


Expr: TypeAlias = Name | Number | Ref | Group | Unary | Binary | Conditional | Draw | Call | Aggregate

# ---------------------------------------------------------------- statements


class Block(NamedTuple):
    """Statements in braces; the span is the opening brace."""

    statements: tuple[Statement, ...]
    span: Span


class Set(NamedTuple):
    """`word` is `set`, `Size` or `Cost`. In a schedule (`set` only) the target is a register."""

    word: str
    target: Name
    value: Expr
    span: Span


class Observe(NamedTuple):
    target: Name
    value: Expr
    span: Span


class Turn(NamedTuple):
    span: Span


class End(NamedTuple):
    span: Span


class Join(NamedTuple):
    span: Span


class Fork(NamedTuple):
    body: Block
    span: Span


class Loop(NamedTuple):
    body: Block
    span: Span


class While(NamedTuple):
    test: Expr
    body: Block
    span: Span


class Branch(NamedTuple):
    """`branch (test)`, or with `chance` `branch with (probability)`."""

    chance: bool
    test: Expr
    then: Block
    otherwise: Block | None
    span: Span


class Choose(NamedTuple):
    target: Name
    choices: Expr
    keys: tuple[Expr, ...]
    span: Span


class Segment(NamedTuple):
    """One `key : length` of a prefix; the span is the key's."""

    key: Expr
    length: Expr
    span: Span


class Prefix(NamedTuple):
    segments: tuple[Segment, ...]
    span: Span


class Binding(NamedTuple):
    """One `name = value` of an `at admission`."""

    name: Name
    value: Expr


class AtAdmission(NamedTuple):
    """Bindings read at admission, in a hold's header or as a statement of a request.

    `opener` is the parenthesis or brace after the words.
    """

    bindings: tuple[Binding, ...]
    opener: Span
    span: Span


class Held(NamedTuple):
    """One pool of a hold; the span is the pool's name."""

    pool: Ref
    units: Expr
    reserve: Expr | None
    span: Span


class Lease(NamedTuple):
    pool: Ref
    time: Expr
    span: Span


class Hold(NamedTuple):
    pools: tuple[Held, ...]
    prefix: Prefix | None
    reuse: Expr | None
    at_admission: AtAdmission | None
    body: Block
    cache: Expr | None
    lease: Lease | None
    span: Span


class Grow(NamedTuple):
    pool: Ref
    amount: Expr
    span: Span


class Load(NamedTuple):
    pool: Ref
    amount: Expr
    span: Span


class Drop(NamedTuple):
    pool: Ref
    span: Span


class Release(NamedTuple):
    pool: Ref
    span: Span


class Share(NamedTuple):
    """`share = share.policy`; `library` is the word before the dot, the span the word before the `=`."""

    library: Span
    policy: Name
    span: Span


class Run(NamedTuple):
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


class Tool(NamedTuple):
    """`tool`, `tool [subscript]` or `tool on stages`, and an amount; `opener` is the amount's first token."""

    stages: tuple[Ref, ...]
    subscript: Expr | None
    work: Expr
    share: Share | None
    growing: Ref | None
    opener: Span
    span: Span


class Transfer(NamedTuple):
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


class Mark(NamedTuple):
    target: Name
    span: Span


class Invoke(NamedTuple):
    """`name (args);`: an engine's request, or a definition of statements."""

    name: Name
    args: tuple[Expr, ...]
    span: Span


class EntryCall(NamedTuple):
    """`queue[subscript].verb (args) from source to target (units);`, the last two optional."""

    queue: Name
    subscript: Expr | None
    verb: Name
    args: tuple[Expr, ...]
    source: Ref | None
    target: Ref | None
    units: Expr | None
    span: Span


class Advance(NamedTuple):
    """`prefill (amount)` or `decode (amount)` of an engine's request; `mode` is the word."""

    mode: str
    amount: Expr
    growing: Ref | None
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
    | AtAdmission
)
"""`AtAdmission` stands only in the outermost block of a request."""

# ---------------------------------------------------------------- devices and engines


class TimeResource(NamedTuple):
    """`name (parameters) = value;`; the span is the name's."""

    name: Name
    parameters: tuple[Name, ...]
    value: Expr
    span: Span


class Capacity(NamedTuple):
    """`name cap value;`; the span is the name's."""

    name: Name
    value: Expr
    span: Span


class Device(NamedTuple):
    """A device; a family of them (`size`) cannot carry engines."""

    name: Name
    size: Size | None
    items: tuple[TimeResource | Capacity, ...]
    span: Span


class TokensCap(NamedTuple):
    """The engine's token budget; `cap` is the second word, `end` the semicolon."""

    value: Expr
    cap: Span
    end: Span
    span: Span


class Granule(NamedTuple):
    value: Expr
    span: Span


class State(NamedTuple):
    """A register and its initial value."""

    name: Name
    value: Expr
    span: Span


class Execute(NamedTuple):
    """The seconds that an iteration takes."""

    value: Expr
    span: Span


class Request(NamedTuple):
    """What the engine does for one request; `body` is without the `prefix` and `cache` items."""

    parameters: tuple[Name, ...]
    prefix: Prefix | None
    body: Block
    cache: Expr | None
    span: Span


class Each(NamedTuple):
    """`each at most (limit)`."""

    limit: Expr
    span: Span


class Order(NamedTuple):
    """Who is served first: `kind` is `admission`, `decode first` or `by`, the last with keys."""

    kind: str
    keys: tuple[Expr, ...]
    span: Span


class AdvanceRunning(NamedTuple):
    only: Expr | None
    order: Order | None
    each: Each | None
    span: Span


class Take(NamedTuple):
    """One capacity that an admitted request takes; the span is its name."""

    name: Name
    units: Expr
    reserve: Expr | None
    span: Span


class Taking(NamedTuple):
    takes: tuple[Take, ...]
    reuse: Expr | None
    span: Span


class AdmitWaiting(NamedTuple):
    """`gate` is the condition after `while`."""

    only: Expr | None
    gate: Expr | None
    each: Each | None
    taking: Taking | None
    span: Span


class ExclusivePrefill(NamedTuple):
    each: Each | None
    span: Span


class ScheduleBlock(NamedTuple):
    statements: tuple[ScheduleStatement, ...]
    span: Span


class ScheduleBranch(NamedTuple):
    test: Expr
    then: ScheduleBlock
    otherwise: ScheduleBlock | None
    span: Span


ScheduleStatement: TypeAlias = AdvanceRunning | AdmitWaiting | ExclusivePrefill | ScheduleBranch | Set


class Schedule(NamedTuple):
    """`lets` are substituted in the statements. `opener` is the brace, where faults of the whole are told."""

    lets: tuple[Binding, ...]
    statements: tuple[ScheduleStatement, ...]
    opener: Span
    span: Span


EngineItem: TypeAlias = TokensCap | Capacity | Granule | State | Request | Schedule | Execute


class Engine(NamedTuple):
    """An engine: exactly one `TokensCap`, `Schedule` and `Execute`, at most one `Request`.

    As an item of a queue it has no name of its own (None: it is called as the queue).
    """

    name: Name | None
    device: Name
    items: tuple[EngineItem, ...]
    span: Span


# ---------------------------------------------------------------- pools and stages


class Size(NamedTuple):
    """A family's `[value]`; the span is the first token of the value."""

    value: Expr
    span: Span


class Owner(NamedTuple):
    """`on first` or `on first.second`: a device or an engine, or an engine and its device."""

    first: Name
    second: Name | None
    span: Span


class Cap(NamedTuple):
    value: Expr
    span: Span


class BlockSize(NamedTuple):
    value: Expr
    span: Span


class Evict(NamedTuple):
    """`keys` None: `lru`."""

    keys: tuple[Expr, ...] | None
    span: Span


class Preempt(NamedTuple):
    """`kind` is `none`, `lifo`, `by` or `leases`; the last two have keys, and `by` may say where to requeue."""

    kind: str
    keys: tuple[Expr, ...]
    requeue: str | None
    span: Span


class QueueOrder(NamedTuple):
    """`keys` None: `fifo`."""

    keys: tuple[Expr, ...] | None
    span: Span


class ReserveHeld(NamedTuple):
    span: Span


class Spill(NamedTuple):
    tier: Name
    via: Name
    work: Expr
    when: Expr
    span: Span


PoolOption: TypeAlias = Cap | BlockSize | Evict | Preempt | QueueOrder | ReserveHeld | Spill


class Pool(NamedTuple):
    """A pool, a family of them (`size`), or the pool that gives a capacity its queue (`owner`)."""

    name: Name
    size: Size | None
    owner: Owner | None
    options: tuple[PoolOption, ...]
    span: Span


class Fifo(NamedTuple):
    """`servers` None: one."""

    servers: Expr | None
    span: Span


class Ps(NamedTuple):
    capacity: Expr
    span: Span


class Delay(NamedTuple):
    span: Span


Kind: TypeAlias = Fifo | Ps | Delay


class Stage(NamedTuple):
    name: Name
    size: Size | None
    kind: Kind
    span: Span


# ---------------------------------------------------------------- queues


class Serve(NamedTuple):
    kind: Kind
    latency: Expr | None
    span: Span


class Nic(NamedTuple):
    kind: Kind
    span: Span


class Entry(NamedTuple):
    """`verb (parameters) from source { }`; the span is the verb's. `parameters` None: no parentheses."""

    verb: Name
    parameters: tuple[Name, ...] | None
    source: Name | None
    body: Block
    span: Span


QueueItem: TypeAlias = Pool | Device | Serve | Nic | Engine | Entry


class Queue(NamedTuple):
    name: Name
    size: Size | None
    roles: tuple[Name, ...]
    items: tuple[QueueItem, ...]
    span: Span


class Relation(NamedTuple):
    """`kvt.kind (source, reader, settings);`; the span is the word `kvt`."""

    kind: Name
    source: Name
    reader: Name
    latency: Expr | None
    share: Share | None
    span: Span


# ---------------------------------------------------------------- workload, server, measurement


class Arrive(NamedTuple):
    """`law` is `poisson`, `renewal`, `closed`, `batch`, or `none` (no value)."""

    law: Name
    value: Expr | None
    span: Span


class Trace(NamedTuple):
    path: str
    ordered: bool
    span: Span


class Init(NamedTuple):
    body: Block
    span: Span


class TurnBlock(NamedTuple):
    body: Block
    span: Span


class Session(NamedTuple):
    body: Block
    span: Span


class Hidden(NamedTuple):
    names: tuple[Name, ...]
    span: Span


WorkloadItem: TypeAlias = Arrive | Trace | Init | TurnBlock | Session | Hidden


class Workload(NamedTuple):
    """At most one `Session`; `after` is the token after the closing brace."""

    items: tuple[WorkloadItem, ...]
    after: Span
    span: Span


class Server(NamedTuple):
    body: Block
    span: Span


class Gauge(NamedTuple):
    name: Name
    value: Expr
    span: Span


class Claim(NamedTuple):
    """`kind` is `every`, `some` (iteration of `engine`) or `end` (`engine` None)."""

    name: Name
    given: Expr | None
    kind: str
    engine: Ref | None
    test: Expr
    span: Span


# ---------------------------------------------------------------- the program


class Use(NamedTuple):
    """`library` is `std/args`, `std/share` or `std/kvt`."""

    library: str
    span: Span


class Argument(NamedTuple):
    """`args.number("external", default)`; the span is `args`, `after` the token after the string."""

    external: str
    default: Expr
    after: Span
    span: Span


class Let(NamedTuple):
    name: Name
    value: Expr | Argument
    span: Span


class Unreadable(NamedTuple):
    """The body of a definition that does not parse: refused where the definition is used, and only there."""

    fault: Diagnostic


class Def(NamedTuple):
    """A definition: of an expression, or of statements (`Block`)."""

    name: Name
    parameters: tuple[Name, ...]
    body: Expr | Block | Unreadable
    span: Span


Item: TypeAlias = (
    Use | Let | Def | Device | Engine | Pool | Stage | Queue | Relation | Workload | Server | Gauge | Claim
)


class Program(NamedTuple):
    """`before` stands before `fn main`, `items` within; `end` is the end of the text."""

    before: tuple[Use | Let | Def, ...]
    items: tuple[Item, ...]
    end: Span
