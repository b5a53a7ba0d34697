"""Build what pyproject.toml cannot state: the compiled kernel, and the grammar inside the package.

The kernel is plain Python in `serq/kernel/*.py`. A module with a `.pxd` of the same name beside it (its C types) is
also compiled, as an extension module that Python then prefers to the source. Without a C compiler the installation
succeeds all the same and the sources run as they are, slower and to the same bits.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import CCompilerError, ExecError

KERNEL = Path("serq/kernel")
# Constants only: their header is C, their source stays Python.
UNCOMPILED = {"codes"}
GRAMMAR = Path("grammar/serq.lark")

DIRECTIVES = {
    "language_level": 3,
    # Types come from the .pxd files alone; annotations are for readers and for mypy.
    "annotation_typing": False,
    "infer_types": True,
    "cdivision": True,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
}

# A fused multiply-add rounds once where Python rounds twice, so contraction would break the promise of equal bits.
# For the same reason never -ffast-math.
COMPILE_FLAGS = [] if sys.platform == "win32" else ["-O2", "-ffp-contract=off"]


def kernel_extensions() -> list[Extension]:
    """One optional extension for each kernel module that has a `.pxd`."""
    return [
        Extension(
            ".".join(types.with_suffix("").parts),
            [types.with_suffix(".py").as_posix()],
            extra_compile_args=COMPILE_FLAGS,
            optional=True,
        )
        for types in sorted(KERNEL.glob("*.pxd"))
        if types.with_suffix(".py").exists() and types.stem not in UNCOMPILED
    ]


class BuildIfPossible(build_ext):
    """Compile the kernel where that works; where it does not, the sources run."""

    def build_extension(self, ext: Extension) -> None:
        try:
            super().build_extension(ext)
        except (OSError, subprocess.CalledProcessError, CCompilerError, ExecError) as error:
            # What setuptools lets through from an extension that is declared optional.
            self.warn(f"{ext.name} is not compiled ({error}); its source runs instead, far more slowly")


class BuildWithGrammar(build_py):
    """Put the grammar into the built package; in the source tree it is read where it stands."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib) / "serq" / GRAMMAR
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(GRAMMAR, target)


setup(
    # Said although it is the default: an editable installation is then a path, and not a finder, whose import takes
    # 12 ms of each start.
    package_dir={"": "."},
    packages=find_packages(include=["serq", "serq.*"]),
    package_data={"serq": ["py.typed"], "serq.kernel": ["*.pxd"], "serq.syntax": ["tables.json"]},
    ext_modules=cythonize(kernel_extensions(), compiler_directives=DIRECTIVES, quiet=True),
    cmdclass={"build_ext": BuildIfPossible, "build_py": BuildWithGrammar},
)
