"""Traces: what is a line, a session, a number; what is refused, and where it says so."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import serq
from serq.trace import parse_trace


def test_consecutive_lines_are_a_session() -> None:
    """Lines with one session number in a row are one session; the number coming back starts another."""
    text = "session,turn,new,out,think\n# remark\n\n 3,x,1,2,3\r\n3.9,,4,5,6,1\n0,1,7,8,9\n-2,1,7,8,9\n3,1,1,1,1"
    assert parse_trace(text, "t") == [
        [(1.0, 2.0, 3.0, 0.0), (4.0, 5.0, 6.0, 1.0)],
        [(7.0, 8.0, 9.0, 0.0), (7.0, 8.0, 9.0, 0.0)],
        [(1.0, 1.0, 1.0, 0.0)],
    ]


def test_numbers() -> None:
    """All forms of decimal numbers, infinities and NaN are numbers."""
    ((row,),) = parse_trace("0,1,.5,+2.,-1e2,INF", "t")
    assert row == (0.5, 2.0, -100.0, math.inf)
    ((row,),) = parse_trace("0,1,nan,infinity,0,0", "t")
    assert math.isnan(row[0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("session,turn\n1,0,4,x,1", ["line 2", "`x`", "column 4", "`out`"]),
        ("0,1,5,2, 1", ["line 1", "` 1`", "column 5", "`think`"]),
        ("0,1,1_0,2,1", ["`1_0`", "`new`"]),
        ("٠,1,2,3,4", ["column 1", "`session`"]),
        ("\ufeff0,1,2,3,4", ["column 1"]),
        ("0,1,2,3,4,", ["column 6", "`forced`"]),
        ("0,1,2,3", ["line 1", "4 cells", "5 or 6"]),
        ("0,1,2,3,4,5,6", ["7 cells"]),
        ("# nothing\n", ["no session"]),
    ],
)
def test_refusals(text: str, words: list[str]) -> None:
    """A bad line is refused with the file, the line, the column and its name."""
    with pytest.raises(serq.SerqError) as refusal:
        parse_trace(text, "t.csv")
    for word in ["t.csv", *words]:
        assert word in str(refusal.value)


def test_files(tmp_path: Path) -> None:
    """A file that cannot be read, or is no text, is refused by name."""
    path = tmp_path / "t.csv"
    with pytest.raises(serq.SerqError, match=r"t\.csv.*no such file"):
        serq.read_trace(path)
    path.write_bytes(b"0,1,2,3,4\n0,\xff")
    with pytest.raises(serq.SerqError, match="0xff"):
        serq.read_trace(path)
    path.write_bytes(b"0,1,2,3,4\n")
    assert serq.read_trace(path) == [[(2.0, 3.0, 4.0, 0.0)]]
