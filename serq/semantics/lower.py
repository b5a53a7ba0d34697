"""A parse tree to the intermediate representation.

Definitions, request parameters and bindings are replaced where they are used. Queues, relations and flows over several
stages are not yet supported; they are refused at their place.
"""

from __future__ import annotations

from typing import Any

from serq.ir import nodes as ir
from serq.semantics.scope import BINARY, NUMERIC, Constants, Node, fail, text_of
from serq.source import Source

Bindings = dict[str, Any]
"""Names replaced in an expression: an `ir.Expr`, or the text of another name."""

_LAWS = {
    "exp": ("Exp", 1),
    "det": ("Det", 1),
    "uniform": ("Uniform", 2),
    "erlang": ("Erlang", 2),
    "h2": ("H2", 2),
    "bernoulli": ("Bernoulli", 1),
}
_POOL = {
    "used": "Used",
    "free": "Free",
    "cachedin": "CachedIn",
    "holders": "Holders",
    "queued": "Queued",
    "allocated": "Allocated",
}
_STAGE = {"queue": "Queue", "busy": "Busy", "work": "Work", "budget_left": "BudgetLeft"}
_LISTS = {
    ("batch", "tokens"): "Ntok",
    ("batch", "decoding"): "Ndec",
    ("batch", "prefilled"): "Npre",
    ("batch", "kv_decode"): "Kvb",
    ("batch", "kv_prefill"): "Kvp",
    ("batch", "attention"): "Attn",
    ("running", "count"): "Nres",
    ("running", "decoding"): "Ndec",
    ("running", "kv_decode"): "Kvb",
    ("running", "kv_prefill"): "Kvp",
    ("running", "preempted"): "Preempted",
    ("waiting", "admitted"): "Admitted",
}
ENTRY = {"size": "Size", "age": "Age", "last": "Last", "waiting": "Queued"}
JOB = {"decoding": "Decoding", "admission": "Admission", "remaining": "Remaining", "position": "Position"}
CLAIM = {
    "tokens": "Ntok",
    "prefilled": "Npre",
    "decoders": "Ndec",
    "residents": "Nres",
    "kv_decode": "Kvb",
    "kv_prefill": "Kvp",
    "attention": "Attn",
    "demand": "Demand",
    "served": "Served",
    "arrived": "Arrived",
}
_AGGREGATES = {
    "total": "Total",
    "count": "Count",
    "largest": "Largest",
    "smallest": "Smallest",
    "prefix_total": "PrefixTotal",
}


class Engine:
    """What an engine declares, before its request is called."""

    def __init__(self, node: Node, stage: int, device: str) -> None:
        self.node = node
        self.stage = stage
        self.device = device
        self.capacities: dict[str, Node] = {}
        self.request: Node = None
        self.taking: list[Node] = []
        self.reuse: Node = None
        self.registers: dict[str, int] = {}


