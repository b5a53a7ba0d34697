"""Linking: names to numbers. The assembled program becomes intermediate representation.

In: a `Model`. Out: a `Linked` program: the representation (without settings, and with all attribute types open), the
places of its nodes, and every expression with the moment at which it is read, for the checks that follow.

The server's statements are linked anew for each `turn;` of the session, so that every block belongs to one statement.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from serq.ir import nodes as ir
from serq.record import Record
from serq.semantics import moments
from serq.semantics.constants import is_count
from serq.semantics.expressions import Expressions, Family, constant_value
from serq.semantics.faults import did_you_mean, refuse
from serq.semantics.model import Model, PoolModel, StageModel, Statements, StepModel
from serq.semantics.moments import Moment, Reading
from serq.semantics.places import Places
from serq.semantics.rewrite import walk
from serq.semantics.schedules import ScheduleLinker
from serq.semantics.words import SUPPLIED
from serq.source import Span
from serq.syntax import nodes

WORKLOAD, SERVER = "Workload", "Server"


class Linked(Record):
    """A program whose names are resolved.

    Attributes:
        program: attribute types are open, settings at their defaults.
        places: of the program's nodes.
        readings: every expression, in the order in which it is checked.
        declared: for each `Size` or `Cost` statement the name, the word and the side.
    """

    program: ir.Ir
    places: Places
    readings: tuple[Reading, ...]
    declared: tuple[tuple[nodes.Name, str, str], ...]
    model: Model


def link(model: Model) -> Linked:
    """Resolve the names of a program.

    Raises:
        SerqError: at the first name without a meaning, or constant out of its range.
    """
    return _Linker(model).link()


class _Linker:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.places = Places()
        self.readings: list[Reading] = []
        self.declared: list[tuple[nodes.Name, str, str]] = []
        self.blocks: list[list[ir.Statement]] = []
        self.sides: list[list[str]] = []
        self.side = WORKLOAD
        self.stages = _number(model.stages)
        self.pools = _number(model.pools)
        self.registers = self.number_registers()
        self.expressions = Expressions(
            model.lets,
            model.terms,
            self.pools,
            self.stages,
            {register.name: i for i, register in enumerate(self.registers)},
            {stage.name.text: stage.kind.admits for stage in model.stages if isinstance(stage.kind, StepModel)},
            self.places,
        )

    def link(self) -> Linked:
        model = self.model
        if model.twice is not None:
            raise model.twice
        self.number_attributes()
        self.check_attributes()
        self.registers = [self.register(register) for register in self.registers]
        for name, pool in zip(self.pools, model.pools, strict=True):
            self.pools[name] = self.pools[name]._replace(block=self.block_size(pool))
        pools = [member for pool in model.pools for member in self.pool(pool)]
        stages = [member for stage in model.stages for member in self.stage(stage)]
        arrival = self.arrival()
        init, turn, session = self.fresh(), self.fresh(), self.fresh()
        self.fill(init, model.init)
        self.fill(turn, model.turn)
        self.fill(session, model.session)
        if not self.blocks[session] or not isinstance(self.blocks[session][-1], ir.End):
            self.say(session, ir.End())
        hidden = tuple([self.hidden(name) for name in model.hidden])
        gauges = tuple([self.gauge(gauge) for gauge in model.gauges])
        claims = tuple([self.claim(claim) for claim in model.claims])
        program = ir.Ir(
            attrs=tuple(self.expressions.attrs),
            attr_types=(),
            observes=tuple(self.expressions.observes),
            pools=tuple(pools),
            stages=tuple(stages),
            arrival=arrival,
            trace=None if model.trace is None else model.trace.path,
            trace_ordered=model.trace is not None and model.trace.ordered,
            init=init,
            turn=turn,
            session=session,
            blocks=tuple([tuple(block) for block in self.blocks]),
            sides=tuple([tuple(side) for side in self.sides]),
            hidden=hidden,
            gauges=gauges,
            claims=claims,
            registers=tuple(self.registers),
            horizon=None,
            warmup=0.0,
            seed=1,
            arrivals=None,
            stalls=model.stalls,
        )
        return Linked(program, self.places, tuple(self.readings), tuple(self.declared), model)

    # ------------------------------------------------------------ numbering

    def number_attributes(self) -> None:
        """Slots in order of the first assignment: init, turn, and the session with the server in place of a turn."""
        attrs = self.expressions.attrs
        for name in ir.BUILT_IN_ATTRIBUTES:
            attrs[name] = len(attrs)
        for statements in (self.model.init, self.model.turn, self.model.session):
            for target in _targets(statements, self.model.server):
                attrs.setdefault(target, len(attrs))

    def check_attributes(self) -> None:
        """Attributes are called neither like what the language supplies nor like constants."""
        for name, span in self.targets():
            if name in SUPPLIED:
                refuse("supplied-name", f"`{name}` is a value of the language, and cannot be an attribute", span)
        if self.model.constant_fault is not None:
            raise self.model.constant_fault
        for name, span in self.targets():
            if name in self.model.lets:
                message = f"`{name}` is a constant, and cannot be an attribute as well"
                refuse("two-meanings", message, span, hint="rename one of the two")
        for name in ir.BUILT_IN_ATTRIBUTES:
            if name in self.model.lets:
                refuse("two-meanings", f"`{name}` is an attribute of every session, and cannot be a constant", None)

    def targets(self) -> Iterator[tuple[str, Span]]:
        for statements in (self.model.init, self.model.turn, self.model.session, self.model.server):
            for node in walk(statements):
                if isinstance(node, nodes.Set | nodes.Choose):
                    yield node.target.text, node.target.span

    def number_registers(self) -> list[ir.Register]:
        registers = []
        for stage in self.model.stages:
            if isinstance(stage.kind, StepModel):
                for state in stage.kind.states:
                    register = ir.Register(state.name.text, self.stages[stage.name.text].base, 0.0)
                    self.places.put(register, state.name.span)
                    registers.append(register)
        return registers

    def register(self, register: ir.Register) -> ir.Register:
        """A register with its initial value; its name must be its own."""
        name, span = register.name, self.places.of(register)
        taken = name in self.model.lets or name in self.expressions.attrs or name in self.pools or name in self.stages
        if taken or [other.name for other in self.registers].count(name) > 1:
            refuse("register-name", f"`{name}` already means something else, and cannot be a register", span)
        stage = next(s for s in self.model.stages if self.stages[s.name.text].base == register.stage)
        assert isinstance(stage.kind, StepModel)
        state = next(state for state in stage.kind.states if state.name.text == name)
        if stage.size is not None:
            message = f"each member of `{stage.name.text}` would have a register `{name}`, and a reading could mean any"
            refuse("register-family", message, span)
        value = self.expressions.constant(state.value)
        if not math.isfinite(value):
            refuse("register-value", f"the register `{name}` begins as no finite number", span)
        linked = register._replace(init=value)
        self.places.put(linked, state.name.span)
        return linked

    def read(self, expr: nodes.Expr, moment: Moment, anchor: Span | None = None, engine: str | None = None) -> ir.Expr:
        """Link an expression and keep it for the check of what it reads."""
        linked = self.expressions.link(expr, moment, engine)
        number = None if engine is None else self.stages[engine].base
        plain = moment not in (moments.STATEMENT, moments.HEADER)
        self.readings.append(Reading(linked, moment, anchor, number, plain))
        return linked

    # ------------------------------------------------------------ pools

    def block_size(self, pool: PoolModel) -> float | None:
        option = pool.options.get(nodes.BlockSize)
        if not isinstance(option, nodes.BlockSize):
            return None
        block = self.expressions.constant(option.value)
        if not block > 0:
            refuse("block", f"the blocks of pool `{pool.name.text}` must be positive, not {block:g}", option.span)
        return block

    def pool(self, pool: PoolModel) -> list[ir.Pool]:
        name, family = pool.name.text, self.pools[pool.name.text]
        cap = math.inf if pool.cap is None else self.expressions.constant(pool.cap)
        if math.isnan(cap):
            refuse("nan", f"the cap of pool `{name}` is not a number", pool.name.span)
        evict, queue = pool.options.get(nodes.Evict), pool.options.get(nodes.QueueOrder)
        result = ir.Pool(
            name=name,
            index=None,
            cap=cap,
            block=family.block,
            evict=self.keys(evict.keys if isinstance(evict, nodes.Evict) else None, moments.EVICT),
            preempt=self.preempt(pool),
            queue=self.keys(queue.keys if isinstance(queue, nodes.QueueOrder) else None, moments.QUEUE, pool.engine),
            spill=self.spill(pool),
            admit_via=None if pool.engine is None else self.stages[pool.engine].base,
            reserve_held=nodes.ReserveHeld in pool.options,
        )
        self.places.put(result, pool.name.span)
        if pool.size is None:
            return [result]
        members = []
        for i in range(pool.size):
            via = None if pool.engine is None else self.stages[pool.engine].base + i
            members.append(result._replace(index=i, admit_via=via))
        return members

    def keys(
        self, keys: tuple[nodes.Expr, ...] | None, moment: Moment, engine: str | None = None
    ) -> tuple[ir.Expr, ...] | None:
        return None if keys is None else tuple([self.read(key, moment, None, engine) for key in keys])

    def preempt(self, pool: PoolModel) -> ir.Preempt | None:
        option = pool.options.get(nodes.Preempt)
        if not isinstance(option, nodes.Preempt) or option.kind == "none":
            return None
        if option.kind == "lifo":
            return ir.Preempt(False, (ir.Unary("Neg", ir.Ctx("Admission")),), False)
        keys = self.keys(option.keys, moments.PREEMPT)
        assert keys is not None
        preempt = ir.Preempt(option.kind == "leases", keys, option.requeue == "tail")
        self.places.put(preempt, option.span)
        return preempt

    def spill(self, pool: PoolModel) -> ir.Spill | None:
        option = pool.options.get(nodes.Spill)
        if not isinstance(option, nodes.Spill):
            return None
        tier, via = option.tier, option.via
        if tier.text not in self.pools or "." in tier.text:
            refuse(
                "unknown-pool", f"there is no pool `{tier.text}`", tier.span, hint=did_you_mean(tier.text, self.pools)
            )
        if via.text not in self.stages:
            hint = did_you_mean(via.text, self.stages)
            refuse("unknown-stage", f"there is no stage `{via.text}`", via.span, hint=hint)
        if tier.text == pool.name.text:
            refuse("spill-itself", f"pool `{tier.text}` cannot spill to itself", tier.span)
        work, when = self.read(option.work, moments.EVICT), self.read(option.when, moments.EVICT)
        spill = ir.Spill(self.pools[tier.text].base, self.stages[via.text].base, work, when)
        self.places.put(spill, option.span)
        return spill

    # ------------------------------------------------------------ stages

    def stage(self, stage: StageModel) -> list[ir.Stage]:
        name = stage.name.text
        match stage.kind:
            case StepModel():
                members = self.engine(stage, stage.kind)
            case nodes.Fifo(servers):
                members = [ir.Stage(name, None, ir.Fifo(self.servers(stage, servers)))]
            case nodes.Ps(capacity):
                members = [ir.Stage(name, None, ir.Ps(self.read(capacity, moments.SHARING)))]
            case nodes.Delay():
                members = [ir.Stage(name, None, ir.Ps(ir.Ctx("N")))]
        for member in members:
            self.places.put(member, stage.name.span)
        if stage.size is None:
            return members
        if len(members) == 1:
            members *= stage.size
        return [member._replace(index=i) for i, member in enumerate(members)]

    def servers(self, stage: StageModel, servers: nodes.Expr | None) -> int:
        count = 1.0 if servers is None else self.expressions.constant(servers)
        if not is_count(count):
            message = f"stage `{stage.name.text}` needs a positive whole number of servers, not {count:g}"
            refuse("servers", message, stage.name.span)
        return int(count)

    def engine(self, stage: StageModel, step: StepModel) -> list[ir.Stage]:
        name = stage.name.text
        linked = ScheduleLinker(name, self.expressions, self.places, self.read).step(
            step, self.registers, self.model.stalls
        )
        memory = None if step.memory is None else self.pools[step.memory].base
        if stage.size is None:
            return [ir.Stage(name, None, linked._replace(memory=memory))]
        return [
            ir.Stage(name, None, linked._replace(memory=None if memory is None else memory + i))
            for i in range(stage.size)
        ]

    # ------------------------------------------------------------ arrivals, hidden, gauges, claims

    def arrival(self) -> ir.Arrival:
        arrive = self.model.arrive
        if arrive is None or arrive.value is None:
            return ir.NoArrivals()
        law, span = arrive.law.text, arrive.span
        if law == "renewal":
            gap = self.read(arrive.value, moments.RENEWAL)
            value = constant_value(gap)
            if value is not None and not (value > 0 and math.isfinite(value)):
                refuse("arrival", f"the gap between arrivals must be positive and finite, not {value:g}", span)
            return ir.Renewal(gap)
        value = self.expressions.constant(arrive.value)
        if law == "poisson":
            if not (value > 0 and math.isfinite(value)):
                refuse("arrival", f"the rate of arrivals must be positive and finite, not {value:g}", span)
            return ir.Poisson(value)
        if not (is_count(value) and value <= 1_000_000):
            message = f"`arrive {law}` needs a whole number of sessions from 1 to 1000000, not {value:g}"
            refuse("arrival", message, span)
        return ir.Closed(int(value)) if law == "closed" else ir.Batch(int(value))

    def hidden(self, name: nodes.Name) -> int:
        attrs = self.expressions.attrs
        if name.text in ("cached", "computed"):
            refuse("hidden", f"`{name.text}` is set by the scheduler, and cannot be hidden from it", name.span)
        if name.text not in attrs:
            hint = did_you_mean(name.text, attrs)
            refuse("hidden", f"nothing sets `{name.text}`, which is to be hidden", name.span, hint=hint)
        if [other.text for other in self.model.hidden].count(name.text) > 1:
            refuse("hidden", f"`{name.text}` is hidden twice", name.span)
        return attrs[name.text]

    def gauge(self, gauge: nodes.Gauge) -> ir.Gauge:
        linked = ir.Gauge(gauge.name.text, self.read(gauge.value, moments.GAUGE))
        self.places.put(linked, gauge.name.span)
        return linked

    def claim(self, claim: nodes.Claim) -> ir.Claim:
        given = None if claim.given is None else self.read(claim.given, moments.GIVEN)
        stage: int | None = None
        if claim.engine is not None:
            ref = self.expressions.stage(claim.engine)
            if not self.expressions.is_engine(ref):
                message = "a claim over iterations needs an engine"
                refuse("no-engine", message, claim.engine.name.span)
            if ref.index is not None and not isinstance(ref.index, ir.Num):
                refuse("claim-index", "a claim needs a constant index", claim.engine.name.span)
            stage = ref.base + (int(ref.index.value) if isinstance(ref.index, ir.Num) else 0)
        kind = {"every": "EveryIteration", "some": "SomeIteration", "end": "AtEnd"}[claim.kind]
        moment = moments.AT_END if claim.kind == "end" else moments.ITERATION
        linked = ir.Claim(claim.name.text, kind, stage, given, self.read(claim.test, moment))
        self.places.put(linked, claim.name.span)
        return linked

    # ------------------------------------------------------------ statements

    def fresh(self) -> int:
        self.blocks.append([])
        self.sides.append([])
        return len(self.blocks) - 1

    def say(self, block: int, statement: ir.Statement, span: Span | None = None) -> None:
        self.blocks[block].append(statement)
        self.sides[block].append(self.side)
        if span is not None:
            self.places.put(statement, span)

    def body(self, statements: Statements) -> int:
        block = self.fresh()
        self.fill(block, statements)
        return block

    def fill(self, block: int, statements: Statements) -> None:
        for statement in statements:
            self.statement(block, statement)

    def statement(self, block: int, s: nodes.Statement) -> None:
        match s:
            case nodes.Turn(span):
                self.say(block, ir.Turn(), span)
                self.side = SERVER
                self.fill(block, self.model.server)
                self.side = WORKLOAD
            case nodes.End(span):
                self.say(block, ir.End(), span)
            case nodes.Join(span):
                self.say(block, ir.Join(), span)
            case nodes.Set(word, target, value, _):
                if word != "set":
                    self.declared.append((target, word, self.side))
                slot = self.expressions.attrs[target.text]
                self.say(block, ir.Set(slot, self.read(value, moments.STATEMENT)), target.span)
            case nodes.Observe(target, value, _):
                linked = self.read(value, moments.STATEMENT)
                observes = self.expressions.observes
                self.say(block, ir.Observe(observes.setdefault(target.text, len(observes)), linked), target.span)
            case nodes.Stall():
                self.stall(block, s)
            case nodes.Fork(body, span):
                self.nest(block, lambda: ir.Fork(self.body(body.statements)), span)
            case nodes.Loop(body, span):
                self.nest(block, lambda: ir.Loop(self.body(body.statements)), span)
            case nodes.While(test, body, span):
                linked = self.read(test, moments.STATEMENT)
                self.nest(block, lambda: ir.While(linked, self.body(body.statements)), span)
            case nodes.Branch():
                linked = self.read(s.test, moments.STATEMENT)
                self.nest(block, lambda: self.branch(s, linked), s.span)
            case nodes.Choose(target, choices, keys, _):
                count = self.read(choices, moments.STATEMENT)
                linked_keys = tuple([self.read(key, moments.STATEMENT) for key in keys])
                self.say(block, ir.Choose(self.expressions.attrs[target.text], count, linked_keys), target.span)
            case nodes.Hold():
                self.hold(block, s)
            case nodes.Run():
                self.run(block, s)
            case nodes.Grow(pool, amount, _):
                self.say(block, ir.Grow(self.pool_ref(pool), self.read(amount, moments.STATEMENT, pool.name.span)))
            case nodes.Load(pool, amount, _):
                self.say(block, ir.Load(self.pool_ref(pool), self.read(amount, moments.STATEMENT, pool.name.span)))
            case nodes.Drop(pool, _):
                self.say(block, ir.Drop(self.pool_ref(pool)))
            case nodes.Release(pool, _):
                self.say(block, ir.Release(self.pool_ref(pool)))
            case _:
                raise AssertionError(f"{type(s).__name__} is left in an assembled program")

    def nest(self, block: int, make: object, span: Span) -> None:
        """Add a statement with blocks of its own, on the side on which it begins."""
        side = self.side
        assert callable(make)
        statement = make()
        self.side = side
        self.say(block, statement, span)

    def branch(self, s: nodes.Branch, test: ir.Expr) -> ir.Branch:
        then = self.body(s.then.statements)
        return ir.Branch(test, then, self.body(() if s.otherwise is None else s.otherwise.statements))

    def pool_ref(self, ref: nodes.Ref) -> ir.Ref:
        return self.index_read(self.expressions.pool(ref), ref)

    def stage_ref(self, ref: nodes.Ref) -> ir.Ref:
        return self.index_read(self.expressions.stage(ref), ref)

    def index_read(self, linked: ir.Ref, ref: nodes.Ref) -> ir.Ref:
        if linked.index is not None:
            self.readings.append(Reading(linked.index, moments.INDEX, ref.name.span, None, plain=True))
        return linked

    def run(self, block: int, s: nodes.Run) -> None:
        refs = [self.stage_ref(stage) for stage in s.stages]
        anchor = s.stages[0].name.span
        run = ir.Run(
            stage=refs[0],
            mode="Plain" if s.mode is None else s.mode.text.title(),
            work=self.read(s.work, moments.STATEMENT, anchor),
            growing=None if s.growing is None else self.pool_ref(s.growing),
            also=tuple(refs[1:]),
            share=None if s.share is None else {"maxmin": "MaxMin", "bottleneck": "Bottleneck"}[s.share.policy.text],
        )
        self.say(block, run, s.span)

    def stall(self, block: int, s: nodes.Stall) -> None:
        assert s.stage is not None
        label = self.model.stalls.index(s.label.text)
        self.say(block, ir.Stall(self.stage_ref(s.stage), label, self.read(s.value, moments.STATEMENT)), s.span)

    def hold(self, block: int, s: nodes.Hold) -> None:
        anchor = s.pools[0].pool.name.span
        engine = next((pool.engine for pool in self.model.pools if pool.name.text == _name(s.pools[0].pool)), None)
        pools = []
        for held in s.pools:
            pool = self.pool_ref(held.pool)
            units = self.read(held.units, moments.HEADER, anchor, engine)
            reserve = None if held.reserve is None else self.read(held.reserve, moments.HEADER, anchor, engine)
            pools.append(ir.Held(pool, units, reserve))
        prefix: tuple[ir.Segment, ...] = ()
        if s.prefix is not None:
            prefix = tuple(
                [
                    ir.Segment(self.read(key, moments.PREFIX, anchor), self.read(length, moments.PREFIX, anchor))
                    for key, length, _ in s.prefix.segments
                ]
            )
        reuse = None if s.reuse is None else self.read(s.reuse, moments.HEADER, anchor, engine)
        cache = None if s.cache is None else self.read(s.cache, moments.STATEMENT, anchor)
        lease = None
        if s.lease is not None:
            lease = ir.Lease(self.pool_ref(s.lease.pool), self.read(s.lease.time, moments.STATEMENT))
        self.nest(
            block, lambda: ir.Hold(tuple(pools), prefix, reuse, self.body(s.body.statements), cache, lease), s.span
        )


def _name(ref: nodes.Ref) -> str:
    return ref.name.text if ref.member is None else f"{ref.name.text}.{ref.member.text}"


def _number(models: Iterable[PoolModel] | Iterable[StageModel]) -> dict[str, Family]:
    """Consecutive numbers: a family of n takes n."""
    numbered: dict[str, Family] = {}
    base = 0
    for model in models:
        engine = isinstance(model, StageModel) and isinstance(model.kind, StepModel)
        numbered[model.name.text] = Family(base, model.size or 1, model.size is not None, engine)
        base += model.size or 1
    return numbered


def _targets(statements: Statements, server: Statements) -> list[str]:
    """The attributes that statements assign, in the order of the text, the server's at every turn."""
    found: list[str] = []
    for s in statements:
        match s:
            case nodes.Set() | nodes.Choose():
                found.append(s.target.text)
            case nodes.Turn():
                found += _targets(server, ())
                server = ()
            case nodes.Fork() | nodes.Loop() | nodes.While() | nodes.Hold():
                found += _targets(s.body.statements, server)
            case nodes.Branch():
                found += _targets(s.then.statements, server)
                if s.otherwise is not None:
                    found += _targets(s.otherwise.statements, server)
    return found
