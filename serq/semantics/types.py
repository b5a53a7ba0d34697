"""Types: a plain number, or a cost of pools and stages.

In: a linked program. Out: the type of each attribute; or the refusal of an expression that mixes what cannot be mixed.

A cost is an amount of named resources. What a statement asks of a pool or a stage must be a cost of exactly it, so
that tokens, seconds and slots are not confused. Costs of one type can be added, compared, scaled and chosen from; in
all other operations they have no meaning. A message points at the pool or stage of the statement, or at the first name
of the whole expression.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn, TypeAlias

from serq.ir import nodes as ir
from serq.record import Record
from serq.semantics.assigned import check_assigned
from serq.semantics.faults import refuse
from serq.semantics.link import SERVER, WORKLOAD, Linked
from serq.semantics.moments import first_place, inside
from serq.source import Span


class Resource(Record):
    """A family of pools or stages. (The nodes of the representation for both compare equal, so they do not serve.)"""

    stage: bool
    base: int
    members: int


Type: TypeAlias = tuple[Resource, ...] | None
"""The resources of a cost, in order; None for a plain number."""

CLIENT_SET = ("serial", "turn_no", "new", "out", "think", "more", "forced")
"""Built-in attributes that the client's side sets."""

_ALIKE = ("Min", "Max", "Floor", "Ceil", "Abs")


def check_types(linked: Linked) -> tuple[ir.AttrType, ...]:
    """The types of the attributes of a program in which all types agree.

    Raises:
        SerqError: at the first disagreement.
    """
    return _Types(linked).check()


class _Mixed(Exception):  # noqa: N818 (not an error that anybody sees)
    """An expression whose types disagree."""


