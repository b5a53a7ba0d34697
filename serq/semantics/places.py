"""Where the nodes of the intermediate representation come from, while a program is being compiled.

The representation has no places, and a run needs none. Until the last check has passed, this side table knows the
place of each node that a message may point at. It is keyed by identity: every node is made for one place.
"""

from __future__ import annotations

from serq.source import Span


class Places:
    """The side table."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        # The node is kept with its place: were it freed, another node could take its identity.
        self._known: dict[int, tuple[object, Span]] = {}

    def put(self, node: object, span: Span) -> None:
        self._known[id(node)] = (node, span)

    def drop(self, node: object) -> None:
        """Forget the place of a node."""
        self._known.pop(id(node), None)

    def of(self, node: object) -> Span | None:
        """The place of a node, or None if it has none of its own."""
        known = self._known.get(id(node))
        return None if known is None else known[1]
