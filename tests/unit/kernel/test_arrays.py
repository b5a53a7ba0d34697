"""Every C array of a run's state is given back."""

import re
from pathlib import Path

import serq

KERNEL = Path(serq.__file__).parent / "kernel"


def test_every_array_is_released() -> None:
    header = (KERNEL / "state.pxd").read_text()
    declared = {
        name.strip() for names in re.findall(r"cdef (?:Doubles|Longs) (.+)", header) for name in names.split(",")
    }
    released = re.findall(r"release\(self\.(\w+)\)", (KERNEL / "state.py").read_text())
    assert len(declared) > 200
    assert sorted(released) == sorted(declared | {"streams", "stall_streams"})
