"""Loops that let time pass: every way through the body of a `loop` or a `while` runs work, or ends the session.

Otherwise a session would go round for ever within one instant.
"""

from __future__ import annotations

from serq.ir import nodes as ir
from serq.semantics.expressions import constant_value
from serq.semantics.faults import refuse
from serq.semantics.link import Linked


def check_progress(linked: Linked) -> None:
    """Refuse a loop with a way through its body that takes no time.

    Raises:
        SerqError: at the word `loop` or `while`.
    """
    program = linked.program
    for block in program.blocks:
        for statement in block:
            if isinstance(statement, ir.Loop | ir.While) and not takes_time(program, statement.body):
                word = "loop" if isinstance(statement, ir.Loop) else "while"
                message = f"a way through the body of this `{word}` takes no time, and could be gone for ever"
                hint = "let every way through it run a stage, or end the session"
                refuse("loop-without-time", message, linked.places.of(statement), hint=hint)


def takes_time(program: ir.Ir, block: int) -> bool:
    """Whether every way through a block comes to work that is not constantly 0, or to an end."""
    return any(_takes_time(program, statement) for statement in program.blocks[block])


def _takes_time(program: ir.Ir, s: ir.Statement) -> bool:
    match s:
        case ir.End():
            return True
        case ir.Run():
            return constant_value(s.work) != 0
        case ir.Hold() | ir.Loop():
            return takes_time(program, s.body)
        case ir.Branch():
            return takes_time(program, s.then) and takes_time(program, s.otherwise)
    # A `while` may not be entered at all, and a leg takes its own time, not the session's.
    return False
