"""The page on logs names what is read and written: the columns of a log, its events with their fields, the export."""

from __future__ import annotations

import re

import pytest

from serq.stalls import partition
from serq.stalls.export import chunks
from serq.stalls.jsonl import EVENTS
from serq.stalls.log import COLUMNS, KINDS, REQUIRED
from tests.docs.pages import ROOT
from tests.unit.stalls.logs import random_log

PAGE = (ROOT / "docs/stalls/log.md").read_text()
ARRAYS, LINES, _, EXPORT = PAGE.split("\n## ")[1:]


def code(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


@pytest.mark.parametrize("table", COLUMNS)
def test_columns(table: str) -> None:
    """The row of an array names its columns, in order."""
    (row,) = re.findall(rf"^\| `{table}` \| (.*) \|$", ARRAYS, re.MULTILINE)
    assert [name for name in code(row) if name != "steps"] == list(COLUMNS[table])


def test_required() -> None:
    """The page says which arrays must be there."""
    assert ", ".join(f"`{table}`" for table in REQUIRED[:-1]) + f" and `{REQUIRED[-1]}` must be there" in ARRAYS


@pytest.mark.parametrize("event", EVENTS)
def test_events(event: str) -> None:
    """The row of an event names its fields, those that may be left out in brackets."""
    (row,) = re.findall(rf"^\| `{event}` \| (.*) \|$", LINES, re.MULTILINE)
    needed, _, optional = row.partition("[")
    assert tuple(name for name in code(needed) if name not in KINDS) == EVENTS[event].needed
    assert code(optional) == list(EVENTS[event].optional)


def test_export() -> None:
    """The page names the columns of the export, in order."""
    log = random_log(1)
    (chunk, *_) = chunks(log, partition(log))
    cells = re.findall(r"^\| (`.*?) \|", EXPORT, re.MULTILINE)
    assert [name for cell in cells for name in code(cell)] == list(chunk)
