"""A program's text to its intermediate representation, the stages in order.

    parse            text -> parse tree                                  (syntax)
    read_constants   constants and arguments -> numbers                  (semantics)
    collect          declarations -> numbered stages, pools, engines
    block            workload and server -> blocks of statements
    finish_*         keys, schedules and costs, which may read all names
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from serq.diagnostics import Diagnostic, SerqError
from serq.ir import nodes as ir

from serq.semantics.declare import Declarations, read_constants
from serq.semantics.scope import Node, fail, text_of
from serq.source import Source, Span
from serq.syntax.tree import parse

MAX_DEPTH = 150
"""Brackets within brackets, beyond which a text is refused: the passes descend into each."""

_ASSIGNING = ("set", "size_set", "cost_set", "choose")


def compile_source(
    text: str,
    *,
    sets: Mapping[str, float | str] | None = None,
    defs: Mapping[str, str] | None = None,
    seed: int | None = None,
    horizon: float | None = None,
    warmup: float | None = None,
    arrivals: int | None = None,
    trace: str | None = None,
) -> ir.Ir:
    """Compile a program.

    Args:
        text: the program.
        sets: program arguments, numbers or texts of constant expressions.
        seed, horizon, warmup, arrivals: settings of a run.
        trace: path of a trace instead of the program's.

    Raises:
        SerqError: the program is refused; the first fault is told.
    """
    source = Source("program", text)
    _refuse_deep(source)
    if defs:
        raise SerqError(Diagnostic("unsupported", "replacing definitions is not yet supported"))
    before, main = parse(source).children
    if text_of(main) != "main":
        fail(source, "main", "the function of a program is called `main`", main)
    items = [*before.children, *main.children[1:]]
    constants = read_constants(source, items, sets or {})
    definitions = {text_of(item): item for item in items if item.data == "def"}
    program = Declarations(source, constants, items, definitions)
    program.pool_options = []
    program.collect()
    workload = next((item for item in items if item.data == "workload"), None)
    server = next((item for item in items if item.data == "server"), None)
    if (workload is None) != (server is None):
        end = Span(len(text), len(text))
        missing = "server" if server is None else "workload"
        raise SerqError(Diagnostic("program", f"the program has no `{missing}`", end, source=source))
    parts: dict[str, Node] = {}
    for item in workload.children if workload is not None else []:
        parts["arrive" if item.data in ("poisson", "renewal", "closed", "batch", "no_arrivals") else item.data] = item
    program.server = server.children[0] if server is not None else None
    if "hidden" in parts:
        program.hidden = {text_of(child) for child in parts["hidden"].children}
    _name_attributes(program, parts, server, items)
    init, turn, session = program.fresh(), program.fresh(), program.fresh()
    if "init" in parts:
        program.block(init, parts["init"].children[0], {})
    if "turn_block" in parts:
        program.block(turn, parts["turn_block"].children[0], {})
    if "session" in parts:
        program.block(session, parts["session"].children[0], {})
    elif server is not None:
        program.say(session, ir.Turn())
        program.side = "Server"
        program.block(session, program.server, {})
        program.side = "Workload"
    program.say(session, ir.End())
    program.finish_pools()
    program.finish_stages()
    claims = tuple(program.claim(item) for item in items if item.data == "claim")
    gauges = tuple(program.gauge(item) for item in items if item.data == "gauge")
    _check_forks(source, program)
    _check_loops(program)
    given = parts.get("trace")
    hidden = parts.get("hidden")
    return ir.Ir(
        attrs=tuple(program.attrs),
        attr_types=tuple(_types(program)),
        observes=tuple(program.observes),
        pools=tuple(program.pools),
        stages=tuple(program.stages),
        arrival=program.arrival(parts.get("arrive")),
        trace=trace or (str(given.children[0])[1:-1] if given is not None else None),
        trace_ordered=given is not None and given.children[1] is not None,
        init=init,
        turn=turn,
        session=session,
        blocks=tuple(tuple(block) for block in program.blocks),
        sides=tuple(tuple(side) for side in program.sides),
        hidden=tuple(program.attrs.index(text_of(c)) for c in hidden.children) if hidden is not None else (),
        gauges=gauges,
        claims=claims,
        registers=tuple(program.registers),
        horizon=horizon,
        warmup=warmup or 0.0,
        seed=1 if seed is None else seed,
        arrivals=arrivals,
    )


def _check_forks(source: Source, program: Declarations) -> None:
    """A program that forks also joins."""
    statements = [statement for block in program.blocks for statement in block]
    if any(isinstance(s, ir.Fork) for s in statements) and not any(isinstance(s, ir.Join) for s in statements):
        raise SerqError(Diagnostic("fork", "the program forks legs but never joins them", hint="write `join;`"))


def _check_loops(program: Declarations) -> None:
    """Every pass through a `loop` or `while` lets time pass: a run, or the end, on every path."""
    for block in program.blocks:
        for statement in block:
            if isinstance(statement, ir.Loop | ir.While) and not _takes_time(program, statement.body):
                message = "a pass through this program's loop may take no time, so it could go round for ever"
                raise SerqError(Diagnostic("loop", message, hint="let every path through it run, call or end"))


def _takes_time(program: Declarations, block: int) -> bool:
    """Whether every path through a block reaches a run of work that is not constantly 0, or the end."""
    for statement in program.blocks[block]:
        if isinstance(statement, ir.End):
            return True
        if isinstance(statement, ir.Run):
            work = statement.work.operand if isinstance(statement.work, ir.Cost) else statement.work
            if work != ir.Num(0.0):
                return True
        if isinstance(statement, ir.Hold) and _takes_time(program, statement.body):
            return True
        if isinstance(statement, ir.Loop) and _takes_time(program, statement.body):
            return True
        if isinstance(statement, ir.Branch):
            if _takes_time(program, statement.then) and _takes_time(program, statement.otherwise):
                return True
    return False


def _refuse_deep(source: Source) -> None:
    """Refuse text nested so deeply that descending into it would exhaust the stack."""
    depth = 0
    for at, character in enumerate(source.text):
        if character in "({[":
            depth += 1
            if depth > MAX_DEPTH:
                message = f"brackets are nested more than {MAX_DEPTH} deep"
                raise SerqError(Diagnostic("nesting", message, Span(at, at + 1), source=source))
        elif character in ")}]":
            depth -= 1


def _types(program: Declarations) -> list[str]:
    client = {"serial", "turn_no", "new", "out", "think", "more", "forced"}
    return [program.types.get(name, "Size" if name in client else "Value") for name in program.attrs]


def _name_attributes(program: Declarations, parts: dict[str, Node], server: Any, items: list[Node]) -> None:
    """Give every attribute that some statement assigns its slot, in order of appearance."""
    trees = [parts[name] for name in ("init", "turn_block", "session") if name in parts]
    sides = ["Workload"] * len(trees)
    trees += [server] if server is not None else []
    trees += [engine.request for engine in program.engines.values() if engine.request is not None]
    trees += [item for item in items if item.data == "def"]
    sides += ["Server"] * (len(trees) - len(sides))
    for tree, side in zip(trees, sides, strict=True):
        for node in tree.iter_subtrees_topdown():
            if node.data in _ASSIGNING:
                name = text_of(node.children[0])
                if name not in program.attrs:
                    program.attrs.append(name)
                program.types.setdefault(name, "Size" if side == "Workload" else "Value")
