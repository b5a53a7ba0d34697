"""Assembly: the items of a program, in the order of the text, become one model.

In: a `Program` without definitions, and the arguments supplied. Out: a `Model`: pools, stages and engines in the order
of the report, the session, and the server as it stands for each turn.

Declarations are read first, top to bottom: a device before its engine, both before their pools, constants before the
sizes of families. Then the statements are rewritten (`statements`, `entries`), since they may speak of what stands
below them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from serq.diagnostics import Diagnostic, SerqError
from serq.record import Record
from serq.semantics.calls import Calls, check_own
from serq.semantics.constants import Constants
from serq.semantics.engines import DeviceParts, EngineParts, read_device, read_engine, step_model
from serq.semantics.entries import (
    Entry,
    Owner,
    Sight,
    assigned_by,
    check_entry,
    localise,
    request_statements,
)
from serq.semantics.faults import did_you_mean, refuse
from serq.semantics.model import Model, PoolModel, StageModel, Statements
from serq.semantics.queues import QueueParts, check_roles, read_queue
from serq.semantics.relations import relation_transfer
from serq.semantics.rewrite import walk
from serq.semantics.statements import NOWHERE, Surface, Tables, Where
from serq.semantics.text import Text
from serq.semantics.words import LIVE_FUNCTIONS
from serq.source import Span
from serq.syntax import nodes


def assemble(program: nodes.Program, sets: Mapping[str, float | nodes.Expr], text: Text) -> Model:
    """Put a program together.

    Args:
        program: definitions written out.
        sets: values of arguments supplied from outside.
        text: finds tokens in the program's text.

    Raises:
        SerqError: at the first fault.
    """
    assembly = _Assembly(sets, text, program)
    for item in (*program.before, *program.items):
        assembly.at += 1
        assembly.item(item)
    return assembly.finish()


class _Pool(Record):
    """A pool as declared, before it is known which engine's memory it is."""

    model: PoolModel
    device: str | None


