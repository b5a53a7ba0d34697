"""The assembled program: what `assemble` puts together and `link` resolves.

Devices, engines, queues, entries and relations are gone: they have become pools, stages and statements of the few
kinds that a run knows. Expressions are still those of the syntax tree. Names are as displayed: the pool `kv` of a
queue `P` is `P.kv`, its network card `P.nic`, the attribute that its entry marks `P.done`; a dot cannot stand in a
name of the text, so these never meet a user's. In what belongs to a member of a queue family, `self` is its number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from serq.diagnostics import SerqError
from serq.record import Record
from serq.semantics.constants import Terms
from serq.source import Span
from serq.syntax import nodes


class PoolModel(Record):
    """A pool or a family.

    Attributes:
        size: members, or None for a single pool.
        cap: None: infinite.
        options: the last one of each kind, by class.
        engine: the engine that admits its queue, or None.
    """

    name: nodes.Name
    size: int | None
    cap: nodes.Expr | None
    options: Mapping[type, nodes.PoolOption]
    engine: str | None


class StepModel(Record):
    """An engine.

    Attributes:
        chunk: the limit of every `each at most`, with the schedule's lets written out, or None.
        schedule: the statements, or None for `exclusive prefill`.
        default: the schedule is the default one, served in `order`.
        execute: with the device's time resources written out.
        stalls: likewise, each label once, in the order of the text.
        memory: the pool on its device, or None.
        admits: the pools whose queues it admits, in order.
    """

    budget: nodes.TokensCap
    chunk: nodes.Expr | None
    granule: nodes.Granule | None
    states: tuple[nodes.State, ...]
    schedule: tuple[nodes.ScheduleStatement, ...] | None
    default: bool
    order: nodes.Order | None
    execute: nodes.Expr
    stalls: tuple[nodes.StallClause, ...]
    memory: str | None
    admits: tuple[str, ...]


class StageModel(Record):
    """A stage or a family (`size` not None)."""

    name: nodes.Name
    size: int | None
    kind: nodes.Kind | StepModel


Statements: TypeAlias = tuple[nodes.Statement, ...]


class Model(Record):
    """A program put together.

    Attributes:
        lets: the last value of every constant.
        session: the session's statements; `server` stands for each of its `Turn`s.
        stalls: labels of all stalls, in the order of the text.
        implicit_tool: where the session runs the stage `tool` that the program does not declare, or None.
        twice: a second declaration of a pool or a stage, the first one that there is.
        constant_fault: what is wrong with a constant, the first one that there is.
    """

    lets: Mapping[str, float]
    terms: Terms
    pools: tuple[PoolModel, ...]
    stages: tuple[StageModel, ...]
    arrive: nodes.Arrive | None
    trace: nodes.Trace | None
    hidden: tuple[nodes.Name, ...]
    init: Statements
    turn: Statements
    session: Statements
    server: Statements
    gauges: tuple[nodes.Gauge, ...]
    claims: tuple[nodes.Claim, ...]
    stalls: tuple[str, ...]
    implicit_tool: Span | None
    twice: SerqError | None
    constant_fault: SerqError | None
