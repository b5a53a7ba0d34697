"""Calls of entries: their statements with the arguments in place, and what entries may not share with the program.

In: entries as `entries` makes them, and statements with calls. Out: statements without calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from serq.semantics.entries import SELF, SOURCE, Entry, Owner, assigned_by
from serq.semantics.expand import draws
from serq.semantics.faults import refuse
from serq.semantics.model import Statements
from serq.semantics.rewrite import parts, transform, walk
from serq.semantics.statements import moved
from serq.source import Span
from serq.syntax import nodes


class Calls:
    """Writes calls of entries out.

    Attributes:
        entries: the entries of each owner.
    """

    def __init__(self, owners: Mapping[str, Owner], entries: Mapping[str, list[Entry]]) -> None:
        self.owners = owners
        self.entries = entries
        self.open: list[Entry] = []

    def statements(self, statements: Statements) -> Statements:
        """The statements with every call replaced by what it does."""
        result: list[nodes.Statement] = []
        for s in statements:
            match s:
                case nodes.EntryCall():
                    result += self.call(s)
                case nodes.Fork() | nodes.Loop() | nodes.While() | nodes.Hold():
                    result.append(s._replace(body=self.block(s.body)))
                case nodes.Branch():
                    otherwise = None if s.otherwise is None else self.block(s.otherwise)
                    result.append(s._replace(then=self.block(s.then), otherwise=otherwise))
                case _:
                    result.append(s)
        return tuple(result)

    def block(self, block: nodes.Block) -> nodes.Block:
        return block._replace(statements=self.statements(block.statements))

    def call(self, call: nodes.EntryCall) -> Statements:
        entry = self.entry(call)
        values = self.arguments(call, entry)
        if entry in self.open:
            refuse("call-cycle", f"`{entry.called}` comes to call itself", call.queue.span)
        self.open.append(entry)
        body = self.statements(put_values(entry.body, values))
        self.open.pop()
        if entry.verb == "transfer":
            assert call.source is not None
            assert call.target is not None
            assert call.units is not None
            return (*body, *moved(call.source, call.target, call.units))
        return body

    def entry(self, call: nodes.EntryCall) -> Entry:
        """The entry that a call means."""
        name, span = call.queue.text, call.queue.span
        if name not in self.owners:
            hint = None
            refuse("unknown-queue", f"there is no queue `{name}`", span, hint=hint)
        owner = self.owners[name]
        if owner.size is not None and call.subscript is None:
            message = f"`{name}` is a family of {owner.size}, and a call must say which member"
            refuse("not-indexed", message, span, hint=f"{name}[i].{call.verb.text} (...);")
        if owner.size is None and call.subscript is not None:
            refuse("indexed", f"`{name}` is a single queue, and is called without an index", span)
        if call.verb.text == "transfer" and (call.source is None or call.target is None):
            message = "a transfer says what it takes from and what it fills"
            refuse("transfer", message, span, hint=f"{name}.transfer (n) from SOURCE to POOL (m);")
        takes = call.source is not None and call.verb.text != "transfer"
        if takes and call.source is not None and call.source.member is not None:
            message = f"`{name}.{call.verb.text}` takes from a queue, not from a pool of one"
            refuse("call-source", message, call.source.name.span, hint=f"write from {call.source.name.text}")
        for entry in self.entries.get(name, []):
            if entry.verb == call.verb.text and (entry.source is not None) == takes:
                if entry.source is None or call.source is None or call.source.name.text == entry.source:
                    return entry
        known = ", ".join(_shown(entry) for entry in self.entries.get(name, [])) or "none"
        refuse("unknown-entry", f"`{name}` has no such entry; it has {known}", span)

    def arguments(self, call: nodes.EntryCall, entry: Entry) -> dict[str, nodes.Expr]:
        span = call.queue.span
        if len(call.args) != len(entry.parameters):
            wanted = len(entry.parameters)
            message = f"`{entry.called}` takes {wanted} argument{'' if wanted == 1 else 's'}"
            refuse("call-arguments", f"{message}, and is given {len(call.args)}", span)
        for parameter, arg in zip(entry.parameters, call.args, strict=True):
            if draws(arg):
                message = f"the argument for `{parameter.text}` draws, and would draw again wherever it is read"
                refuse("call-draws", message, span, hint="draw first: set x = ...; and pass `x`")
        values = dict(zip([parameter.text for parameter in entry.parameters], call.args, strict=True))
        if call.subscript is not None:
            values[SELF] = call.subscript
        elif any(isinstance(node, nodes.Name) and node.text == SELF for node in walk(entry.body)):
            refuse("self", f"`{entry.called}` reads `self`, and `{entry.owner.name}` is no family", span)
        if entry.source is not None and call.source is not None:
            self.source_member(call.source, span, values)
        for node in walk(entry.body):
            if isinstance(node, nodes.Ref) and node.name.text == entry.owner.name and _indexed_inside(node):
                message = f"inside `{node.name.text}` its own stage is `{node.name.text}`, without an index"
                refuse("indexed", message, span)
        return values

    def source_member(self, source: nodes.Ref, span: Span, values: dict[str, nodes.Expr]) -> None:
        size = self.owners[source.name.text].size
        if size is not None and source.subscript is None:
            message = f"`{source.name.text}` is a family of {size}, and the call must say which member it takes from"
            refuse("not-indexed", message, span)
        if size is None and source.subscript is not None:
            refuse("indexed", f"`{source.name.text}` is a single queue, and has no members", span)
        if source.subscript is not None:
            values[SOURCE] = source.subscript


def _indexed_inside(ref: nodes.Ref) -> bool:
    return ref.subscript is not None and not (isinstance(ref.subscript, nodes.Name) and ref.subscript.text == SELF)


def _shown(entry: Entry) -> str:
    parameters = ", ".join(parameter.text for parameter in entry.parameters)
    return f"`{entry.verb} ({parameters})`" + (f" from `{entry.source}`" if entry.source else "")


def put_values(tree: Any, values: Mapping[str, nodes.Expr]) -> Any:
    """The tree with values in place of the names that are read."""

    def change(node: Any) -> Any:
        match node:
            case nodes.Name():
                return values.get(node.text)
            case nodes.Group(nodes.Name() as inner, span) if inner.text in values:
                value = values[inner.text]
                return nodes.Group(value, span) if isinstance(value, nodes.Name | nodes.Ref) else value
        return None

    return transform(tree, change) if values else tree


# ---------------------------------------------------------------- what is a request's own


def check_own(entries: dict[str, list[Entry]], outside: tuple[Statements, ...]) -> None:
    """What a request sets is its own: no other statements read or set it."""
    own: dict[str, Entry] = {}
    touched = {name for statements in outside for name in touched_by(statements)}
    for entry in [entry for owned in entries.values() for entry in owned]:
        if entry.sees_all:
            touched.update(touched_by(entry.body))
        if entry.owner.private:
            continue
        for name in dict.fromkeys([name.text for node in walk(entry.body) for name in assigned_by(node)]):
            if name in own:
                message = f"`{own[name].called}` sets `{name}`, and so does `{entry.called}`"
                refuse("entry-own", message, own[name].place, hint="use another name in one of them")
            own[name] = entry
    for name, entry in own.items():
        if name in touched:
            message = f"`{entry.called}` sets `{name}`, which is read or set outside of it"
            refuse("entry-own", message, entry.place, hint="use another name inside; results are observed there")


def touched_by(statements: Statements) -> set[str]:
    """The names that statements read or set, but for the indices of aggregates."""
    found: set[str] = set()
    stack: list[tuple[Any, frozenset[str]]] = [(statements, frozenset())]
    while stack:
        tree, indices = stack.pop()
        if isinstance(tree, nodes.Name):
            if tree.text not in indices:
                found.add(tree.text)
            continue
        found.update(name.text for name in assigned_by(tree))
        if isinstance(tree, nodes.Aggregate):
            indices = indices | {tree.variable.text}
        stack += [(part, indices) for part in (tree if type(tree) is tuple else parts(tree)) if isinstance(part, tuple)]
    return found
