"""One map over syntax trees, for the stages that substitute.

In: a tree and a function that replaces nodes. Out: a new tree; parts without a replacement are shared with the old.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

from serq.source import Span
from serq.syntax import nodes

Node = TypeVar("Node")

_NOT_READ: dict[type, frozenset[str]] = {
    nodes.Ref: frozenset(("name", "member")),
    nodes.Draw: frozenset(("law",)),
    nodes.Call: frozenset(("function",)),
    nodes.Aggregate: frozenset(("word", "variable")),
    nodes.Set: frozenset(("target",)),
    nodes.Observe: frozenset(("target",)),
    nodes.Choose: frozenset(("target",)),
    nodes.Mark: frozenset(("target",)),
    nodes.Binding: frozenset(("name",)),
    nodes.Invoke: frozenset(("name",)),
    nodes.EntryCall: frozenset(("queue", "verb")),
    nodes.Run: frozenset(("mode",)),
    nodes.Share: frozenset(("policy",)),
    nodes.Stall: frozenset(("label",)),
    nodes.StallClause: frozenset(("label",)),
    nodes.Take: frozenset(("name",)),
    nodes.Spill: frozenset(("tier", "via")),
}
"""Fields of a node that hold a word which is not read as an expression: the map does not enter them."""

_FIELDS: dict[type, tuple[int, ...]] = {}


def _entered(kind: Any) -> tuple[int, ...]:
    """Positions of the fields of a class of nodes that the map enters."""
    if kind not in _FIELDS:
        left_out = _NOT_READ.get(kind, frozenset()) | {"span", "opener", "after", "cache_word", "end"}
        _FIELDS[kind] = tuple([i for i, name in enumerate(kind._fields) if name not in left_out])
    return _FIELDS[kind]


def transform(tree: Node, change: Callable[[Any], Any]) -> Node:
    """The tree with nodes replaced, from the outside in.

    Args:
        tree: a node, or a tuple of nodes.
        change: a node's replacement, which is not entered again, or None to go on into the node.
    """
    return cast(Node, _transform(tree, change))


def _transform(node: Any, change: Callable[[Any], Any]) -> Any:
    kind = type(node)
    if kind is tuple:
        items = [_transform(item, change) if isinstance(item, tuple) else item for item in node]
        return node if all(new is old for new, old in zip(items, node, strict=True)) else tuple(items)
    new = change(node)
    return _parts(node, change) if new is None else new


def transform_parts(node: Node, change: Callable[[Any], Any]) -> Node:
    """The node itself, with the nodes inside it replaced as `transform` does."""
    return cast(Node, _parts(node, change))


def _parts(node: Any, change: Callable[[Any], Any]) -> Any:
    fields: list[Any] | None = None
    for i in _entered(type(node)):
        old = node[i]
        if isinstance(old, tuple) and not isinstance(old, Span):
            value = _transform(old, change)
            if value is not old:
                if fields is None:
                    fields = list(node)
                fields[i] = value
    return node if fields is None else type(node)._make(fields)


def parts(node: Any) -> list[Any]:
    """The nodes directly inside a node, in the order of the text."""
    found = [node[i] for i in _entered(type(node))]
    return [part for part in found if isinstance(part, tuple) and not isinstance(part, Span)]


def walk(tree: Any) -> Iterator[Any]:
    """The nodes of a tree in the order of the text, each before its parts, without words that are not read."""
    stack = [tree]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is tuple:
            stack += [item for item in reversed(node) if isinstance(item, tuple)]
            continue
        yield node
        stack += reversed(parts(node))


def last_offset(tree: Any) -> int:
    """The end of the last place that a tree mentions."""
    if isinstance(tree, Span):
        return tree.end
    return max([last_offset(part) for part in tree if isinstance(part, tuple)], default=0)
