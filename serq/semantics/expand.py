"""Expansion of definitions: each use becomes the definition's body with the arguments in place of the parameters.

In: a `Program` as parsed. Out: a `Program` without uses of its definitions, which stay among the items for their names.

A definition is text that stands for itself, but closed: an argument goes in as one unit, and so does the body of an
expression. On trees that is plain substitution. An argument that is a name (or a name with an index) replaces the
parameter wherever it stands, so that it may be a pool, a stage or a function; any other argument stands only where an
expression may. What the body says is resolved where the definition is used, its places remain those of the body.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from serq.semantics.faults import refuse
from serq.semantics.rewrite import transform, transform_parts, walk
from serq.semantics.words import BUILT_IN, LIVE_FUNCTIONS, RETIRED, SUPPLIED
from serq.source import Span
from serq.syntax import nodes
from serq.syntax.words import NOT_A_DEFINITION

GREATEST = 10_000
"""Uses expanded in one program, nested ones included: definitions that double at each level end here."""


def expand(program: nodes.Program, bodies: Mapping[str, nodes.Expr]) -> nodes.Program:
    """The program with its definitions written out.

    Args:
        bodies: expressions that replace the bodies of definitions from outside, by name.

    Raises:
        SerqError: a definition or a use of one is at fault, or `bodies` names no definition of an expression.
    """
    definitions = [item for item in (*program.before, *program.items) if isinstance(item, nodes.Def)]
    if not definitions and not bodies:
        return program
    _check_bodies(bodies, definitions)
    return _Expansion(bodies, definitions).program(program)


def _check_bodies(bodies: Mapping[str, nodes.Expr], definitions: list[nodes.Def]) -> None:
    known = {d.name.text: d for d in definitions}
    for name in bodies:
        if name not in known:
            listed = ", ".join(f"`{other}`" for other in known) or "none"
            refuse("definition", f"the program has no definition `{name}` to replace; it defines {listed}", None)
        if isinstance(known[name].body, nodes.Block):
            message = f"`{name}` stands for statements, and only the body of an expression can be replaced"
            refuse("definition-kind", message, known[name].name.span)


class _Expansion:
    """The definitions read so far, in the order of the text."""

    def __init__(self, bodies: Mapping[str, nodes.Expr], definitions: list[nodes.Def]) -> None:
        self.bodies = bodies
        self.known: dict[str, nodes.Def] = {}
        self.uses = 0
        self.place_of = {d.name.text: d.name.span for d in reversed(definitions)}

    def program(self, program: nodes.Program) -> nodes.Program:
        return program._replace(before=self.items(program.before), items=self.items(program.items))

    def items(self, items: tuple[Any, ...]) -> tuple[Any, ...]:
        kept = []
        for item in items:
            if isinstance(item, nodes.Def):
                self.define(item)
                kept.append(item)
            else:
                kept.append(transform(item, self.change))
        return tuple(kept)

    # ------------------------------------------------------------ definitions

    def define(self, definition: nodes.Def) -> None:
        name, body = definition.name, definition.body
        self.check_names(definition)
        if name.text in self.known:
            refuse("definition-twice", f"`{name.text}` is defined twice", name.span)
        if name.text in self.bodies:
            body = relocate(self.bodies[name.text], name.span)
            definition = definition._replace(body=body)
        if not isinstance(body, nodes.Unreadable):
            _check_parameters(definition, body)
            self.check_order(definition, body)
        self.known[name.text] = definition

    def check_names(self, definition: nodes.Def) -> None:
        name = definition.name
        if name.text in NOT_A_DEFINITION | RETIRED:
            refuse("reserved", f"`{name.text}` is a word of the language and cannot name a definition", name.span)
        if name.text in SUPPLIED or name.text in BUILT_IN:
            refuse("reserved", f"`{name.text}` is a value of the language and cannot name a definition", name.span)
        for parameter in definition.parameters:
            if parameter.text in NOT_A_DEFINITION | SUPPLIED | RETIRED:
                message = f"`{parameter.text}` means something in the language and cannot name a parameter"
                refuse("reserved", message, parameter.span)

    def check_order(self, definition: nodes.Def, body: nodes.Expr | nodes.Block) -> None:
        """A definition uses only those above it."""
        name = definition.name
        for used in walk(body):
            if isinstance(used, nodes.Call):
                word = used.function.text
            elif isinstance(used, nodes.Invoke):
                word = used.name.text
            else:
                continue
            if word == name.text:
                refuse("definition-order", f"`{word}` uses itself", name.span)
            if word in self.place_of and word not in self.known:
                message = f"`{word}` is used by `{name.text}`, and so must be defined above it"
                refuse("definition-order", message, self.place_of[word])

    # ------------------------------------------------------------ uses

    def change(self, node: Any) -> Any:
        """What a node becomes, if it is or holds a use; None to look inside it."""
        if isinstance(node, nodes.Block):
            return self.block(node)
        if isinstance(node, nodes.Call) and node.function.text in self.known:
            return self.expression(node, self.known[node.function.text])
        return None

    def block(self, block: nodes.Block) -> nodes.Block | None:
        """A block with the definitions that it uses as statements spliced in."""
        statements: list[nodes.Statement] = []
        for statement in block.statements:
            if isinstance(statement, nodes.Invoke) and statement.name.text in self.known:
                statements += self.statements(statement, self.known[statement.name.text])
            else:
                statements.append(transform(statement, self.change))
        return block._replace(statements=tuple(statements))

    def expression(self, use: nodes.Call, definition: nodes.Def) -> nodes.Expr:
        body = self.body(use.function, use.args, definition)
        if isinstance(body, nodes.Block):
            name = use.function.text
            refuse("definition-kind", f"`{name}` stands for statements, and is used as a value", use.function.span)
        _check_draws(use.function, use.args, definition, body)
        value: nodes.Expr = self.substitute(use.args, definition, body)
        return value

    def statements(self, use: nodes.Invoke, definition: nodes.Def) -> tuple[nodes.Statement, ...]:
        body = self.body(use.name, use.args, definition)
        if not isinstance(body, nodes.Block):
            message = f"`{use.name.text}` stands for a value, and is used as a statement"
            refuse("definition-kind", message, use.name.span, hint=f"give it a place: set x = {use.name.text} (...);")
        _check_draws(use.name, use.args, definition, body)
        _check_live(use, definition, body)
        block: nodes.Block = self.substitute(use.args, definition, body)
        return block.statements

    def body(self, name: nodes.Name, args: tuple[nodes.Expr, ...], definition: nodes.Def) -> nodes.Expr | nodes.Block:
        """The body of a definition that a use may have."""
        self.uses += 1
        if self.uses > GREATEST:
            refuse("definition-size", f"the definitions expand to more than {GREATEST} uses", name.span)
        body = definition.body
        if isinstance(body, nodes.Unreadable):
            # The fault was found while parsing; it is the reader's business only now that the text is used.
            refuse(body.fault.kind, body.fault.message, body.fault.span, hint=body.fault.hint)
        if len(args) != len(definition.parameters):
            wanted = len(definition.parameters)
            message = f"`{name.text}` takes {wanted} argument{'' if wanted == 1 else 's'}, and is given {len(args)}"
            refuse("definition-arguments", message, name.span)
        return body

    def substitute(self, args: tuple[nodes.Expr, ...], definition: nodes.Def, body: Any) -> Any:
        """The body with arguments in place of parameters, then with what it uses itself written out.

        Arguments were written out before they go in, so that each is once, however often it is read.
        """
        written = [transform(arg, self.change) for arg in args]
        replaced = put_arguments(body, dict(zip([p.text for p in definition.parameters], written, strict=True)))
        return self.block(replaced) if isinstance(replaced, nodes.Block) else transform(replaced, self.change)


# ---------------------------------------------------------------- checks of a use


def _check_parameters(definition: nodes.Def, body: nodes.Expr | nodes.Block) -> None:
    parameters = {parameter.text for parameter in definition.parameters}
    for target in bound_names(body):
        if target.text in parameters:
            message = f"`{definition.name.text}` assigns or binds its parameter `{target.text}`"
            refuse("definition-parameter", message, definition.name.span, hint="copy it to an attribute of its own")


def bound_names(tree: Any) -> list[nodes.Name]:
    """The names that a tree assigns, observes or binds, in the order of the text."""
    names = []
    for node in walk(tree):
        match node:
            case nodes.Set() | nodes.Choose() | nodes.Mark() | nodes.Observe():
                names.append(node.target)
            case nodes.Binding():
                names.append(node.name)
            case nodes.Aggregate():
                names.append(node.variable)
    return names


def _readings(tree: Any, name: str) -> int:
    """How often a tree reads a name, also as a pool, a stage or a function."""
    return sum(
        1
        for node in walk(tree)
        if (isinstance(node, nodes.Name) and node.text == name)
        or (isinstance(node, nodes.Ref) and node.name.text == name)
        or (isinstance(node, nodes.Call) and node.function.text == name)
        or (isinstance(node, nodes.Draw) and node.law.text == name)
    )


def draws(tree: Any) -> bool:
    """Whether an expression draws a random number."""
    return any(isinstance(node, nodes.Draw) for node in walk(tree))


def _check_draws(name: nodes.Name, args: tuple[nodes.Expr, ...], definition: nodes.Def, body: Any) -> None:
    for parameter, arg in zip(definition.parameters, args, strict=True):
        if draws(arg):
            times = _readings(body, parameter.text)
            if times > 1:
                message = f"the argument for `{parameter.text}` draws, and `{name.text}` would draw it {times} times"
                refuse("definition-draw", message, name.span, hint="draw first: set x = ...; and pass `x`")


def _check_live(use: nodes.Invoke, definition: nodes.Def, body: nodes.Block) -> None:
    """The arguments of statements must mean at every reading what they mean at the use."""
    assigned = {name.text for name in bound_names(body)}
    for parameter, arg in zip(definition.parameters, use.args, strict=True):
        for node in walk(arg):
            if isinstance(node, nodes.Name) and node.text == "now":
                reads = "the clock"
            elif isinstance(node, nodes.Call) and node.function.text in LIVE_FUNCTIONS:
                reads = f"`{node.function.text}`"
            elif isinstance(node, nodes.Name) and node.text in assigned:
                reads = f"`{node.text}`, which the statements assign"
            else:
                continue
            message = f"the argument for `{parameter.text}` of `{use.name.text}` reads {reads}: it may change meanwhile"
            refuse("definition-live", message, use.name.span, hint="read it first: set x = ...; and pass `x`")


# ---------------------------------------------------------------- substitution


def put_arguments(tree: Any, arguments: Mapping[str, nodes.Expr]) -> Any:
    """The tree with the parameters replaced by their arguments."""
    if not arguments:
        return tree

    def change(node: Any) -> Any:
        match node:
            case nodes.Name():
                return arguments.get(node.text)
            case nodes.Group(nodes.Name() as inner) if inner.text in arguments:
                argument = arguments[inner.text]
                return nodes.Group(argument, node.span) if isinstance(argument, nodes.Name | nodes.Ref) else argument
            case nodes.Ref() if node.name.text in arguments:
                return _put_reference(transform_parts(node, change), arguments[node.name.text])
            case nodes.Call() if node.function.text in arguments:
                return transform_parts(node, change)._replace(function=_named(arguments[node.function.text]))
            case nodes.Draw() if node.law.text in arguments:
                return transform_parts(node, change)._replace(law=_named(arguments[node.law.text]))
            case nodes.Invoke() if node.name.text in arguments:
                return transform_parts(node, change)._replace(name=_named(arguments[node.name.text]))
            case nodes.EntryCall() if node.queue.text in arguments:
                return transform_parts(node, change)._replace(queue=_named(arguments[node.queue.text]))
        return None

    return transform(tree, change)


def _put_reference(ref: nodes.Ref, argument: nodes.Expr) -> nodes.Expr:
    """A reference whose name is a parameter: `p`, `p[i]` or `p.member`, with what the argument names."""
    match argument:
        case nodes.Name():
            return ref._replace(name=argument, span=argument.span)
        case nodes.Ref() if ref.subscript is None and ref.member is None:
            return argument
        case nodes.Ref(member=None) if ref.subscript is None:
            return ref._replace(name=argument.name, subscript=argument.subscript, span=argument.span)
    refuse("syntax", "a name must stand here, and the argument is an expression", argument.span)


def _named(argument: nodes.Expr) -> nodes.Name:
    if not isinstance(argument, nodes.Name):
        refuse("syntax", "a name must stand here, and the argument is an expression", argument.span)
    return argument


def relocate(tree: Any, span: Span) -> Any:
    """The tree with one place for all of it: for text that does not stand in the program."""

    def move(node: Any) -> Any:
        if isinstance(node, Span):
            return span
        if isinstance(node, tuple):
            parts = [move(part) for part in node]
            return tuple(parts) if type(node) is tuple else type(node)._make(parts)  # type: ignore[attr-defined]
        return node

    return move(tree)
