"""From grammar to tree: what each rule of the grammar makes.

In: the children of a rule and its span. Out: a node of serq.syntax.nodes, or a part of one. A rule is served by the
method of its name; a rule without one makes the node of its name of its children in order (`grow` a `Grow`). A rule
that begins with a word of the language has that word as its span, any other all its text.

Faults that a rule's parts show are refused here, when the rule is complete: that is in the order of the text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from serq.diagnostics import Diagnostic, SerqError
from serq.record import Record
from serq.source import Span
from serq.syntax import nodes
from serq.syntax.nodes import Expr, Name, Ref
from serq.syntax.parser import Parser
from serq.syntax.tables import Rule

LIBRARIES = ("std/args", "std/share", "std/kvt")

OPERATORS = {
    "or": "||",
    "and": "&&",
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "power": "^",
}


class Work(Record):
    """The parenthesis of a run."""

    amount: Expr
    share: nodes.Share | None
    opener: Span


class Amount(Record):
    """Where and how much a `tool` or `transfer` runs."""

    stages: tuple[Ref, ...]
    subscript: Expr | None
    work: Expr
    share: nodes.Share | None
    opener: Span


class Item(Record):
    """`prefix ...;` or `cache (e);` of a request."""

    word: str
    content: Any
    span: Span


class Builder:
    """The actions of one parse."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.libraries: set[str] = set()
        self.arguments: set[str] = set()
        self.inside_main = False
        self.seen: set[str] = set()

    def actions(self, rules: list[Rule]) -> list[Callable[..., Any] | None]:
        """What serves each rule."""
        served = {name: self.action(name) for name in {rule.action for rule in rules} if name is not None}
        return [None if rule.action is None else served[rule.action] for rule in rules]

    def action(self, name: str) -> Callable[..., Any]:
        if name in OPERATORS:
            return _binary(OPERATORS[name])
        found: Callable[..., Any] | None = getattr(self, name, None) or getattr(self, name + "_", None)
        return found or getattr(nodes, "".join(part.capitalize() for part in name.split("_")))

    def refuse(self, kind: str, message: str, span: Span, hint: str | None = None) -> NoReturn:
        raise SerqError(Diagnostic(kind, message, span, hint=hint, source=self.parser.source))

    def text(self, span: Span) -> str:
        return self.parser.source.text[span.start : span.end]

    def word(self, span: Span) -> Name:
        """The word that is the whole rule."""
        return Name(self.text(span), span)

    def collect(self, *parts: Any) -> tuple[Any, ...]:
        """The children without the span."""
        return parts[:-1]

    def collect_some(self, *parts: Any) -> tuple[Any, ...]:
        """The children without the span; the one child None stands for none."""
        return () if parts[0] is None else parts[:-1]

    # ------------------------------------------------------------ the program

    def start(self, before: Any, items: Any, span: Span) -> nodes.Program:
        return nodes.Program(before, items, self.parser.next_span)

    def outside(self, *parts: Any) -> tuple[Any, ...]:
        self.inside_main = True
        return parts[:-1]

    inside = collect

    def use(self, library: Name, span: Span) -> nodes.Use:
        if library.text not in LIBRARIES:
            message = f'there is no library "{library.text}"'
            hint = 'the libraries are "std/args", "std/share" and "std/kvt"; a program is one file'
            self.refuse("library", message, span, hint)
        self.libraries.add(library.text)
        return nodes.Use(library.text, span)

    def argument(self, library: Span, external: Name, default: Expr, span: Span) -> nodes.Argument:
        return nodes.Argument(external.text, default, external.span, library)

    def args_library(self, word: Name, span: Span) -> Span:
        self.check_library("std/args", span)
        if not self.inside_main:
            hint = "put this `let` into `fn main() { ... }`"
            self.refuse("library", "an argument is read inside `fn main()`", span, hint)
        return span

    def kvt_library(self, word: Name, span: Span) -> Span:
        self.check_library("std/kvt", span)
        return span

    def share_library(self, span: Span) -> Span:
        self.check_library("std/share", span)
        return span

    def check_library(self, library: str, span: Span) -> None:
        if library not in self.libraries:
            self.refuse("library", f"`{self.text(span)}` is not in use here", span, f'write `use "{library}";` above')

    def external(self, text: Name, span: Span) -> Name:
        """The argument's name, with the place of the token after it, where its faults are told."""
        after = self.parser.next_span
        if not _is_name(text.text):
            self.refuse("argument", f'"{text.text}" is not a name, as an argument\'s must be', after)
        if text.text in self.arguments:
            hint = "read it once, and use that `let` in the other places"
            self.refuse("argument", f"the argument `{text.text}` is read twice", after, hint)
        self.arguments.add(text.text)
        return Name(text.text, after)

    def names(self, *parts: Any) -> tuple[Name, ...]:
        names: tuple[Name, ...] = self.collect_some(*parts)
        repeated = _repeated(names)
        if repeated is not None:
            self.refuse("parameter", f"there are two parameters `{repeated.text}`", repeated.span)
        return names

    def parameters(self, *parts: Any) -> tuple[Name, ...]:
        """Of a request or an entry: a repeated one is told at the token after it."""
        names: tuple[Name, ...] = self.collect_some(*parts)
        repeated = _repeated(names)
        if repeated is not None:
            after = self.parser.tokens.span(self.parser.tokens.starts.index(repeated.span.start) + 1)
            self.refuse("parameter", f"there are two parameters `{repeated.text}`", after)
        return names

    def statements(self, *parts: Any) -> nodes.Block:
        return nodes.Block(parts[:-1], _opener(parts[-1]))

    # ------------------------------------------------------------ devices and engines

    device_items = collect

    def time_resource(self, name: Name, parameters: Any, value: Expr, span: Span) -> nodes.TimeResource:
        return nodes.TimeResource(name, parameters, value, name.span)

    def capacity(self, name: Name, value: Expr, span: Span) -> nodes.Capacity:
        return nodes.Capacity(name, value, name.span)

    def engine(self, name: Name, size: Any, device: Name, items: Any, span: Span) -> nodes.Engine:
        if size is not None:
            hint = "several engines are a family of queues: `queue Q[n] { device d { ... } engine on d { ... } ... }`"
            self.refuse("engine", f"the engine `{name.text}` cannot be a family", name.span, hint)
        self.check_engine(f"the engine `{name.text}`", items, name.span)
        return nodes.Engine(name, device, items, span)

    def queue_engine(self, device: Name, items: Any, span: Span) -> nodes.Engine:
        self.check_engine("the queue's engine", items, span)
        return nodes.Engine(None, device, items, span)

    def engine_items(self, *parts: Any) -> tuple[Any, ...]:
        once: dict[type, str] = {
            nodes.TokensCap: "tokens cap",
            nodes.Request: "request",
            nodes.Schedule: "schedule",
            nodes.Execute: "execute",
        }
        seen: set[type] = set()
        for item in parts[:-1]:
            if type(item) in seen and type(item) in once:
                self.refuse("engine", f"an engine has one `{once[type(item)]}`", item.span)
            seen.add(type(item))
        return parts[:-1]

    def check_engine(self, engine: str, items: Any, span: Span) -> None:
        needs = {
            nodes.TokensCap: ("tokens cap", "tokens cap inf;", "how many tokens an iteration may hold"),
            nodes.Schedule: ("schedule", "schedule { advance running; admit waiting; }", "what an iteration does"),
            nodes.Execute: ("execute", "execute (0.01);", "how long an iteration takes"),
        }
        present = {type(item) for item in items}
        for kind, (word, example, what) in needs.items():
            if kind not in present:
                hint = f"say {what}, for instance `{example}`"
                self.refuse("engine", f"{engine} has no `{word}`", span, hint)

    def stall_clause(self, word: Name, label: Name, value: Expr, span: Span) -> nodes.StallClause:
        return nodes.StallClause(label, value, word.span)

    def tokens_cap(self, budget: nodes.Size, span: Span) -> nodes.TokensCap:
        return nodes.TokensCap(budget.value, budget.span, span)

    def request(self, parameters: Any, items: Any, span: Span) -> nodes.Request:
        opener, *body = items
        prefix, cache, admission = None, None, None
        for i, item in enumerate(body):
            if cache is not None:
                self.refuse("request", "`cache (...);` is the last item of a request", cache.span)
            if type(item) is Item and item.word == "prefix":
                if i:
                    self.refuse("request", "`prefix (...);` is the first item of a request", item.span)
                prefix = item.content
            elif type(item) is Item:
                cache = item
            elif type(item) is nodes.AtAdmission:
                if admission is not None:
                    self.refuse("request", "a request is admitted once: it has one `at admission`", item.span)
                admission = item
        statements = tuple([item for item in body if type(item) is not Item])
        kept, place = (None, None) if cache is None else (cache.content, cache.span)
        return nodes.Request(parameters, prefix, nodes.Block(statements, opener), kept, place, span)

    def request_block(self, *parts: Any) -> tuple[Any, ...]:
        return _opener(parts[-1]), *parts[:-1]

    def prefix_item(self, prefix: nodes.Prefix, span: Span) -> Item:
        return Item("prefix", prefix, prefix.span)

    def cache_item(self, value: Expr, span: Span) -> Item:
        return Item("cache", value, span)

    def at_admission(self, bindings: Any, span: Span) -> nodes.AtAdmission:
        opener, *pairs = bindings
        return nodes.AtAdmission(_bindings(pairs), opener, span)

    at_admission_block = at_admission

    def bindings(self, *parts: Any) -> tuple[Any, ...]:
        return _opener(parts[-1]), *parts[:-1]

    bindings_block = bindings

    def schedule(self, body: nodes.Schedule, span: Span) -> nodes.Schedule:
        return body._replace(span=span)

    def schedule_body(self, lets: Any, statements: Any, span: Span) -> nodes.Schedule:
        if not statements:
            hint = "write at least `advance running;` or `admit waiting;`"
            self.refuse("schedule", "the schedule is empty", _opener(span), hint)
        return nodes.Schedule(lets, statements, _opener(span), span)

    def schedule_lets(self, *parts: Any) -> tuple[nodes.Binding, ...]:
        return _bindings(parts[:-1])

    schedule_statements = collect

    def schedule_block(self, *parts: Any) -> nodes.ScheduleBlock:
        return nodes.ScheduleBlock(parts[:-1], _opener(parts[-1]))

    def order_admission(self, span: Span) -> nodes.Order:
        return nodes.Order("admission", (), span)

    def order_decode_first(self, span: Span) -> nodes.Order:
        return nodes.Order("decode first", (), span)

    def order_by(self, keys: Any, span: Span) -> nodes.Order:
        return nodes.Order("by", keys, Span(span.start, span.start + 2))

    def each_at_most(self, limit: Expr, span: Span) -> nodes.Each:
        return nodes.Each(limit, span)

    def taking_clause(self, takes: Any, reuse: Any, span: Span) -> nodes.Taking:
        return nodes.Taking(takes, reuse, span)

    takes = collect

    def take(self, name: Name, units: Expr, reserve: Any, span: Span) -> nodes.Take:
        return nodes.Take(name, units, reserve, name.span)

    keys = collect

    # ------------------------------------------------------------ pools and stages

    def owner_clause(self, first: Name, second: Any, span: Span) -> nodes.Owner:
        return nodes.Owner(first, second, span)

    def size(self, value: Expr, span: Span) -> nodes.Size:
        return nodes.Size(value, _first_token(span, self.parser))

    pool_options = collect

    def evict(self, *parts: Any) -> nodes.Evict:
        return nodes.Evict(parts[0] if len(parts) > 1 else None, parts[-1])

    def preempt_none(self, span: Span) -> nodes.Preempt:
        return nodes.Preempt("none", (), None, span)

    def preempt_lifo(self, span: Span) -> nodes.Preempt:
        return nodes.Preempt("lifo", (), None, span)

    def preempt_by(self, keys: Any, place: Name | None, span: Span) -> nodes.Preempt:
        return nodes.Preempt("by", keys, None if place is None else place.text, span)

    def preempt_leases(self, keys: Any, span: Span) -> nodes.Preempt:
        return nodes.Preempt("leases", keys, None, span)

    place = word

    def queue_order(self, *parts: Any) -> nodes.QueueOrder:
        return nodes.QueueOrder(parts[0] if len(parts) > 1 else None, parts[-1])

    # ------------------------------------------------------------ queues

    roles = collect_some
    queue_items = collect

    def entry(self, verb: Name, parameters: Any, source: Any, body: Any, span: Span) -> nodes.Entry:
        return nodes.Entry(verb, parameters, source, body, verb.span)

    def relation(
        self, library: Span, transport: Name, source: Name, reader: Name, settings: Any, span: Span
    ) -> nodes.Relation:
        latency, share = settings
        if share is None:
            hint = "add `share = share.maxmin` or `share = share.bottleneck`"
            self.refuse("relation", "the relation does not say how copies share the links", library, hint)
        return nodes.Relation(transport, source, reader, latency, share, library)

    transport = word

    def settings(self, *parts: Any) -> tuple[nodes.Latency | None, nodes.Share | None]:
        latency: nodes.Latency | None = None
        share: nodes.Share | None = None
        for part in parts[:-1]:
            if type(part) is nodes.Share:
                if share is not None:
                    self.refuse("relation", "the relation has one `share`", part.span)
                share = part
            else:
                if latency is not None:
                    self.refuse("relation", "the relation has one `latency`", part.span)
                latency = part
        return latency, share

    def latency(self, time: nodes.Size, span: Span) -> nodes.Latency:
        return nodes.Latency(time.value, time.span, span)

    def share(self, library: Span, policy: Name, span: Span) -> nodes.Share:
        return nodes.Share(library, policy, span)

    policy = word

    # ------------------------------------------------------------ workload, server, measurement

    def workload(self, items: Any, span: Span) -> nodes.Workload:
        return nodes.Workload(items, self.parser.next_span, span)

    def workload_items(self, *parts: Any) -> tuple[Any, ...]:
        self.once("workload", "a program has one `workload`", _opener(parts[-1]))
        sessions = [item for item in parts[:-1] if type(item) is nodes.Session]
        if len(sessions) > 1:
            self.refuse("workload", "a workload has one `session`", sessions[1].span)
        return parts[:-1]

    def arrive(self, law: Name, *parts: Any) -> nodes.Arrive:
        return nodes.Arrive(law, parts[0] if len(parts) > 1 else None, parts[-1])

    law = word
    no_arrivals = word

    def trace(self, path: Name, ordered: Any, span: Span) -> nodes.Trace:
        return nodes.Trace(path.text, ordered is not None, span)

    ordered = word

    def hidden(self, *parts: Any) -> nodes.Hidden:
        return nodes.Hidden(parts[:-1], parts[-1])

    def server(self, body: nodes.Block, span: Span) -> nodes.Server:
        self.once("server", "a program has one `server`", span)
        return nodes.Server(body, span)

    def once(self, what: str, message: str, span: Span) -> None:
        if what in self.seen:
            self.refuse(what, message, span)
        self.seen.add(what)

    def claim(self, name: Name, *parts: Any) -> nodes.Claim:
        given, (kind, engine), test, span = parts if len(parts) == 4 else (None, *parts)
        return nodes.Claim(name, given, kind, engine, test, span)

    def every_iteration(self, engine: Ref, span: Span) -> tuple[str, Ref]:
        return "every", engine

    def some_iteration(self, engine: Ref, span: Span) -> tuple[str, Ref]:
        return "some", engine

    def at_end(self, span: Span) -> tuple[str, None]:
        return "end", None

    # ------------------------------------------------------------ statements

    def block(self, *parts: Any) -> nodes.Block:
        return nodes.Block(parts[:-1], _opener(parts[-1]))

    def set(self, target: Name, value: Expr, span: Span) -> nodes.Set:
        return nodes.Set("set", target, value, span)

    def set_size(self, target: Name, value: Expr, span: Span) -> nodes.Set:
        return nodes.Set("Size", target, value, span)

    def set_cost(self, target: Name, value: Expr, span: Span) -> nodes.Set:
        return nodes.Set("Cost", target, value, span)

    def branch(self, test: Expr, then: Any, otherwise: Any, span: Span) -> nodes.Branch:
        return nodes.Branch(False, test, then, otherwise, span)

    def branch_with(self, chance: Expr, then: Any, otherwise: Any, span: Span) -> nodes.Branch:
        return nodes.Branch(True, chance, then, otherwise, span)

    helds = collect

    def held(self, pool: Ref, units: Expr, reserve: Any, span: Span) -> nodes.Held:
        return nodes.Held(pool, units, reserve, pool.name.span)

    def prefix(self, *parts: Any) -> nodes.Prefix:
        return nodes.Prefix(parts[:-1], parts[-1])

    def segment(self, key: Expr, length: Expr, span: Span) -> nodes.Segment:
        return nodes.Segment(key, length, key.span)

    def lease_clause(self, pool: Ref, time: Expr, span: Span) -> nodes.Lease:
        return nodes.Lease(pool, time, span)

    def run(self, stages: Any, mode: Any, work: Work, growing: Any, span: Span) -> nodes.Run:
        return nodes.Run(stages, mode, work.amount, work.share, growing, work.opener, span)

    def run_own(self, work: Work, span: Span) -> nodes.Run:
        return nodes.Run((), None, work.amount, work.share, None, work.opener, span)

    refs = collect
    mode = word

    def work(self, amount: Expr, share: Any, span: Span) -> Work:
        return Work(amount, share, _opener(span))

    def tool(self, amount: Amount, growing: Any, span: Span) -> nodes.Tool:
        stages, subscript, work, share, opener = amount
        return nodes.Tool(stages, subscript, work, share, growing, opener, span)

    def transfer(self, amount: Amount, source: Ref, target: Ref, units: Expr, span: Span) -> nodes.Transfer:
        stages, subscript, work, share, opener = amount
        return nodes.Transfer(stages, subscript, work, share, source, target, units, opener, span)

    def plain_amount(self, work: Expr, span: Span) -> Amount:
        return Amount((), None, work, None, _first_token(span, self.parser))

    def member_amount(self, subscript: Expr, amount: Amount, span: Span) -> Amount:
        return amount._replace(subscript=subscript)

    def stage_amount(self, stage: Ref, amount: Amount, span: Span) -> Amount:
        return amount._replace(stages=(stage,))

    def stages_amount(self, *parts: Any) -> Amount:
        *stages, work, _ = parts
        return Amount(tuple(stages), None, work.amount, work.share, work.opener)

    def advance(self, mode: Name, amount: Expr, growing: Any, span: Span) -> nodes.Advance:
        return nodes.Advance(mode.text, amount, growing, mode.span)

    def stall(self, word: Name, label: Name, value: Expr, span: Span) -> nodes.Stall:
        return nodes.Stall(None, label, value, word.span)

    def invoke(self, name: Name, args: Any, span: Span) -> nodes.Invoke:
        return nodes.Invoke(name, args, name.span)

    def entry_call(self, queue: Name, subscript: Any, verb: Name, args: Any, *parts: Any) -> nodes.EntryCall:
        source, target, units, _ = parts
        return nodes.EntryCall(queue, subscript, verb, args, source, target, units, queue.span)

    def ref(self, name: Name, subscript: Any, *parts: Any) -> Ref:
        member, member_subscript, span = parts
        return Ref(name, subscript, member, member_subscript, span)

    # ------------------------------------------------------------ expressions

    args = collect_some
    values = collect_some

    def negative(self, operand: Expr, span: Span) -> nodes.Unary:
        return nodes.Unary("-", operand, span)

    def not_(self, operand: Expr, span: Span) -> nodes.Unary:
        return nodes.Unary("!", operand, span)

    def parenthesised(self, inner: Expr, span: Span) -> Expr:
        """Parentheses leave no trace but around a name, which without them could be a pool's."""
        if isinstance(inner, (Name, Ref)):
            return nodes.Group(inner, span)
        return inner

    def dotted(self, name: Name, member: Name, span: Span) -> Ref:
        return Ref(name, None, member, None, span)

    def member(self, name: Name, subscript: Expr, *parts: Any) -> Ref:
        return self.ref(name, subscript, *parts)

    def member_of(self, name: Name, member: Name, member_subscript: Expr, span: Span) -> Ref:
        return Ref(name, None, member, member_subscript, span)


def _binary(operator: str) -> Callable[..., nodes.Binary]:
    return lambda left, right, span: nodes.Binary(operator, left, right, span)


def _bindings(pairs: Any) -> tuple[nodes.Binding, ...]:
    return tuple([nodes.Binding(name, value) for name, value in zip(pairs[::2], pairs[1::2], strict=True)])


def _repeated(names: tuple[Name, ...]) -> Name | None:
    """The first name that is there before it."""
    seen: set[str] = set()
    for name in names:
        if name.text in seen:
            return name
        seen.add(name.text)
    return None


def _opener(span: Span) -> Span:
    """The bracket that a text begins with."""
    return Span(span.start, span.start + 1)


def _is_name(text: str) -> bool:
    return text.isidentifier()


def _first_token(span: Span, parser: Parser) -> Span:
    """The first token of a text that begins with a token."""
    starts, ends = parser.tokens.starts, parser.tokens.ends
    at = parser.at - 1
    while starts[at] > span.start:
        at -= 1
    return Span(starts[at], ends[at])
