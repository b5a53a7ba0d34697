"""Runs over several stages: the stages that they join form a fabric, whose flows are solved together."""

from __future__ import annotations

from collections.abc import Iterator

from serq.ir import nodes as ir
from serq.semantics.faults import refuse
from serq.semantics.link import Linked


def check_flows(linked: Linked) -> None:
    """Refuse a fabric whose stages cannot be shared, or whose runs disagree about how.

    Raises:
        SerqError: at a stage of a run.
    """
    runs = list(_runs(linked.program))
    fabric: dict[int, int] = {}
    for run in runs:
        _join(fabric, [stage.base for stage in (run.stage, *run.also)])
    policies: dict[int, str | None] = {}
    for run in runs:
        root = _root(fabric, run.stage.base)
        if policies.setdefault(root, run.share) != run.share:
            message = "an earlier run over the same stages shares them by another policy"
            refuse("share-differs", message, linked.places.of(run.stage), hint="use one policy for all of them")
    for run in runs:
        _check_stages(linked, run)


def _runs(program: ir.Ir) -> Iterator[ir.Run]:
    for block in program.blocks:
        for statement in block:
            if isinstance(statement, ir.Run) and statement.also:
                yield statement


def _check_stages(linked: Linked, run: ir.Run) -> None:
    seen: set[int] = set()
    for ref in (run.stage, *run.also):
        stage = linked.program.stages[ref.base]
        if ref.base in seen:
            refuse("stage-twice", f"a run takes `{stage.name}` twice", linked.places.of(ref))
        seen.add(ref.base)
        kind = stage.kind
        if not (isinstance(kind, ir.Ps) and isinstance(kind.capacity, ir.Num) and kind.capacity.value > 0):
            message = f"a run over several stages needs `ps` with a constant positive capacity, and `{stage.name}` has"
            hint = f"stage {stage.name} : ps(2);"
            refuse("stage-not-shared", f"{message} another kind", linked.places.of(ref), hint=hint)


def _root(fabric: dict[int, int], stage: int) -> int:
    while fabric.get(stage, stage) != stage:
        stage = fabric[stage]
    return stage


def _join(fabric: dict[int, int], stages: list[int]) -> None:
    first = _root(fabric, stages[0])
    for stage in stages[1:]:
        fabric[_root(fabric, stage)] = first
