"""Units and frames: pools, stages and engines, with what is declared of them, and what they stand in.

In: the representation, and captions if there are any. Out: `Equipment`. The representation has no devices and no
queues; a queue is recognised by the dotted names of what is in it, a device by the engine that it carries.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from serq.draw.model import Frame, Row, Unit
from serq.draw.schedule import schedule_facts
from serq.draw.text import Speaker, alike
from serq.ir import nodes as ir

CACHE = "prefix cache"
"""The word of the fact that tells of what a pool keeps cached."""
MINUS_ADMISSION = ir.Unary("Neg", ir.Ctx("Admission"))


class Equipment(NamedTuple):
    """Units and frames, with the unit of every pool and stage by its number."""

    units: tuple[Unit, ...]
    frames: tuple[Frame, ...]
    pools: tuple[Unit, ...]
    stages: tuple[Unit, ...]


class Family(NamedTuple):
    """Consecutive members of one name."""

    name: str
    base: int
    count: int | None  # type: ignore[assignment]

    @property
    def members(self) -> range:
        return range(self.base, self.base + (self.count or 1))


def families(members: Sequence[ir.Pool | ir.Stage]) -> list[Family]:
    """The families of pools or stages; what is no family counts as one of its own."""
    found: list[Family] = []
    for i, member in enumerate(members):
        if member.index is None or member.index == 0:
            found.append(Family(member.name, i, None if member.index is None else 1))
        else:
            last = found[-1]
            found[-1] = last._replace(count=(last.count or 0) + 1)
    return found


def equipment(program: ir.Ir, speaker: Speaker, client_only: set[str], beside: set[str]) -> Equipment:
    """The units and frames of a program.

    Args:
        client_only: names of the pools and stages that no request touches.
        beside: identifiers of the units that have no frame of their own and stand beside the cards.
    """
    return _Equipment(program, speaker, client_only, beside).all()


def identifier(*words: str) -> str:
    """A name for Graphviz; letters that it would have to quote are written as their numbers."""
    return "_".join(re.sub(r"[^0-9A-Za-z]", lambda m: "_" if m[0] in "._" else f"x{ord(m[0]):x}", w) for w in words)


class _Equipment:
    def __init__(self, program: ir.Ir, speaker: Speaker, client_only: set[str], beside: set[str]) -> None:
        self.program = program
        self.speaker = speaker
        self.client_only = client_only
        self.beside = beside
        self.pool_families = families(program.pools)
        self.stage_families = families(program.stages)
        names = [family.name for family in (*self.pool_families, *self.stage_families)]
        self.queues = {name.partition(".")[0] for name in names if "." in name}
        if speaker.captions is not None:
            self.queues |= speaker.captions.roles.keys() & set(names)
        self.cached = cached_in(program)
        self.asked = {s.pools[0].pool.base for block in program.blocks for s in block if isinstance(s, ir.Hold)}
        self.carriers = carriers(program)
        self.frames: dict[str, Frame] = {}

    def all(self) -> Equipment:
        stages = {f.base: self.stage(f) for f in self.stage_families}
        pools = {f.base: self.pool(f) for f in self.pool_families}
        return Equipment(
            units=tuple(self.ordered(stages, pools)),
            frames=tuple(self.frames.values()),
            pools=tuple([pools[f.base] for f in self.pool_families for _ in f.members]),
            stages=tuple([stages[f.base] for f in self.stage_families for _ in f.members]),
        )

    def ordered(self, stages: dict[int, Unit], pools: dict[int, Unit]) -> Iterable[Unit]:
        """Stages, then pools; what a pool spills over follows it."""
        yield from [unit for stage, unit in stages.items() if stage not in self.carriers]
        for pool, unit in pools.items():
            yield unit
            yield from [stages[stage] for stage, spilling in self.carriers.items() if spilling == pool]

    # ------------------------------------------------------------ frames

    def home(self, family: Family, unit: str, engine: int | None) -> Frame:
        """The frame of a family of pools or stages, the `unit`; `engine` is the stage it belongs to."""
        queue = family.name.partition(".")[0]
        if queue in self.queues:
            return self.frame("queue", queue, family)
        if engine is not None:
            return self.frame("device", self.program.stages[engine].name, family)
        lane = "client" if family.name in self.client_only else "server"
        if unit in self.beside:
            return self.frame("beside", lane, family)
        return self.frame("own", family.name, family)

    def frame(self, kind: str, name: str, family: Family) -> Frame:
        ident = identifier("beside" if kind == "beside" else "at", name)
        while ident in self.frames and self.frames[ident].kind != kind:
            ident += "_"  # a pool and a stage may be called alike
        if ident not in self.frames:
            lane = "client" if kind in ("own", "beside") and family.name in self.client_only else "server"
            self.frames[ident] = self.described(Frame(ident, kind, lane, name, "", family.count, ()))
        return self.frames[ident]

    def described(self, frame: Frame) -> Frame:
        """The frame with what the captions know of its device and roles."""
        captions = self.speaker.captions
        if frame.kind in ("own", "beside"):
            return frame
        note, title, facts = "", frame.title, []
        if frame.kind == "queue":
            roles = () if captions is None else captions.roles.get(frame.title, ())
            note = f"queue: {', '.join(roles)}" if roles else "queue"
        for device in () if captions is None else captions.devices:
            if device.engine == frame.title:
                facts = [Row(head, (body,)) for head, body in device.functions]
                if frame.kind == "device":
                    title, note = device.name, "device"
                else:
                    note += f", device {self.title(device.name, frame)}"
        if frame.kind == "device" and not note:
            note = "device of"
        return frame._replace(title=title, note=note, facts=tuple(facts))

    def title(self, name: str, frame: Frame) -> str:
        """A name as its frame's inside calls it."""
        return name.removeprefix(f"{frame.title}.") if frame.kind == "queue" else name

    # ------------------------------------------------------------ stages

    def stage(self, family: Family) -> Unit:
        kind = self.program.stages[family.base].kind
        ident = identifier("stage", family.name)
        frame = self.home(family, ident, self.engine_near(family.base))
        what, facts = self.served(kind, family.name)
        title, count = self.title(family.name, frame), self.count(family, frame)
        return Unit(ident, what, family.base, count, frame.id, title, facts, False)

    def served(self, kind: ir.Fifo | ir.Ps | ir.Step, name: str) -> tuple[str, tuple[Row, ...]]:
        """What kind of unit a stage is, and its facts."""
        match kind:
            case ir.Fifo(servers):
                many = self.speaker.value(servers, "stage", name, "servers")
                return "fifo", () if servers == 1 else (Row("servers", (many,)),)
            case ir.Ps(ir.Ctx("N")):
                return "delay", ()
            case ir.Ps(capacity):
                return "ps", (Row("capacity", (self.speaker.constant(capacity, "stage", name, "capacity"),)),)
            case ir.Step():
                return "engine", schedule_facts(self.program, self.speaker, kind, name)

    # ------------------------------------------------------------ pools

    def pool(self, family: Family) -> Unit:
        pool = self.program.pools[family.base]
        ident = identifier("pool", family.name)
        frame = self.home(family, ident, self.engine_of(family.base))
        title, count = self.title(family.name, frame), self.count(family, frame)
        caches = not self.cached.isdisjoint(family.members)
        facts = tuple(self.pool_facts(pool, family.base, family.name, caches))
        return Unit(ident, "pool", family.base, count, frame.id, title, facts, caches)

    def count(self, family: Family, frame: Frame) -> int | None:
        """The members to tell of: not those of a queue, which its frame tells."""
        return None if frame.kind == "queue" and family.count == frame.count else family.count

    def engine_near(self, stage: int) -> int | None:
        """The engine that a stage is, or whose memory spills over it."""
        if isinstance(self.program.stages[stage].kind, ir.Step):
            return stage
        return self.engine_of(self.carriers[stage]) if stage in self.carriers else None

    def engine_of(self, pool: int) -> int | None:
        """The stage whose memory a pool is, or that admits its queue."""
        via = self.program.pools[pool].admit_via
        for i, stage in enumerate(self.program.stages):
            if isinstance(stage.kind, ir.Step) and stage.kind.memory == pool:
                return i
        return via

    def pool_facts(self, pool: ir.Pool, family: int, name: str, caches: bool) -> Iterable[Row]:
        say = self.speaker
        cap = "unbounded" if pool.cap == float("inf") else say.value(pool.cap, "pool", name, "cap")
        yield Row("capacity", (cap,))
        if pool.block is not None:
            yield Row("block", (say.value(pool.block, "pool", name, "block"),))
        if pool.queue is not None or family in self.asked:
            yield Row("queue", (self.queue(pool, name),))
        if pool.reserve_held:
            yield Row("reserve", ("held for the admitted",))
        if pool.preempt is not None:
            yield Row("preempts", (self.preempt(pool.preempt, name),))
        if caches or pool.evict is not None:
            order = "least recently used first"
            if pool.evict is not None:
                order = f"least {self.keys(pool.evict, name, 'evict')} first"
            yield Row(CACHE if caches else "evicts", (f"evicts {order}" if caches else order,))
        if pool.spill is not None:
            yield Row("spills", (self.spill(pool.spill, name),))

    def queue(self, pool: ir.Pool, name: str) -> str:
        order = "first come, first served"
        if pool.queue is not None:
            order = f"least {self.keys(pool.queue, name, 'queue')} first"
        return order if pool.admit_via is None else f"{order}; the engine admits"

    def preempt(self, preempt: ir.Preempt, name: str) -> str:
        order = "last admitted first"
        if not alike(preempt.keys, (MINUS_ADMISSION,)):
            order = f"least {self.keys(preempt.keys, name, 'preempt')} first"
        if preempt.leases:
            order = f"leases, {order}"
        return f"{order}, to the queue's end" if preempt.tail else order

    def keys(self, keys: tuple[ir.Expr, ...], name: str, what: str) -> str:
        return f"({', '.join(self.speaker.at(key, 'pool', name, what, i) for i, key in enumerate(keys))})"

    def spill(self, spill: ir.Spill, name: str) -> str:
        tier, via = self.program.pools[spill.to].name, self.program.stages[spill.via].name
        work = self.speaker.at(spill.work, "pool", name, "spill", "work")
        return f"to {tier}, as work {work} at {via}{self.condition(spill, name)}"

    def condition(self, spill: ir.Spill, name: str) -> str:
        """` if test`, or nothing where everything spills."""
        if isinstance(spill.when, ir.Num) and spill.when.value != 0:
            return ""
        return f" if {self.speaker.at(spill.when, 'pool', name, 'spill', 'when')}"


