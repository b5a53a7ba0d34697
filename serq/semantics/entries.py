"""What an engine or a queue does for a request: its entries, and calls of them.

In: the `request` of an engine, the entries of a queue. Out: `Entry` records, whose statements speak of the program's
pools, stages and attributes by their displayed names, with the parameters still in place; then the statements of a
call, with the arguments in place of the parameters.

An entry sees little: its parameters, what it sets itself, the pools and the stage of its owner, `cached`, `computed`,
and the attributes that the workload hides from the server until a run reveals them. The header of a hold sees less.
So an engine or a queue means the same in every program that it is put into. (A gateway's `route` is not such an entry:
it is a piece of the server.)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NoReturn

from serq.record import Record
from serq.semantics.faults import refuse
from serq.semantics.model import Statements
from serq.semantics.rewrite import parts, transform, transform_parts, walk
from serq.semantics.statements import CONVERTED, NOWHERE, cost, display_name, named, resource_of
from serq.semantics.words import BUILT_IN, NUMERIC_FUNCTIONS, SUPPLIED
from serq.source import Span
from serq.syntax import nodes
from serq.syntax.words import FUNCTIONS

COSTS = ("cost", CONVERTED)
LISTS = ("running", "waiting", "batch")
SELF = "self"
SOURCE = "<source>"
"""Name, in an entry's statements, of the member of the source queue that a call takes from."""


class Owner(Record):
    """An engine or a queue, as its entries see it.

    Attributes:
        name: displayed name of its stage.
        size: members of a queue family, whose entries see their number as `self`; or None.
        pools: displayed names of its own pools, by the name inside.
        stages: displayed names of its own stages (`Q`, `Q.nic`).
        private: what an entry sets becomes an attribute of the owner (`Q.x`); an engine's is the program's.
    """

    name: str
    size: int | None
    pools: Mapping[str, str]
    stages: Collection[str]
    private: bool


class Entry(Record):
    """One entry.

    Attributes:
        place: what a message about the whole entry points at; `header`, about the header of its hold.
        at: position of the owner among the items.
        source: the queue after `from`, or None.
        body: its statements, as written or (after `localise`) as called.
    """

    owner: Owner
    verb: str
    place: Span
    header: Span
    at: int
    parameters: tuple[nodes.Name, ...]
    source: str | None
    body: Statements

    @property
    def called(self) -> str:
        return f"{self.owner.name}.{self.verb}"

    @property
    def sees_all(self) -> bool:
        return self.verb == "route"


# ---------------------------------------------------------------- an engine's request


def request_statements(request: nodes.Request, taking: nodes.Taking | None, engine: str) -> Statements:
    """The statements of an engine's request: what precedes admission, and a hold of what it takes."""
    if taking is None:
        _refuse_admission(request, engine)
        return request.body.statements
    before, admission, after = _split(request.body.statements)
    names = [take.name for take in taking.takes]
    pools = tuple(
        [
            nodes.Held(
                named(take.name.text, take.span),
                cost((take.name,), take.units, take.span),
                None if take.reserve is None else cost((take.name,), take.reserve, take.span),
                take.span,
            )
            for take in taking.takes
        ]
    )
    every = tuple(names)
    hold = nodes.Hold(
        pools=pools,
        prefix=request.prefix,
        reuse=None if taking.reuse is None else cost(every, taking.reuse, names[0].span),
        at_admission=admission,
        body=request.body._replace(statements=after),
        cache=None if request.cache is None else cost(every, request.cache, names[0].span),
        lease=None,
        span=taking.span,
    )
    return (*before, hold)


def _refuse_admission(request: nodes.Request, engine: str) -> None:
    """Without `taking` there is no admission to speak of."""
    found: list[tuple[str, Span]] = []
    if request.prefix is not None:
        found.append(("prefix", request.prefix.span))
    found += [("at admission", s.span) for s in request.body.statements if isinstance(s, nodes.AtAdmission)]
    if request.cache_word is not None:
        found.append(("cache", request.cache_word))
    for what, span in found:
        message = f"`{what}` in the request of engine `{engine}`, which takes nothing when it admits"
        refuse("taking-missing", message, span, hint="say what: admit waiting taking ...")


