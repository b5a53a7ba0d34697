"""Declarations of a program: constants, arguments, devices, engines with their schedules, pools, stages, workload."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from serq.diagnostics import Diagnostic, SerqError
from serq.ir import nodes as ir
from serq.semantics.lower import CLAIM, ENTRY, JOB, Bindings, Engine, Lowering, has_node
from serq.semantics.scope import Constants, Node, fail, text_of
from serq.source import Source, Span
from serq.syntax.tree_lexer import number_of

_ENTRY: Bindings = {name: ir.Ctx(value) for name, value in ENTRY.items()}
_JOB: Bindings = {name: ir.Ctx(value) for name, value in JOB.items()}
_WAITED: Bindings = {"waited": ir.Ctx("Waited")}
_CLAIM: Bindings = {name: ir.Ctx(value) for name, value in CLAIM.items()}
_UNSUPPORTED = {"queue": "queues", "relation": "relations between queues"}


def argument_value(source: Source, constants: Constants, name: str, given: float | str) -> float:
    """The number supplied for an argument: as such, or the text of a constant expression."""
    from serq.syntax.tree import parse

    if isinstance(given, str):
        number = number_of(given.strip())
        if number is None:
            inner = Source(f"argument {name}", f"let v = {given};\nfn main() {{ }}")
            folding = Constants(inner)
            folding.values = constants.values
            number = folding.value(parse(inner).children[0].children[0].children[1])
        given = number
    if math.isnan(given):
        raise SerqError(Diagnostic("argument", f"argument `{name}` is not a number"))
    return float(given)


def read_constants(source: Source, items: list[Node], sets: Mapping[str, float | str]) -> Constants:
    """Fold the program's constants from top to bottom, with the arguments supplied."""
    constants = Constants(source)
    declared: list[str] = []
    used = {str(item.children[0])[1:-1]: item for item in items if item.data == "use"}
    for name, item in used.items():
        if name not in ("std/args", "std/share", "std/kvt"):
            fail(source, "use", f"there is no library `{name}`", item, "std/args, std/share and std/kvt exist")
    for item in items:
        if item.data == "def":
            constants.definitions[text_of(item.children[0])] = item
        if item.data not in ("let", "argument"):
            continue
        if item.data == "argument" and "std/args" not in used:
            fail(source, "use", "arguments need their library", item.children[1], 'write use "std/args"; above')
        name = text_of(item.children[0])
        if item.data == "let":
            value = constants.value(item.children[1])
        else:
            if (text_of(item.children[1]), text_of(item.children[2])) != ("args", "number"):
                fail(source, "argument", "only `args.number` gives an argument", item.children[1])
            external = str(item.children[3])[1:-1]
            declared.append(external)
            value = constants.value(item.children[4])
            if external in sets:
                value = argument_value(source, constants, external, sets[external])
        if value != value:
            fail(source, "constant", f"`{name}` is not a number", item.children[0])
        constants.values[name] = value
    for name in sets:
        if name not in declared:
            known = ", ".join(f"`{one}`" for one in declared) or "none"
            raise SerqError(Diagnostic("argument", f"the program has no argument `{name}`", hint=f"it has: {known}"))
    return constants


