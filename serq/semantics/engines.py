"""Devices and engines: their items checked and put together.

In: a device's or an engine's declaration. Out: a `StepModel`, and what the engine's request takes when it is admitted.
The same is done for an engine of its own and for the engine of a queue.
"""

from __future__ import annotations

from typing import Any, TypeVar

from serq.record import Record
from serq.semantics.constants import check_arity
from serq.semantics.expand import put_arguments, relocate
from serq.semantics.faults import refuse
from serq.semantics.model import StepModel
from serq.semantics.rewrite import transform, walk
from serq.source import Span
from serq.syntax import nodes
from serq.syntax.words import NOT_A_DEFINITION

Item = TypeVar("Item")


class DeviceParts(Record):
    """A device's time resources and capacities, by name."""

    resources: dict[str, nodes.TimeResource]
    capacities: dict[str, nodes.Capacity]


def read_device(device: nodes.Device, definitions: frozenset[str]) -> DeviceParts:
    """The parts of a device.

    Args:
        definitions: names of the definitions above.

    Raises:
        SerqError: a name twice, or one that an expression would misread.
    """
    resources: dict[str, nodes.TimeResource] = {}
    capacities: dict[str, nodes.Capacity] = {}
    for item in device.items:
        name = item.name
        if isinstance(item, nodes.Capacity):
            if name.text in capacities:
                refuse("capacity-twice", f"`{device.name.text}` has the capacity `{name.text}` twice", name.span)
            capacities[name.text] = item
            continue
        if name.text in resources:
            refuse("resource-twice", f"`{device.name.text}` has the time resource `{name.text}` twice", name.span)
        if name.text in NOT_A_DEFINITION or name.text in definitions:
            message = f"`{name.text}` means something else in an expression, and cannot name a time resource"
            refuse("reserved", message, name.span)
        resources[name.text] = item
    return DeviceParts(resources, capacities)


def _write_out(expr: nodes.Expr, resources: dict[str, nodes.TimeResource], within: tuple[str, ...] = ()) -> nodes.Expr:
    """The expression with calls of time resources replaced by what they stand for.

    Args:
        within: the resources whose values are being written out.
    """

    def change(node: Any) -> Any:
        if not isinstance(node, nodes.Call) or node.function.text not in resources:
            return None
        name = node.function
        if name.text in within:
            refuse("resource-cycle", f"the time resource `{name.text}` comes to use itself", name.span)
        resource = resources[name.text]
        check_arity(name, len(node.args), len(resource.parameters))
        args = [_write_out(arg, resources, within) for arg in node.args]
        value = _write_out(resource.value, resources, (*within, name.text))
        return put_arguments(value, dict(zip([p.text for p in resource.parameters], args, strict=True)))

    return transform(expr, change) if resources else expr


class EngineParts(Record):
    """An engine's items, and what follows from them.

    Attributes:
        name: of the engine's stage.
        place: what a message about the whole engine points at.
        capacities: the engine's own, by name.
        stalls: what an iteration takes besides `execute`.
        taking: what every `admit waiting` takes, or None.
        admit: place of the schedule's first `admit waiting`.
    """

    name: str
    place: Span
    device: str
    budget: nodes.TokensCap
    capacities: dict[str, nodes.Capacity]
    granule: nodes.Granule | None
    states: tuple[nodes.State, ...]
    request: nodes.Request | None
    schedule: nodes.Schedule
    chunk: nodes.Expr | None
    execute: nodes.Expr
    stalls: tuple[nodes.StallClause, ...]
    taking: nodes.Taking | None