def _split(statements: Statements) -> tuple[Statements, nodes.AtAdmission | None, Statements]:
    for i, statement in enumerate(statements):
        if isinstance(statement, nodes.AtAdmission):
            return statements[:i], statement, statements[i + 1 :]
    return (), None, statements


# ---------------------------------------------------------------- what an entry may read


class Sight(Record):
    """The names of the program that matter to what an entry may read.

    Attributes:
        lets: constants, each with the position of its first declaration among the items.
        hidden: attributes that the workload hides.
        attributes: all attributes that some statement assigns.
        registers: of all engines.
    """

    lets: Mapping[str, int]
    hidden: Collection[str]
    attributes: Collection[str]
    registers: Collection[str]


def check_entry(entry: Entry, sight: Sight) -> None:
    """Refuse an entry that sets its parameters, or reads or holds what is not its own."""
    check = _EntryCheck(entry, sight)
    check.admission(entry.body)
    check.statements(entry.body)


class _EntryCheck:
    """One pass over an entry's statements; `above` are the attributes set so far, in the order of the text."""

    def __init__(self, entry: Entry, sight: Sight) -> None:
        self.entry = entry
        self.sight = sight
        self.parameters = {parameter.text for parameter in entry.parameters}
        self.assigned = dict.fromkeys([name.text for node in walk(entry.body) for name in assigned_by(node)])
        self.above: set[str] = set()
        for name in self.assigned:
            if name in self.parameters:
                self.refuse("entry-parameter", f"sets its parameter `{name}`", entry.place)
            if name in SUPPLIED:
                self.refuse("supplied-name", f"sets `{name}`, which is a value of the language", entry.place)
            if sight.lets.get(name, entry.at) < entry.at:
                self.refuse("two-meanings", f"sets `{name}`, which is a constant", entry.place)

    def refuse(self, kind: str, what: str, place: Span) -> NoReturn:
        refuse(kind, f"`{self.entry.called}` {what}", place, hint=_HINTS.get(kind))

    def statements(self, statements: Statements) -> None:
        for statement in statements:
            self.statement(statement)
            self.above.update(name.text for name in assigned_by(statement))

    def statement(self, s: nodes.Statement) -> None:
        place = self.entry.place
        match s:
            case nodes.Hold():
                self.hold(s)
            case nodes.Fork(body) | nodes.Loop(body):
                self.statements(body.statements)
            case nodes.While(test, body):
                self.reads(test, place, frozenset())
                self.statements(body.statements)
            case nodes.Branch():
                self.reads(s.test, place, frozenset())
                self.statements(s.then.statements)
                if s.otherwise is not None:
                    self.statements(s.otherwise.statements)
            case nodes.Grow() | nodes.Load() | nodes.Drop() | nodes.Release():
                self.holds(s.pool)
                self.inside(s, place)
            case nodes.Run() | nodes.Advance() | nodes.Tool():
                if s.growing is not None:
                    self.holds(s.growing)
                self.inside(s, place)
            case nodes.Transfer():
                self.holds(s.target)
                if s.source.name.text != self.entry.source:
                    self.holds(s.source)
                self.inside(s, place)
            case nodes.EntryCall():
                self.inside(s, place)
            case _:
                for part in parts(s):
                    self.reads(part, place, frozenset())

    def admission(self, statements: Statements) -> None:
        """What a request reads when it is admitted is told first; it sees what is set before."""
        for s in statements:
            if isinstance(s, nodes.Hold) and s.span == self.entry.header:
                self.headers(s)
                break
            self.above.update(name.text for name in assigned_by(s))
        self.above = set()

    def hold(self, s: nodes.Hold) -> None:
        for held in s.pools:
            self.holds(held.pool)
        names = self.headers(s)
        before = set(self.above)
        self.above |= names
        self.statements(s.body.statements)
        self.above = before | {name.text for node in walk(s.body) for name in assigned_by(node)}
        self.reads(s.cache, self.entry.place, frozenset())
        if s.lease is not None:
            self.holds(s.lease.pool)
            self.reads(s.lease.time, self.entry.place, frozenset())

    def headers(self, s: nodes.Hold) -> set[str]:
        """Check what the header of a hold reads; the names that it binds."""
        names: set[str] = set()
        header = self.entry.header
        for binding in () if s.at_admission is None else s.at_admission.bindings:
            self.header(binding.value, header, names)
            names.add(binding.name.text)
        for held in s.pools:
            self.header(held.units, header, names)
            self.header(held.reserve, header, names)
        if s.prefix is not None:
            self.header(s.prefix, header, names | {"serial"})
        self.header(s.reuse, header, names)
        return names

    # ------------------------------------------------------------ expressions

    def inside(self, s: Any, place: Span) -> None:
        """The expressions of a statement; its own references have been seen to."""
        for part in parts(s):
            for item in part if type(part) is tuple else (part,):
                self.reads(item.subscript if isinstance(item, nodes.Ref) else item, place, frozenset())

    def reads(self, tree: Any, place: Span, indices: frozenset[str]) -> None:
        """Refuse what an expression reads and the entry does not see."""
        self.names(tree, place, indices, self.sees)

    def header(self, tree: Any, place: Span, bindings: Collection[str]) -> None:
        self.names(tree, place, frozenset(bindings), self.header_sees)

    def names(self, tree: Any, place: Span, indices: frozenset[str], sees: Any) -> None:
        match tree:
            case None | nodes.Number():
                return
            case nodes.Name():
                if tree.text not in indices and not sees(tree.text):
                    self.unseen(tree.text, place, sees)
            case nodes.Aggregate():
                self.names(tree.terms, place, indices, sees)
                self.names(tree.body, place, indices | {tree.variable.text}, sees)
            case nodes.Call(function, args):
                for arg in args:
                    if function.text in COSTS and isinstance(arg, nodes.Name | nodes.Ref) and arg is not args[-1]:
                        continue
                    if function.text not in FUNCTIONS and function.text not in COSTS and self.is_own(arg):
                        continue
                    if function.text in FUNCTIONS - NUMERIC_FUNCTIONS and isinstance(arg, nodes.Name | nodes.Ref):
                        if arg is args[0]:
                            self.resource(arg, place)
                            continue
                    self.names(arg, place, indices, sees)
            case nodes.Ref():
                if tree.member is not None and tree.name.text in LISTS and sees == self.sees:
                    message = f"`{tree.name.text}` is a list of an engine, and is read in the engine's clauses"
                    refuse("engine-list", message, tree.name.span)
                self.reference(tree, place)
            case _:
                for part in tree if type(tree) is tuple else parts(tree):
                    if isinstance(part, tuple):
                        self.names(part, place, indices, sees)

    def is_own(self, arg: nodes.Expr) -> bool:
        """Whether an argument is a pool or a stage of the entry's owner."""
        owner = self.entry.owner
        return isinstance(arg, nodes.Name) and (arg.text in owner.pools or arg.text in owner.stages)

    def sees(self, name: str) -> bool:
        return (
            name in self.parameters
            or name in self.assigned
            or name in self.sight.lets
            or name in self.sight.hidden
            or name in SUPPLIED - {"batch", "running"}
            or name in self.sight.registers
            or name in ("cached", "computed")
        )

    def header_sees(self, name: str) -> bool:
        return (
            name in self.parameters
            or name in self.above
            or name in self.sight.lets
            or name in SUPPLIED - {"batch", "running", "now"}
            or name in self.sight.registers
            or name in ("cached", "computed")
        )

    def unseen(self, name: str, place: Span, sees: Any) -> NoReturn:
        if sees == self.header_sees and name in self.assigned:
            self.refuse("entry-reads", f"reads `{name}` in the header of a hold, and sets it only below", place)
        if name in self.sight.attributes or name in BUILT_IN or name in SUPPLIED:
            self.refuse("entry-reads", f"reads `{name}`, which stands outside of it", place)
        self.refuse("entry-reads", f"reads `{name}`, which nothing sets", place)

    def resource(self, arg: nodes.Name | nodes.Ref, place: Span) -> None:
        """A pool or a stage that a function reads."""
        name = arg.text if isinstance(arg, nodes.Name) else display_name(arg)
        owner = self.entry.owner
        if isinstance(arg, nodes.Name) and (name in self.parameters or name in SUPPLIED):
            # What the parameter stands for is looked at in each call, and the word where it is linked.
            return
        if isinstance(arg, nodes.Ref) and name in owner.pools.values() and arg.member is not None:
            self.refuse("entry-reads", f"reads `{name}`, which is `{arg.member.text}` inside", place)
        port = isinstance(arg, nodes.Ref) and arg.member is not None
        if name not in owner.pools and (name not in owner.stages or port):
            self.refuse("entry-reads", f"reads `{name}`, which is no pool or stage of its own", place)
        if isinstance(arg, nodes.Ref) and arg.subscript is not None:
            self.reads(arg.subscript, place, frozenset())

    def reference(self, ref: nodes.Ref, place: Span) -> None:
        """A dotted name that is read as a value: an attribute of a queue, an engine's list, a pool as an argument."""
        if ref.member is not None:
            if ref.name.text in LISTS:
                return
            self.refuse("entry-reads", f"reads `{display_name(ref)}`, which stands outside of it", place)

    def holds(self, ref: nodes.Ref) -> None:
        name = display_name(ref)
        if name not in self.entry.owner.pools:
            self.refuse("entry-pool", f"allocates `{name}`, which is no pool of its own", self.entry.place)


