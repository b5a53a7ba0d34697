"""Run a script with the kernel's Python sources, although compiled modules lie beside them.

    python uncompiled.py SCRIPT [ARGUMENT ...]

`cython.compiled` is then False in every kernel module.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import runpy
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


class SourcesOnly:
    """Finds `serq.kernel.NAME` as a source file only."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith("serq.kernel.") or path is None:
            return None
        sources = (importlib.machinery.SourceFileLoader, importlib.machinery.SOURCE_SUFFIXES)
        for folder in path:
            found = importlib.machinery.FileFinder(folder, sources).find_spec(name)
            if found is not None:
                return found
        return None


def main() -> None:
    sys.meta_path.insert(0, SourcesOnly)  # type: ignore[arg-type]
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
