"""Syntax tree to program text.

The text parses to the same tree, places apart. Its layout is plain: one declaration, item or statement a line, blocks
indented by two blanks, and no parentheses but those that precedence asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from typing import Any

from serq.nesting import room_to_recurse
from serq.syntax import nodes

INDENT = "  "

BINARY_LEVELS = {
    "||": 2,
    "&&": 3,
    "==": 4,
    "!=": 4,
    "<": 4,
    "<=": 4,
    ">": 4,
    ">=": 4,
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
    "^": 8,
}
_CONDITIONAL, _UNARY, _ATOM = 1, 7, 9
"""How tightly forms bind, as the language reference numbers them."""


def unparse(program: nodes.Program) -> str:
    """The text of a program.

    Raises:
        ValueError: the program holds a definition that could not be read, which has no tree.
        SerqError: it is nested too deeply.
    """
    with room_to_recurse():
        before = [_declaration(item) for item in program.before]
        main = ["fn main() {", *[_indented(_declaration(item)) for item in program.items], "}"]
        return "\n".join([*before, *main, ""])


def expression(tree: nodes.Expr, level: int = _CONDITIONAL) -> str:
    """The text of an expression, in parentheses if it binds less tightly than `level` (chapter Expressions)."""
    text, own = _EXPRESSIONS[type(tree)](tree)
    return text if own >= level else f"({text})"


def statement(tree: nodes.Statement) -> str:
    """The text of a statement, of one line or more."""
    return _STATEMENTS[type(tree)](tree)


# ---------------------------------------------------------------- expressions: text and level


def _number(tree: nodes.Number) -> tuple[str, int]:
    value = tree.value
    if value == inf:
        return "1e999", _ATOM
    return str(int(value)) if value.is_integer() and value < 1e15 else repr(value), _ATOM


def _binary(tree: nodes.Binary) -> tuple[str, int]:
    level = BINARY_LEVELS[tree.op]
    left, right = level, level + 1
    if tree.op == "^":
        left, right = _ATOM, _UNARY
    elif level == 4:
        left = level + 1
    return f"{expression(tree.left, left)} {tree.op} {expression(tree.right, right)}", level


def _unary(tree: nodes.Unary) -> tuple[str, int]:
    return tree.op + expression(tree.operand, _UNARY), _UNARY


def _conditional(tree: nodes.Conditional) -> tuple[str, int]:
    test = expression(tree.test, _CONDITIONAL + 1)
    return f"{test} ? {expression(tree.then)} : {expression(tree.otherwise)}", _CONDITIONAL


def _draw(tree: nodes.Draw) -> tuple[str, int]:
    return f"~{tree.law.text}({_list(tree.args)})", _UNARY


def _aggregate(tree: nodes.Aggregate) -> tuple[str, int]:
    terms = expression(tree.terms)
    if not isinstance(tree.terms, (nodes.Number, nodes.Name, nodes.Group)):
        terms = f"({terms})"
    return f"{tree.word.text} {tree.variable.text} in {terms} ({expression(tree.body)})", _ATOM


def _ref(tree: nodes.Ref) -> str:
    text = tree.name.text + _subscript(tree.subscript)
    if tree.member is not None:
        text += f".{tree.member.text}{_subscript(tree.member_subscript)}"
    return text


def _subscript(index: nodes.Expr | None) -> str:
    return "" if index is None else f"[{expression(index)}]"


def _list(trees: Iterable[nodes.Expr]) -> str:
    return ", ".join(expression(tree) for tree in trees)


_EXPRESSIONS: dict[type, Callable[[Any], tuple[str, int]]] = {
    nodes.Name: lambda tree: (tree.text, _ATOM),
    nodes.Number: _number,
    nodes.Ref: lambda tree: (_ref(tree), _ATOM),
    nodes.Group: lambda tree: (f"({expression(tree.inner)})", _ATOM),
    nodes.Unary: _unary,
    nodes.Binary: _binary,
    nodes.Conditional: _conditional,
    nodes.Draw: _draw,
    nodes.Call: lambda tree: (f"{tree.function.text}({_list(tree.args)})", _ATOM),
    nodes.Aggregate: _aggregate,
}

# ---------------------------------------------------------------- blocks and clauses


def _indented(text: str) -> str:
    return INDENT + text.replace("\n", "\n" + INDENT)


def _braces(lines: Iterable[str]) -> str:
    body = [_indented(line) for line in lines]
    return "\n".join(["{", *body, "}"]) if body else "{ }"


def _block(tree: nodes.Block) -> str:
    return _braces(statement(each) for each in tree.statements)


def _else(tree: nodes.Block | None) -> str:
    return "" if tree is None else f" else {_block(tree)}"


def _clause(word: str, tree: nodes.Expr | None) -> str:
    """` word (e)`, or nothing."""
    return "" if tree is None else f" {word} ({expression(tree)})"


def _names(names: Iterable[nodes.Name]) -> str:
    return ", ".join(name.text for name in names)


def _keys(keys: Iterable[nodes.Expr]) -> str:
    return f"by ({_list(keys)})"


def _growing(pool: nodes.Ref | None) -> str:
    return "" if pool is None else f" growing {_ref(pool)}"


def _prefix(tree: nodes.Prefix) -> str:
    segments = [f"{expression(each.key)} : {expression(each.length)}" for each in tree.segments]
    return f"prefix ({', '.join(segments)})"


def _binding(tree: nodes.Binding) -> str:
    return f"{tree.name.text} = {expression(tree.value)}"


def _work(amount: nodes.Expr, share: nodes.Share | None) -> str:
    policy = "" if share is None else f", share = share.{share.policy.text}"
    return f"({expression(amount)}{policy})"


def _amount(tree: nodes.Tool | nodes.Transfer) -> str:
    where = f" {_subscript(tree.subscript)}" if tree.subscript is not None else ""
    if tree.stages:
        where = f" on {', '.join(_ref(stage) for stage in tree.stages)}"
    amount = expression(tree.work) if tree.share is None else _work(tree.work, tree.share)
    return f"{where} {amount}"


# ---------------------------------------------------------------- statements


def _branch(tree: nodes.Branch) -> str:
    word = "branch with" if tree.chance else "branch"
    return f"{word} ({expression(tree.test)}) {_block(tree.then)}{_else(tree.otherwise)}"


def _held(tree: nodes.Held | nodes.Take) -> str:
    name = _ref(tree.pool) if isinstance(tree, nodes.Held) else tree.name.text
    return f"{name} ({expression(tree.units)}){_clause('reserve', tree.reserve)}"


def _hold(tree: nodes.Hold) -> str:
    text = f"hold {', '.join(_held(each) for each in tree.pools)}"
    if tree.prefix is not None:
        text += f" {_prefix(tree.prefix)}"
    text += _clause("reuse", tree.reuse)
    if tree.at_admission is not None:
        text += f" at admission ({', '.join(_binding(each) for each in tree.at_admission.bindings)})"
    text += f" {_block(tree.body)}{_clause('cache', tree.cache)}"
    if tree.lease is not None:
        text += f" lease {_ref(tree.lease.pool)} ({expression(tree.lease.time)})"
    return text + ";"


def _run(tree: nodes.Run) -> str:
    stages = f" {', '.join(_ref(stage) for stage in tree.stages)}" if tree.stages else ""
    mode = "" if tree.mode is None else f" {tree.mode.text}"
    return f"run{stages}{mode} {_work(tree.work, tree.share)}{_growing(tree.growing)};"


def _transfer(tree: nodes.Transfer) -> str:
    ends = f"from {_ref(tree.source)} to {_ref(tree.target)} ({expression(tree.units)})"
    return f"transfer{_amount(tree)} {ends};"


def _entry_call(tree: nodes.EntryCall) -> str:
    text = f"{tree.queue.text}{_subscript(tree.subscript)}.{tree.verb.text} ({_list(tree.args)})"
    if tree.source is not None:
        text += f" from {_ref(tree.source)}"
    if tree.target is not None and tree.units is not None:
        text += f" to {_ref(tree.target)} ({expression(tree.units)})"
    return text + ";"


def _admission_block(tree: nodes.AtAdmission) -> str:
    return f"at admission {_braces(_binding(each) + ';' for each in tree.bindings)}"


_STATEMENTS: dict[type, Callable[[Any], str]] = {
    nodes.Set: lambda tree: f"{tree.word} {tree.target.text} = {expression(tree.value)};",
    nodes.Observe: lambda tree: f"observe {tree.target.text} = {expression(tree.value)};",
    nodes.Turn: lambda tree: "turn;",
    nodes.End: lambda tree: "end;",
    nodes.Join: lambda tree: "join;",
    nodes.Fork: lambda tree: f"fork {_block(tree.body)}",
    nodes.Loop: lambda tree: f"loop {_block(tree.body)}",
    nodes.While: lambda tree: f"while ({expression(tree.test)}) {_block(tree.body)}",
    nodes.Branch: _branch,
    nodes.Choose: lambda tree: f"choose {tree.target.text} in {expression(tree.choices)} {_keys(tree.keys)};",
    nodes.Hold: _hold,
    nodes.Grow: lambda tree: f"grow {_ref(tree.pool)} ({expression(tree.amount)});",
    nodes.Load: lambda tree: f"load {_ref(tree.pool)} ({expression(tree.amount)});",
    nodes.Drop: lambda tree: f"drop {_ref(tree.pool)};",
    nodes.Release: lambda tree: f"release {_ref(tree.pool)};",
    nodes.Run: _run,
    nodes.Tool: lambda tree: f"tool{_amount(tree)}{_growing(tree.growing)};",
    nodes.Transfer: _transfer,
    nodes.Mark: lambda tree: f"mark {tree.target.text};",
    nodes.Advance: lambda tree: f"{tree.mode} ({expression(tree.amount)}){_growing(tree.growing)};",
    nodes.Stall: lambda tree: f"stall {tree.label.text} ({expression(tree.value)});",
    nodes.Invoke: lambda tree: f"{tree.name.text} ({_list(tree.args)});",
    nodes.EntryCall: _entry_call,
    nodes.AtAdmission: _admission_block,
}

# ---------------------------------------------------------------- engines


def _request(tree: nodes.Request) -> str:
    lines = [statement(each) for each in tree.body.statements]
    if tree.prefix is not None:
        lines.insert(0, _prefix(tree.prefix) + ";")
    if tree.cache is not None:
        lines.append(f"cache ({expression(tree.cache)});")
    return f"request ({_names(tree.parameters)}) {_braces(lines)}"


def _each(tree: nodes.Each | None) -> str:
    return "" if tree is None else f" each at most ({expression(tree.limit)})"


def _advance_running(tree: nodes.AdvanceRunning) -> str:
    order = ""
    if tree.order is not None:
        order = " " + (_keys(tree.order.keys) if tree.order.kind == "by" else tree.order.kind)
    return f"advance running{_clause('only', tree.only)}{order}{_each(tree.each)};"


def _admit_waiting(tree: nodes.AdmitWaiting) -> str:
    text = f"admit waiting{_clause('only', tree.only)}{_clause('while', tree.gate)}{_each(tree.each)}"
    if tree.taking is not None:
        text += f" taking {', '.join(_held(take) for take in tree.taking.takes)}{_clause('reuse', tree.taking.reuse)}"
    return text + ";"


def _schedule_block(tree: nodes.ScheduleBlock) -> str:
    return _braces(_SCHEDULE[type(each)](each) for each in tree.statements)


def _schedule_branch(tree: nodes.ScheduleBranch) -> str:
    otherwise = "" if tree.otherwise is None else f" else {_schedule_block(tree.otherwise)}"
    return f"branch ({expression(tree.test)}) {_schedule_block(tree.then)}{otherwise}"


_SCHEDULE: dict[type, Callable[[Any], str]] = {
    nodes.AdvanceRunning: _advance_running,
    nodes.AdmitWaiting: _admit_waiting,
    nodes.ExclusivePrefill: lambda tree: f"exclusive prefill{_each(tree.each)};",
    nodes.ScheduleBranch: _schedule_branch,
    nodes.Set: statement,
}


def _schedule(tree: nodes.Schedule) -> str:
    lets = [f"let {_binding(each)};" for each in tree.lets]
    return f"schedule {_braces([*lets, *[_SCHEDULE[type(each)](each) for each in tree.statements]])}"


# ---------------------------------------------------------------- declarations


def _let(tree: nodes.Let) -> str:
    value = tree.value
    if isinstance(value, nodes.Argument):
        return f'let {tree.name.text} = args.number("{value.external}", {expression(value.default)});'
    return f"let {tree.name.text} = {expression(value)};"


def _def(tree: nodes.Def) -> str:
    if isinstance(tree.body, nodes.Unreadable):
        raise ValueError(f"the definition `{tree.name.text}` could not be read")
    body = _block(tree.body) if isinstance(tree.body, nodes.Block) else f"{{ {expression(tree.body)} }}"
    return f"def {tree.name.text}({_names(tree.parameters)}) {body}"


def _size(size: nodes.Size | None) -> str:
    return "" if size is None else f"[{expression(size.value)}]"


def _items(items: Iterable[Any]) -> str:
    return _braces(_declaration(item) for item in items)


def _time_resource(tree: nodes.TimeResource) -> str:
    return f"{tree.name.text} ({_names(tree.parameters)}) = {expression(tree.value)};"


def _engine(tree: nodes.Engine) -> str:
    name = "" if tree.name is None else f" {tree.name.text}"
    return f"engine{name} on {tree.device.text} {_items(tree.items)}"


def _pool(tree: nodes.Pool) -> str:
    owner = ""
    if tree.owner is not None:
        second = "" if tree.owner.second is None else f".{tree.owner.second.text}"
        owner = f" on {tree.owner.first.text}{second}"
    return f"pool {tree.name.text}{_size(tree.size)}{owner} {_items(tree.options)}"


def _preempt(tree: nodes.Preempt) -> str:
    if tree.kind in ("none", "lifo"):
        return f"preempt {tree.kind};"
    word = "preempt leases" if tree.kind == "leases" else "preempt"
    requeue = "" if tree.requeue is None else f" requeue {tree.requeue}"
    return f"{word} {_keys(tree.keys)}{requeue};"


def _spill(tree: nodes.Spill) -> str:
    return f"spill {tree.tier.text} via {tree.via.text} ({expression(tree.work)}) when ({expression(tree.when)});"


def _kind(tree: nodes.Kind) -> str:
    if isinstance(tree, nodes.Fifo):
        return "fifo" if tree.servers is None else f"fifo({expression(tree.servers)})"
    return f"ps({expression(tree.capacity)})" if isinstance(tree, nodes.Ps) else "delay"


def _queue(tree: nodes.Queue) -> str:
    roles = f" : {_names(tree.roles)}" if tree.roles else ""
    return f"queue {tree.name.text}{_size(tree.size)}{roles} {_items(tree.items)}"


def _serve(tree: nodes.Serve) -> str:
    latency = "" if tree.latency is None else f" latency {expression(tree.latency.value)}"
    return f"serve {_kind(tree.kind)}{latency};"


def _entry(tree: nodes.Entry) -> str:
    parameters = "" if tree.parameters is None else f" ({_names(tree.parameters)})"
    source = "" if tree.source is None else f" from {tree.source.text}"
    return f"{tree.verb.text}{parameters}{source} {_block(tree.body)}"


def _relation(tree: nodes.Relation) -> str:
    latency = "" if tree.latency is None else f", latency = {expression(tree.latency.value)}"
    share = "" if tree.share is None else f", share = share.{tree.share.policy.text}"
    return f"kvt.{tree.kind.text} ({tree.source.text}, {tree.reader.text}{latency}{share});"


def _arrive(tree: nodes.Arrive) -> str:
    return f"arrive {tree.law.text}{'' if tree.value is None else f'({expression(tree.value)})'};"


def _claim(tree: nodes.Claim) -> str:
    scope = "at end" if tree.engine is None else f"{tree.kind} iteration of {_ref(tree.engine)}"
    return f"claim {tree.name.text}{_clause('given', tree.given)} : {scope} ({expression(tree.test)});"


_DECLARATIONS: dict[type, Callable[[Any], str]] = {
    nodes.Use: lambda tree: f'use "{tree.library}";',
    nodes.Let: _let,
    nodes.Def: _def,
    nodes.Device: lambda tree: f"device {tree.name.text}{_size(tree.size)} {_items(tree.items)}",
    nodes.TimeResource: _time_resource,
    nodes.Capacity: lambda tree: f"{tree.name.text} cap {expression(tree.value)};",
    nodes.Engine: _engine,
    nodes.TokensCap: lambda tree: f"tokens cap {expression(tree.value)};",
    nodes.Granule: lambda tree: f"granule {expression(tree.value)};",
    nodes.State: lambda tree: f"state {tree.name.text} = {expression(tree.value)};",
    nodes.Execute: lambda tree: f"execute ({expression(tree.value)});",
    nodes.StallClause: lambda tree: f"stall {tree.label.text} ({expression(tree.value)});",
    nodes.Request: _request,
    nodes.Schedule: _schedule,
    nodes.Pool: _pool,
    nodes.Cap: lambda tree: f"cap {expression(tree.value)};",
    nodes.BlockSize: lambda tree: f"block {expression(tree.value)};",
    nodes.Evict: lambda tree: f"evict {'lru' if tree.keys is None else _keys(tree.keys)};",
    nodes.Preempt: _preempt,
    nodes.QueueOrder: lambda tree: f"queue {'fifo' if tree.keys is None else _keys(tree.keys)};",
    nodes.ReserveHeld: lambda tree: "reserve held;",
    nodes.Spill: _spill,
    nodes.Stage: lambda tree: f"stage {tree.name.text}{_size(tree.size)} : {_kind(tree.kind)};",
    nodes.Queue: _queue,
    nodes.Serve: _serve,
    nodes.Nic: lambda tree: f"nic {_kind(tree.kind)};",
    nodes.Entry: _entry,
    nodes.Relation: _relation,
    nodes.Workload: lambda tree: f"workload {_items(tree.items)}",
    nodes.Arrive: _arrive,
    nodes.Trace: lambda tree: f'trace "{tree.path}"{" ordered" if tree.ordered else ""};',
    nodes.Init: lambda tree: f"init {_block(tree.body)}",
    nodes.TurnBlock: lambda tree: f"turn {_block(tree.body)}",
    nodes.Session: lambda tree: f"session {_block(tree.body)}",
    nodes.Hidden: lambda tree: f"hidden {_names(tree.names)};",
    nodes.Server: lambda tree: f"server {_block(tree.body)}",
    nodes.Gauge: lambda tree: f"gauge {tree.name.text} = {expression(tree.value)};",
    nodes.Claim: _claim,
}


def _declaration(tree: Any) -> str:
    """The text of an item of a program, or of an item within one."""
    return _DECLARATIONS[type(tree)](tree)