class _Assembly:
    """What the items read so far have declared.

    Attributes:
        at: position of the present item.
        let_at: position of each constant's first declaration.
        capacities: those that no pool has claimed, by (owner, name): the place of the name.
    """

    def __init__(self, sets: Mapping[str, float | nodes.Expr], text: Text, program: nodes.Program) -> None:
        self.constants = Constants(sets)
        self.text = text
        self.program = program
        self.at = 0
        self.let_at: dict[str, int] = {}
        self.libraries: set[str] = set()
        self.devices: dict[str, DeviceParts] = {}
        self.engine_of: dict[str, str] = {}
        self.engines: dict[str, EngineParts] = {}
        self.engine_at: dict[str, int] = {}
        self.pools: dict[str, _Pool] = {}
        self.stages: dict[str, StageModel] = {}
        self.stage_at: dict[str, int] = {}
        self.pool_on_device: dict[str, str] = {}
        self.capacities: dict[tuple[str, str], nodes.Capacity] = {}
        self.claimed: set[tuple[str, str]] = set()
        self.queues: dict[str, QueueParts] = {}
        self.relations: dict[tuple[str, str], Any] = {}
        self.latencies: dict[str, tuple[str, nodes.Expr]] = {}
        self.workload: nodes.Workload | None = None
        self.workload_at = 0
        self.server: nodes.Server | None = None
        self.server_at = 0
        self.gauges: list[nodes.Gauge] = []
        self.claims: list[nodes.Claim] = []
        self.twice: SerqError | None = None

    def item(self, item: nodes.Item) -> None:
        match item:
            case nodes.Use():
                self.libraries.add(item.library)
            case nodes.Let():
                self.let(item)
            case nodes.Device():
                self.device(item)
            case nodes.Engine():
                self.engine(item)
            case nodes.Pool():
                self.pool(item)
            case nodes.Stage():
                self.stage(item.name, None if item.size is None else self.constants.family_size(item.size), item.kind)
            case nodes.Queue():
                self.queue(item)
            case nodes.Relation():
                self.relation(item)
            case nodes.Workload():
                if self.workload is not None:
                    refuse("twice", "a program has one workload", item.span)
                self.workload, self.workload_at = item, self.at
            case nodes.Server():
                if self.server is not None:
                    refuse("twice", "a program has one server", item.span)
                self.server, self.server_at = item, self.at
            case nodes.Gauge():
                self.gauges.append(item)
            case nodes.Claim():
                self.claims.append(item)

    # ------------------------------------------------------------ constants, devices, engines

    def let(self, let: nodes.Let) -> None:
        if isinstance(let.value, nodes.Argument) and "std/args" not in self.libraries:
            message = "arguments need the library `std/args`"
            refuse("library", message, let.value.span, hint='write above: use "std/args";')
        self.let_at.setdefault(let.name.text, self.at)
        self.constants.declare(let)

    def device(self, device: nodes.Device) -> None:
        name = device.name
        if name.text in self.devices:
            refuse("device-twice", f"the device `{name.text}` is declared twice", name.span)
        parts = read_device(device, frozenset())
        self.devices[name.text] = parts
        for capacity in parts.capacities.values():
            self.capacities[name.text, capacity.name.text] = capacity

    def engine(self, engine: nodes.Engine) -> None:
        name = engine.name
        assert name is not None
        if name.text == "engine":
            refuse("reserved", "an engine cannot be called `engine`", name.span)
        if engine.device.text not in self.devices:
            hint = did_you_mean(engine.device.text, self.devices)
            refuse("unknown-device", f"there is no device `{engine.device.text}` above", engine.device.span, hint=hint)
        self.add_engine(engine, name, None, self.devices[engine.device.text], engine.device.text)

    def add_engine(
        self, engine: nodes.Engine, name: nodes.Name, size: int | None, device: DeviceParts, device_key: str
    ) -> None:
        if name.text in self.engines:
            refuse("engine-twice", f"the engine `{name.text}` is declared twice", name.span)
        if device_key in self.engine_of:
            message = f"`{self.engine_of[device_key]}` already runs on `{engine.device.text}`"
            refuse("second-engine", message, name.span, hint="give the engine a device of its own")
        parts = read_engine(engine, name.text, name.span, device, self.text.end_of_statement)
        self.engine_of[device_key] = name.text
        self.engines[name.text] = parts._replace(device=device_key)
        self.engine_at[name.text] = self.at
        for capacity in parts.capacities.values():
            self.capacities[name.text, capacity.name.text] = capacity
        # The stage is complete only when all its pools are known: a place is kept for it.
        self.stage(name, size, nodes.Delay(name.span))

    def stage(self, name: nodes.Name, size: int | None, kind: nodes.Kind) -> None:
        if name.text in self.stages:
            self.declared_twice("stage", name.text, name.span)
            return
        self.stages[name.text] = StageModel(name, size, kind)
        self.stage_at[name.text] = self.at

    def declared_twice(self, what: str, name: str, span: Span) -> None:
        """Keep the fault of a second declaration, which is told after faults of other kinds."""
        fault = Diagnostic(f"{what}-twice", f"the {what} `{name}` is declared twice", span)
        self.twice = self.twice or SerqError(fault)

    # ------------------------------------------------------------ pools

    def pool(self, pool: nodes.Pool) -> None:
        if pool.owner is None:
            size = None if pool.size is None else self.constants.family_size(pool.size)
            self.add_pool(pool, pool.name, size, None)
        else:
            device, engine = self.owner(pool.owner)
            self.add_owned_pool(pool, pool.name, None, device, engine)

    def owner(self, owner: nodes.Owner) -> tuple[str | None, str | None]:
        """The device or the engine whose capacity a pool is, and the engine that admits its queue."""
        first, second = owner.first, owner.second
        if second is not None:
            if first.text not in self.engines:
                hint = did_you_mean(first.text, self.engines)
                refuse("unknown-engine", f"there is no engine `{first.text}` above", first.span, hint=hint)
            if self.engines[first.text].device != second.text:
                message = f"`{second.text}` is not the device of engine `{first.text}`"
                refuse("unknown-device", message, first.span, hint=f"on {first.text}.{self.engines[first.text].device}")
            return second.text, first.text
        if first.text in self.engines:
            return None, first.text
        if first.text in self.devices:
            return first.text, None
        hint = did_you_mean(first.text, (*self.devices, *self.engines))
        refuse("unknown-owner", f"there is no device or engine `{first.text}` above", first.span, hint=hint)

    def add_owned_pool(
        self, pool: nodes.Pool, name: nodes.Name, size: int | None, device: str | None, engine: str | None
    ) -> None:
        """A pool that gives a capacity of a device or an engine its queue."""
        assert pool.owner is not None
        holder = device or engine or ""
        word = pool.name.text
        if (holder, word) not in self.capacities:
            known = [capacity for owner, capacity in self.capacities if owner == holder]
            message = f"`{pool.owner.first.text}` has no capacity `{word}`"
            refuse("unknown-capacity", message, pool.name.span, hint=did_you_mean(word, known))
        for option in pool.options:
            if isinstance(option, nodes.Cap):
                message = f"the cap of `{word}` stands where the capacity is declared"
                refuse("own-cap", message, option.span)
        if (holder, word) in self.claimed:
            refuse("capacity-pool-twice", f"`{word}` already has a pool", pool.owner.first.span)
        self.claimed.add((holder, word))
        if device is not None:
            if device in self.pool_on_device:
                message = f"`{pool.owner.first.text}` already has the pool `{self.pool_on_device[device]}`"
                refuse("second-pool", message, pool.owner.first.span)
            self.pool_on_device[device] = name.text
        self.add_pool(pool, name, size, self.capacities[holder, word].value, engine, device)

    def add_pool(
        self,
        pool: nodes.Pool,
        name: nodes.Name,
        size: int | None,
        cap: nodes.Expr | None,
        engine: str | None = None,
        device: str | None = None,
    ) -> None:
        if name.text in self.pools:
            self.declared_twice("pool", name.text, pool.name.span)
            return
        options: dict[type, nodes.PoolOption] = {type(option): option for option in pool.options}
        own = options.get(nodes.Cap)
        if isinstance(own, nodes.Cap):
            cap = own.value
        self.pools[name.text] = _Pool(PoolModel(name, size, cap, options, engine), device)

    # ------------------------------------------------------------ queues

    def queue(self, queue: nodes.Queue) -> None:
        name = queue.name
        if name.text in self.queues:
            refuse("queue-twice", f"the queue `{name.text}` is declared twice", name.span)
        size = None if queue.size is None else self.constants.family_size(queue.size)
        parts = read_queue(queue, size)
        self.queues[name.text] = parts
        for item in queue.items:
            self.queue_item(item, parts)
        check_roles(parts, self.queues)
        parts.at = self.at

    def queue_item(self, item: nodes.QueueItem, queue: QueueParts) -> None:
        name, size = queue.name, queue.size
        match item:
            case nodes.Device():
                inner = item._replace(name=item.name._replace(text=f"{name.text}.{item.name.text}"))
                self.device(inner)
            case nodes.Engine():
                key = f"{name.text}.{item.device.text}"
                if key not in self.devices:
                    message = f"there is no device `{item.device.text}` above in queue `{name.text}`"
                    refuse("unknown-device", message, item.device.span)
                self.add_engine(item, name, size, self.devices[key], key)
            case nodes.Pool():
                self.queue_pool(item, queue)
            case nodes.Serve():
                self.stage(name, size, item.kind)
                if item.latency is not None:
                    self.check_latency(item.latency)
                    latency = name._replace(text=f"{name.text}.latency")
                    self.stage(latency, size, nodes.Delay(item.span))
                    self.latencies[name.text] = (latency.text, item.latency.value)
            case nodes.Nic():
                self.stage(name._replace(text=f"{name.text}.nic"), size, item.kind)

    def queue_pool(self, pool: nodes.Pool, queue: QueueParts) -> None:
        name = pool.name._replace(text=f"{queue.name.text}.{pool.name.text}")
        queue.pools[pool.name.text] = name.text
        if pool.owner is None:
            self.add_pool(pool, name, queue.size, None)
            return
        first, second = pool.owner.first, pool.owner.second
        inner = {queue.name.text: queue.name.text}
        inner.update({key.partition(".")[2]: key for key in self.devices if key.startswith(queue.name.text + ".")})
        owner = nodes.Owner(
            first._replace(text=inner.get(first.text, f"{queue.name.text}.{first.text}")),
            None if second is None else second._replace(text=inner.get(second.text, second.text)),
            pool.owner.span,
        )
        device, engine = self.owner(owner)
        self.add_owned_pool(pool, name, queue.size, device, engine)

    def relation(self, relation: nodes.Relation) -> None:
        if "std/kvt" not in self.libraries:
            message = "transfers between queues need the library `std/kvt`"
            refuse("library", message, relation.span, hint='write above: use "std/kvt";')
        if relation.latency is not None:
            self.check_latency(relation.latency)
        transfer, latency = relation_transfer(relation, self.queues, self.stages)
        if latency is not None:
            self.stage(latency.name, latency.size, nodes.Delay(relation.span))
        self.relations[relation.source.text, relation.reader.text] = transfer

    def check_latency(self, latency: nodes.Latency) -> None:
        """Every transfer waits alike: a latency reads constants alone."""
        for node in walk(latency.value):
            constant = not isinstance(node, nodes.Draw | nodes.Ref | nodes.Call)
            if isinstance(node, nodes.Name):
                constant = node.text == "inf" or node.text in self.let_at
            elif isinstance(node, nodes.Call):
                constant = node.function.text not in LIVE_FUNCTIONS
            if not constant:
                refuse("not-constant", "a latency is a constant, the same for every transfer", latency.opener)

    # ------------------------------------------------------------ the whole

    def finish(self) -> Model:
        self.constants.check_supplied()
        self.check_whole()
        surface = Surface(self.tables())
        owners, entries = self.entries(surface)
        calls = Calls(owners, entries)
        items = self.workload_items()
        init = self.statements(surface, items.get(nodes.Init), "init")
        turn = self.statements(surface, items.get(nodes.TurnBlock), "turn")
        session = self.session(surface, items.get(nodes.Session))
        server: Statements = ()
        if self.server is not None:
            server = surface.statements(self.server.body.statements, Where("server", self.server_at))
        check_own(entries, (init, turn, session, server))
        server = calls.statements(server)
        if surface.implicit_tool:
            self.stages["tool"] = StageModel(nodes.Name("tool", surface.implicit_tool), None, nodes.Delay(NOWHERE))
        hidden = items.get(nodes.Hidden)
        return Model(
            lets=self.constants.values,
            terms=self.constants.terms,
            pools=tuple([pool.model for pool in self.pools.values()]),
            stages=tuple([self.finished_stage(stage) for stage in self.stages.values()]),
            arrive=items.get(nodes.Arrive),
            trace=items.get(nodes.Trace),
            hidden=() if hidden is None else hidden.names,
            init=init,
            turn=turn,
            session=session,
            server=server,
            gauges=tuple(self.gauges),
            claims=tuple(self.claims),
            stalls=self.stall_labels(surface),
            implicit_tool=surface.implicit_tool,
            twice=self.twice,
            constant_fault=self.constants.fault,
        )

    def stall_labels(self, surface: Surface) -> tuple[str, ...]:
        """The labels of stalls, in the order in which they first appear in the text."""
        labels = [stall.label for parts in self.engines.values() for stall in parts.stalls]
        labels += surface.stalls
        labels.sort(key=lambda label: label.span.start)
        return tuple(dict.fromkeys([label.text for label in labels]))

    def check_whole(self) -> None:
        """What only the whole program shows."""
        end = self.program.end
        if self.workload is not None and self.server is None:
            refuse("no-server", "the program has a workload and no server", end, hint="add: server { ... }")
        if self.server is not None and self.workload is None:
            refuse("no-workload", "the program has a server and no workload", end, hint="add: workload { ... }")
        for (holder, word), capacity in self.capacities.items():
            if (holder, word) not in self.claimed:
                message = f"no pool gives the capacity `{word}` of `{holder}` its queue"
                refuse("capacity-unused", message, capacity.name.span, hint=f"pool {word} on {holder} {{ }}")

    def tables(self) -> Tables:
        return Tables(
            stages=self.stage_at,
            engines={name: at for name, at in self.engine_at.items() if self.engines[name].request is not None},
            loops=self.engines,
            queue_pools={pool: queue.name.text for queue in self.queues.values() for pool in queue.pools.values()},
            admitted={name: pool.model.engine for name, pool in self.pools.items() if pool.model.engine is not None},
            latencies=self.latencies,
            relations=self.relations,
            token_after=self.text.token_after,
        )

    def finished_stage(self, stage: StageModel) -> StageModel:
        parts = self.engines.get(stage.name.text)
        if parts is None:
            return stage
        memory = self.pool_on_device.get(parts.device)
        admits = tuple([name for name, pool in self.pools.items() if pool.model.engine == parts.name])
        return stage._replace(kind=step_model(parts, memory, admits))

    # ------------------------------------------------------------ statements

    def workload_items(self) -> dict[Any, Any]:
        """The workload's items by class; of a repeated one the last."""
        items = () if self.workload is None else self.workload.items
        return {type(item): item for item in items}

    def statements(self, surface: Surface, item: nodes.Init | nodes.TurnBlock | None, kind: str) -> Statements:
        if item is None:
            return ()
        return surface.statements(item.body.statements, Where(kind, self.workload_at))

    def session(self, surface: Surface, session: nodes.Session | None) -> Statements:
        if self.workload is None:
            return ()
        if session is None:
            return (nodes.Turn(NOWHERE),)
        if not any(isinstance(node, nodes.Turn) for node in walk(session.body)):
            message = "the session takes no turn, and so never uses the server"
            refuse("no-turn", message, self.workload.after, hint="write turn; in the session")
        return surface.statements(session.body.statements, Where("session", self.workload_at))

    def entries(self, surface: Surface) -> tuple[dict[str, Owner], dict[str, list[Entry]]]:
        """The entries of all engines and queues, checked and ready to be called."""
        written: list[tuple[Entry, Where]] = []
        owners: dict[str, Owner] = {}
        for parts in self.engines.values():
            if parts.request is not None:
                entry = self.request(parts, parts.request)
                owners[parts.name] = entry.owner
                written.append((entry, Where("request", entry.at, parts.name, engine=parts.name)))
        for queue in self.queues.values():
            owner = queue.owner(self.stages)
            owners[queue.name.text] = owner
            for item in queue.entries:
                entry = Entry(
                    owner=owner,
                    verb=item.verb.text,
                    place=item.span,
                    header=item.span,
                    at=queue.at,
                    parameters=item.parameters or (),
                    source=None if item.source is None else item.source.text,
                    body=item.body.statements,
                )
                kind = "server" if entry.sees_all else "entry"
                written.append((entry, Where(kind, queue.at, queue.name.text, source=entry.source)))
        sight = self.sight()
        ready: dict[str, list[Entry]] = {}
        for entry, where in written:
            if not entry.sees_all:
                check_entry(entry, sight)
            body = localise(surface.statements(entry.body, where), entry)
            ready.setdefault(entry.owner.name, []).append(entry._replace(body=body))
        return owners, ready

    def request(self, parts: EngineParts, request: nodes.Request) -> Entry:
        body = request_statements(request, parts.taking, parts.name)
        taken = {} if parts.taking is None else {take.name.text: take.name.text for take in parts.taking.takes}
        owner = Owner(parts.name, None, taken, {parts.name}, private=False)
        for parameter in request.parameters:
            if parameter.text in [state.name.text for state in parts.states]:
                message = f"`{parameter.text}` is a parameter of engine `{parts.name}` and a register of it"
                refuse("parameter-register", message, request.span)
        header = request.span if parts.taking is None else parts.taking.span
        return Entry(owner, "request", request.span, header, self.engine_at[parts.name], request.parameters, None, body)

    def sight(self) -> Sight:
        attributes = {
            name.text
            for item in self.program.items
            if not isinstance(item, nodes.Def)
            for node in walk(item)
            for name in assigned_by(node)
        }
        hidden = self.workload_items().get(nodes.Hidden)
        return Sight(
            lets=self.let_at,
            hidden=set() if hidden is None else {name.text for name in hidden.names},
            attributes=attributes,
            registers={state.name.text for parts in self.engines.values() for state in parts.states},
        )
