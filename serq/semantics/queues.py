"""Queues: their items in order, their roles, what they own.

In: a queue's declaration. Out: `QueueParts`, to which assembly adds pools and stages as it meets them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from serq.semantics.entries import Owner
from serq.semantics.faults import did_you_mean, refuse
from serq.semantics.rewrite import walk
from serq.source import Span
from serq.syntax import nodes

ROLES = ("gateway", "prefill", "decode", "link", "l2")
ENTRY_OF = {"gateway": "route", "prefill": "prefill", "decode": "decode", "link": "transfer"}
"""The entry that each role has."""

PARAMETERS = {"route": 0, "prefill": 1, "decode": 1, "transfer": 1}


class QueueParts:
    """A queue being read.

    Attributes:
        size: members of a family, or None.
        at: position among the items of the program.
        pools: displayed names of its pools, by their names inside.
        leased: the pool that one of its entries leases, by its name inside, or None.
    """

    def __init__(self, queue: nodes.Queue, size: int | None) -> None:
        self.name = queue.name
        self.span = queue.span
        self.size = size
        self.at = 0
        self.roles = [role.text for role in queue.roles]
        self.items = queue.items
        self.pools: dict[str, str] = {}
        self.entries = [item for item in queue.items if isinstance(item, nodes.Entry)]
        self.engine = next((item for item in queue.items if isinstance(item, nodes.Engine)), None)
        self.serve = next((item for item in queue.items if isinstance(item, nodes.Serve)), None)
        self.nic = next((item for item in queue.items if isinstance(item, nodes.Nic)), None)
        self.leased = _leased(self.entries)

    def owner(self, stages: Mapping[str, Any]) -> Owner:
        name = self.name.text
        own = {stage for stage in (name, f"{name}.nic") if stage in stages}
        return Owner(name, self.size, self.pools, own, private=True)


def _leased(entries: list[nodes.Entry]) -> str | None:
    for entry in entries:
        for node in walk(entry.body):
            if isinstance(node, nodes.Hold) and node.lease is not None:
                return node.lease.pool.name.text
    return None


def read_queue(queue: nodes.Queue, size: int | None) -> QueueParts:
    """The parts of a queue whose items stand in order.

    Raises:
        SerqError: a role unknown or twice, an item out of its order or twice.
    """
    for i, role in enumerate(queue.roles):
        if role.text not in ROLES:
            hint = did_you_mean(role.text, ROLES) or f"a queue can be {', '.join(ROLES)}"
            refuse("unknown-role", f"there is no role `{role.text}`", role.span, hint=hint)
        if role.text in [other.text for other in queue.roles[:i]]:
            refuse("role-twice", f"the queue has the role `{role.text}` twice", role.span)
    parts = QueueParts(queue, size)
    _check_order(parts)
    return parts


def _check_order(queue: QueueParts) -> None:
    """Pools, then device and engine or `serve`, and `nic`, then entries; each stage once."""
    seen: set[type] = set()
    names: set[str] = set()
    for item in queue.items:
        kind = type(item)
        late = nodes.Entry in seen
        if isinstance(item, nodes.Pool):
            if item.owner is None and seen & {nodes.Engine, nodes.Serve, nodes.Entry}:
                _order(queue, "its pools above its stage and its entries", item.span)
            if item.size is not None:
                message = f"a pool of queue `{queue.name.text}` is one for each member, and has no size of its own"
                refuse("queue-pool-size", message, item.name.span)
            if item.name.text in names:
                refuse("pool-twice", f"queue `{queue.name.text}` has the pool `{item.name.text}` twice", item.name.span)
            names.add(item.name.text)
        elif isinstance(item, nodes.Entry):
            pass
        elif isinstance(item, nodes.Device):
            if late or seen & {nodes.Engine, nodes.Serve}:
                _order(queue, "its device above its engine and its entries", item.span)
        else:
            if late:
                _order(queue, "its stages above its entries", item.span)
            if kind in seen or (kind in (nodes.Engine, nodes.Serve) and seen & {nodes.Engine, nodes.Serve}):
                refuse("queue-stage-twice", f"queue `{queue.name.text}` has one stage and one `nic`", item.span)
            if isinstance(item, nodes.Serve) and item.latency is not None and "link" not in queue.roles:
                message = "only the `serve` of a link has a `latency`"
                refuse("latency", message, item.latency.span)
            if isinstance(item, nodes.Engine):
                _check_engine(queue, item)
        seen.add(kind)


def _order(queue: QueueParts, what: str, span: Span) -> NoReturn:
    refuse("queue-order", f"queue `{queue.name.text}` declares {what}", span)


def _check_engine(queue: QueueParts, engine: nodes.Engine) -> None:
    for item in engine.items:
        if isinstance(item, nodes.Request):
            message = f"the engine of queue `{queue.name.text}` has no request: the queue has entries"
            refuse("queue-request", message, item.span)


def check_roles(queue: QueueParts, queues: Mapping[str, QueueParts]) -> None:
    """Refuse a queue that lacks what its roles ask for, or has what none does.

    Raises:
        SerqError: at the word `queue`, or at the entry.
    """
    name = queue.name.text
    if "gateway" in queue.roles and queue.size is not None:
        refuse("gateway-family", f"a gateway is a single queue, and `{name}` is a family", queue.span)
    if "l2" in queue.roles:
        _check_l2(queue)
    for role in queue.roles:
        verb = ENTRY_OF.get(role)
        has = any(entry.verb.text == verb for entry in queue.entries)
        if role == "link":
            if not has and queue.serve is None:
                message = f"the link `{name}` has neither a `serve` nor an entry `transfer`"
                refuse("role-lacks", message, queue.span)
            if has and queue.serve is not None and queue.serve.latency is not None:
                message = f"the link `{name}` has an entry `transfer`, which alone says what a transfer takes"
                refuse("link-latency", message, queue.span, hint="put the latency into the entry")
        elif verb is not None and not has:
            refuse("role-lacks", f"`{name}` is a {role} queue without an entry `{verb}`", queue.span)
    _check_entries(queue, queues)


def _check_l2(queue: QueueParts) -> None:
    extra = queue.engine or queue.nic or queue.entries or len(queue.roles) > 1
    if extra or queue.serve is None or len(queue.pools) != 1:
        message = f"an l2 queue is one pool and a `serve`, and nothing else, and `{queue.name.text}` is not"
        refuse("l2", message, queue.span)


def _check_entries(queue: QueueParts, queues: Mapping[str, QueueParts]) -> None:
    name = queue.name.text
    wanted = {ENTRY_OF[role]: role for role in queue.roles if role in ENTRY_OF}
    seen: list[tuple[str, str | None]] = []
    for entry in queue.entries:
        verb = entry.verb.text
        if verb not in wanted:
            role = next((role for role, of in ENTRY_OF.items() if of == verb), None)
            hint = None if role is None else f"queue {name} : {role}"
            refuse("entry-role", f"no role of `{name}` has an entry `{verb}`", entry.verb.span, hint=hint)
        source = None if entry.source is None else entry.source.text
        if (verb, source) in seen:
            refuse("entry-twice", f"`{name}` has the entry `{verb}` twice", entry.verb.span)
        seen.append((verb, source))
        if entry.source is not None:
            _check_source(queue, entry, entry.source, queues)
        given, number = len(entry.parameters or ()), PARAMETERS[verb]
        if given != number:
            message = f"the entry `{verb}` has {number} parameter{'' if number == 1 else 's'}, and here {given}"
            refuse("entry-parameters", message, entry.verb.span)


def _check_source(queue: QueueParts, entry: nodes.Entry, source: nodes.Name, queues: Mapping[str, QueueParts]) -> None:
    if entry.verb.text != "decode":
        refuse("entry-from", f"only `decode` takes from another queue, not `{entry.verb.text}`", source.span)
    if source.text not in queues or source.text == queue.name.text:
        hint = did_you_mean(source.text, queues)
        refuse("unknown-queue", f"there is no queue `{source.text}` above", source.span, hint=hint)
    if queues[source.text].leased is None:
        message = f"no entry of `{source.text}` leases a pool, so there is nothing to take from it"
        refuse("no-lease", message, source.span, hint="end its hold with: lease POOL (inf)")
