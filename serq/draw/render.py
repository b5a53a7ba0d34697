"""Rendering: from DOT source to a laid-out drawing, and to pixels.

In: DOT source, and where a Graphviz program was found. Out: what it answers. `dot` is taken where there is one, else
`graphviz-pure`, which a wheel of that name brings (the extra `serq[draw]`): a port of Graphviz that needs nothing of
the system, fonts included.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from shutil import which
from typing import NoReturn

from serq.diagnostics import Diagnostic, SerqError
from serq.draw.layout import Drawing, read_layout

PROGRAMS = ("dot", "graphviz-pure")
SECONDS = 30
"""After so long a program that does not answer is given up."""
DPI = 144
SLOW = "did not lay the picture out within"
MISSING = "no-renderer"
"""Kind of the fault that there is no renderer at all."""
HOW = "install Graphviz, or the wheel that brings one: pip install 'serq[draw]'"
LARGE = "the program may be too large for one picture: draw its sessions alone (--session), or simplify it"
BROKEN = "is that Graphviz? `--format dot` writes the source, which others render too"


def find_renderers() -> tuple[str, ...]:
    """Paths of the Graphviz programs on this machine, the preferred one first: on the path, or beside this Python."""
    beside = os.path.dirname(sys.executable)
    found = [which(name) or which(name, path=beside) for name in PROGRAMS]
    return tuple([path for path in found if path is not None])


def lay_out(source: str, renderers: Sequence[str]) -> Drawing:
    """The source laid out.

    Raises:
        SerqError: no renderer does it.
    """
    faults: list[str] = []
    for program in renderers:
        try:
            return read_layout(run(program, ["-Tjson"], source).decode())
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            faults.append(fault(program, error))
    refuse(faults)


def pixels(source: str, renderers: Sequence[str]) -> bytes:
    """The source as PNG.

    Raises:
        SerqError: no renderer does it.
    """
    faults: list[str] = []
    for program in renderers:
        try:
            image = run(program, ["-Tpng", f"-Gdpi={DPI}"], source)
            if image.startswith(b"\x89PNG"):
                return image
            faults.append(f"`{program}` wrote no PNG")
        except (OSError, subprocess.SubprocessError) as error:
            faults.append(fault(program, error))
    refuse(faults)


def run(program: str, options: list[str], source: str) -> bytes:
    """What a Graphviz program writes."""
    done = subprocess.run([program, *options], input=source.encode(), capture_output=True, timeout=SECONDS, check=True)
    return done.stdout


def fault(program: str, error: Exception) -> str:
    """Why a program did not do it, in one sentence."""
    if isinstance(error, subprocess.TimeoutExpired):
        return f"`{program}` {SLOW} {SECONDS} s"
    if isinstance(error, subprocess.CalledProcessError):
        said = error.stderr.decode(errors="replace").strip().splitlines()
        return f"`{program}` failed: {said[0] if said else f'exit status {error.returncode}'}"
    return f"`{program}` failed: {error}"


def refuse(faults: list[str]) -> NoReturn:
    if not faults:
        raise SerqError(Diagnostic(MISSING, "no Graphviz is found to draw with", hint=HOW))
    raise SerqError(Diagnostic("renderer", "; ".join(faults), hint=LARGE if SLOW in faults[-1] else BROKEN))
