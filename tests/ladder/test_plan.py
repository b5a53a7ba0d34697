"""What a ladder is to run, from options and from files; what is no ladder is refused in a sentence with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from serq.diagnostics import SerqError
from serq.ladder.plan import Plan, climb, read_rung, read_seeds
from serq.ladder.toml import read_plan

WHOLE = """\
program = "engine.sq"
horizon = 2000
warmup = 200.5
seeds = "1-3,8"
set = { Lambda = 1.8 }
[[rung]]
name = "as it is"
[[rung]]
name = "slow"
set = { B = 256, Lambda = "9/5" }
[[rung]]
name = "constant"
set = { blocks = 8000 }
def = { service = "4" }
"""


def written(folder: Path, text: str) -> Plan:
    (folder / "ladder.toml").write_text(text)
    return read_plan(str(folder / "ladder.toml"))


def test_a_whole_file(tmp_path: Path) -> None:
    """Each rung keeps what those before it changed; the program is beside the file."""
    plan = written(tmp_path, WHOLE)
    assert plan.program == str(tmp_path / "engine.sq")
    assert (plan.horizon, plan.warmup, plan.seeds) == (2000.0, 200.5, (1, 2, 3, 8))
    assert [rung.name for rung in plan.rungs] == ["as it is", "slow", "constant"]
    assert [dict(rung.sets) for rung in plan.rungs] == [
        {"Lambda": "1.8"},
        {"Lambda": "9/5", "B": "256"},
        {"Lambda": "9/5", "B": "256", "blocks": "8000"},
    ]
    assert [dict(rung.defs) for rung in plan.rungs] == [{}, {}, {"service": "4"}]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("seeds", "sedes"), "`sedes` did you mean `seeds`"),
        (('"engine.sq"', "3"), "program no text"),
        (('program = "engine.sq"\n', ""), "program missing"),
        (("2000", '"long"'), "`horizon` no number of seconds"),
        (("200.5", "-1"), "`warmup` no number of seconds"),
        (('"1-3,8"', '"3-1"'), "backwards 1-3"),
        (('"1-3,8"', '"one"'), "`one` no seeds"),
        (('"1-3,8"', "[1, 2.5]"), "no seeds"),
        (('"1-3,8"', "true"), "no seeds"),
        (('"1-3,8"', '"1-99999999"'), "too many"),
        (('"slow"', '"as it is"'), "two rungs `as it is`"),
        (('name = "slow"\n', ""), "name rung 2 missing"),
        (("256", "[256]"), "rung 2 `B` no number"),
        (('"4"', "4"), "rung 3 `service` no text"),
        (("set = { blocks = 8000 }", "sets = { blocks = 8000 }"), "rung 3 `sets` did you mean `set`"),
        (("horizon = 2000", "horizon ="), "line 2"),
        (("[[rung]]", "[rung]"), "ladder.toml"),
        ((WHOLE[WHOLE.index("[[rung]]") :], ""), "no rung"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_refused(change: tuple[str, str], said: str, tmp_path: Path) -> None:
    assert change[0] in WHOLE
    with pytest.raises(SerqError) as refused:
        written(tmp_path, WHOLE.replace(change[0], change[1], 1))
    assert all(word in str(refused.value) for word in said.split(" "))


def test_a_missing_file() -> None:
    with pytest.raises(SerqError, match="cannot read `nowhere"):
        read_plan("nowhere.toml")


def test_rungs_of_a_command_line() -> None:
    assert read_rung("baseline") == ("baseline", {})
    assert read_rung(" more : Lambda = 2,B=min(1, 2) ") == ("more", {"Lambda": "2", "B": "min(1, 2)"})


@pytest.mark.parametrize("text", ["", ": B=2", "x: B", "x: B=", "x: =2", "x: B=1, B=2"])
def test_what_is_no_rung(text: str) -> None:
    with pytest.raises(SerqError):
        read_rung(text)


def test_seeds() -> None:
    assert read_seeds("1-5") == (1, 2, 3, 4, 5)
    assert read_seeds("7") == (7,)
    assert read_seeds(" 3, 1-4 ") == (3, 1, 2, 4)


def test_rungs_keep_what_came_before() -> None:
    rungs = climb([("a", {"x": 1}, {}), ("b", {"y": 2}, {"f": "1"}), ("c", {"x": 3}, {})], {"z": 0}, {})
    assert [rung.sets for rung in rungs] == [{"z": 0, "x": 1}, {"z": 0, "x": 1, "y": 2}, {"z": 0, "x": 3, "y": 2}]
    assert [rung.defs for rung in rungs] == [{}, {"f": "1"}, {"f": "1"}]
    assert [rung.changes for rung in rungs] == ["x=1", "y=2, f=1", "x=3"]
