"""Values that are stale where they are read: what a hold's header finds set too early, and `cached` after another hold.

A session waits between reaching a hold and being admitted. What a statement read of the state before is out of date
by then; the header can read it itself. `cached` is set anew by every admission, so after an inner hold it no longer is
the outer one's.
"""

from __future__ import annotations

from serq.ir import nodes as ir
from serq.semantics.faults import refuse
from serq.semantics.link import Linked
from serq.semantics.moments import LIVE, walk

CACHED = 0
"""Slot of the attribute `cached`."""


def check_stale_headers(linked: Linked) -> None:
    """Refuse a hold whose header reads an attribute that a `set` before it read off the state.

    Raises:
        SerqError: at the hold's first pool.
    """
    _Stale(linked).block(linked.program.session, frozenset())


class _Stale:
    """A walk that carries the attributes set from the state. What happens inside a block stays inside it."""

    def __init__(self, linked: Linked) -> None:
        self.program = linked.program
        self.places = linked.places

    def block(self, number: int, live: frozenset[int]) -> None:
        for s in self.program.blocks[number]:
            match s:
                case ir.Set(slot, value):
                    reads = any(isinstance(e, ir.Call) and e.function in LIVE for e in walk(value))
                    live = live | {slot} if reads else live - {slot}
                case ir.Hold():
                    self.hold(s, live)
                    self.block(s.body, frozenset())
                case ir.Branch(_, then, otherwise):
                    self.block(then, live)
                    self.block(otherwise, live)
                case ir.While(_, body) | ir.Loop(body) | ir.Fork(body):
                    self.block(body, live)

    def hold(self, s: ir.Hold, live: frozenset[int]) -> None:
        header = [e for held in s.pools for e in (held.units, held.reserve)]
        for clause in (*header, s.reuse, s.cache):
            if clause is None:
                continue
            for e in walk(clause):
                if isinstance(e, ir.Attr) and e.slot in live:
                    name = self.program.attrs[e.slot]
                    message = f"the header of this hold reads `{name}`, which was set from the state before the wait"
                    hint = f"read it when the hold is admitted: at admission ({name} = ...)"
                    refuse("stale-header", message, self.places.of(s.pools[0].pool), hint=hint)


def check_cached(linked: Linked) -> None:
    """Refuse a reading of `cached` in a hold without `cache`, or after an inner hold.

    Raises:
        SerqError: at the reading.
    """
    _Cached(linked).block(linked.program.session, None, False)


class _Cached:
    """A walk that carries the innermost hold around, and whether another hold came after its admission."""

    def __init__(self, linked: Linked) -> None:
        self.program = linked.program
        self.places = linked.places

    def block(self, number: int, hold: ir.Hold | None, later: bool) -> bool:
        """Whether another hold has come by the end of the block."""
        for s in self.program.blocks[number]:
            later = self.statement(s, hold, later)
        return later

    def statement(self, s: ir.Statement, hold: ir.Hold | None, later: bool) -> bool:
        for e in _read(s):
            self.read(e, hold, later)
        match s:
            case ir.Hold():
                self.block(s.body, s, False)
                return True
            case ir.Branch(_, then, otherwise):
                first = self.block(then, hold, later)
                return self.block(otherwise, hold, later) or first
            case ir.While(_, body) | ir.Loop(body):
                again = self.block(body, hold, later)
                if again and not later:
                    self.statement(s, hold, True)
                return again
            case ir.Fork(body):
                self.block(body, None, False)
        return later

    def read(self, e: ir.Expr, hold: ir.Hold | None, later: bool) -> None:
        if hold is None or (hold.cache is not None and not later):
            return
        for node in walk(e):
            if isinstance(node, ir.Attr) and node.slot == CACHED:
                name = self.program.pools[hold.pools[0].pool.base].name
                if later:
                    message = f"`cached` is no longer that of the hold of `{name}`: another hold was admitted since"
                    hint = "keep it, above the inner hold: set c = cached;"
                else:
                    message, hint = f"`cached` is read in a hold of `{name}` that caches nothing", "add: cache (0)"
                refuse("cached", message, self.places.of(node) or self.places.of(hold.pools[0].pool), hint=hint)


def _read(s: ir.Statement) -> list[ir.Expr]:
    """The expressions that a statement reads where it stands; what a hold caches is read at its end."""
    match s:
        case ir.Set(_, value) | ir.Observe(_, value):
            return [value]
        case ir.Branch(test) | ir.While(test):
            return [test]
        case ir.Stall(_, _, value):
            return [value]
        case ir.Choose(_, count, keys):
            return [count, *keys]
        case ir.Run():
            return [s.work]
        case ir.Grow(_, amount) | ir.Load(_, amount):
            return [amount]
        case ir.Hold():
            header = [e for held in s.pools for e in (held.units, held.reserve)]
            return [e for e in (*header, s.reuse) if e is not None]
    return []
