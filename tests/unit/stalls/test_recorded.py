"""Two recorded logs of a CPU engine, with the figures that an independent analysis computed from them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from serq.stalls.files import read_log
from serq.stalls.partition import partition
from serq.stalls.runs import measure, run_object

ROOT = Path(__file__).resolve().parents[3]
PLACES = [Path(place) for place in (os.environ.get("SERQ_DATA"), ROOT.parent / "shared" / "data") if place]
FOLDERS = [place / "nano-logs" for place in PLACES if (place / "nano-logs").is_dir()]

pytestmark = pytest.mark.skipif(
    not FOLDERS, reason="the recorded logs are not here: set SERQ_DATA to the folder of data"
)

LOGS = ["baseline__s1", "admit-watermark__s1"]


def differences(found: Any, expected: Any, place: str = "") -> list[str]:
    """Where two values of JSON differ: counts at all, other numbers by more than a relative 1e-12."""
    if isinstance(expected, dict):
        if list(found) != list(expected):
            return [f"{place}: keys {list(found)} instead of {list(expected)}"]
        return [line for key in expected for line in differences(found[key], expected[key], f"{place}.{key}")]
    if isinstance(expected, list):
        if len(found) != len(expected):
            return [f"{place}: {len(found)} instead of {len(expected)}"]
        return [line for i, each in enumerate(expected) for line in differences(found[i], each, f"{place}[{i}]")]
    same = found == pytest.approx(expected, rel=1e-12, abs=0) if isinstance(expected, float) else found == expected
    return [] if same else [f"{place}: {found} instead of {expected}"]


@pytest.mark.parametrize("name", LOGS)
def test_figures(name: str) -> None:
    """Every figure is the independent analysis's; what it leaves over is rounding noise."""
    folder = FOLDERS[0]
    expected = json.loads((folder / f"{name}.expected.json").read_text())
    found = run_object(measure(read_log(folder / f"{name}.npz")))
    assert found.pop("reconcile_max_err_ms") < 1e-12
    del expected["reconcile_max_err_ms"]
    assert differences(found, expected) == []


@pytest.mark.parametrize("name", LOGS)
def test_parts(name: str) -> None:
    """No part is negative, and the parts of every gap sum to it."""
    cut = partition(read_log(FOLDERS[0] / f"{name}.npz"))
    assert cut.parts.min() > -1e-15
    assert abs(cut.parts.sum(axis=1) - cut.lengths).max() < 1e-15
