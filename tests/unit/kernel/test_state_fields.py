"""The state's Python form has the numbers of its C form."""

from __future__ import annotations

import re
from pathlib import Path

KERNEL = Path(__file__).resolve().parents[3] / "serq" / "kernel"


def declared(kind: str) -> set[str]:
    """Numbers of one C type that `cdef class Sim` declares."""
    header = (KERNEL / "state.pxd").read_text().split("cdef class Sim", 1)[1]
    lines = re.findall(rf"^ +cdef {kind} ([\w, ]+)$", header, re.MULTILINE)
    return {name for line in lines for name in re.split(r",\s*", line)}


def listed(name: str) -> set[str]:
    """The names in one of the lists that make the same numbers for an uncompiled run."""
    text = (KERNEL / "state.py").read_text().split(f"{name} = (", 1)[1].split(")", 1)[0]
    return set(re.findall(r"\w+", text))


def test_uncompiled_state_has_every_number() -> None:
    """A number added to state.pxd starts at zero in an uncompiled run as well."""
    assert listed("_COUNTERS") == declared("long")
    assert listed("_AMOUNTS") == declared("double")