def carriers(program: ir.Ir) -> dict[int, int]:
    """For each stage over which a single pool spills and nothing else runs, the pool; none that is of a family."""
    found: dict[int, int] = {}
    for number, pool in enumerate(program.pools):
        if pool.spill is not None:
            found[pool.spill.via] = -1 if pool.spill.via in found else number
    used = {
        stage
        for block in program.blocks
        for s in block
        if isinstance(s, ir.Run)
        for ref in (s.stage, *s.also)
        for stage in range(ref.base, ref.base + ref.count)
    }
    return {
        stage: pool
        for stage, pool in found.items()
        if pool >= 0 and stage not in used and program.stages[stage].index is None and program.pools[pool].index is None
    }


def cached_in(program: ir.Ir) -> set[int]:
    """Numbers of the pools in which some hold leaves a prefix cached, all members of a family together."""
    found: set[int] = set()
    for block in program.blocks:
        for s in block:
            if isinstance(s, ir.Hold) and s.cache is not None:
                for ref in kept_by(program, s):
                    found.update(range(ref.base, ref.base + ref.count))
    return found | {pool.spill.to for pool in program.pools if pool.spill is not None}


def kept_by(program: ir.Ir, hold: ir.Hold) -> list[ir.Ref]:
    """The pools of a hold to which its `cache` clause leaves something: those that grow, or all if none does."""
    refs = [held.pool for held in hold.pools]
    grown = grown_in(program, hold.body)
    return [ref for ref in refs if ref.base in grown] or refs


def grown_in(program: ir.Ir, block: int) -> set[int]:
    """Pools (by the number of their first member) that statements of a block grow or load, nested blocks included."""
    found: set[int] = set()
    for s in program.blocks[block]:
        match s:
            case ir.Run(growing=ir.Ref(base)):
                found.add(base)
            case ir.Grow(pool) | ir.Load(pool):
                found.add(pool.base)
            case ir.Branch(_, then, otherwise):
                found |= grown_in(program, then) | grown_in(program, otherwise)
            case ir.While(_, body) | ir.Loop(body) | ir.Fork(body) | ir.Hold(body=body):
                found |= grown_in(program, body)
    return found
