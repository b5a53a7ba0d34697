"""The picture of a program, put together.

In: the representation, and captions if it was made from text. Out: a `Picture`.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from serq.draw.flow import Flow, flow
from serq.draw.model import Picture
from serq.draw.shown import Shown
from serq.draw.simplify import settled
from serq.draw.text import Speaker, number
from serq.draw.units import Equipment, equipment
from serq.ir import nodes as ir
from serq.ir.captions import Captions
from serq.nesting import room_to_recurse

WORD = re.compile(r"[^\W\d]\w*")


def picture(program: ir.Ir, captions: Captions | None = None, *, session: bool = False) -> Picture:
    """What to show of a program.

    Args:
        captions: the program's own spelling of its constants, where known.
        session: leave the server out.

    Raises:
        SerqError: the program is nested too deeply.
    """
    with room_to_recurse():
        program = settled(program)
        speaker = Speaker(program, captions)
        shown, alone = Shown(program), client_only(program)
        parts = equipment(program, speaker, alone, set())
        way = flow(program, speaker, parts, shown)
        beside = revisited(program, parts, way)
        if beside:
            parts = equipment(program, speaker, alone, beside)
            way = flow(program, speaker, parts, shown)
        whole = Picture(way.cards, way.ways, parts.units, parts.frames, way.ties, way.links, ())
        if session:
            whole = client_alone(whole)
    return whole if captions is None else whole._replace(notes=notes(whole, captions))


def revisited(program: ir.Ir, parts: Equipment, way: Flow) -> set[str]:
    """Units with a frame of their own to which requests come more than once, or that cards use from elsewhere alone.

    They are no place on the way: steps that happen there name them. What such a pool spills to stands beside it.
    """
    cards = Counter(card.frame for card in way.cards)
    tied = {tie.unit for tie in way.ties}
    own = {frame.id for frame in parts.frames if frame.kind == "own"}
    found = {
        unit.id
        for unit in parts.units
        if unit.frame in own and (cards[unit.frame] > 1 or (cards[unit.frame] == 0 and unit.id in tied))
    }
    for unit, pool in zip(parts.pools, program.pools, strict=True):
        if unit.id in found and pool.spill is not None:
            ends = (parts.stages[pool.spill.via], parts.pools[pool.spill.to])
            found |= {end.id for end in ends if end.frame in own and not cards[end.frame]}
    return found


def client_only(program: ir.Ir) -> set[str]:
    """Names of the pools and stages that the session uses and no request, nor another pool, touches."""
    used: dict[str, set[str]] = {"Workload": set(), "Server": set()}
    for block, sides in zip(program.blocks, program.sides, strict=True):
        for s, side in zip(block, sides, strict=True):
            used[side] |= {ref_name(program, s, ref) for ref in refs(s)}
    spilled = {pool.spill for pool in program.pools if pool.spill is not None}
    others = {program.stages[s.via].name for s in spilled} | {program.pools[s.to].name for s in spilled}
    return used["Workload"] - used["Server"] - others


def refs(s: ir.Statement) -> list[tuple[str, ir.Ref]]:
    """The pools and stages that a statement itself holds or runs."""
    match s:
        case ir.Hold(pools):
            return [("pool", held.pool) for held in pools]
        case ir.Run(stage, _, _, growing, also):
            return [("stage", ref) for ref in (stage, *also)] + ([] if growing is None else [("pool", growing)])
        case ir.Grow(pool) | ir.Load(pool):
            return [("pool", pool)]
    return []


def ref_name(program: ir.Ir, s: ir.Statement, ref: tuple[str, ir.Ref]) -> str:
    kind, to = ref
    return (program.pools if kind == "pool" else program.stages)[to.base].name


def client_alone(whole: Picture) -> Picture:
    """The client's lane of a picture."""
    cards = {card.id for card in whole.cards if card.lane == "client"}
    frames = {frame.id for frame in whole.frames if frame.lane == "client"}
    units = {unit.id for unit in whole.units if unit.frame in frames}
    return Picture(
        cards=tuple([card for card in whole.cards if card.id in cards]),
        ways=tuple([way for way in whole.ways if way.tail in cards and way.head in cards]),
        units=tuple([unit for unit in whole.units if unit.id in units]),
        frames=tuple([frame for frame in whole.frames if frame.id in frames]),
        ties=tuple([tie for tie in whole.ties if tie.card in cards and tie.unit in units]),
        links=(),
        notes=(),
    )


def notes(whole: Picture, captions: Captions) -> tuple[str, ...]:
    """The definitions and constants that the picture's texts name, those that the definitions name included."""
    words = {word for text in texts(whole) for word in WORD.findall(text)}
    functions: list[str] = []
    for name, (head, body) in reversed(list(captions.functions.items())):
        if name in words:
            functions.insert(0, f"{head} = {body}")
            words |= set(WORD.findall(body))
    constants = [f"{name} = {number(value)}" for name, value in captions.constants.items() if name in words]
    told = " ".join(texts(whole)).split(" ")
    spelled = {" ".join(told[i : i + 3]) for i in range(len(told) - 2)}
    return (*functions, *[constant for constant in constants if constant not in spelled])


def texts(node: Any) -> list[str]:
    """All texts in a picture."""
    if isinstance(node, str):
        return [node]
    return [text for part in node for text in texts(part)] if isinstance(node, tuple) else []