def read_engine(engine: nodes.Engine, name: str, place: Span, device: DeviceParts, ends: Any) -> EngineParts:
    """The parts of an engine.

    Args:
        ends: gives the place of the semicolon that ends a schedule statement.

    Raises:
        SerqError: a capacity or a stall twice, or admissions that take different things.
    """
    capacities: dict[str, nodes.Capacity] = {}
    for item in engine.items:
        if isinstance(item, nodes.Capacity):
            if item.name.text in capacities:
                refuse("capacity-twice", f"`{name}` has the capacity `{item.name.text}` twice", item.name.span)
            capacities[item.name.text] = item
    schedule = _one(engine, nodes.Schedule, name, place)
    _check_exclusive(schedule)
    granules = [item for item in engine.items if isinstance(item, nodes.Granule)]
    requests = [item for item in engine.items if isinstance(item, nodes.Request)]
    return EngineParts(
        name=name,
        place=place,
        device=engine.device.text,
        budget=_one(engine, nodes.TokensCap, name, place),
        capacities=capacities,
        granule=granules[-1] if granules else None,
        states=tuple([item for item in engine.items if isinstance(item, nodes.State)]),
        request=requests[0] if requests else None,
        schedule=schedule,
        chunk=_chunk(schedule),
        execute=_write_out(_one(engine, nodes.Execute, name, place).value, device.resources),
        stalls=_stalls(engine, name, device),
        taking=_taking(schedule, name, ends, {**capacities, **device.capacities}),
    )


def _stalls(engine: nodes.Engine, name: str, device: DeviceParts) -> tuple[nodes.StallClause, ...]:
    """The engine's stalls, written out; each label stands once."""
    stalls: dict[str, nodes.StallClause] = {}
    for item in engine.items:
        if isinstance(item, nodes.StallClause):
            label = item.label
            if label.text in stalls:
                message = f"engine `{name}` has the stall `{label.text}` twice"
                refuse("stall-twice", message, label.span, hint="add the two up, or give one another label")
            stalls[label.text] = item._replace(value=_write_out(item.value, device.resources))
    return tuple(stalls.values())


def _one(engine: nodes.Engine, kind: type[Item], name: str, place: Span) -> Item:
    """The engine's only item of a kind; the parser has seen to it that there is one."""
    found: list[Any] = [item for item in engine.items if isinstance(item, kind)]
    if not found:
        refuse("engine", f"engine `{name}` lacks one of `tokens cap`, `schedule`, `execute`", place)
    item: Item = found[0]
    return item


# ---------------------------------------------------------------- schedules


def schedule_statements(statements: tuple[nodes.ScheduleStatement, ...]) -> list[nodes.ScheduleStatement]:
    """All statements of a schedule, those in branches included, in the order of the text."""
    found: list[nodes.ScheduleStatement] = []
    for statement in statements:
        found.append(statement)
        if isinstance(statement, nodes.ScheduleBranch):
            found += schedule_statements(statement.then.statements)
            if statement.otherwise is not None:
                found += schedule_statements(statement.otherwise.statements)
    return found


def _chunk(schedule: nodes.Schedule) -> nodes.Expr | None:
    """The limit of the schedule's `each at most`, its lets written out; they may be read nowhere else."""
    lets: dict[str, nodes.Expr] = {}
    for let in schedule.lets:
        if let.name.text in lets:
            refuse("schedule-let", f"the schedule has the let `{let.name.text}` twice", let.name.span)
        lets[let.name.text] = put_arguments(let.value, lets)
    limits: list[nodes.Expr | None] = []
    for statement in schedule_statements(schedule.statements):
        if isinstance(statement, nodes.AdvanceRunning | nodes.AdmitWaiting | nodes.ExclusivePrefill):
            limits.append(None if statement.each is None else put_arguments(statement.each.limit, lets))
            statement = statement._replace(each=None)
        # What stands in a branch comes by itself.
        read = statement.test if isinstance(statement, nodes.ScheduleBranch) else statement
        for node in walk(read):
            if isinstance(node, nodes.Name) and node.text in lets:
                message = f"`{node.text}` is a let of the schedule, which only `each at most` may read"
                refuse("schedule-let", message, schedule.opener)
    if not all(same(limit, limits[0]) for limit in limits):
        message = "an iteration has one `each at most`: every statement that serves must have the same, or none any"
        refuse("caps-differ", message, schedule.opener)
    chunk = limits[0] if limits else None
    if chunk is not None:
        _check_endless(chunk, schedule.opener)
    return chunk


def _check_endless(limit: nodes.Expr, place: Span) -> None:
    """No limit is `inf` by itself, or as an outcome of a choice; nothing is reckoned with it."""
    if isinstance(limit, nodes.Conditional):
        _check_endless(limit.then, place)
        _check_endless(limit.otherwise, place)
        limit = limit.test
    elif _is_name(limit, "inf"):
        return
    if any(_is_name(node, "inf") for node in walk(limit)):
        refuse("chunk", "`inf` in `each at most` means no limit, and cannot be reckoned with", place)


