"""Relations between queues: how the KV of a prefill queue reaches a decode queue.

    kvt.nixl_pull (P, D, latency = x, share = s)    the reader waits x on its own side, then both network cards carry
    kvt.nixl_push (P, D, latency = x, share = s)    the source waits x, then both network cards carry

In: a relation. Out: what a `transfer` in an entry of the reader `.. from` the source stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from serq.semantics.entries import SELF, SOURCE
from serq.semantics.faults import did_you_mean, refuse
from serq.semantics.model import StageModel, Statements
from serq.semantics.queues import QueueParts
from serq.semantics.statements import cost, moved, named, resource_of
from serq.syntax import nodes

Transfer = Callable[[nodes.Transfer], Statements]


def relation_transfer(
    relation: nodes.Relation, queues: Mapping[str, QueueParts], stages: Mapping[str, StageModel]
) -> tuple[Transfer, StageModel | None]:
    """What a transfer does under a relation, and the stage of its latency if it has one.

    Raises:
        SerqError: a queue is unknown, or lacks a `nic` or the entry that reads.
    """
    source, reader = _queue(relation.source, queues), _queue(relation.reader, queues)
    for name in (relation.source, relation.reader):
        if f"{name.text}.nic" not in stages:
            message = f"`{name.text}` has no `nic`, over which the relation would copy"
            refuse("relation-nic", message, name.span)
    reads = [e for e in reader.entries if e.source is not None and e.source.text == source.name.text]
    if not reads:
        message = f"`{reader.name.text}` has no entry from `{source.name.text}`"
        refuse("relation-entry", message, relation.span, hint=f"decode (n) from {source.name.text} {{ ... }}")
    if relation.share is None:
        refuse("share-missing", "a relation needs a sharing policy", relation.span, hint="add share = share.maxmin")
    share = relation.share
    pull = relation.kind.text == "nixl_pull"
    latency: StageModel | None = None
    if relation.latency is not None:
        at = reader if pull else source
        latency = StageModel(at.name._replace(text=f"{at.name.text}.nic.latency"), at.size, nodes.Delay(relation.span))
    leased = source.pools.get(source.leased or "", "")

    def transfer(s: nodes.Transfer) -> Statements:
        from_member = None if source.size is None else nodes.Name(SOURCE, s.span)
        own_member = None if reader.size is None else nodes.Name(SELF, s.span)
        result: list[Any] = []
        if latency is not None:
            assert relation.latency is not None
            stage = named(latency.name.text, s.span, own_member if pull else from_member)
            time = cost((resource_of(stage),), relation.latency.value, s.span)
            result.append(nodes.Run((stage,), None, time, None, None, s.opener, s.span))
        cards = (
            named(f"{source.name.text}.nic", s.span, from_member),
            named(f"{reader.name.text}.nic", s.span, own_member),
        )
        work = cost(tuple([resource_of(card) for card in cards]), s.work, s.span)
        result.append(nodes.Run(cards, None, work, share, None, s.opener, s.span))
        return (*result, *moved(named(leased, s.source.span, from_member), s.target, s.units))

    return transfer, latency


def _queue(name: nodes.Name, queues: Mapping[str, QueueParts]) -> QueueParts:
    if name.text not in queues:
        refuse(
            "unknown-queue", f"there is no queue `{name.text}` above", name.span, hint=did_you_mean(name.text, queues)
        )
    return queues[name.text]
