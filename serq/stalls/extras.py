"""Packages that only some outputs need, imported when they are."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from serq.diagnostics import Diagnostic, SerqError


def extra(module: str, name: str, what: str, instead: str) -> ModuleType:
    """A module of a package that comes with the extra called `name`.

    Args:
        what: what needs it, for the message.
        instead: what does without.

    Raises:
        SerqError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        hint = f"`pip install 'serq[{name}]'`, or {instead}"
        raise SerqError(Diagnostic("file", f"{what} needs {package}, which is not installed", hint=hint)) from None
