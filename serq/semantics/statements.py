"""Surface statements to the few kinds that a run knows.

In: statements of the syntax tree. Out: statements of the syntax tree again, of the kinds that `link` reads: `Set`,
`Observe`, `Turn`, `End`, `Join`, `Fork`, `Loop`, `While`, `Branch` (without `chance`), `Choose`, `Hold` (without
bindings), `Grow`, `Load`, `Drop`, `Release`, `Run`, `Stall`; and calls of entries, which stay until the server is put
together.

    tool (w)                        run tool (cost(tool, w))
    transfer (w) from P to Q (n)    run link (cost(link, w)); load Q (cost(Q, n)); release P
    branch with (p)                 branch (~bernoulli(p))
    mark m                          set QUEUE.m = now
    prefill (w), decode (w)         run ENGINE prefill (cost(ENGINE, w)), in a request
    e (a)                           e.request (a)
    hold .. at admission (x = e)    the hold with e for x; set x = e at the top of a body that reads x
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from serq.record import Record
from serq.semantics.expand import draws, put_arguments
from serq.semantics.faults import did_you_mean, refuse
from serq.semantics.model import Statements
from serq.semantics.rewrite import parts, walk
from serq.semantics.words import LIVE_FUNCTIONS, SUPPLIED
from serq.source import Span
from serq.syntax import nodes

NOWHERE = Span(0, 0)


class Where(NamedTuple):
    """Where statements stand.

    Attributes:
        kind: `init`, `turn`, `session`, `server`, `request` or `entry`.
        owner: the engine or queue, in a request or an entry.
        at: position among the items of the program: what stands above has a smaller one.
        in_fork, in_hold: within a leg, within a hold.
        engine: in an engine's request, the engine.
        source: in an entry `.. from SOURCE`, that queue.
    """

    kind: str
    at: int
    owner: str = ""
    in_fork: bool = False
    in_hold: bool = False
    engine: str | None = None
    source: str | None = None

    @property
    def inside(self) -> bool:
        """Within an engine's request or a queue's entry."""
        return self.kind in ("request", "entry")


class Tables(Record):
    """What statements need to know of the declarations.

    Attributes:
        stages: position of each stage among the items, by its displayed name.
        engines: position of each engine that can be called.
        loops: the engines, and the queues that have one.
        queue_pools: the queue of each queue's pool, by displayed name.
        admitted: the engine that admits each pool, of those that an engine admits.
        latencies: the stage that a transfer over a link waits on first, and its time, by the link's name.
        relations: what a transfer from one queue to another does, by (source, reader).
        token_after: place of the token after the one that ends at an offset.
    """

    stages: dict[str, int]
    engines: dict[str, int]
    loops: Collection[str]
    queue_pools: dict[str, str]
    admitted: dict[str, str]
    latencies: dict[str, tuple[str, nodes.Expr]]
    relations: dict[tuple[str, str], Any]
    token_after: Callable[[int], Span]


CONVERTED = "<cost>"
"""The function of a cost that a statement adds by itself; a plain `cost` is the program's."""


def cost(resources: tuple[nodes.Name, ...], amount: nodes.Expr, span: Span) -> nodes.Call:
    """An amount as the cost of resources."""
    return nodes.Call(nodes.Name(CONVERTED, span), (*resources, amount), span)


def named(text: str, span: Span, subscript: nodes.Expr | None = None) -> nodes.Ref:
    """A reference to a pool or a stage by its displayed name."""
    return nodes.Ref(nodes.Name(text, span), subscript, None, None, span)


