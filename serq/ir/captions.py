"""Captions: how a program's text spells what the representation has folded.

In the representation the cap of a pool is 64000; in the text it is `blocks * bs`. A compiler may hand captions over
beside the representation, for pictures and other displays. Nothing that runs reads them, and every reader can do
without: it then shows values alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

Place: TypeAlias = tuple[str | int, ...]
"""Where an expression stands in the representation:

    ("pool", NAME, "cap" | "block"), ("pool", NAME, "evict" | "queue" | "preempt", i), ("pool", NAME, "spill", "work" | "when")
    ("stage", NAME, "servers" | "capacity" | "budget" | "chunk" | "granule" | "cost")
    ("stage", NAME, "stall", LABEL)
    ("stage", NAME, "schedule", i, ..., "only" | "gate" | "value" | "test"), ("stage", NAME, "schedule", i, ..., "by", k)
    ("arrival",)
    ("block", NUMBER, POSITION, FIELD), and of a hold ("block", NUMBER, POSITION, "units" | "reserve", k)

The members of a family share one entry. In a schedule, the numbers lead to the statement: its position, and inside a
branch `"then"` or `"otherwise"` and the position there.
"""  # noqa: E501


class Device(NamedTuple):
    """A device as declared; the representation has none left.

    Attributes:
        name: `gpu`, or `P.gpu` in queue `P`.
        engine: name of the stage on it, or None.
        pool: name of the pool of its memory, or None.
        functions: its time resources, as head and formula: `("compute (t)", "t * alpha")`.
    """

    name: str
    engine: str | None
    pool: str | None
    functions: tuple[tuple[str, str], ...]


class Captions(NamedTuple):
    """Texts of a program beside its representation.

    Attributes:
        texts: expressions by place, as they stand in the text.
        constants: values of the program's constants by name.
        functions: definitions that are expressions, by name: head and body.
        devices: in the order of the text.
        roles: of each queue that has any.
    """

    texts: Mapping[Place, str]
    constants: Mapping[str, float]
    functions: Mapping[str, tuple[str, str]]
    devices: tuple[Device, ...]
    roles: Mapping[str, tuple[str, ...]]
