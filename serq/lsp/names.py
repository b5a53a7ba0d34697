"""Every name of a program with its declarations and uses.

In: a reading of the text. Out: `Names`. The language gives a name one meaning over the whole program; the exceptions
are parameters, indices, what a schedule's `let` names, and what belongs to an engine or a queue. A name that nothing
declares is not in the result.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from serq.lsp.recover import Reading
from serq.record import Record
from serq.semantics.meanings import meanings_of
from serq.source import Span
from serq.syntax import nodes

LISTS = ("running", "waiting", "batch")


class Symbol:
    """Something that a program declares.

    Attributes:
        kind: what it is, in words: `constant`, `argument`, `definition`, `attribute`, `pool`, ...
        name: its name.
        home: the engine, queue, device or definition that it belongs to, or None.
        declared: the places that declare it; of an attribute, those that set it.
        uses: the other places that name it.
        nodes: the parts of the syntax tree that declare it.
        scope: where its name can be read; None: everywhere.
        members: of a queue, what belongs to it.
    """

    def __init__(self, kind: str, name: str, home: Symbol | None = None, scope: Span | None = None) -> None:
        self.kind, self.name, self.home, self.scope = kind, name, home, scope
        self.declared: list[Span] = []
        self.uses: list[Span] = []
        self.nodes: list[Any] = []
        self.members: dict[str, Symbol] = {}

    @property
    def places(self) -> list[Span]:
        """All places that name it, in the order of the text."""
        return sorted(self.declared + self.uses)

    def declare(self, span: Span, node: Any) -> None:
        if span not in self.declared:
            self.declared.append(span)
            self.nodes.append(node)


class BuiltIn(Record):
    """A name that the language supplies: its name in the table of meanings, and its kind there."""

    name: str
    kind: str


class Occurrence(Record):
    """A place that names something."""

    span: Span
    target: Symbol | BuiltIn


class Names:
    """The names of one program.

    Attributes:
        symbols: everything declared, in no particular order.
        occurrences: all places, in the order of the text.
    """

    def __init__(self, reading: Reading) -> None:
        collector = _Collector(reading)
        collector.run()
        self.globals = collector.globals
        self.symbols = collector.symbols
        found = [Occurrence(span, symbol) for symbol in self.symbols for span in symbol.places]
        found += [Occurrence(span, target) for span, target in collector.built_in.items()]
        self.occurrences = sorted(found, key=lambda each: each.span)
        self._starts = [each.span.start for each in self.occurrences]

    def at(self, offset: int) -> Occurrence | None:
        """What is named at an offset, the end of a name included."""
        i = bisect_right(self._starts, offset) - 1
        if i >= 0 and self.occurrences[i].span.end >= offset:
            return self.occurrences[i]
        return None

    def visible(self, offset: int) -> list[Symbol]:
        """What can be named at an offset by a plain name, the inner before the outer."""
        local = [s for s in self.symbols if s.scope is not None and s.scope.start <= offset <= s.scope.end]
        hidden = {symbol.name for symbol in local}
        return local + [s for s in self.globals.values() if s.name not in hidden]


class _Collector:
    """Walks the tree twice: what is declared, then what is named."""

    def __init__(self, reading: Reading) -> None:
        self.program = reading.program
        self.concrete = reading.concrete
        self.symbols: list[Symbol] = []
        self.globals: dict[str, Symbol] = {}
        self.built_in: dict[Span, BuiltIn] = {}
        self.scopes: list[dict[str, Symbol]] = []
        self.taking: dict[str, Symbol] = {}
        self.stalls: dict[str, Symbol] = {}
        self.starts = {start: token for token, start in enumerate(self.concrete.tokens.starts)}

    def run(self) -> None:
        items = [*self.program.before, *self.program.items]
        for item in items:
            self.declare(item)
        for item in items:
            self.item(item)

    # ------------------------------------------------------------ declarations

    def symbol(self, kind: str, name: str, into: dict[str, Symbol], **more: Any) -> Symbol:
        """The symbol of a name, made if there is none."""
        found = into.get(name)
        if found is None:
            found = into[name] = Symbol(kind, name, **more)
            self.symbols.append(found)
        return found

    def declare(self, item: Any) -> None:
        match item:
            case nodes.Let(name, value):
                kind = "argument" if isinstance(value, nodes.Argument) else "constant"
                self.symbol(kind, name.text, self.globals).declare(name.span, item)
            case nodes.Def(name):
                symbol = self.symbol("definition", name.text, self.globals)
                symbol.declare(name.span, item)
                self.declare_assigned(item.body, self.globals, {parameter.text for parameter in item.parameters})
            case nodes.Stage(name) | nodes.Gauge(name) | nodes.Claim(name):
                self.symbol(type(item).__name__.lower(), name.text, self.globals).declare(name.span, item)
            case nodes.Pool(name):
                self.symbol("pool", name.text, self.globals).declare(name.span, item)
            case nodes.Device():
                self.device(item, self.globals)
            case nodes.Engine():
                assert item.name is not None
                engine = self.symbol("engine", item.name.text, self.globals)
                engine.declare(item.name.span, item)
                self.engine(item, engine, self.globals)
            case nodes.Queue(name):
                queue = self.symbol("queue", name.text, self.globals)
                queue.declare(name.span, item)
                self.queue(item, queue)
            case nodes.Workload() | nodes.Server():
                self.declare_assigned(item, self.globals, set())

    def device(self, item: nodes.Device, into: dict[str, Symbol], home: Symbol | None = None) -> None:
        device = self.symbol("device", item.name.text, into, home=home)
        device.declare(item.name.span, item)
        for part in item.items:
            if isinstance(part, nodes.TimeResource):
                self.symbol("time resource", part.name.text, device.members, home=device).declare(part.name.span, part)
            else:
                self.symbol("capacity", part.name.text, device.members, home=device).declare(part.name.span, part)

    def engine(self, item: nodes.Engine, engine: Symbol, into: dict[str, Symbol]) -> None:
        for part in item.items:
            match part:
                case nodes.Capacity(name):
                    self.symbol("capacity", name.text, engine.members, home=engine).declare(name.span, part)
                case nodes.StallClause(label):
                    self.symbol("stall", label.text, self.stalls).declare(label.span, part)
                case nodes.State(name):
                    self.symbol("register", name.text, engine.members, home=engine).declare(name.span, part)
                    into.setdefault(name.text, engine.members[name.text])
                case nodes.Request():
                    self.declare_assigned(part, self.globals, {parameter.text for parameter in part.parameters})

    def queue(self, item: nodes.Queue, queue: Symbol) -> None:
        for part in item.items:
            match part:
                case nodes.Pool(name):
                    self.symbol("pool", name.text, queue.members, home=queue).declare(name.span, part)
                case nodes.Device():
                    self.device(part, queue.members, queue)
                case nodes.Engine():
                    self.engine(part, queue, queue.members)
                case nodes.Entry(verb):
                    self.symbol("entry", f"{verb.text} ()", queue.members, home=queue).declare(verb.span, part)
                    parameters = {parameter.text for parameter in part.parameters or ()}
                    self.declare_assigned(part.body, queue.members, parameters, queue)

    def declare_assigned(
        self, tree: Any, into: dict[str, Symbol], parameters: set[str], home: Symbol | None = None
    ) -> None:
        """What the statements of a part of the program set, bind, mark and observe."""
        for node in walk(tree):
            match node:
                case nodes.Set(_, target) | nodes.Choose(target) | nodes.Mark(target):
                    if target.text not in parameters and not meanings_of(target.text, "attribute"):
                        self.symbol("attribute", target.text, into, home=home).declare(target.span, node)
                case nodes.Binding(name):
                    self.symbol("binding", name.text, into, home=home).declare(name.span, node)
                case nodes.Observe(target):
                    self.symbol("observation", target.text, self.globals).declare(target.span, node)
                case nodes.Stall(_, label):
                    self.symbol("stall", label.text, self.stalls).declare(label.span, node)

    # ------------------------------------------------------------ uses

    def look_up(self, name: str) -> Symbol | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return self.globals.get(name)

    def use(self, name: nodes.Name | None) -> Symbol | None:
        """Note a place that names something declared, or supplied by the language."""
        if name is None:
            return None
        symbol = self.look_up(name.text)
        if symbol is not None:
            self.note(symbol, name.span)
        elif meanings_of(name.text, "attribute"):
            self.built_in[name.span] = BuiltIn(name.text, "attribute")
        elif meanings_of(name.text, "value"):
            self.built_in[name.span] = BuiltIn(name.text, "value")
        return symbol

    def note(self, symbol: Symbol, span: Span) -> None:
        if span not in symbol.declared and span not in symbol.uses:
            symbol.uses.append(span)

    def item(self, item: Any) -> None:
        """What an item of the program names."""
        match item:
            case nodes.Def(name, parameters, body):
                with_parameters = self.local("parameter", parameters, self.globals[name.text], "def")
                self.inside(with_parameters, body)
            case nodes.Device():
                self.inside_device(item, self.globals[item.name.text])
            case nodes.Engine():
                assert item.name is not None
                self.inside_engine(item, self.globals[item.name.text])
            case nodes.Pool():
                self.pool(item)
            case nodes.Queue(name):
                queue = self.globals[name.text]
                self.scopes.append(queue.members)
                for part in item.items:
                    self.queue_item(part, queue)
                self.scopes.pop()
                self.visit(item.size)
            case _:
                self.visit(item)

    def pool(self, item: nodes.Pool) -> None:
        """A pool on an owner is the owner's capacity of that name."""
        self.visit(item.size)
        pool = self.look_up(item.name.text)
        if item.owner is not None:
            owners = [self.use(item.owner.first), self.use(item.owner.second)]
            for owner in owners:
                capacity = owner.members.get(item.name.text) if owner is not None else None
                if capacity is not None and pool is not None and capacity.kind == "capacity":
                    owner_members = owner.members if owner is not None else {}
                    owner_members[item.name.text] = pool
                    self.symbols.remove(capacity)
                    for span, node in zip(capacity.declared, capacity.nodes, strict=True):
                        pool.declare(span, node)
                    pool.uses += capacity.uses
        for option in item.options:
            self.visit(option)

    def inside_device(self, item: nodes.Device, device: Symbol) -> None:
        self.visit(item.size)
        for part in item.items:
            if isinstance(part, nodes.TimeResource):
                local = self.local("parameter", part.parameters, device.members[part.name.text], "time_resource")
                self.inside({**device.members, **local}, part.value)
            else:
                self.visit(part.value)

    def inside_engine(self, item: nodes.Engine, engine: Symbol) -> None:
        device = self.use(item.device)
        self.scopes.append({**(device.members if device else {}), **engine.members})
        request = next((part for part in item.items if isinstance(part, nodes.Request)), None)
        parameters: dict[str, Symbol] = {}
        if request is not None:
            parameters = self.local("parameter", request.parameters, engine, "engine queue_engine")
            self.inside(parameters, (request.prefix, request.body, request.cache))
        for part in item.items:
            match part:
                case nodes.Schedule(lets, statements):
                    names = self.local("schedule let", tuple([let.name for let in lets]), engine, "schedule_body")
                    self.inside(names, tuple([let.value for let in lets]))
                    self.taking = parameters
                    self.inside(names, statements)
                case nodes.Request():
                    pass
                case nodes.Capacity(_, value) | nodes.State(_, value):
                    self.visit(value)
                case _:
                    self.visit(part)
        self.scopes.pop()

    def queue_item(self, part: Any, queue: Symbol) -> None:
        match part:
            case nodes.Pool():
                self.pool(part)
            case nodes.Device():
                self.inside_device(part, queue.members[part.name.text])
            case nodes.Engine():
                self.inside_engine(part, queue)
            case nodes.Entry(_, parameters, source, body):
                self.use(source)
                self.inside(self.local("parameter", parameters or (), queue, "entry"), body)
            case _:
                self.visit(part)

    def local(self, kind: str, names: tuple[nodes.Name, ...], home: Symbol, rules: str) -> dict[str, Symbol]:
        """New symbols for names that only a part of the program sees: the part of one of `rules` around them."""
        made: dict[str, Symbol] = {}
        for name in names:
            symbol = self.symbol(kind, name.text, made, home=home, scope=self.around(name.span, rules))
            symbol.declare(name.span, home)
        return made

    def around(self, span: Span, rules: str) -> Span:
        """The text of the innermost part of one of some rules that holds a token."""
        token = self.starts[span.start]
        tokens = self.concrete.tokens
        for part in self.concrete.parts:
            if part.first <= token < part.last and part.rule in rules.split():
                return Span(tokens.starts[part.first], tokens.ends[part.last - 1])
        return span

    def inside(self, scope: dict[str, Symbol], tree: Any) -> None:
        self.scopes.append(scope)
        self.visit(tree)
        self.scopes.pop()

    def visit(self, tree: Any) -> None:
        """What a part of the tree names. Deep trees are walked with a stack of their own."""
        stack: list[Any] = [tree]
        while stack:
            node = stack.pop()
            if isinstance(node, Span | str) or not isinstance(node, tuple):
                continue
            match node:
                case nodes.Name():
                    self.use(node)
                case nodes.Ref():
                    stack += self.ref(node)
                case nodes.Aggregate(_, variable, terms, body):
                    self.visit(terms)
                    home = Symbol("aggregate", "")
                    self.inside(self.local("index", (variable,), home, "aggregate"), body)
                case nodes.Draw(law, args):
                    self.built_in[law.span] = BuiltIn(law.text, "distribution")
                    stack += args
                case nodes.Call(function, args):
                    self.call(function)
                    stack += args
                case nodes.EntryCall():
                    self.entry_call(node)
                    stack += [node.subscript, node.args, node.source, node.target, node.units]
                case nodes.Run():
                    stack += [node.stages, node.work, node.growing]
                case nodes.Relation(_, source, reader, latency):
                    self.use(source)
                    self.use(reader)
                    stack.append(latency)
                case nodes.Arrive(_, value) | nodes.Let(_, value) | nodes.Gauge(_, value):
                    stack.append(value)
                case nodes.Argument(_, default):
                    stack.append(default)
                case nodes.Claim(_, given, _, engine, test):
                    stack += [given, engine, test]
                case nodes.Stage(_, size, kind):
                    stack += [size, kind]
                case nodes.Observe(target, value):
                    symbol = self.globals.get(target.text)
                    if symbol is not None and target.span not in symbol.declared:
                        self.note(symbol, target.span)
                    stack.append(value)
                case nodes.Taking(takes, reuse):
                    self.inside(self.taking, (takes, reuse))
                case nodes.Stall(_, _, value) | nodes.StallClause(_, value):
                    stack.append(value)
                case nodes.Share() | nodes.Use() | nodes.Unreadable():
                    pass
                case _:
                    stack += node

    def ref(self, ref: nodes.Ref) -> list[Any]:
        """Note what a reference names; what is within it."""
        symbol = self.look_up(ref.name.text)
        if symbol is None and ref.name.text in LISTS and ref.member is not None:
            name = f"{ref.name.text}.{ref.member.text}"
            if meanings_of(name, "value"):
                self.built_in[ref.name.span] = BuiltIn(ref.name.text, "value")
                self.built_in[ref.member.span] = BuiltIn(name, "value")
            return []
        self.use(ref.name)
        if ref.member is not None and symbol is not None and ref.member.text in symbol.members:
            self.note(symbol.members[ref.member.text], ref.member.span)
        return [ref.subscript, ref.member_subscript]

    def call(self, function: nodes.Name) -> None:
        symbol = self.look_up(function.text)
        if symbol is not None and symbol.kind in ("definition", "time resource"):
            self.note(symbol, function.span)
        elif meanings_of(function.text, "function"):
            self.built_in[function.span] = BuiltIn(function.text, "function")

    def entry_call(self, call: nodes.EntryCall) -> None:
        queue = self.use(call.queue)
        entry = queue.members.get(f"{call.verb.text} ()") if queue is not None else None
        if entry is not None:
            self.note(entry, call.verb.span)


def walk(tree: Any) -> list[Any]:
    """The nodes of a tree, itself included, the outer before the inner."""
    found: list[Any] = []
    stack: list[Any] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple) and not isinstance(node, Span):
            found.append(node)
            stack += reversed(node)
    return found