class Surface:
    """Rewrites the statements of one place.

    Attributes:
        implicit_tool: where a session's `tool` found no stage of that name.
        stalls: labels of the stalls met so far.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.implicit_tool: Span | None = None
        self.stalls: list[nodes.Name] = []

    def block(self, block: nodes.Block, where: Where) -> nodes.Block:
        return block._replace(statements=self.statements(block.statements, where))

    def statements(self, statements: Statements, where: Where) -> Statements:
        result: list[nodes.Statement] = []
        for statement in statements:
            result += self.statement(statement, where)
        return tuple(result)

    def statement(self, s: nodes.Statement, where: Where) -> Statements:
        match s:
            case nodes.Turn():
                if where.kind in ("server", "request", "entry"):
                    message = "`turn` belongs to the session: a server only serves the turn that was taken"
                    refuse("turn-in-server", message, s.span)
                if where.in_fork:
                    refuse("turn-in-fork", "a leg cannot take a turn", s.span)
            case nodes.End():
                if where.inside:
                    refuse("end-inside", f"`end` cannot stand in what `{where.owner}` does for a request", s.span)
                if where.kind == "server" and where.in_hold:
                    message = "`end` cannot stand within a hold of the server, which would not give back what it holds"
                    refuse("end-in-hold", message, s.span, hint="end the session before the hold or after it")
                if where.in_fork:
                    refuse("end-in-fork", "a leg cannot end its session", s.span, hint="a leg ends with its block")
            case nodes.Join():
                if where.in_fork:
                    refuse("join-in-fork", "a leg cannot wait for legs", s.span)
            case nodes.Fork():
                if where.in_fork:
                    refuse("fork-in-fork", "a leg cannot fork legs of its own", s.span)
                return (s._replace(body=self.block(s.body, where._replace(in_fork=True))),)
            case nodes.Loop() | nodes.While():
                return (s._replace(body=self.block(s.body, where)),)
            case nodes.Branch():
                return (self.branch(s, where),)
            case nodes.Hold():
                for held in s.pools:
                    self.check_own(held.pool, where, hold=True)
                return (self.hold(s, where),)
            case nodes.Grow() | nodes.Load() | nodes.Drop() | nodes.Release():
                self.check_own(s.pool, where, hold=False)
            case nodes.Run():
                return (self.run(s, where),)
            case nodes.Tool():
                return (self.tool(s, where),)
            case nodes.Transfer():
                return self.transfer(s, where)
            case nodes.Mark():
                return (self.mark(s, where),)
            case nodes.Advance():
                return (self.advance(s, where),)
            case nodes.Invoke():
                return (self.invoke(s, where),)
            case nodes.Stall():
                self.stall(s, where)
            case nodes.EntryCall():
                self.entry_call(s, where)
            case nodes.AtAdmission():
                refuse("at-admission", "`at admission` belongs to a request or to the header of a `hold`", s.span)
        return (s,)

    # ------------------------------------------------------------ branches, marks, calls

    def branch(self, s: nodes.Branch, where: Where) -> nodes.Branch:
        then = self.block(s.then, where)
        otherwise = None if s.otherwise is None else self.block(s.otherwise, where)
        test = s.test
        if s.chance:
            test = nodes.Draw(nodes.Name("bernoulli", s.span), (s.test,), s.span)
        return nodes.Branch(False, test, then, otherwise, s.span)

    def mark(self, s: nodes.Mark, where: Where) -> nodes.Set:
        if not where.inside:
            message = "`mark` belongs to what an engine or a queue does for a request"
            refuse("mark", message, s.span, hint=f"write set {s.target.text} = now;")
        target = nodes.Name(f"{where.owner}.{s.target.text}", s.target.span)
        return nodes.Set("set", target, nodes.Name("now", s.span), s.span)

    def stall(self, s: nodes.Stall, where: Where) -> None:
        if not where.inside:
            place = f"the {where.kind}" if not where.owner else f"the entry `route` of `{where.owner}`"
            message = f"{place} has no engine whose loop the stall `{s.label.text}` could hold up"
            refuse("stall-outside", message, s.span, hint="put it into the engine, or into its `request`")
        if where.owner not in self.tables.loops:
            message = f"queue `{where.owner}` has no engine whose loop the stall `{s.label.text}` could hold up"
            refuse("stall-outside", message, s.span, hint="give the queue an engine: engine on DEVICE { ... }")
        self.stalls.append(s.label)

    def invoke(self, s: nodes.Invoke, where: Where) -> nodes.EntryCall:
        name = s.name
        if self.tables.engines.get(name.text, where.at) >= where.at:
            if name.text == where.engine:
                refuse("call-cycle", f"the request of engine `{name.text}` calls itself", name.span)
            hint = did_you_mean(name.text, self.tables.engines)
            if name.text == "stall":
                hint = "a stall has a label: stall gc (...);"
            refuse("unknown-statement", f"there is no statement `{name.text}` here", name.span, hint=hint)
        if where.kind in ("init", "turn", "session"):
            message = f"engine `{name.text}` is called by the server, not by the {where.kind}"
            refuse("call-outside-server", message, name.span)
        return nodes.EntryCall(name, None, nodes.Name("request", name.span), s.args, None, None, None, name.span)

    def entry_call(self, s: nodes.EntryCall, where: Where) -> None:
        if where.kind in ("init", "turn", "session"):
            message = f"queue `{s.queue.text}` is called by the server, not by the {where.kind}"
            refuse("call-outside-server", message, s.queue.span, hint="write turn; here, and the call in the server")

    # ------------------------------------------------------------ runs

    def run(self, s: nodes.Run, where: Where) -> nodes.Run:
        if where.kind == "server" and s.mode is not None and s.stages and s.stages[0].name.text in self.tables.engines:
            engine = s.stages[0].name
            message = f"the server cannot run engine `{engine.text}` itself"
            refuse("server-runs-engine", message, engine.span, hint=f"call its request: {engine.text} (...);")
        if s.mode is not None and s.stages and s.stages[0].name.text == where.engine:
            message = f"in its own request an engine's {s.mode.text} is written `{s.mode.text} (...)`"
            refuse("own-engine", message, s.span)
        if not s.stages and where.kind != "entry":
            refuse("syntax", "`run` needs a stage here", s.opener)
        self.check_share(s.stages, s.share, s.opener)
        return s

    def check_own(self, pool: nodes.Ref, where: Where, *, hold: bool) -> None:
        """The server leaves the pools of queues, and those that engines admit, to their own."""
        if where.inside:
            return
        name = display_name(pool)
        queue = self.tables.queue_pools.get(name)
        if queue is not None and queue != where.owner:
            message = f"`{name}` belongs to queue `{queue}`, and only its entries allocate it"
            refuse("queue-pool", message, pool.name.span, hint=f"call an entry: {queue}.VERB (...);")
        engine = self.tables.admitted.get(name)
        if hold and engine is not None:
            message = f"`{name}` is admitted by engine `{engine}`, and the server cannot hold it itself"
            refuse("admitted-pool", message, pool.name.span, hint=f"let `admit waiting` of `{engine}` take it")

    def check_share(self, stages: tuple[nodes.Ref, ...], share: nodes.Share | None, opener: Span) -> None:
        if len(stages) > 1 and share is None:
            names = ", ".join(stage.name.text for stage in stages)
            message = f"a run over several stages ({names}) needs a sharing policy"
            refuse("share-missing", message, opener, hint="add, after the work: share = share.maxmin")
        if len(stages) <= 1 and share is not None:
            refuse("share-single", "a sharing policy belongs to a run over several stages", opener)

    def tool(self, s: nodes.Tool, where: Where) -> nodes.Run:
        stages = s.stages
        if stages:
            self.check_above(stages, where)
        else:
            stages = (self.default_stage(("tool",), s.span, s.subscript, where),)
        self.check_share(stages, s.share, s.opener)
        return nodes.Run(stages, None, self.work(stages, s.work), s.share, s.growing, s.opener, s.span)

    def work(self, stages: tuple[nodes.Ref, ...], amount: nodes.Expr) -> nodes.Expr:
        """A plain amount as the cost of stages."""
        return cost(tuple([resource_of(stage) for stage in stages]), amount, stages[0].span)

    def check_above(self, stages: tuple[nodes.Ref, ...], where: Where) -> None:
        for stage in stages:
            name = display_name(stage)
            if self.tables.stages.get(name, where.at) >= where.at and name != where.owner:
                hint = did_you_mean(name, [n for n, at in self.tables.stages.items() if at < where.at])
                refuse("unknown-stage", f"there is no stage `{name}` above", stage.name.span, hint=hint)

    def default_stage(
        self, names: tuple[str, ...], word: Span, subscript: nodes.Expr | None, where: Where
    ) -> nodes.Ref:
        for name in names:
            if self.tables.stages.get(name, where.at) < where.at:
                return named(name, word, subscript)
        if names == ("tool",) and where.kind == "session":
            if "tool" not in self.tables.stages and self.implicit_tool is None:
                self.implicit_tool = word
            return named("tool", word, subscript)
        listed = " or ".join(f"`{name}`" for name in names)
        message = f"there is no stage {listed} above"
        refuse("default-stage", message, word, hint=f"name the stage: {names[-1]} on STAGE (...)")

    def advance(self, s: nodes.Advance, where: Where) -> nodes.Run:
        if where.engine is None:
            message = f"`{s.mode} (...)` belongs to an engine's request"
            refuse("advance-outside", message, s.span, hint=f"write run ENGINE {s.mode} (cost(ENGINE, ...))")
        stage = named(where.engine, s.span)
        work = self.work((stage,), s.amount)
        return nodes.Run((stage,), nodes.Name(s.mode, s.span), work, None, s.growing, s.span, s.span)

    # ------------------------------------------------------------ transfers

    def transfer(self, s: nodes.Transfer, where: Where) -> Statements:
        if where.source is not None and not s.stages and s.subscript is None and s.source.name.text == where.source:
            relation = self.tables.relations.get((where.source, where.owner))
            if relation is not None:
                return tuple(relation(s))
        stages = s.stages
        if stages:
            self.check_above(stages, where)
        else:
            stages = (self.default_stage(("link", "transfer"), s.span, s.subscript, where),)
        self.check_share(stages, s.share, s.opener)
        waits = [self.latency(stage) for stage in stages if display_name(stage) in self.tables.latencies]
        run = nodes.Run(stages, None, self.work(stages, s.work), s.share, None, s.opener, s.span)
        return (*waits, run, *moved(s.source, s.target, s.units))

    def latency(self, link: nodes.Ref) -> nodes.Run:
        name, time = self.tables.latencies[display_name(link)]
        stage = named(name, link.span, link.subscript)
        return nodes.Run((stage,), None, self.work((stage,), time), None, None, link.span, link.span)

    # ------------------------------------------------------------ holds

    def hold(self, s: nodes.Hold, where: Where) -> nodes.Hold:
        bindings = () if s.at_admission is None else s.at_admission.bindings
        values = self.bind(bindings, s.at_admission.span if s.at_admission and where.kind == "request" else None)
        read = [binding for binding in bindings if _reads(s.body.statements, binding.name.text)]
        for binding in read:
            check_steady(binding.name, values[binding.name.text])
        body = self.block(s.body, where._replace(in_hold=True))
        sets = [nodes.Set("set", binding.name, values[binding.name.text], binding.name.span) for binding in read]
        header: nodes.Hold = put_arguments(s._replace(body=body._replace(statements=()), at_admission=None), values)
        whole: nodes.Hold = header._replace(body=body._replace(statements=(*sets, *body.statements)))
        return whole

    def bind(self, bindings: tuple[nodes.Binding, ...], clause: Span | None) -> dict[str, nodes.Expr]:
        """The value of each binding, with the earlier ones in place.

        Args:
            clause: where a draw is told; None: after the binding.
        """
        values: dict[str, nodes.Expr] = {}
        for name, value in bindings:
            if name.text in values:
                refuse("binding-twice", f"`{name.text}` is bound twice", name.span)
            if name.text in SUPPLIED:
                message = f"`{name.text}` is a value of the language and cannot name a binding"
                refuse("supplied-name", message, name.span)
            if draws(value):
                place = clause or self.tables.token_after(value.span.end)
                message = f"the binding `{name.text}` draws, and would draw again wherever it is read"
                refuse("binding-draws", message, place, hint="draw first: set x = ...; before the hold")
            values[name.text] = put_arguments(value, values)
        return values


def _reads(statements: Any, name: str) -> bool:
    """Whether statements read a name; a hold within that binds it anew reads its own."""
    stack: list[Any] = [statements]
    while stack:
        node = stack.pop()
        if isinstance(node, nodes.Hold) and node.at_admission is not None:
            if name in [binding.name.text for binding in node.at_admission.bindings]:
                continue
        if isinstance(node, nodes.Name):
            if node.text == name:
                return True
        elif type(node) is tuple:
            stack += [part for part in node if isinstance(part, tuple)]
        else:
            stack += parts(node)
    return False


def check_steady(name: nodes.Name, value: nodes.Expr) -> None:
    """A binding that the body reads must still mean the same there: attributes and constants alone."""
    for node in walk(value):
        if isinstance(node, nodes.Call) and node.function.text in LIVE_FUNCTIONS:
            what = f"`{node.function.text}`"
        elif isinstance(node, nodes.Name) and node.text in ("now", "cached", "computed"):
            what = f"`{node.text}`"
        else:
            continue
        message = f"the body reads the binding `{name.text}`, whose {what} is another one there"
        refuse("binding-live", message, name.span, hint="set what the body needs in the body")


def moved(source: nodes.Ref, target: nodes.Ref, units: nodes.Expr) -> Statements:
    """What a transfer does when the copy is there: the reader has the units, the source gives its own back."""
    return (
        nodes.Load(target, cost((resource_of(target),), units, target.span), target.span),
        nodes.Release(source, source.span),
    )


def display_name(ref: nodes.Ref) -> str:
    """The displayed name of what a reference names: `Q.kv` for `Q[i].kv`."""
    return ref.name.text if ref.member is None else f"{ref.name.text}.{ref.member.text}"


def resource_of(ref: nodes.Ref) -> nodes.Name:
    return nodes.Name(display_name(ref), ref.span)
