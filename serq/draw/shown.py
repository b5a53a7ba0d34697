"""Which statements a picture shows.

What only measures is left out: observations, and assignments that nothing shown reads. A branch or a loop is shown if
something in it is, and of a branch whose test is a constant (an argument, say) only the arm that is taken. Which
assignments are shown is found from the back: what a run, a hold or a shown test reads makes the assignments of it
shown, and what they read in turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from serq.draw.simplify import constant
from serq.ir import nodes as ir

Block = int


class Shown:
    """The statements of a program that are shown.

    Attributes:
        slots: attributes whose assignments are.
    """

    def __init__(self, program: ir.Ir) -> None:
        self.program = program
        self.slots = set(read((program.pools, program.stages, program.arrival)))
        found = -1
        while found != len(self.slots):
            found = len(self.slots)
            for block in program.blocks:
                for statement in block:
                    self.follow(statement)

    def follow(self, s: ir.Statement) -> None:
        """Add what a shown statement reads."""
        if self.shows(s):
            self.slots.update(read(s))

    def shows(self, s: ir.Statement) -> bool:
        match s:
            case ir.Set(slot):
                return slot in self.slots
            case ir.Observe():
                return False
            case ir.Branch(test, then, otherwise):
                known = constant(test)
                return (known != 0 and self.any(then)) or ((known or 0) == 0 and self.any(otherwise))
            case ir.While(_, body) | ir.Loop(body) | ir.Fork(body):
                return self.any(body)
        return True

    def any(self, block: Block) -> bool:
        """Whether anything in a block is shown."""
        return any(self.shows(s) for s in self.program.blocks[block])

    def assigns_only(self, block: Block) -> bool:
        """Whether all that is shown of a block is assignments."""
        return all(isinstance(s, ir.Set) for s in self.program.blocks[block] if self.shows(s))


def read(node: Any) -> Iterator[int]:
    """The attributes that a statement or another node reads, nested blocks left aside."""
    stack = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, ir.Attr):
            yield part.slot
        elif isinstance(part, tuple):
            stack += part
