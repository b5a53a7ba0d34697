"""Captions of a compiled program: its own spelling of what the representation holds as numbers.

In: the program as parsed, as assembled, and as linked. Out: `Captions`.

Declarations are taken from the program as parsed, where calls of definitions and of time resources are still calls.
Statements are taken from the assembled program, whose blocks and those of the representation are walked side by side:
linking makes one statement of each, and puts the server's after every turn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from serq.diagnostics import SerqError
from serq.ir import nodes as ir
from serq.ir.captions import Captions, Device, Place
from serq.nesting import room_to_recurse
from serq.semantics.constants import Terms, evaluate
from serq.semantics.model import Model, Statements
from serq.semantics.rewrite import transform
from serq.semantics.statements import CONVERTED
from serq.syntax import nodes
from serq.syntax.unparse import expression


def captions(program: nodes.Program, bodies: Mapping[str, nodes.Expr], model: Model, linked: ir.Ir) -> Captions:
    """The captions of a program.

    Args:
        program: with its definitions in place.
        bodies: expressions that replace the bodies of definitions from outside, by name.
        model: the program, assembled.
        linked: the representation made of `model`.
    """
    with room_to_recurse():
        speller = _Speller(model)
        texts = _Declarations(program, model, speller)
        _Statements(texts.texts, model, linked, speller).all()
        functions = _functions(program, bodies, speller)
    return Captions(
        texts=texts.texts,
        constants=dict(model.lets),
        functions=functions,
        devices=tuple(texts.devices.values()),
        roles=texts.roles,
    )


class _Speller:
    """Spells expressions of a program with these constants."""

    def __init__(self, model: Model) -> None:
        self.lets = model.lets

    def text(self, tree: nodes.Expr) -> str:
        """An expression without marks of costs and without choices that constants have made."""
        return re.sub(r"e([+-])0+(\d)", r"e\1\2", expression(self.plain(tree)))

    def plain(self, tree: Any) -> Any:
        return transform(tree, self.change)

    def change(self, node: Any) -> Any:
        match node:
            case nodes.Call(nodes.Name("cost" | "<cost>"), (_, *_)):
                return self.plain(node.args[-1])
            case nodes.Group(inner):
                return self.plain(inner)
            case nodes.Ref(name, subscript, None, None) if subscript is not None and "." in name.text:
                family, _, member = name.text.partition(".")
                member_name = nodes.Name(member, name.span)
                return nodes.Ref(nodes.Name(family, name.span), self.plain(subscript), member_name, None, node.span)
            case nodes.Conditional(test, then, otherwise):
                known = self.constant(test)
                return None if known is None else self.plain(otherwise if known == 0 else then)
            case nodes.Binary("&&" | "||" as op, left, right):
                for side, other in ((left, right), (right, left)):
                    known = self.constant(side)
                    if known is not None and (known != 0) == (op == "&&"):
                        return self.plain(other)
        return None

    def constant(self, tree: nodes.Expr) -> float | None:
        """The value of an expression that reads constants alone, or None."""
        try:
            return evaluate(tree, self.lets, Terms())
        except SerqError:
            return None


assert CONVERTED == "<cost>"


def _functions(
    program: nodes.Program, bodies: Mapping[str, nodes.Expr], speller: _Speller
) -> dict[str, tuple[str, str]]:
    """Definitions of expressions, by name."""
    found: dict[str, tuple[str, str]] = {}
    for item in (*program.before, *program.items):
        if isinstance(item, nodes.Def) and not isinstance(item.body, nodes.Block | nodes.Unreadable):
            parameters = ", ".join(parameter.text for parameter in item.parameters)
            found[item.name.text] = (
                f"{item.name.text}({parameters})",
                speller.text(bodies.get(item.name.text, item.body)),
            )
    return found


class _Declarations:
    """Captions of pools, stages, engines, devices and arrivals, read item by item."""

    def __init__(self, program: nodes.Program, model: Model, speller: _Speller) -> None:
        self.speller = speller
        self.texts: dict[Place, str] = {}
        self.devices: dict[str, Device] = {}
        self.roles: dict[str, tuple[str, ...]] = {}
        self.capacities: dict[tuple[str, str], nodes.Expr] = {}
        self.chunks = {
            stage.name.text: stage.kind.chunk
            for stage in model.stages
            if not isinstance(stage.kind, nodes.Fifo | nodes.Ps | nodes.Delay)
        }
        for item in program.items:
            self.item(item, "")

    def put(self, tree: nodes.Expr | None, *place: str | int) -> None:
        if tree is not None:
            self.texts[place] = self.speller.text(tree)

    def item(self, item: Any, prefix: str) -> None:
        """An item of the program, or of the queue named in `prefix` (with a dot)."""
        match item:
            case nodes.Device():
                self.device(item, prefix)
            case nodes.Engine():
                self.engine(item, prefix)
            case nodes.Pool():
                self.pool(item, prefix)
            case nodes.Stage():
                self.kind(item.kind, item.name.text)
            case nodes.Serve():
                self.kind(item.kind, prefix[:-1])
            case nodes.Nic():
                self.kind(item.kind, f"{prefix}nic")
            case nodes.Queue():
                self.roles[item.name.text] = tuple([role.text for role in item.roles])
                for inner in item.items:
                    self.item(inner, f"{item.name.text}.")
            case nodes.Workload():
                for part in item.items:
                    if isinstance(part, nodes.Arrive):
                        self.put(part.value, "arrival")

    def kind(self, kind: nodes.Kind, name: str) -> None:
        match kind:
            case nodes.Fifo(servers):
                self.put(servers, "stage", name, "servers")
            case nodes.Ps(capacity):
                self.put(capacity, "stage", name, "capacity")

    def device(self, device: nodes.Device, prefix: str) -> None:
        name = prefix + device.name.text
        functions: list[tuple[str, str]] = []
        for item in device.items:
            if isinstance(item, nodes.Capacity):
                self.capacities[name, item.name.text] = item.value
            else:
                parameters = ", ".join(parameter.text for parameter in item.parameters)
                functions.append((f"{item.name.text}({parameters})", self.speller.text(item.value)))
        self.devices[name] = Device(name, None, None, tuple(functions))

    def engine(self, engine: nodes.Engine, prefix: str) -> None:
        name = prefix[:-1] if engine.name is None or prefix else engine.name.text
        device = prefix + engine.device.text
        if device in self.devices:
            self.devices[device] = self.devices[device]._replace(engine=name)
        self.put(self.chunks.get(name), "stage", name, "chunk")
        for item in engine.items:
            match item:
                case nodes.Capacity():
                    self.capacities[name, item.name.text] = item.value
                case nodes.TokensCap():
                    self.put(item.value, "stage", name, "budget")
                case nodes.Granule():
                    self.put(item.value, "stage", name, "granule")
                case nodes.Execute():
                    self.put(item.value, "stage", name, "cost")
                case nodes.StallClause():
                    self.put(item.value, "stage", name, "stall", item.label.text)
                case nodes.Schedule():
                    self.schedule(item.statements, ("stage", name, "schedule"))

    def schedule(self, statements: tuple[nodes.ScheduleStatement, ...], place: Place) -> None:
        for i, s in enumerate(statements):
            here = (*place, i)
            match s:
                case nodes.AdvanceRunning(only, order, _, _):
                    self.put(only, *here, "only")
                    for k, key in enumerate(order.keys if order is not None else ()):
                        self.put(key, *here, "by", k)
                case nodes.AdmitWaiting():
                    self.put(s.only, *here, "only")
                    self.put(s.gate, *here, "gate")
                case nodes.Set():
                    self.put(s.value, *here, "value")
                case nodes.ScheduleBranch(test, then, otherwise, _):
                    self.put(test, *here, "test")
                    self.schedule(then.statements, (*here, "then"))
                    self.schedule(() if otherwise is None else otherwise.statements, (*here, "otherwise"))

    def pool(self, pool: nodes.Pool, prefix: str) -> None:
        name = prefix + pool.name.text
        if pool.owner is not None:
            self.owned(pool, pool.owner, name, prefix)
        for option in pool.options:
            match option:
                case nodes.Cap(value, _):
                    self.put(value, "pool", name, "cap")
                case nodes.BlockSize(value, _):
                    self.put(value, "pool", name, "block")
                case nodes.Evict(keys, _):
                    self.keys(keys, name, "evict")
                case nodes.QueueOrder(keys, _):
                    self.keys(keys, name, "queue")
                case nodes.Preempt(_, keys, _, _):
                    self.keys(keys, name, "preempt")
                case nodes.Spill(_, _, work, when, _):
                    self.put(work, "pool", name, "spill", "work")
                    self.put(when, "pool", name, "spill", "when")

    def keys(self, keys: tuple[nodes.Expr, ...] | None, pool: str, what: str) -> None:
        for i, key in enumerate(keys or ()):
            self.put(key, "pool", pool, what, i)

    def owned(self, pool: nodes.Pool, owner: nodes.Owner, name: str, prefix: str) -> None:
        """A pool that is a capacity of a device or of an engine."""
        device = prefix + (owner.first if owner.second is None else owner.second).text
        if device in self.devices:
            self.devices[device] = self.devices[device]._replace(pool=name)
        for holder in (device, prefix[:-1] or owner.first.text):
            self.put(self.capacities.get((holder, pool.name.text)), "pool", name, "cap")


class _Statements:
    """Captions of statements."""

    def __init__(self, texts: dict[Place, str], model: Model, linked: ir.Ir, speller: _Speller) -> None:
        self.speller = speller
        self.texts = texts
        self.model = model
        self.linked = linked

    def all(self) -> None:
        self.block(self.linked.init, 0, self.model.init)
        self.block(self.linked.turn, 0, self.model.turn)
        self.block(self.linked.session, 0, self.model.session)

    def block(self, number: int, position: int, statements: Statements) -> int:
        """Caption a block's statements from `position` on; the position after them."""
        for s in statements:
            self.statement(number, position, s)
            position += 1
            if isinstance(s, nodes.Turn):
                position = self.block(number, position, self.model.server)
        return position

    def statement(self, number: int, position: int, s: nodes.Statement) -> None:
        made: Any = self.linked.blocks[number][position]

        def put(tree: nodes.Expr | None, *field: str | int) -> None:
            if tree is not None:
                self.texts["block", number, position, *field] = self.speller.text(tree)

        match s:
            case nodes.Set() | nodes.Observe() | nodes.Stall():
                put(s.value, "value")
            case nodes.Grow() | nodes.Load():
                put(s.amount, "amount")
            case nodes.Run():
                put(s.work, "work")
            case nodes.Choose(_, choices, keys, _):
                put(choices, "count")
                for i, key in enumerate(keys):
                    put(key, "keys", i)
            case nodes.Fork(body, _) | nodes.Loop(body, _):
                self.block(made.body, 0, body.statements)
            case nodes.While(test, body, _):
                put(test, "test")
                self.block(made.body, 0, body.statements)
            case nodes.Branch():
                put(s.test, "test")
                self.block(made.then, 0, s.then.statements)
                self.block(made.otherwise, 0, () if s.otherwise is None else s.otherwise.statements)
            case nodes.Hold():
                for i, held in enumerate(s.pools):
                    put(held.units, "units", i)
                    put(held.reserve, "reserve", i)
                for i, segment in enumerate(() if s.prefix is None else s.prefix.segments):
                    put(segment.key, "key", i)
                    put(segment.length, "length", i)
                put(s.reuse, "reuse")
                put(s.cache, "cache")
                put(None if s.lease is None else s.lease.time, "lease")
                self.block(made.body, 0, s.body.statements)