class Declarations(Lowering):
    """Lowers the declarations of `main` and then its workload and server."""

    def size(self, node: Node) -> int | None:
        if node is None:
            return None
        n = self.constants.value(node)
        if not 1 <= n <= 10000 or n != int(n):
            fail(self.source, "size", f"a family of {n:g} members; it must be a whole number from 1 to 10000", node)
        return int(n)

    def collect(self) -> None:
        """Number stages and pools, note devices and engines."""
        for item in self.items:
            name = text_of(item) if item.data in _UNSUPPORTED else ""
            if item.data in _UNSUPPORTED:
                fail(self.source, "unsupported", f"{_UNSUPPORTED[item.data]} are not yet supported", item)
            if item.data == "device":
                name = text_of(item.children[0])
                self.devices[name] = {text_of(c): c for c in item.children[1:] if c.data == "capacity"}
                self.resources[name] = {text_of(c): c for c in item.children[1:] if c.data == "resource"}
            elif item.data == "engine":
                self._note_engine(item)
            elif item.data == "stage":
                self._note_stage(item)
        for item in self.items:
            if item.data == "pool":
                self._note_pool(item)

    def _unique(self, node: Node) -> str:
        name = text_of(node)
        if name in self.defs or name in self.stage_index or name in self.pool_index or name in self.constants.values:
            fail(self.source, "name", f"`{name}` is declared already", node)
        return name

    def _note_stage(self, item: Node) -> None:
        name = self._unique(item.children[0])
        count = self.size(item.children[1])
        self.stage_index[name] = (len(self.stages), count or 1)
        if count is not None:
            self.families = {*self.families, name}
        for k in range(count or 1):
            self.stages.append((item, name, None if count is None else k))

    def _note_engine(self, item: Node) -> None:
        name = self._unique(item.children[0])
        device = text_of(item.children[1])
        if device not in self.devices:
            fail(self.source, "device", f"there is no device `{device}` above", item.children[1])
        if any(other.device == device for other in self.engines.values()):
            fail(self.source, "device", f"device `{device}` has an engine already", item.children[0])
        engine = Engine(item, len(self.stages), device)
        self.engines[name] = engine
        self.stage_index[name] = (len(self.stages), 1)
        self.stages.append((item, name, None))
        for part in item.children[2].children:
            if part.data == "capacity":
                engine.capacities[text_of(part)] = part
            elif part.data == "request":
                engine.request = part
            elif part.data == "state":
                engine.registers[text_of(part)] = len(self.registers)
                init = self.constants.value(part.children[1])
                self.registers.append(ir.Register(text_of(part), engine.stage, init))
            elif part.data == "schedule":
                for node in part.iter_subtrees_topdown():
                    if node.data == "taking":
                        engine.taking = [c for c in node.children if c is not None and c.data == "take"]
                        engine.reuse = next((c for c in node.children if c is not None and c.data == "reuse"), None)

    def _note_pool(self, item: Node) -> None:
        name = self._unique(item.children[0])
        place = next((c for c in item.children[1:] if c is not None and c.data in ("size", "owner")), None)
        count = self.size(place.children[0]) if place is not None and place.data == "size" else None
        self.pool_index[name] = (len(self.pools), count or 1)
        if count is not None:
            self.families = {*self.families, name}
        options = {c.data: c for c in item.children[1:] if c is not None and c.data.startswith("opt_")}
        cap, admits = math.inf, None
        if place is not None and place.data == "owner":
            cap, admits = self._owned(item, place, name, options)
        elif "opt_cap" in options:
            cap = self.constants.value(options["opt_cap"].children[0])
        block = self.constants.value(options["opt_block"].children[0]) if "opt_block" in options else None
        if block is not None and not block > 0:
            fail(self.source, "block", f"a block of {block:g} units; it must be positive", options["opt_block"])
        for k in range(count or 1):
            pool = ir.Pool(name, None if count is None else k, cap, block, None, None, None, None, admits, False)
            self.pools.append(pool)
        self.pool_options = [*self.pool_options, *([options] * (count or 1))]

    pool_options: list[dict[str, Any]] = []

    def _owned(self, item: Node, place: Node, name: str, options: dict[str, Any]) -> tuple[float, int | None]:
        """Capacity and admitting engine of a pool on a device or an engine."""
        owner = text_of(place.children[0])
        if "opt_cap" in options:
            fail(self.source, "cap", f"`{owner}` gives the capacity of `{name}`", options["opt_cap"])
        if owner in self.devices:
            if name not in self.devices[owner]:
                fail(self.source, "capacity", f"device `{owner}` has no capacity `{name}`", item.children[0])
            return self.constants.value(self.devices[owner][name].children[1]), None
        if owner not in self.engines:
            fail(self.source, "owner", f"there is no device or engine `{owner}` above", place.children[0])
        engine = self.engines[owner]
        if len(place.children) > 1 and place.children[1] is not None:
            device = self.devices[engine.device]
            if name not in device:
                fail(self.source, "capacity", f"device `{engine.device}` has no capacity `{name}`", item.children[0])
            return self.constants.value(device[name].children[1]), engine.stage
        if name not in engine.capacities:
            fail(self.source, "capacity", f"engine `{owner}` has no capacity `{name}`", item.children[0])
        return self.constants.value(engine.capacities[name].children[1]), engine.stage

    # ------------------------------------------------------------ what reads expressions

    def finish_pools(self) -> None:
        for number, options in enumerate(self.pool_options):
            pool = self.pools[number]
            evict = self._keys(options.get("opt_evict"), _ENTRY) if "opt_evict" in options else None
            queue = self._keys(options.get("opt_queue"), _WAITED) if "opt_queue" in options else None
            spill = None
            if "opt_spill" in options:
                parts = options["opt_spill"].children
                to, via = self.pool_index.get(text_of(parts[0])), self.stage_index.get(text_of(parts[1]))
                if to is None:
                    fail(self.source, "reference", f"there is no pool `{text_of(parts[0])}`", parts[0])
                if via is None:
                    fail(self.source, "reference", f"there is no stage `{text_of(parts[1])}`", parts[1])
                if to[0] == number:
                    fail(self.source, "spill", "a pool cannot spill to itself", parts[0])
                spill = ir.Spill(to[0], via[0], self.x(parts[2], _ENTRY), self.x(parts[3], _ENTRY))
            self.pools[number] = pool._replace(
                evict=evict,
                queue=queue,
                preempt=self._preempt(options),
                spill=spill,
                reserve_held="opt_held" in options,
            )

    def _keys(self, option: Node, names: Bindings) -> tuple[ir.Expr, ...]:
        keys = next(c for c in option.children if c is not None and c.data == "keys")
        return tuple(self.x(key, names) for key in keys.children)

    def _preempt(self, options: dict[str, Any]) -> ir.Preempt | None:
        last = next((name for name in reversed(list(options)) if name.startswith("opt_preempt")), None)
        if last is None or last == "opt_preempt_none":
            return None
        if last == "opt_preempt_lifo":
            return ir.Preempt(False, (ir.Unary("Neg", ir.Ctx("Admission")),), False)
        keys = self._keys(options[last], _JOB)
        tail = last == "opt_preempt" and any(
            c is not None and c.data == "requeue_tail" for c in options[last].children
        )
        return ir.Preempt(last == "opt_preempt_leases", keys, tail)

    def finish_stages(self) -> None:
        for number, entry in enumerate(self.stages):
            if isinstance(entry, ir.Stage):
                continue
            item, name, index = entry
            if item.data == "engine":
                self.stages[number] = ir.Stage(name, None, self._step(self.engines[name]))
                continue
            kind = item.children[2]
            made: ir.Fifo | ir.Ps
            if kind.data == "delay":
                made = ir.Ps(ir.Ctx("N"))
            elif kind.data == "ps":
                made = ir.Ps(self.x(kind.children[0], {"present": ir.Ctx("N")}))
            else:
                servers = self.constants.value(kind.children[0]) if kind.data == "fifo" else 1.0
                if not 1 <= servers < 1e9 or servers != int(servers):
                    fail(self.source, "servers", f"`fifo` has {servers:g} servers; it must be a whole number", item)
                made = ir.Fifo(int(servers))
            self.stages[number] = ir.Stage(name, index, made)

    def _step(self, engine: Engine) -> ir.Step:
        self.engine = engine
        parts = {part.data: part for part in engine.node.children[2].children}
        for wanted in ("schedule", "execute"):
            if wanted not in parts:
                fail(self.source, "engine", f"the engine has no `{wanted}`", engine.node.children[0])
        caps = {name: part for name, part in engine.capacities.items()}
        if "tokens" not in caps:
            fail(self.source, "engine", "the engine has no `tokens cap`", engine.node.children[0])
        memory = next(
            (
                self.pool_index[name][0]
                for name in self.devices[engine.device]
                if name in self.pool_index and not isinstance(self.pools[self.pool_index[name][0]], str)
            ),
            None,
        )
        budget = self.x(caps["tokens"].children[1])
        cost = self.x(parts["execute"].children[0])
        granule = self.constants.value(parts["granule"].children[0]) if "granule" in parts else None
        serve, iteration, chunk = self._schedule(parts["schedule"])
        self.engine = None
        return ir.Step(budget, cost, chunk, granule, serve, memory, iteration)

    def _schedule(self, node: Node) -> tuple[Any, Any, ir.Expr]:
        """The default keys or None, the program or None, and the chunk cap."""
        lets: Bindings = {}
        body = []
        for child in node.children:
            if child.data == "let":
                lets[text_of(child.children[0])] = self.x(child.children[1], lets)
            else:
                body.append(child)
        if not body:
            fail(self.source, "schedule", "the schedule is empty", node)
        each = [c for one in body for c in one.iter_subtrees() if c.data == "each"]
        if each:
            serving = [c for one in body for c in one.iter_subtrees() if c.data in ("advance", "admit", "exclusive")]
            if len(each) != len(serving) or any(one.children[0] != each[0].children[0] for one in each):
                brace = self.source.text.find("{", node.meta.start_pos)
                message = "all statements of a schedule that serve carry the same `each at most`, or none does"
                raise SerqError(Diagnostic("schedule", message, Span(brace, brace + 1), source=self.source))
        chunk = self.x(each[0].children[0], lets) if each else ir.Num(0.0)
        if isinstance(chunk, ir.Num) and chunk.value == math.inf:
            chunk = ir.Num(0.0)
        if body[0].data == "exclusive":
            return None, None, chunk
        program = tuple(self._scheduled(one) for one in body)
        nothing = ir.Binary("Eq", ir.Ctx("Preempted"), ir.Num(0.0))
        if (
            len(program) == 2
            and isinstance(program[0], ir.Serve)
            and program[0].only is None
            and isinstance(program[1], ir.Admit)
            and program[1] == ir.Admit(None, nothing)
        ):
            return program[0].by, None, chunk
        return (), program, chunk

    def _scheduled(self, node: Node) -> ir.ScheduleStatement:
        parts = {c.data: c for c in node.children if c is not None and hasattr(c, "data")}
        if node.data == "advance":
            by: tuple[ir.Expr, ...] = ()
            if "order_decode_first" in parts:
                by = (ir.Cond(ir.Ctx("Decoding"), ir.Num(0.0), ir.Num(1.0)),)
            elif "order_keys" in parts:
                by = tuple(self.x(key, _JOB) for key in parts["order_keys"].children[0].children)
            only = self.x(parts["only"].children[0], _JOB) if "only" in parts else None
            return ir.Serve(only, by)
        if node.data == "admit":
            only = self.x(parts["only"].children[0], _JOB) if "only" in parts else None
            gate = self.x(parts["gate"].children[0]) if "gate" in parts else None
            return ir.Admit(only, gate)
        if node.data == "sched_set":
            name = text_of(node.children[0])
            if self.engine is None or name not in self.engine.registers:
                fail(self.source, "register", f"`{name}` is not declared by `state`", node)
            return ir.SetRegister(self.engine.registers[name], self.x(node.children[1]))
        if node.data == "sched_branch":
            test, then, otherwise = node.children
            rest = otherwise.children if otherwise is not None else []
            return ir.ScheduleBranch(
                self.x(test),
                tuple(self._scheduled(one) for one in then.children),
                tuple(self._scheduled(one) for one in rest),
            )
        fail(self.source, "schedule", "`exclusive prefill` stands only first, before one `admit waiting`", node)

    # ------------------------------------------------------------ workload

    def arrival(self, node: Node) -> ir.Arrival:
        if node is None or node.data == "no_arrivals":
            return ir.NoArrivals()
        if node.data == "renewal":
            return ir.Renewal(self.x(node.children[0]))
        value = self.constants.value(node.children[0])
        if node.data == "poisson":
            if not 0 < value < math.inf:
                fail(self.source, "arrival", f"an arrival rate of {value:g}; it must be positive and finite", node)
            return ir.Poisson(value)
        if not 1 <= value <= 1000000 or value != int(value):
            fail(self.source, "arrival", f"{value:g} sessions; their number must be whole, from 1 to 1000000", node)
        return ir.Closed(int(value)) if node.data == "closed" else ir.Batch(int(value))

    def gauge(self, node: Node) -> ir.Gauge:
        """A gauge reads pools and stages, and no session, time or draw."""
        registers: Bindings = {register.name: ir.Reg(k) for k, register in enumerate(self.registers)}
        value = self.x(node.children[1], registers)
        for kind, what in ((ir.Attr, "a session"), (ir.Sample, "a draw"), (ir.Ctx, "the time")):
            if has_node(value, kind):
                fail(self.source, "gauge", f"a gauge must not read {what}", node.children[1])
        return ir.Gauge(text_of(node), value)

    def claim(self, node: Node) -> ir.Claim:
        name, given, scope, test = node.children
        stage = None
        kind = "AtEnd"
        if scope.data != "at_end":
            kind = "EveryIteration" if scope.data == "every_iteration" else "SomeIteration"
            ref = self.stage_ref(scope.children[0], {})
            stage = ref.base
            self.engine = next((e for e in self.engines.values() if e.stage == stage), None)
            if self.engine is None:
                fail(self.source, "claim", "a claim about iterations names an engine", scope)
        guard = self.x(given) if given is not None else None
        result = ir.Claim(text_of(name), kind, stage, guard, self._claim_test(test))
        self.engine = None
        return result

    def _claim_test(self, node: Node) -> ir.Expr:
        registers: Bindings = {register.name: ir.Reg(k) for k, register in enumerate(self.registers)}
        return self.x(node, {**_CLAIM, **registers})
