"""The rooms of the package import only rooms before them (ARCHITECTURE.md).

The test reads import statements; it imports nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "serq"

GROUND = {"version", "source", "diagnostics", "files", "nesting", "record", "sealed", "spelling"}
"""Small modules without a room of their own. They import one another and nothing else."""

ALLOWED = {
    "syntax": GROUND,
    # Lowering builds the IR's nodes.
    "semantics": GROUND | {"syntax", "ir"},
    # The words of the language, for programs in colour.
    "highlight": GROUND | {"syntax", "semantics"},
    "ir": GROUND,
    "kernel": GROUND | {"ir"},
    "results": GROUND | {"ir", "kernel"},
    "compiler": GROUND | {"syntax", "semantics", "ir"},
    "trace": GROUND | {"ir"},
    "program": GROUND | {"compiler", "ir", "results", "trace"},
    "run": GROUND | {"kernel", "results", "program", "trace"},
    "report": GROUND | {"results"},
    "draw": GROUND | {"ir"},
    "drawing": GROUND | {"draw", "program"},
    "fmt": GROUND | {"syntax"},
    "starters": GROUND,
    "stalls": GROUND | {"results", "kernel"},
    "parallel": GROUND,
    "ladder": GROUND | {"kernel", "results", "trace", "program", "parallel", "stalls"},
    # Its runs leave logs.
    "nano": GROUND | {"stalls"},
    "lsp": GROUND | {"syntax", "semantics", "compiler", "fmt"},
    "cli": GROUND
    | {
        "ir",
        "kernel",
        "results",
        "compiler",
        "trace",
        "program",
        "run",
        "report",
        "draw",
        "drawing",
        "fmt",
        "starters",
        "stalls",
        "parallel",
        "ladder",
        "nano",
        "lsp",
        "serq",
    },
    "__main__": {"cli"},
    "__init__": GROUND | {"ir", "kernel", "results", "trace", "program", "run", "drawing"},
} | dict.fromkeys(GROUND, GROUND)
"""For each room (a folder or a module of the package) the rooms that it may import, itself understood."""

NARROW = {
    "semantics": {"ir": {"nodes", "captions"}},
    "results": {"kernel": {"recording", "statistics"}},
    "stalls": {"kernel": {"recording"}},
    "highlight": {"semantics": {"words"}},
}
"""Where only some modules of a room may be imported."""

LAZY = {
    # Either the text compiler or the JSON reader is needed, hardly ever both, and each costs its share of a start.
    "program": {"compiler", "ir.json"},
    # Spelling out a program's constants is for its picture alone.
    "compiler": {"semantics.captions"},
    # What is wrong is told only about programs that are.
    "syntax": {"syntax.faults"},
    # `serq --version` and completion load neither the commands' machinery nor rich.
    "cli": {
        "cli",
        "report.rich_tables",
        "lsp.server",
        "ladder.plan",
        "ladder.toml",
        "nano.parameters",
        "stalls.files",
        "stalls.runs",
        "stalls.text",
        "stalls.simulated_export",
    },
}
"""Imports of the package inside functions, by room: for the time of a start, never to dodge an arrow."""

EDGES_ONLY = {
    "rich": {"report", "cli"},
    "pygments": {"highlight"},
    "graphviz": {"draw"},
    "scipy": {"fit", "stalls", "sweep"},
    "click": {"cli"},
    "pygls": {"lsp"},
    "lsprotocol": {"lsp"},
    "tokenizers": {"nano"},
}
"""Outside packages that only some rooms may import."""


class Import(NamedTuple):
    path: Path
    line: int
    module: str
    inside_function: bool
    for_types_only: bool

    @property
    def room(self) -> str:
        return self.path.relative_to(PACKAGE).parts[0].removesuffix(".py")

    @property
    def target(self) -> list[str]:
        """Path inside the package of what is imported; empty for other packages, `["serq"]` for the package."""
        head, *rest = self.module.split(".")
        return (rest or ["serq"]) if head == "serq" else []

    def __str__(self) -> str:
        return f"{self.path.relative_to(PACKAGE.parent)}:{self.line} imports {self.module}"


def imports_of(path: Path) -> Iterator[Import]:
    tree = ast.parse(path.read_text())
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {id(n) for function in functions for n in ast.walk(function)}
    checking = [n for n in ast.walk(tree) if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    types_only = {id(n) for test in checking for n in ast.walk(test)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            modules = [node.module or ""]
            if node.module == "serq":
                modules = [f"serq.{alias.name}" if alias.name in ALLOWED else "serq" for alias in node.names]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        else:
            continue
        for module in modules:
            yield Import(path, node.lineno, module, id(node) in inside, id(node) in types_only)


IMPORTS = [found for path in sorted(PACKAGE.rglob("*.py")) for found in imports_of(path)]


def test_every_room_is_listed() -> None:
    """A new room or module says what it may import."""
    assert {found.room for found in IMPORTS} <= set(ALLOWED)


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_arrows(room: str) -> None:
    """A room imports only itself and the rooms listed for it."""
    wrong = [
        str(found)
        for found in IMPORTS
        if found.room == room and found.target and found.target[0] not in ALLOWED[room] | {room}
    ]
    assert not wrong


def test_narrow_arrows() -> None:
    """Semantics builds IR nodes; results read recordings and share the statistics of a list of samples."""
    wrong = [
        str(found)
        for found in IMPORTS
        for target, modules in NARROW.get(found.room, {}).items()
        if found.target[:1] == [target] and found.target[1:2] and found.target[1] not in modules
    ]
    assert not wrong


def test_lazy_imports() -> None:
    """Inside a function the package is imported only where the visible list says so."""

    def listed(found: Import) -> bool:
        name = ".".join(found.target)
        return any(name == entry or name.startswith(entry + ".") for entry in LAZY.get(found.room, ()))

    wrong = [str(found) for found in IMPORTS if found.inside_function and found.target and not listed(found)]
    assert not wrong


@pytest.mark.parametrize("package", sorted(EDGES_ONLY))
def test_edges(package: str) -> None:
    """Terminal, plotting and statistics packages stay in the rooms that need them."""
    wrong = [
        str(found)
        for found in IMPORTS
        if found.module.split(".")[0] == package and found.room not in EDGES_ONLY[package]
    ]
    assert not wrong


def test_no_cycles_inside_rooms() -> None:
    """Modules of one room import each other without a circle; an import for types only does not count."""
    graph: dict[str, set[str]] = {}
    for found in IMPORTS:
        if found.target[:1] == [found.room] and len(found.target) > 1 and not found.for_types_only:
            name = ".".join(found.path.relative_to(PACKAGE).with_suffix("").parts)
            graph.setdefault(name, set()).add(".".join(found.target[:2]))

    def circle(name: str, way: tuple[str, ...]) -> tuple[str, ...]:
        if name in way:
            return (*way[way.index(name) :], name)
        return next((c for c in (circle(n, (*way, name)) for n in sorted(graph.get(name, ()))) if c), ())

    # The kernel's modules call each other in both directions; there the order of its tables is what counts.
    circles = {circle(name, ()) for name in graph if not name.startswith("kernel.")} - {()}
    assert not circles
