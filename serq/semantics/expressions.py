"""Expressions: names become slots, numbers and references.

In: expressions of the syntax tree. Out: expressions of the intermediate representation, with their places.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

from serq.ir import nodes as ir
from serq.semantics.arithmetic import BINARY as FOLD_BINARY
from serq.semantics.arithmetic import NUMERIC as FOLD_NUMERIC
from serq.semantics.arithmetic import UNARY as FOLD_UNARY
from serq.semantics.constants import Terms, check_arity, evaluate, is_count, unknown_function
from serq.semantics.faults import did_you_mean, refuse
from serq.semantics.moments import LISTS, SPELLED, WORDS, Moment, walk
from serq.semantics.places import Places
from serq.semantics.statements import CONVERTED, display_name
from serq.semantics.words import SUPPLIED
from serq.source import Span
from serq.syntax import nodes
from serq.syntax.words import DISTRIBUTIONS

UNARY = {"-": "Neg", "!": "Not"}
BINARY = {
    "+": "Add",
    "-": "Sub",
    "*": "Mul",
    "/": "Div",
    "^": "Pow",
    "<": "Lt",
    "<=": "Le",
    ">": "Gt",
    ">=": "Ge",
    "==": "Eq",
    "!=": "Ne",
    "&&": "And",
    "||": "Or",
}
LAWS = {
    "exp": ("Exp", 1),
    "det": ("Det", 1),
    "uniform": ("Uniform", 2),
    "erlang": ("Erlang", 2),
    "h2": ("H2", 2),
    "bernoulli": ("Bernoulli", 1),
}
"""The distributions, with their number of parameters."""
NUMERIC = {
    "min": ("Min", 2),
    "max": ("Max", 2),
    "abs": ("Abs", 1),
    "floor": ("Floor", 1),
    "ceil": ("Ceil", 1),
    "sqrt": ("Sqrt", 1),
    "exp": ("Exp", 1),
    "ln": ("Ln", 1),
}
OF_POOL = {
    "used": "Used",
    "free": "Free",
    "cachedin": "CachedIn",
    "holders": "Holders",
    "queued": "Queued",
    "allocated": "Allocated",
}
OF_STAGE = {
    "queue": "Queue",
    "busy": "Busy",
    "work": "Work",
    "budget_left": "BudgetLeft",
    "est_lambda": "EstLambda",
    "est_rho": "EstRho",
    "est_wait": "EstWait",
}
OF_OBSERVATION = {
    "total": "Total",
    "count": "Count",
    "largest": "Largest",
    "smallest": "Smallest",
    "prefix_total": "PrefixTotal",
}


class Family(NamedTuple):
    """A pool or stage family: its first number, and how many members it has; a single one is no family."""

    base: int
    members: int
    family: bool
    engine: bool = False
    block: float | None = None


class Expressions:
    """Links expressions against the names of a program.

    Attributes:
        observes: numbers of the observations met so far.
        registers: numbers of the registers.
    """

    def __init__(
        self,
        lets: Mapping[str, float],
        terms: Terms,
        pools: Mapping[str, Family],
        stages: Mapping[str, Family],
        registers: Mapping[str, int],
        admits: Mapping[str, Sequence[str]],
        places: Places,
    ) -> None:
        self.lets = lets
        self.terms = terms
        self.pools = pools
        self.stages = stages
        self.registers = registers
        self.admits = admits
        self.places = places
        self.attrs: dict[str, int] = {}
        self.observes: dict[str, int] = {}
        self.indices: dict[str, float] = {}
        self.moment: Moment | None = None
        self.engine: str | None = None

    def constant(self, expr: nodes.Expr) -> float:
        """The value of an expression that must be known before a run."""
        return evaluate(expr, self.lets, self.terms)

    def link(self, expr: nodes.Expr, moment: Moment, engine: str | None = None) -> ir.Expr:
        """An expression that is read at a moment, in a clause of an engine if it is one."""
        self.moment, self.engine = moment, engine
        return self.expr(expr)

    def expr(self, e: nodes.Expr) -> ir.Expr:
        match e:
            case nodes.Number(value):
                return ir.Num(value)
            case nodes.Name():
                return self.name(e)
            case nodes.Group(inner):
                return self.expr(inner)
            case nodes.Unary(op, operand):
                return ir.Unary(UNARY[op], self.expr(operand))
            case nodes.Binary(op, left, right):
                return ir.Binary(BINARY[op], self.expr(left), self.expr(right))
            case nodes.Conditional(test, then, otherwise):
                return ir.Cond(self.expr(test), self.expr(then), self.expr(otherwise))
            case nodes.Draw():
                return self.draw(e)
            case nodes.Call():
                return self.call(e)
            case nodes.Aggregate():
                return self.aggregate(e)
            case nodes.Ref():
                return self.dotted(e)

    def placed(self, e: ir.Expr, span: Span) -> ir.Expr:
        self.places.put(e, span)
        return e

    # ------------------------------------------------------------ names

    def name(self, name: nodes.Name) -> ir.Expr:
        word = name.text
        if word in self.indices:
            return self.placed(ir.Num(self.indices[word]), name.span)
        if word in self.lets:
            return self.placed(ir.Num(self.lets[word]), name.span)
        if word in self.attrs:
            return self.placed(ir.Attr(self.attrs[word]), name.span)
        if word in self.registers:
            return self.placed(ir.Reg(self.registers[word]), name.span)
        if word == "inf":
            return self.placed(ir.Num(math.inf), name.span)
        if word in WORDS:
            return self.context(name)
        if word == "self":
            refuse("self", "`self` is the number of a queue's member, in an entry of a queue family", name.span)
        self.unknown(name)

    def context(self, name: nodes.Name) -> ir.Expr:
        if self.moment is not None and self.moment.lists is not None and name.text in SPELLED:
            message = f"a clause of an engine reads `{name.text}` from a list of its own"
            refuse("engine-value", message, name.span, hint=f"write {SPELLED[name.text]}")
        return self.placed(ir.Ctx(WORDS[name.text]), name.span)

    def unknown(self, name: nodes.Name) -> NoReturn:
        word = name.text
        if word in self.pools or word in self.stages:
            what = "pool" if word in self.pools else "stage"
            hint = f"ask for something of it: {'used' if what == 'pool' else 'queue'} ({word})"
            refuse("unknown-name", f"`{word}` is a {what}, and has no value of its own", name.span, hint=hint)
        hint = did_you_mean(word, (*self.attrs, *self.lets, *self.registers)) or "set it, or declare it with `let`"
        refuse("unknown-name", f"nothing is called `{word}`", name.span, hint=hint)

    def dotted(self, ref: nodes.Ref) -> ir.Expr:
        """`running.count`, or what a queue's entry set: `Q.done`."""
        if ref.member is None:
            refuse("syntax", f"`{ref.name.text}[..]` names a pool or a stage, which has no value", ref.name.span)
        name, member = ref.name.text, ref.member.text
        if name in ("running", "waiting", "batch") and ref.subscript is None:
            return self.list_value(ref, name, member)
        full = display_name(ref)
        if full in self.attrs:
            if ref.subscript is not None:
                message = f"`{full}` is the session's, not a member's"
                refuse("indexed", message, ref.name.span, hint=f"write {full}")
            return self.placed(ir.Attr(self.attrs[full]), ref.span)
        refuse("unknown-member", f"no entry of `{name}` sets `{member}`", ref.name.span)

    def list_value(self, ref: nodes.Ref, name: str, member: str) -> ir.Expr:
        moment = self.moment
        assert ref.member is not None
        if moment is None or moment.lists is None:
            message = f"`{name}` is a list of an engine, and is read in the engine's clauses"
            refuse("engine-list", message, ref.name.span)
        if (name, member) not in LISTS and (name, member) != ("waiting", "count"):
            known = [other for of, other in (*LISTS, ("waiting", "count")) if of == name]
            listed = ", ".join(f"`{other}`" for other in known)
            message = f"`{name}` has no `{member}`; it has {listed}"
            refuse("unknown-value", message, ref.member.span, hint=did_you_mean(member, known))
        if (name, member) not in moment.lists:
            refuse("moment", f"`{name}.{member}` cannot be read in {moment.what}", ref.name.span)
        if member == "count" and name == "waiting":
            return self.waiting_count(ref)
        return self.placed(ir.Ctx(LISTS[name, member]), ref.name.span)

    def waiting_count(self, ref: nodes.Ref) -> ir.Expr:
        """The requests in all queues that the engine admits."""
        pools = [self.pools[name] for name in self.admits.get(self.engine or "", ())]
        if any(pool.family for pool in pools):
            message = "`waiting.count` in a queue family would count the queues of every member"
            refuse("waiting-count", message, ref.name.span)
        total: ir.Expr | None = None
        for pool in pools:
            waiting = ir.Call("Queued", (ir.PoolArg(ir.Ref(pool.base, 1, None)),))
            self.places.put(waiting, ref.name.span)
            total = waiting if total is None else ir.Binary("Add", total, waiting)
        return ir.Num(0.0) if total is None else total

    # ------------------------------------------------------------ draws and aggregates

    def draw(self, draw: nodes.Draw) -> ir.Expr:
        law = draw.law
        if law.text not in LAWS:
            hint = did_you_mean(law.text, DISTRIBUTIONS) or f"there are {', '.join(sorted(DISTRIBUTIONS))}"
            refuse("unknown-distribution", f"there is no distribution `{law.text}`", law.span, hint=hint)
        name, wanted = LAWS[law.text]
        check_arity(law, len(draw.args), wanted)
        return self.placed(ir.Sample(name, tuple([self.expr(arg) for arg in draw.args])), law.span)

    def aggregate(self, aggregate: nodes.Aggregate) -> ir.Expr:
        word, variable = aggregate.word, aggregate.variable.text
        count = self.terms.take(evaluate(aggregate.terms, {**self.lets, **self.indices}, self.terms), word)
        for names, what in (
            (self.lets, "a constant"),
            (self.attrs, "an attribute"),
            (self.pools, "a pool"),
            (self.stages, "a stage"),
            (self.registers, "a register"),
            (SUPPLIED - {"batch", "running", "self"}, "a value of the language"),
        ):
            if variable in names:
                message = f"`{variable}` is {what}, and cannot be the index of an aggregate as well"
                refuse("aggregate-index", message, word.span)
        outer = self.indices
        terms = []
        for i in range(count):
            self.indices = {**outer, variable: float(i)}
            terms.append(self.expr(aggregate.body))
        self.indices = outer
        total = terms[0]
        for term in terms[1:]:
            total = ir.Binary("Add", total, term) if word.text == "sum" else ir.Call(word.text.title(), (total, term))
        if count > 1:
            self.places.put(total, word.span)
        return total

    # ------------------------------------------------------------ calls

    def call(self, call: nodes.Call) -> ir.Expr:
        name = call.function
        word, args = name.text, call.args
        if word in ("cost", CONVERTED):
            return self.cost(call)
        if word in NUMERIC:
            function, wanted = NUMERIC[word]
            check_arity(name, len(args), wanted)
            return self.placed(ir.Call(function, tuple([self.number(arg, word) for arg in args])), name.span)
        if word in OF_POOL:
            check_arity(name, len(args), 1)
            return self.placed(ir.Call(OF_POOL[word], (ir.PoolArg(self.pool(args[0], name)),)), name.span)
        if word in OF_STAGE:
            check_arity(name, len(args), 1)
            stage = self.stage(args[0], name)
            if word == "budget_left" and not self.is_engine(stage):
                refuse("no-engine", "only an engine has a budget left", name.span)
            return self.placed(ir.Call(OF_STAGE[word], (ir.StageArg(stage),)), name.span)
        if word == "price":
            check_arity(name, len(args), 3)
            priced = ir.StageArg(self.stage(args[0], name))
            return self.placed(ir.Call("Price", (priced, self.argument(args[1]), self.argument(args[2]))), name.span)
        if word == "blocksize":
            check_arity(name, len(args), 1)
            return self.block_size(args[0], name)
        if word in OF_OBSERVATION:
            check_arity(name, len(args), 1)
            return self.samples(args[0], name)
        unknown_function(name)

    def number(self, arg: nodes.Expr, function: str) -> ir.Expr:
        """An argument of a function of numbers."""
        if isinstance(arg, nodes.Name) and arg.text not in self.attrs and arg.text not in self.lets:
            if arg.text in self.pools or arg.text in self.stages:
                message = f"`{function}` takes numbers, and `{arg.text}` is a pool or a stage"
                refuse("not-a-number", message, arg.span)
        return self.argument(arg)

    def argument(self, arg: nodes.Expr) -> ir.Expr:
        """An expression as an argument; a bare name gets no place of its own (see `Reading.place`)."""
        linked = self.expr(arg)
        if isinstance(arg, nodes.Name):
            self.places.drop(linked)
        return linked

    def block_size(self, arg: nodes.Expr, name: nodes.Name) -> ir.Expr:
        ref = self.pool(arg, name)
        block = next(pool.block for pool in self.pools.values() if pool.base == ref.base)
        if block is None:
            span = self.places.of(ref)
            refuse("no-block", "`blocksize` needs a pool with blocks", span, hint="give the pool: block n;")
        return self.placed(ir.Num(block), name.span)

    def samples(self, arg: nodes.Expr, name: nodes.Name) -> ir.Expr:
        if not isinstance(arg, nodes.Name):
            refuse("not-a-name", f"`{name.text}` needs the name of an observation", name.span)
        if arg.text not in self.observes:
            hint = did_you_mean(arg.text, self.observes)
            refuse("unknown-observation", f"nothing is observed as `{arg.text}`", arg.span, hint=hint)
        return self.placed(ir.Agg(OF_OBSERVATION[name.text], self.observes[arg.text]), name.span)

    def cost(self, call: nodes.Call) -> ir.Expr:
        name, args = call.function, call.args
        if len(args) < 2:
            refuse("cost", "`cost` needs the pools or stages that it counts in, and an amount", name.span)
        resources: set[tuple[int, int, int]] = set()
        for arg in args[:-1]:
            resources.add(self.resource(arg, name))
        ordered = tuple(
            [(ir.StageResource if kind else ir.PoolResource)(base, count) for kind, base, count in sorted(resources)]
        )
        amount = self.expr(args[-1]) if name.text == CONVERTED else self.argument(args[-1])
        return self.placed(ir.Cost(ordered, amount), name.span)

    def resource(self, arg: nodes.Expr, name: nodes.Name) -> tuple[int, int, int]:
        if not isinstance(arg, nodes.Name | nodes.Ref):
            refuse("cost", "`cost` names its pools and stages before the amount", name.span)
        if isinstance(arg, nodes.Ref) and arg.name.text in ("running", "waiting", "batch"):
            refuse("cost", f"`{arg.name.text}` is a list of an engine, and no pool or stage", arg.name.span)
        word = arg.text if isinstance(arg, nodes.Name) else display_name(arg)
        for kind, families in enumerate((self.pools, self.stages)):
            if word in families:
                family = families[word]
                if isinstance(arg, nodes.Ref) and arg.subscript is not None:
                    index = self.expr(arg.subscript)
                    self.check_member(family, index, word, arg.span)
                    self.check_drawn(index, name)
                return kind, family.base, family.members
        hint = did_you_mean(word, (*self.pools, *self.stages))
        refuse("unknown-resource", f"there is no pool or stage `{word}`", name.span, hint=hint)

    def check_drawn(self, index: ir.Expr, name: nodes.Name) -> None:
        if any(isinstance(e, ir.Sample) for e in walk(index)):
            refuse("cost", "an index in `cost` cannot draw", name.span)

    # ------------------------------------------------------------ references

    def pool(self, arg: nodes.Expr, function: nodes.Name | None = None) -> ir.Ref:
        """A pool, as an argument or named by a statement."""
        return self.reference("pool", self.pools, arg, function)

    def stage(self, arg: nodes.Expr, function: nodes.Name | None = None) -> ir.Ref:
        return self.reference("stage", self.stages, arg, function)

    def is_engine(self, stage: ir.Ref) -> bool:
        return any(family.engine for family in self.stages.values() if family.base == stage.base)

    def reference(
        self, what: str, families: Mapping[str, Family], arg: nodes.Expr, function: nodes.Name | None
    ) -> ir.Ref:
        if not isinstance(arg, nodes.Name | nodes.Ref):
            assert function is not None
            refuse("not-a-name", f"`{function.text}` needs the name of a {what}", function.span)
        ref = arg if isinstance(arg, nodes.Ref) else nodes.Ref(arg, None, None, None, arg.span)
        word, span = display_name(ref), ref.name.span
        if ref.member_subscript is not None:
            message = f"an index stands after the queue's name: `{ref.name.text}[..].{ref.member and ref.member.text}`"
            refuse("syntax", message, span)
        if ref.subscript is not None and ref.member is not None and word in self.stages:
            message = f"`{word}` cannot be reached member by member: what stands behind `[..].` is a pool"
            refuse("unknown-stage", message, ref.member.span, hint=f"`{word}`, of a queue that is no family")
        if word not in families:
            hint = did_you_mean(word, families)
            refuse(f"unknown-{what}", f"there is no {what} `{word}`", span, hint=hint)
        family = families[word]
        index: ir.Expr | None = None
        if ref.subscript is not None:
            index = self.expr(ref.subscript)
            index = self.check_member(family, index, word, span)
        elif family.family:
            message = f"`{word}` is a family of {family.members} {what}s, and needs an index"
            refuse("not-indexed", message, span, hint=indexed(ref, what, family.members))
        linked = ir.Ref(family.base, family.members, index)
        self.places.put(linked, span)
        return linked

    def check_member(self, family: Family, index: ir.Expr, word: str, span: Span) -> ir.Expr:
        """An index, as a number if it is constant: then it is the number of a member."""
        value = None if any(isinstance(e, ir.Cost) for e in walk(index)) else constant_value(index)
        if value is None:
            return index
        if not (is_count(value + 1) and value < family.members):
            message = f"`{word}` has the members 0 to {family.members - 1}, and no {value:g}"
            refuse("no-member", message, span)
        return ir.Num(value)