def _is_name(node: Any, text: str) -> bool:
    if isinstance(node, nodes.Group):
        node = node.inner
    return isinstance(node, nodes.Name) and node.text == text


def _taking(
    schedule: nodes.Schedule, name: str, ends: Any, capacities: dict[str, nodes.Capacity]
) -> nodes.Taking | None:
    """What an admission takes: the same at every `admit waiting`, each of the `capacities` once."""
    admissions = [s for s in schedule_statements(schedule.statements) if isinstance(s, nodes.AdmitWaiting)]
    first = next((admission.taking for admission in admissions if admission.taking is not None), None)
    for admission in admissions:
        if not same(admission.taking, first):
            place = ends(admission) if admission.taking is None else admission.taking.span
            message = f"every `admit waiting` of engine `{name}` must take the same"
            refuse("taking-differs", message, place)
    if first is not None:
        _check_taken(first, name, capacities)
    return first


def _check_taken(taking: nodes.Taking, engine: str, capacities: dict[str, nodes.Capacity]) -> None:
    seen: set[str] = set()
    for take in taking.takes:
        name = take.name.text
        if name not in capacities:
            listed = ", ".join(f"`{other}`" for other in capacities) or "none"
            message = f"engine `{engine}` takes `{name}`, which is no capacity of it or its device ({listed})"
            refuse("taking", message, taking.span)
        if name in seen:
            refuse("taking", f"`{name}` is taken twice", taking.span)
        seen.add(name)


def same(a: Any, b: Any) -> bool:
    """Whether two trees say the same, wherever they stand."""
    nowhere = Span(0, 0)
    return type(a) is type(b) and bool(relocate(a, nowhere) == relocate(b, nowhere))


def is_default(statements: tuple[nodes.ScheduleStatement, ...]) -> bool:
    """Whether a schedule advances what runs and then admits while nothing was preempted, and nothing else."""
    match statements:
        case (nodes.AdvanceRunning(only=None), nodes.AdmitWaiting(only=None, gate=gate)):
            return _is_preemption_gate(gate)
    return False


def _is_preemption_gate(gate: nodes.Expr | None) -> bool:
    match gate:
        case nodes.Binary("==", left, nodes.Number(0.0)):
            return _is_preempted(left)
        case nodes.Binary("==", nodes.Number(0.0), right):
            return _is_preempted(right)
    return False


def _is_preempted(expr: nodes.Expr) -> bool:
    match expr.inner if isinstance(expr, nodes.Group) else expr:
        case nodes.Ref(nodes.Name("running"), None, nodes.Name("preempted"), None):
            return True
    return False


def _check_exclusive(schedule: nodes.Schedule) -> None:
    """`exclusive prefill` is one schedule, not a statement to be combined."""
    match schedule.statements:
        case (nodes.ExclusivePrefill(), nodes.AdmitWaiting(only=None, gate=gate)) if _is_preemption_gate(gate):
            return
    if any(isinstance(s, nodes.ExclusivePrefill) for s in schedule_statements(schedule.statements)):
        message = "`exclusive prefill` makes a schedule of its own, with no other statement than its admission"
        hint = "write exclusive prefill; admit waiting while (running.preempted == 0);"
        refuse("exclusive-prefill", message, schedule.opener, hint=hint)


def step_model(parts: EngineParts, memory: str | None, admits: tuple[str, ...]) -> StepModel:
    """The engine as a stage."""
    statements = parts.schedule.statements
    exclusive = any(isinstance(statement, nodes.ExclusivePrefill) for statement in statements)
    default = is_default(statements)
    order = statements[0].order if default and isinstance(statements[0], nodes.AdvanceRunning) else None
    return StepModel(
        budget=parts.budget,
        chunk=parts.chunk,
        granule=parts.granule,
        states=parts.states,
        schedule=None if exclusive else statements,
        default=default,
        order=order,
        execute=parts.execute,
        stalls=parts.stalls,
        memory=memory,
        admits=admits,
    )