class Lowering:
    """One program on its way to an `Ir`."""

    def __init__(self, source: Source, constants: Constants, items: list[Node], defs: dict[str, Node]) -> None:
        self.source = source
        self.constants = constants
        self.items = items
        self.defs = defs
        self.attrs = list(ir.BUILT_IN_ATTRIBUTES)
        self.types: dict[str, str] = {}
        self.observes: list[str] = []
        self.blocks: list[list[ir.Statement]] = []
        self.sides: list[list[str]] = []
        self.pools: list[Any] = []
        self.pool_index: dict[str, tuple[int, int]] = {}
        self.stages: list[Any] = []
        self.stage_index: dict[str, tuple[int, int]] = {}
        self.engines: dict[str, Engine] = {}
        self.devices: dict[str, dict[str, Node]] = {}
        self.resources: dict[str, dict[str, Node]] = {}
        self.registers: list[ir.Register] = []
        self.engine: Engine | None = None
        self.side = "Workload"
        self.visible: set[str] | None = None
        self.hidden: set[str] = set()

    # ------------------------------------------------------------ expressions

    def x(self, node: Node, names: Bindings | None = None) -> ir.Expr:
        """An expression, with some names replaced."""
        names = names or {}
        rule, children = node.data, node.children
        if rule == "number":
            return ir.Num(self.constants.value(node))
        if rule == "group":
            return self.x(children[0], names)
        if rule == "name":
            return self._name(node, names)
        if rule in BINARY:
            return ir.Binary(BINARY[rule], self.x(children[0], names), self.x(children[1], names))
        if rule == "neg":
            return ir.Unary("Neg", self.x(children[0], names))
        if rule == "not":
            return ir.Unary("Not", self.x(children[0], names))
        if rule == "cond":
            return ir.Cond(*(self.x(child, names) for child in children))
        if rule == "draw":
            return self._draw(node, names)
        if rule == "function":
            return self._function(node, names)
        if rule == "dotted":
            return self._dotted(node)
        if rule.startswith("aggregate_"):
            return self._aggregate(node, names)
        fail(self.source, "expression", "a pool or stage is not a number", node)

    def _name(self, node: Node, names: Bindings) -> ir.Expr:
        name = text_of(node)
        if name in names:
            found = names[name]
            if isinstance(found, str):
                name = found
            else:
                result: ir.Expr = found
                return result
        if name == "now":
            return ir.Ctx("Now")
        if name == "inf" or name in self.constants.values:
            return ir.Num(self.constants.value(node) if name == text_of(node) else self.constants.values[name])
        if self.engine is not None and name in self.engine.registers:
            return ir.Reg(self.engine.registers[name])
        if name in self.attrs:
            if self.visible is not None and name not in self.visible and self.engine is not None:
                message = f"the request reads `{name}`, an attribute of the session"
                fail(self.source, "request", message, self.engine.request, "pass it as a parameter")
            return ir.Attr(self.attrs.index(name))
        fail(self.source, "name", f"`{name}` is not known here", node, self._near(name))

    def _near(self, name: str) -> str | None:
        from difflib import get_close_matches

        known = [*self.attrs, *self.constants.values, *self.pool_index, *self.stage_index]
        close = get_close_matches(name, known, 1)
        return f"did you mean `{close[0]}`?" if close else None

    def _arguments(self, node: Node) -> list[Node]:
        return [child for child in node.children[1:] if child is not None]

    def _draw(self, node: Node, names: Bindings) -> ir.Expr:
        name = text_of(node.children[0])
        args = self._arguments(node)
        if name not in _LAWS:
            fail(self.source, "distribution", f"there is no distribution `{name}`", node.children[0])
        law, arity = _LAWS[name]
        if len(args) != arity:
            fail(self.source, "arity", f"`~{name}` takes {arity} arguments, not {len(args)}", node.children[0])
        return ir.Sample(law, tuple(self.x(arg, names) for arg in args))

    def _function(self, node: Node, names: Bindings) -> ir.Expr:
        name = text_of(node.children[0])
        args = self._arguments(node)
        if name in self.defs and self.defs[name].children[-1].data == "def_expr":
            definition = self.defs[name]
            inner = self._bind(definition, args, names, node)
            return self.x(definition.children[-1].children[0], inner)
        if self.engine is not None and name in self.resources.get(self.engine.device, {}):
            resource = self.resources[self.engine.device][name]
            inner = self._bind(resource, args, names, node)
            return self.x(resource.children[-1], inner)
        if name in NUMERIC:
            if len(args) != NUMERIC[name]:
                fail(self.source, "arity", f"`{name}` takes {NUMERIC[name]} arguments, not {len(args)}", node)
            return ir.Call(name.capitalize(), tuple(self.x(arg, names) for arg in args))
        if name == "cost":
            return self._cost(args, names, node)
        if name in _AGGREGATES and args and text_of(args[0]) in self.observes:
            return ir.Agg(_AGGREGATES[name], self.observes.index(text_of(args[0])))
        if name == "blocksize":
            ref = self.pool_ref(args[0], names)
            return ir.Num(self.pools[ref.base].block or 0.0)
        if name in _POOL or name in _STAGE:
            if len(args) != 1:
                fail(self.source, "arity", f"`{name}` takes 1 argument, not {len(args)}", node)
            if name in _POOL:
                return ir.Call(_POOL[name], (ir.PoolArg(self.pool_ref(args[0], names)),))
            return ir.Call(_STAGE[name], (ir.StageArg(self.stage_ref(args[0], names)),))
        if name in ("price", "est_lambda", "est_rho", "est_wait"):
            fail(self.source, "unsupported", f"`{name}` is not yet supported", node)
        fail(self.source, "function", f"there is no function `{name}`", node)

    def _bind(self, definition: Node, args: list[Node], names: Bindings, use: Node) -> Bindings:
        """Parameters of a definition or resource, replaced by its arguments."""
        named = definition.children[(0 if definition.data == "request" else 1) : -1]
        params = [text_of(child) for child in named if child is not None]
        if len(params) != len(args):
            fail(
                self.source, "arity", f"`{text_of(use)}` takes {len(params)} arguments, not {len(args)}", use
            )
        inner: Bindings = {}
        for param, arg in zip(params, args, strict=True):
            if arg.data == "name" and (text_of(arg) in self.pool_index or text_of(arg) in self.stage_index):
                inner[param] = text_of(arg)
            elif arg.data == "name" and isinstance(names.get(text_of(arg)), str | tuple):
                inner[param] = names[text_of(arg)]
            elif arg.data == "member":
                inner[param] = (text_of(arg), self.x(arg.children[1], names))
            else:
                inner[param] = self.x(arg, names)
        return inner

    def _cost(self, args: list[Node], names: Bindings, node: Node) -> ir.Expr:
        resources: list[ir.Resource] = []
        for arg in args[:-1]:
            name = text_of(arg)
            bound = names.get(name)
            if isinstance(bound, tuple) and not hasattr(bound, "_fields"):
                name = bound[0]
            name = bound if isinstance(bound, str) else name
            if name in self.pool_index:
                resources.append(ir.PoolResource(*self.pool_index[name]))
            elif name in self.stage_index:
                resources.append(ir.StageResource(*self.stage_index[name]))
            else:
                fail(self.source, "resource", f"`{name}` is no pool or stage", arg)
        return ir.Cost(tuple(resources), self.x(args[-1], names))

    def _dotted(self, node: Node) -> ir.Expr:
        left, right = text_of(node.children[0]), text_of(node.children[1])
        if (left, right) == ("waiting", "count") and self.engine is not None:
            total: ir.Expr | None = None
            for number, pool in enumerate(self.pools):
                if pool.admit_via == self.engine.stage:
                    one = ir.Call("Queued", (ir.PoolArg(ir.Ref(number, 1, None)),))
                    total = one if total is None else ir.Binary("Add", total, one)
            return total if total is not None else ir.Num(0.0)
        if (left, right) in _LISTS:
            return ir.Ctx(_LISTS[left, right])
        fail(self.source, "unsupported", f"`{left}.{right}`: queues are not yet supported", node)

    def _aggregate(self, node: Node, names: Bindings) -> ir.Expr:
        word, count, body = text_of(node.children[0]), node.children[1], node.children[2]
        n = self.constants.value(count)
        if not 1 <= n <= 4096 or n != int(n):
            fail(self.source, "aggregate", f"an aggregate over {n:g} terms; it must be 1 to 4096", node)
        total: ir.Expr | None = None
        for k in range(int(n)):
            one = self.x(body, {**names, word: ir.Num(float(k))})
            if total is None:
                total = one
            elif node.data == "aggregate_sum":
                total = ir.Binary("Add", total, one)
            else:
                total = ir.Call("Max" if node.data == "aggregate_max" else "Min", (total, one))
        assert total is not None
        return total

    # ------------------------------------------------------------ references

    def _ref(self, node: Node, names: Bindings, index: dict[str, tuple[int, int]], what: str) -> ir.Ref:
        if node.data in ("own_member", "dotted") or (node.data == "ref" and len(node.children) > 2 and node.children[2]):
            fail(self.source, "unsupported", "queues are not yet supported", node)
        name = text_of(node.children[0])
        bound = names.get(name)
        if isinstance(bound, tuple) and isinstance(bound[0], str) and not hasattr(bound, "_fields"):
            name, member = bound
            if name in index:
                return ir.Ref(*index[name], member)
        name = bound if isinstance(bound, str) else name
        if name not in index:
            fail(self.source, "reference", f"there is no {what} `{name}`", node, self._near(name))
        base, count = index[name]
        at = node.children[1] if len(node.children) > 1 else None
        if at is None:
            if count > 1 or name in self.families:
                fail(self.source, "family", f"`{name}` is a family: say which member, `{name}[0]`", node)
            return ir.Ref(base, count, None)
        return ir.Ref(base, count, self.x(at, names))

    families: set[str] = set()

    def pool_ref(self, node: Node, names: Bindings) -> ir.Ref:
        return self._ref(node, names, self.pool_index, "pool")

    def stage_ref(self, node: Node, names: Bindings) -> ir.Ref:
        return self._ref(node, names, self.stage_index, "stage")

    # ------------------------------------------------------------ statements

    def block(self, number: int, node: Node, names: Bindings) -> None:
        """Lower a block's statements into block `number`."""
        for child in node.children:
            self.statement(number, child, names)

    def fresh(self) -> int:
        self.blocks.append([])
        self.sides.append([])
        return len(self.blocks) - 1

    def say(self, number: int, statement: ir.Statement) -> None:
        self.blocks[number].append(statement)
        self.sides[number].append(self.side)

    def slot(self, node: Node, names: Bindings) -> int:
        """The slot of an attribute that is assigned here."""
        name = text_of(node)
        if name not in self.attrs:
            self.attrs.append(name)
        if name not in self.types:
            self.types[name] = "Size" if self.side == "Workload" else "Value"
        return self.attrs.index(name)

    def statement(self, number: int, node: Node, names: Bindings) -> None:
        rule, c = node.data, node.children
        if rule in ("set", "size_set", "cost_set"):
            self.say(number, ir.Set(self.slot(c[0], names), self.x(c[1], names)))
        elif rule == "observe":
            name = text_of(c[0])
            if name not in self.observes:
                self.observes.append(name)
            self.say(number, ir.Observe(self.observes.index(name), self.x(c[1], names)))
        elif rule == "turn":
            self.say(number, ir.Turn())
            self.side = "Server"
            self.block(number, self.server, {})
            self.side = "Workload"
        elif rule == "end":
            self.say(number, ir.End())
        elif rule == "join":
            self.say(number, ir.Join())
        elif rule in ("loop", "fork"):
            at = self._place(number)
            body = self._nested(c[0], names)
            self._put(number, at, ir.Loop(body) if rule == "loop" else ir.Fork(body))
        elif rule == "while":
            test = self.x(c[0], names)
            at = self._place(number)
            self._put(number, at, ir.While(test, self._nested(c[1], names)))
        elif rule in ("branch", "branch_with"):
            test = self.x(c[0], names)
            if rule == "branch_with":
                test = ir.Sample("Bernoulli", (test,))
            at = self._place(number)
            then = self._nested(c[1], names)
            otherwise = self._nested(c[2], names) if c[2] is not None else self.fresh()
            self._put(number, at, ir.Branch(test, then, otherwise))
        elif rule == "choose":
            slot = self.slot(c[0], names)
            keys = tuple(self.x(key, names) for key in c[2].children)
            self.say(number, ir.Choose(slot, self.x(c[1], names), keys))
        elif rule == "hold":
            self._hold(number, node, names)
        elif rule in ("grow", "load"):
            make = ir.Grow if rule == "grow" else ir.Load
            self.say(number, make(self.pool_ref(c[0], names), self.x(c[1], names)))
        elif rule in ("drop", "release"):
            make_ref = ir.Drop if rule == "drop" else ir.Release
            self.say(number, make_ref(self.pool_ref(c[0], names)))
        elif rule == "run":
            self._run(number, node, names)
        elif rule == "tool":
            self._tool(number, node, names)
        elif rule in ("prefill", "decode"):
            self._tokens(number, node, names)
        elif rule == "call":
            self._call(number, c[0], names)
        else:
            fail(self.source, "unsupported", f"`{text_of(node)}` is not yet supported here", node)

    def _place(self, number: int) -> int:
        """Keep a place for a statement whose blocks are numbered after it."""
        self.say(number, ir.End())
        return len(self.blocks[number]) - 1

    def _put(self, number: int, at: int, statement: ir.Statement) -> None:
        self.blocks[number][at] = statement

    def _nested(self, node: Node, names: Bindings) -> int:
        number = self.fresh()
        self.block(number, node, names)
        return number

    def _hold(self, number: int, node: Node, names: Bindings) -> None:
        held = [child for child in node.children if child is not None and getattr(child, "data", "") == "held"]
        parts = {child.data: child for child in node.children if child is not None and hasattr(child, "data")}
        if "prefix" in parts:
            fail(self.source, "unsupported", "`prefix` is not yet supported", parts["prefix"])
        inner = dict(names)
        bound: list[tuple[str, ir.Expr]] = []
        if "hold_bindings" in parts:
            words = parts["hold_bindings"].children
            for k in range(0, len(words), 2):
                value = self.x(words[k + 1], inner)
                inner[text_of(words[k])] = value
                bound.append((text_of(words[k]), value))
        pools = tuple(
            ir.Held(
                self.pool_ref(one.children[0], names),
                self.x(one.children[1], inner),
                self.x(one.children[2].children[0], inner) if one.children[2] is not None else None,
            )
            for one in held
        )
        self._check_amounts(held, pools)
        reuse = self.x(parts["reuse"].children[0], inner) if "reuse" in parts else None
        at = self._place(number)
        body = self.fresh()
        for name, value in bound:
            if _reads(parts["block"], name):
                if name not in self.attrs:
                    self.attrs.append(name)
                    self.types[name] = "Value"
                self.say(body, ir.Set(self.attrs.index(name), value))
        self.block(body, parts["block"], names)
        cache = self.x(parts["hold_cache"].children[0], names) if "hold_cache" in parts else None
        lease = None
        if "lease" in parts:
            lease = ir.Lease(self.pool_ref(parts["lease"].children[0], names), self.x(parts["lease"].children[1], names))
        self._put(number, at, ir.Hold(pools, (), reuse, body, cache, lease))

    def _check_amounts(self, held: list[Node], pools: tuple[ir.Held, ...]) -> None:
        """Amounts of a hold are costs of its pools, draw nothing, and fit the capacity if they are constant."""
        for one in pools:
            for amount in (one.units, one.reserve):
                if amount is None:
                    continue
                if not isinstance(amount, ir.Cost) and _is_plain(amount):
                    fail(self.source, "amount", "what a hold takes is a cost of its pool", held[0], "cost(pool, units)")
                if has_node(amount, ir.Sample):
                    fail(self.source, "draw", "what a hold takes must not be drawn here", held[0], "set it before")
                plain = amount.operand if isinstance(amount, ir.Cost) else amount
                pool = self.pools[one.pool.base]
                if isinstance(plain, ir.Num):
                    block = pool.block or 0.0
                    need = -(-plain.value // block) * block if block else plain.value
                    if need < 0 or need > pool.cap:
                        message = f"the hold takes {need:g} units of pool `{pool.name}`, which has {pool.cap:g}"
                        fail(self.source, "amount", message, held[0])

    def _run(self, number: int, node: Node, names: Bindings) -> None:
        refs = [child for child in node.children if child is not None and getattr(child, "data", "") == "ref"]
        share = next((c for c in node.children if c is not None and c.data == "share"), None)
        if (len(refs) > 1) != (share is not None):
            message = "a run over several stages needs a policy" if share is None else "one stage takes no policy"
            fail(self.source, "share", message, refs[0], "share = share.maxmin")
        work = next(c for c in node.children if c is not None and c.data not in ("ref", "mode", "share", "growing"))
        ref = self.stage_ref(refs[0], names)
        also = tuple(self.stage_ref(other, names) for other in refs[1:])
        policy = {"maxmin": "MaxMin", "bottleneck": "Bottleneck"}[text_of(share.children[1])] if share else None
        amount = self.x(work, names)
        if not isinstance(amount, ir.Cost) and _is_plain(amount):
            fail(self.source, "amount", "the work of a run is a cost of its stage", refs[0], "cost(stage, work)")
        self.say(number, ir.Run(ref, "Plain", amount, None, also, policy))

    def _tool(self, number: int, node: Node, names: Bindings) -> None:
        where = next((c for c in node.children if c is not None and c.data in ("where_on", "where_member")), None)
        amount = next(c for c in node.children if c is not None and c.data == "amount")
        index: ir.Expr | None = None
        if where is not None and where.data == "where_on":
            ref = self.stage_ref(where.children[0], names)
        else:
            if "tool" not in self.stage_index:
                if self.side == "Server":
                    fail(self.source, "tool", "there is no stage `tool`", node, "declare it: stage tool : delay;")
                self.stage_index["tool"] = (len(self.stages), 1)
                self.stages.append(ir.Stage("tool", None, ir.Ps(ir.Ctx("N"))))
            base, count = self.stage_index["tool"]
            if where is not None:
                index = self.x(where.children[0], names)
            ref = ir.Ref(base, count, index)
        work = ir.Cost((ir.StageResource(ref.base, ref.count),), self.x(amount.children[0], names))
        self.say(number, ir.Run(ref, "Plain", work, None, (), None))

    def _tokens(self, number: int, node: Node, names: Bindings) -> None:
        if self.engine is None:
            fail(self.source, "engine", f"`{node.data}` stands only in an engine's request", node)
        growing = node.children[1]
        pool = self.pool_ref(growing.children[0], names) if growing is not None else None
        ref = ir.Ref(self.engine.stage, 1, None)
        work = ir.Cost((ir.StageResource(self.engine.stage, 1),), self.x(node.children[0], names))
        self.say(number, ir.Run(ref, node.data.capitalize(), work, pool, (), None))

    def _call(self, number: int, node: Node, names: Bindings) -> None:
        """A statement definition, or an engine's request."""
        name = text_of(node.children[0])
        args = self._arguments(node)
        if name in self.defs and self.defs[name].children[-1].data == "def_statements":
            inner = self._bind(self.defs[name], args, names, node)
            self.block(number, self.defs[name].children[-1], inner)
            return
        if name not in self.engines or self.engines[name].request is None:
            fail(self.source, "statement", f"there is no statement `{name}`", node, self._near(name))
        self._request(number, self.engines[name], args, names, node)

    def _request(self, number: int, engine: Engine, args: list[Node], names: Bindings, use: Node) -> None:
        """A call of an engine: its statements before admission, then a hold of what `taking` takes around the rest."""
        outer, seen = self.engine, self.visible
        inner = self._bind(engine.request, args, names, use)
        self.engine = engine
        own = [n for n in engine.request.iter_subtrees() if n.data in ("set", "size_set", "cost_set", "choose", "binding")]
        self.visible = {"cached", "computed", *self.hidden, *(text_of(n.children[0]) for n in own)}
        items = list(engine.request.children[-1].children)
        split = next((k for k, item in enumerate(items) if item.data == "at_admission"), None)
        cache = next((item for item in items if item.data == "cache"), None)
        before = items[:split] if split is not None else []
        after = [item for item in items[0 if split is None else split + 1 :] if item is not cache]
        for item in before:
            self.statement(number, item, inner)
        bound: list[tuple[str, ir.Expr]] = []
        header = dict(inner)
        if split is not None:
            for binding in items[split].children:
                value = self.x(binding.children[1], header)
                header[text_of(binding.children[0])] = value
                bound.append((text_of(binding.children[0]), value))
        if not engine.taking:
            for item in after:
                self.statement(number, item, inner)
            self.engine, self.visible = outer, seen
            return
        pools = []
        for take in engine.taking:
            ref = ir.Ref(*self.pool_index[text_of(take.children[0])], None)
            resource = (ir.PoolResource(ref.base, ref.count),)
            reserve = take.children[2]
            pools.append(
                ir.Held(
                    ref,
                    ir.Cost(resource, self.x(take.children[1], header)),
                    ir.Cost(resource, self.x(reserve.children[0], header)) if reserve is not None else None,
                )
            )
        self._check_amounts(engine.taking, tuple(pools))
        everything = tuple(sorted(ir.PoolResource(held.pool.base, held.pool.count) for held in pools))
        reuse = ir.Cost(everything, self.x(engine.reuse.children[0], header)) if engine.reuse is not None else None
        at = self._place(number)
        body = self.fresh()
        for name, value in bound:
            if any(_reads(item, name) for item in items[(split or 0) + 1 :]):
                if name not in self.attrs:
                    self.attrs.append(name)
                    self.types[name] = "Value"
                self.say(body, ir.Set(self.attrs.index(name), value))
        for item in after:
            self.statement(body, item, inner)
        kept = ir.Cost(everything, self.x(cache.children[0], inner)) if cache is not None else None
        self._put(number, at, ir.Hold(tuple(pools), (), reuse, body, kept, None))
        self.engine, self.visible = outer, seen

    server: Node = None


def _reads(node: Node, name: str) -> bool:
    """Whether a name is read somewhere below a node."""
    if not hasattr(node, "children"):
        return False
    if node.data == "name" and text_of(node) == name:
        return True
    return any(_reads(child, name) for child in node.children if child is not None)


def _is_plain(expr: ir.Expr) -> bool:
    """Whether no cost is anywhere in an expression."""
    return not has_node(expr, ir.Cost) and not has_node(expr, ir.Attr)


def has_node(expr: Any, kind: type) -> bool:
    """Whether an expression has a node of a kind in it."""
    if isinstance(expr, kind):
        return True
    if isinstance(expr, tuple):
        return any(has_node(part, kind) for part in expr)
    return False
