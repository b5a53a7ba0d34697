"""One name, one meaning: what a program declares under each name, and which words may name what.

In: a program with its definitions written out, as assembled. Out: nothing, or a refusal.

No word is reserved, and one name may be declared again in its own class where that makes sense (constants,
observations). What would make a reader guess is refused: a stage called like a constant, an attribute called like a
pool, a definition called like a word of the language.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from serq.record import Record
from serq.semantics.faults import refuse
from serq.semantics.rewrite import walk
from serq.semantics.words import BUILT_IN, LIBRARY_WORDS, QUEUE_WORDS, RETIRED, STALL_LABELS, SUPPLIED
from serq.source import Span
from serq.syntax import nodes
from serq.syntax.words import NOT_A_DEFINITION, WORDS


class Class(NamedTuple):
    """A class of declared names.

    Attributes:
        what: a member of it in words.
        barred: the words that may not name one.
        meets: classes whose names it must not repeat; None: all that are in `EVERYWHERE`.
        library: a library's name in use may not name one.
    """

    what: str
    barred: frozenset[str]
    meets: frozenset[str] | None = None
    library: bool = False


_VALUES = SUPPLIED | BUILT_IN

CLASSES = {
    "let": Class("a constant", SUPPLIED | RETIRED, library=True),
    "def": Class("a definition", NOT_A_DEFINITION | _VALUES | RETIRED, library=True),
    "observe": Class("an observation", _VALUES),
    "stage": Class("a stage", _VALUES, library=True),
    "pool": Class("a pool", _VALUES, library=True),
    "device": Class("a device", _VALUES | WORDS),
    "engine": Class("an engine", _VALUES | WORDS, library=True),
    "queue": Class("a queue", _VALUES | QUEUE_WORDS, library=True),
    "gauge": Class("a gauge", _VALUES),
    "claim": Class("a claim", _VALUES | RETIRED),
    "queue's pool": Class("a queue's pool", _VALUES, frozenset(("let", "def"))),
    "queue's device": Class("a queue's device", _VALUES | NOT_A_DEFINITION, frozenset(("let", "def"))),
    "schedule let": Class("a `let` of a schedule", SUPPLIED | WORDS, frozenset(("let", "def"))),
    "resource": Class("a time resource", NOT_A_DEFINITION, frozenset(("def",))),
    "capacity": Class("a capacity", WORDS, frozenset()),
    "device capacity": Class("a capacity of a device", NOT_A_DEFINITION, frozenset(("def",))),
    "parameter": Class("a parameter", SUPPLIED, frozenset()),
    "stall": Class("a stall", STALL_LABELS, frozenset()),
    "resource's parameter": Class("a parameter", SUPPLIED | NOT_A_DEFINITION | RETIRED, frozenset()),
}

EVERYWHERE = frozenset([name for name, of in CLASSES.items() if of.meets is None])
"""Classes of names that the whole program sees."""

ATTRIBUTE_MEETS = EVERYWHERE - {"let"} | {"queue's pool", "queue's device"}
"""Classes that an attribute's name is refused for. (A constant's is refused when names are linked.)"""


class Declared(Record):
    """A name where it is declared."""

    kind: str
    name: nodes.Name

    @property
    def what(self) -> str:
        return CLASSES[self.kind].what


class _Names(Record):
    """The names of a program in the order of its parts; definitions count where they are used.

    Attributes:
        targets: the attributes that statements set, each with its first place.
        bindings: what `at admission` binds.
    """

    declared: list[Declared]
    targets: dict[str, nodes.Name]
    bindings: list[nodes.Name]


def check_words(program: nodes.Program) -> None:
    """Refuse names that are words with a meaning.

    Raises:
        SerqError: at the name.
    """
    names = _collected(program)
    for found in names.declared:
        _check_word(found)
    for name in (*names.targets.values(), *names.bindings):
        if name.text in RETIRED:
            refuse("reserved", f"`{name.text}` is a word of older programs and cannot name an attribute", name.span)


def check_names(program: nodes.Program, implicit_tool: Span | None) -> None:
    """Refuse names with two meanings.

    Args:
        implicit_tool: where the session runs a stage `tool` without a declaration.

    Raises:
        SerqError: at the later declaration; where an attribute is one of the two, at the other.
    """
    names = _collected(program)
    _check_libraries(program, names.declared)
    _check_meetings(names.declared)
    _check_bindings(names)
    if implicit_tool is not None:
        for found in names.declared:
            if found.name.text == "tool" and found.kind in EVERYWHERE - {"def", "stage"}:
                message = f"the session's `tool` is a stage by itself, and the program calls {found.what} by that name"
                refuse("two-meanings", message, implicit_tool, hint="declare a stage: stage tool : delay;")
    assigned = names.targets.keys() | {name.text for name in names.bindings}
    for found in names.declared:
        name = found.name
        if found.kind in ATTRIBUTE_MEETS and name.text in assigned:
            message = f"`{name.text}` is what a statement sets or binds, and cannot be {found.what} as well"
            refuse("two-meanings", message, name.span, hint="rename one of the two")


def _collected(program: nodes.Program) -> _Names:
    names = _Names([], {}, [])
    for item in (*program.before, *program.items):
        _collect(item, names)
    return names


def _check_word(found: Declared) -> None:
    kind, name = found
    if name.text in CLASSES[kind].barred:
        where = "is an attribute of every session" if name.text in BUILT_IN else "means something in the language"
        hint = None
        if kind == "stall":
            where, hint = (
                "is a label that reports use themselves",
                "label it by its cause, for instance: stall gc (...);",
            )
        refuse("reserved", f"`{name.text}` {where}, and cannot name {found.what}", name.span, hint=hint)


def _check_libraries(program: nodes.Program, declared: list[Declared]) -> None:
    used = {item.library for item in (*program.before, *program.items) if isinstance(item, nodes.Use)}
    barred = {word for library, word in LIBRARY_WORDS.items() if library in used}
    for found in declared:
        if CLASSES[found.kind].library and found.name.text in barred:
            message = f"`{found.name.text}` is a library in use, and cannot name {found.what}"
            refuse("two-meanings", message, program.end, hint=f"rename {found.what} `{found.name.text}`")


def _check_meetings(declared: list[Declared]) -> None:
    first: dict[str, list[Declared]] = {}
    for found in declared:
        others = first.setdefault(found.name.text, [])
        for other in others:
            if other.kind != found.kind and _meet(other.kind, found.kind):
                message = f"`{found.name.text}` is {other.what}, and cannot be {found.what} as well"
                refuse("two-meanings", message, found.name.span, hint="rename one of the two")
        others.append(found)


def _meet(a: str, b: str) -> bool:
    of_a, of_b = CLASSES[a].meets, CLASSES[b].meets
    if of_a is None and of_b is None:
        return True
    return b in (of_a or ()) or a in (of_b or ())


def _check_bindings(names: _Names) -> None:
    lets = {found.name.text for found in names.declared if found.kind == "let"}
    for name in names.bindings:
        if name.text in names.targets or name.text in BUILT_IN:
            what = "an attribute"
        elif name.text in lets:
            what = "a constant"
        else:
            continue
        message = f"`{name.text}` is {what}, and cannot be what `at admission` binds as well"
        refuse("two-meanings", message, name.span, hint="rename one of the two")


# ---------------------------------------------------------------- what a program declares, in the order of its parts


def _collect(item: Any, names: _Names) -> None:
    declared = names.declared
    match item:
        case nodes.Let(name):
            declared.append(Declared("let", name))
        case nodes.Def(name):
            declared.append(Declared("def", name))
        case nodes.Stage(name):
            declared.append(Declared("stage", name))
        case nodes.Pool(name):
            declared.append(Declared("pool", name))
        case nodes.Gauge(name):
            declared.append(Declared("gauge", name))
        case nodes.Claim(name):
            declared.append(Declared("claim", name))
        case nodes.Device():
            _device(item, "device", names)
        case nodes.Engine():
            assert item.name is not None
            declared.append(Declared("engine", item.name))
            _engine(item, names)
        case nodes.Queue(name):
            declared.append(Declared("queue", name))
            _queue(item, names)
        case nodes.Workload() | nodes.Server():
            _statements(item, names)


def _device(device: nodes.Device, kind: str, names: _Names) -> None:
    names.declared.append(Declared(kind, device.name))
    for item in device.items:
        inner = "resource" if isinstance(item, nodes.TimeResource) else "device capacity"
        names.declared.append(Declared(inner, item.name))
        if isinstance(item, nodes.TimeResource):
            names.declared.extend([Declared("resource's parameter", parameter) for parameter in item.parameters])


def _engine(engine: nodes.Engine, names: _Names) -> None:
    for item in engine.items:
        match item:
            case nodes.Capacity(name):
                names.declared.append(Declared("capacity", name))
            case nodes.StallClause(label):
                names.declared.append(Declared("stall", label))
            case nodes.Schedule():
                names.declared.extend([Declared("schedule let", let.name) for let in item.lets])
            case nodes.Request():
                names.declared.extend([Declared("parameter", parameter) for parameter in item.parameters])
                _statements(item, names)


def _queue(queue: nodes.Queue, names: _Names) -> None:
    for item in queue.items:
        match item:
            case nodes.Pool(name):
                names.declared.append(Declared("queue's pool", name))
            case nodes.Device():
                _device(item, "queue's device", names)
            case nodes.Engine():
                _engine(item, names)
            case nodes.Entry():
                names.declared.extend([Declared("parameter", parameter) for parameter in item.parameters or ()])
                _statements(item, names)


def _statements(tree: Any, names: _Names) -> None:
    """What the statements of a part of the program observe, set and bind."""
    for node in walk(tree):
        match node:
            case nodes.Stall(_, label):
                names.declared.append(Declared("stall", label))
            case nodes.Observe(target):
                names.declared.append(Declared("observe", target))
            case nodes.Set(_, target) | nodes.Choose(target):
                names.targets.setdefault(target.text, target)
            case nodes.Binding(name):
                names.bindings.append(name)
