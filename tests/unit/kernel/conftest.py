"""The kernel's modules, compiled and as plain Python."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

import serq.kernel

SOURCES = Path(serq.kernel.__file__).parent
PREFIX = "serq.kernel."


class FromSource(importlib.abc.MetaPathFinder):
    """Find the kernel's modules in their sources, never in a compiled extension."""

    def find_spec(self, name, path=None, target=None):
        source = SOURCES / f"{name.removeprefix(PREFIX)}.py"
        return importlib.util.spec_from_file_location(name, source) if name.startswith(PREFIX) else None


@contextmanager
def sources_only() -> Iterator[None]:
    """Inside, imports of the kernel's modules give fresh uncompiled ones; afterwards everything is as before."""
    before = {name: module for name, module in sys.modules.items() if name.startswith(PREFIX)}
    names = dict(vars(serq.kernel))  # among them the function `simulate`, which has its module's name
    finder = FromSource()
    for name in before:
        del sys.modules[name]
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.startswith(PREFIX)]:
            del sys.modules[name]
        sys.modules.update(before)
        vars(serq.kernel).clear()
        vars(serq.kernel).update(names)


def load(name: str, form: str) -> ModuleType:
    """Module `name` of the kernel in the wanted form; the test is skipped where no compiler built it."""
    if form == "uncompiled":
        with sources_only():
            return importlib.import_module(PREFIX + name)
    module = importlib.import_module(PREFIX + name)
    if module.__file__.endswith(".py"):
        pytest.skip("the kernel is not compiled here")
    return module


@pytest.fixture(params=["compiled", "uncompiled"])
def kernel(request: pytest.FixtureRequest) -> Callable[[str], ModuleType]:
    """`kernel("streams")` is that module, once in each form."""
    return lambda name: load(name, request.param)


@pytest.fixture
def both(request: pytest.FixtureRequest) -> Callable[[str], tuple[ModuleType, ModuleType]]:
    """`both("streams")` is that module compiled and uncompiled."""
    return lambda name: (load(name, "compiled"), load(name, "uncompiled"))