class _Types:
    def __init__(self, linked: Linked) -> None:
        self.linked = linked
        self.program = linked.program
        self.places = linked.places
        self.attrs: list[Type] = [None] * len(linked.program.attrs)
        self.server_uses = self.used_by_server()

    def check(self) -> tuple[ir.AttrType, ...]:
        self.infer_attributes()
        sizes = self.check_sides()
        for number, block in enumerate(self.program.blocks):
            fresh = number in (self.program.init, self.program.turn)
            for statement, side in zip(block, self.program.sides[number], strict=True):
                self.statement(statement, side, fresh)
        for reading in self.linked.readings:
            if reading.plain:
                self.plain(reading.expr, reading.anchor, "a plain number")
        check_assigned(self.program, self.places, self.attrs)
        return tuple(
            [
                _as_ir(kind) if kind is not None else "Size" if slot in sizes else "Value"
                for slot, kind in enumerate(self.attrs)
            ]
        )

    # ------------------------------------------------------------ attributes

    def statements(self) -> Iterator[tuple[ir.Statement, str]]:
        for block, sides in zip(self.program.blocks, self.program.sides, strict=True):
            yield from zip(block, sides, strict=True)

    def infer_attributes(self) -> None:
        """An attribute to which a cost is assigned somewhere is that cost. Repeated, since costs are passed on."""
        changed = True
        while changed:
            changed = False
            for statement, _ in self.statements():
                if isinstance(statement, ir.Set) and self.attrs[statement.slot] is None:
                    try:
                        kind = self.infer(statement.value)
                    except _Mixed:
                        continue
                    if kind is not None:
                        self.attrs[statement.slot] = kind
                        changed = True

    def check_sides(self) -> set[int]:
        """The attributes that the workload sets, which the server may only read."""
        attrs = self.program.attrs
        sizes = {attrs.index(name) for name in CLIENT_SET}
        for statement, side in self.statements():
            if isinstance(statement, ir.Set | ir.Choose):
                name = attrs[statement.slot]
                span = self.places.of(statement)
                if name == "serial":
                    refuse("built-in", "`serial` is the number of the session, and cannot be set", span)
                if side == WORKLOAD:
                    if name in ("cached", "computed"):
                        refuse("built-in", f"`{name}` is set by the scheduler, and not by the workload", span)
                    sizes.add(statement.slot)
        for statement, side in self.statements():
            if isinstance(statement, ir.Set | ir.Choose) and side == SERVER and statement.slot in sizes:
                if self.attrs[statement.slot] is None:
                    message = f"the server cannot set `{attrs[statement.slot]}`, which is the workload's"
                    value = statement.value if isinstance(statement, ir.Set) else statement.count
                    span = first_place(value, self.places) or self.places.of(statement)
                    refuse("size-in-server", message, span, hint="set an attribute of its own")
        self.check_declared()
        return sizes

    def check_declared(self) -> None:
        """`Size x = e;` and `Cost x = e;` say what they set."""
        for name, word, side in self.linked.declared:
            slot = self.program.attrs.index(name.text)
            if word == "Size" and side == SERVER:
                refuse("size-in-server", "only the workload sets sizes", name.span, hint=f"set {name.text} = ...;")
            if word == "Cost" and self.attrs[slot] is None:
                message = f"`{name.text}` is declared a cost, and is assigned a plain number"
                refuse("type-change", message, name.span, hint="write cost(RESOURCE, ...)")
            if word == "Size" and self.attrs[slot] is not None:
                message = f"`{name.text}` is declared a size, and is assigned a cost"
                refuse("type-change", message, name.span)

    def used_by_server(self) -> set[Resource]:
        """The families whose pools the server allocates or whose stages it runs."""
        used: set[Resource] = set()
        for statement, side in self.statements():
            if side != SERVER:
                continue
            match statement:
                case ir.Hold():
                    used.update(pool_resource(held.pool) for held in statement.pools)
                case ir.Run():
                    used.update(stage_resource(stage) for stage in (statement.stage, *statement.also))
        return used

    # ------------------------------------------------------------ statements

    def statement(self, s: ir.Statement, side: str, fresh: bool) -> None:
        match s:
            case ir.Set(slot, value):
                kind = self.typed(value, side, fresh)
                if kind != self.attrs[slot]:
                    name = self.program.attrs[slot]
                    message = f"`{name}` is assigned {_shown(kind)}, and elsewhere {_shown(self.attrs[slot])}"
                    refuse("type-change", message, first_place(value, self.places) or self.places.of(s))
            case ir.Observe(_, value):
                self.typed(value, side, fresh)
            case ir.Hold():
                self.hold(s, side)
            case ir.Run():
                stages = (s.stage, *s.also)
                wanted = _joint([stage_resource(stage) for stage in stages])
                self.amount(s.work, wanted, self.places.of(s.stage), side)
            case ir.Grow(pool, amount) | ir.Load(pool, amount):
                self.amount(amount, (pool_resource(pool),), self.places.of(pool), side)
            case ir.Choose(slot, count, keys):
                for e in (count, *keys):
                    self.plain(e, None, "`choose`")
                if self.attrs[slot] is not None:
                    refuse("type-change", f"`{self.program.attrs[slot]}` is a cost elsewhere", self.places.of(s))
            case ir.Stall(_, _, value):
                self.plain(value, None, "a number of seconds")
            case ir.Branch(test) | ir.While(test):
                self.plain(test, None, "a condition")

    def hold(self, s: ir.Hold, side: str) -> None:
        anchor = self.places.of(s.pools[0].pool)
        for held in s.pools:
            wanted = (pool_resource(held.pool),)
            self.amount(held.units, wanted, anchor, side)
            if held.reserve is not None:
                self.amount(held.reserve, wanted, anchor, side)
        joint = _joint([pool_resource(held.pool) for held in s.pools])
        for e in (s.reuse, s.cache):
            if e is not None:
                self.amount(e, joint, anchor, side)
        for segment in s.prefix:
            for e in segment:
                self.plain(e, anchor, "a prefix")
        if s.lease is not None:
            self.plain(s.lease.time, anchor, "the time of a lease")

    def amount(self, e: ir.Expr, wanted: tuple[Resource, ...], span: Span | None, side: str) -> None:
        """What a statement asks of a pool or a stage: a cost of exactly it."""
        kind = self.of(e, span)
        if kind != wanted:
            message = f"{_article(self.names(wanted))} is needed here, and this is {_shown_named(self, kind)}"
            hint = f"write cost({', '.join(self.names(wanted))}, ...)" if kind is None else None
            refuse("cost-needed", message, span, hint=hint)
        self.check_owner(kind, side, span)

    def typed(self, e: ir.Expr, side: str, fresh: bool) -> Type:
        """The type of what a statement assigns or observes."""
        span = first_place(e, self.places)
        kind = self.of(e, None)
        if kind is not None and fresh:
            refuse("cost-in-workload", "`init` and `turn` set plain numbers, not costs", span)
        self.check_owner(kind, side, span)
        return kind

    def check_owner(self, kind: Type, side: str, span: Span | None) -> None:
        if side == WORKLOAD and kind is not None and any(resource in self.server_uses for resource in kind):
            message = f"{_article(self.names(kind))} is the server's, which uses it, and not the session's"
            refuse("two-sides", message, span)

    def plain(self, e: ir.Expr, span: Span | None, where: str) -> None:
        if self.of(e, span) is not None:
            refuse("cost-misused", f"{where} is needed here, not a cost", span or first_place(e, self.places))

    def of(self, e: ir.Expr, span: Span | None) -> Type:
        """The type of an expression; a message points at `span`, or at the expression's first name."""
        try:
            return self.infer(e)
        except _Mixed as mixed:
            self.refuse_mixed(str(mixed), span or first_place(e, self.places))

    def refuse_mixed(self, what: str, span: Span | None) -> NoReturn:
        refuse("cost-mixed", what, span, hint="make both costs of the same pools and stages, or both plain")

    # ------------------------------------------------------------ inference

    def infer(self, e: ir.Expr) -> Type:
        match e:
            case ir.Cost(resources, operand):
                self.must_be_plain(operand, "the amount of a `cost` is a cost already")
                return tuple([_resource(resource) for resource in resources])
            case ir.Attr(slot):
                return self.attrs[slot]
            case ir.Unary(op, operand):
                if op == "Neg":
                    return self.infer(operand)
                self.must_be_plain(operand, "`!` is applied to a cost")
            case ir.Binary(op, left, right):
                return self.binary(op, self.infer(left), self.infer(right))
            case ir.Cond(test, then, otherwise):
                self.must_be_plain(test, "a condition is a cost")
                kind = self.infer(then)
                if self.infer(otherwise) != kind:
                    raise _Mixed("the arms of `?:` have different types")
                return kind
            case ir.Call(function, _) if function in _ALIKE:
                kinds = [self.infer(arg) for arg in inside(e)]
                if any(kind != kinds[0] for kind in kinds):
                    raise _Mixed(f"the arguments of `{function.lower()}` have different types")
                return kinds[0]
            case ir.Call(function, _):
                for arg in inside(e):
                    self.must_be_plain(arg, f"`{function.lower()}` is applied to a cost")
            case ir.Sample(_, args):
                for arg in args:
                    self.must_be_plain(arg, "the parameter of a draw is a cost")
        return None

    def binary(self, op: str, left: Type, right: Type) -> Type:
        if op in ("Add", "Sub"):
            if left != right:
                raise _Mixed("a cost and something else are added")
            return left
        if op in ("Lt", "Le", "Gt", "Ge", "Eq", "Ne"):
            if left != right:
                raise _Mixed("a cost and something else are compared")
            return None
        if op == "Mul" and (left is None or right is None):
            return right if left is None else left
        if op == "Div" and right is None:
            return left
        if left is not None or right is not None:
            raise _Mixed("a cost can only be scaled by a plain number")
        return None

    def must_be_plain(self, e: ir.Expr, otherwise: str) -> None:
        if self.infer(e) is not None:
            raise _Mixed(otherwise)

    def names(self, resources: tuple[Resource, ...]) -> list[str]:
        program = self.program
        return [program.stages[r.base].name if r.stage else program.pools[r.base].name for r in resources]


def _shown(kind: Type) -> str:
    return "a plain number" if kind is None else "a cost"


def _shown_named(types: _Types, kind: Type) -> str:
    return "a plain number" if kind is None else _article(types.names(kind))


def _article(names: list[str]) -> str:
    return "a cost of " + " and ".join(f"`{name}`" for name in names)


def _resource(resource: ir.Resource) -> Resource:
    return Resource(isinstance(resource, ir.StageResource), resource.base, resource.count)


def _as_ir(kind: tuple[Resource, ...]) -> tuple[ir.Resource, ...]:
    return tuple([(ir.StageResource if r.stage else ir.PoolResource)(r.base, r.members) for r in kind])


def pool_resource(ref: ir.Ref) -> Resource:
    return Resource(False, ref.base, ref.count)


def stage_resource(ref: ir.Ref) -> Resource:
    return Resource(True, ref.base, ref.count)


def _joint(resources: list[Resource]) -> tuple[Resource, ...]:
    """The resources in the order of a cost's: pools before stages, by number, each once."""
    return tuple(sorted(set(resources)))