_HINTS = {
    "entry-reads": "pass it as a parameter, or hide it in the workload: hidden NAME;",
    "entry-pool": "an engine's pools are those that its `taking` names, a queue's those declared above the entry",
}


def assigned_by(node: Any) -> tuple[nodes.Name, ...]:
    """The attributes that a node itself assigns."""
    match node:
        case nodes.Set() | nodes.Choose():
            return (node.target,)
        case nodes.Binding():
            return (node.name,)
    return ()


# ---------------------------------------------------------------- names inside an entry


def localise(statements: Statements, entry: Entry) -> Statements:
    """An entry's statements with its owner's names as the program displays them.

    The owner's pools and stages get the index `self` in a family, and what the entry sets becomes the owner's. The
    statements are already of the kinds that `link` reads, so bindings have become assignments.
    """
    owner = entry.owner
    parameters = {parameter.text for parameter in entry.parameters}
    assigned: set[str] = set()
    if owner.private and not entry.sees_all:
        # What `mark` sets has its full name already.
        assigned = {name.text for node in walk(statements) for name in assigned_by(node) if "." not in name.text}
    member = None if owner.size is None else nodes.Name(SELF, NOWHERE)

    def own(name: nodes.Name) -> nodes.Ref | None:
        """What a bare name of a pool or a stage refers to inside."""
        if name.text in owner.pools:
            return named(owner.pools[name.text], name.span, member)
        if name.text == owner.name and owner.name in owner.stages:
            return named(owner.name, name.span, member)
        return None

    def outside(name: nodes.Name) -> nodes.Name:
        return name._replace(text=f"{owner.name}.{name.text}") if name.text in assigned else name

    def change(node: Any) -> Any:
        match node:
            case nodes.Set() | nodes.Choose():
                return transform_parts(node, change)._replace(target=outside(node.target))
            case nodes.Name():
                return outside(node) if node.text not in parameters else None
            case nodes.Call(function, args, span) if function.text in FUNCTIONS or function.text in COSTS:
                return nodes.Call(function, tuple([argument(arg, function.text) for arg in args]), span)
            case nodes.Run(stages=()):
                return transform_parts(node, change)._replace(stages=(named(owner.name, node.opener, member),))
            case nodes.Stall():
                return transform_parts(node, change)._replace(stage=named(owner.name, node.span, member))
            case nodes.Ref(subscript=None, member=None):
                return own(node.name)
        return None

    def argument(arg: nodes.Expr, function: str) -> nodes.Expr:
        ref = own(arg) if isinstance(arg, nodes.Name) and arg.text not in parameters else None
        if ref is None:
            return transform(arg, change)
        return resource_of(ref) if function in COSTS or ref.subscript is None else ref

    return transform(statements, change)
