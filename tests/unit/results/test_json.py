"""The JSON of reports: its keys, its order and its numbers."""

from __future__ import annotations

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from serq.kernel.recording import OverCap
from serq.results.json import number, text
from tests.recordings import claim, pool, report, samples, stage


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back(value: float) -> None:
    """A number has no exponent and no `.0`, reads back to the same double, and has no digit that could be spared."""
    shown = number(value)
    assert float(shown) == value
    assert math.copysign(1.0, float(shown)) == math.copysign(1.0, value)
    assert "e" not in shown
    assert not shown.endswith(".0")
    significant = shown.lstrip("-").replace(".", "").strip("0")
    assert len(significant) <= len(repr(value).partition("e")[0].lstrip("-").replace(".", "").strip("0"))


def test_number_forms() -> None:
    """The forms that the format names."""
    assert [number(x) for x in (20000.0, 1e-7, 1e22, 0.1, -2.5e-300)][:4] == [
        *("20000", "0.0000001", "10000000000000000000000", "0.1"),
    ]
    assert number(5e-324) == "0." + "0" * 323 + "5"
    assert number(1.5e300) == "15" + "0" * 299
    assert number(-0.0) == "-0"


@given(st.text())
def test_strings_read_back(value: str) -> None:
    """Any text, control characters and quotes included, is a JSON string that reads back."""
    assert json.loads(text(value)) == value


def test_keys_in_order() -> None:
    """Every key stands where the format says, `claims` only if there are any."""
    full = json.loads(report(observes=(samples("x"),), claims=(claim(),), stages=(stage(),), pools=(pool(),)).json())
    assert list(full) == [
        *("serq_version", "horizon", "end", "warmup", "seed", "events", "arrivals", "ended", "turns", "mean_live"),
        *("observes", "client", "gauges", "claims", "stages", "pools"),
    ]
    assert "claims" not in json.loads(report().json())
    assert list(full["observes"]["x"]) == ["count", "mean", "ci", "cv2", "p99"]
    assert list(full["client"]) == ["ttft", "tpot", "response"]
    assert list(full["claims"][0]) == ["name", "kind", "result", "checked", "failures", "first", "note"]
    assert list(full["stages"][0])[-2:] == ["itl_p99", "idle_with_work"]
    assert list(full["pools"][0])[-3:] == ["over_cap", "growing_at_end", "growing_stalled"]


def test_what_is_no_number_is_null() -> None:
    """NaN and infinities are null; a pool's over_cap is null or an object; booleans are booleans."""
    shown = report(stages=(stage(mean_wait=math.nan),), pools=(pool(over_cap=OverCap("q[1]", 18.0)), pool())).json()
    assert "\n" not in shown
    full = json.loads(shown)
    assert full["client"]["ttft"] == {"count": 0, "mean": None, "ci": None, "cv2": None, "p99": None}
    assert full["stages"][0]["mean_wait"] is None
    assert full["stages"][0]["idle_with_work"] is False
    assert [p["over_cap"] for p in full["pools"]] == [{"queue": "q[1]", "need": 18}, None]
    assert '"horizon":100,' in shown