def indexed(ref: nodes.Ref, what: str, members: int) -> str | None:
    """How a member of the family that `ref` names is written, if it can be."""
    if ref.member is None:
        return f"{ref.name.text}[i], i from 0 to {members - 1}"
    if what == "pool":
        return f"{ref.name.text}[i].{ref.member.text}, i from 0 to {members - 1}"
    return None


def constant_value(e: ir.Expr) -> float | None:
    """The value of an expression that reads nothing, or None."""
    match e:
        case ir.Num(value):
            return value
        case ir.Cost(_, operand):
            return constant_value(operand)
        case ir.Unary(op, operand):
            inner = constant_value(operand)
            return None if inner is None else FOLD_UNARY[_SIGNS[op]](inner)
        case ir.Binary(op, left, right):
            a, b = constant_value(left), constant_value(right)
            return None if a is None or b is None else FOLD_BINARY[_SIGNS[op]](a, b)
        case ir.Cond(test, then, otherwise):
            chosen = constant_value(test)
            if chosen is None:
                return None
            return constant_value(then if chosen != 0 else otherwise)
        case ir.Call(function, args) if function.lower() in FOLD_NUMERIC:
            values = [constant_value(arg) for arg in args if not isinstance(arg, ir.PoolArg | ir.StageArg)]
            known = [value for value in values if value is not None]
            return FOLD_NUMERIC[function.lower()][1](*known) if len(known) == len(values) else None
    return None


_SIGNS = {name: sign for table in (UNARY, BINARY) for sign, name in table.items()} | {"Neg": "-", "Sub": "-"}
