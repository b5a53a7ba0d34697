"""The parser's tables: those kept in the package are those of the grammar."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from serq.syntax import tables
from serq.syntax.faults import unexpected
from tests.syntax.trees import parsed

ROOT = Path(__file__).resolve().parents[2]


def test_kept_tables_are_current() -> None:
    """A change of the grammar is followed by `python -m serq.syntax.tables`."""
    assert json.loads(Path(tables.KEPT).read_text()) == json.loads(json.dumps(tables.make(tables.grammar())))


def test_missing_tables_are_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the file the tables are made in memory."""
    kept = tables.load()
    monkeypatch.setattr(tables, "KEPT", tmp_path / "none.json")
    assert tables.load() == kept


def test_making_is_reproducible() -> None:
    """The tables do not depend on the order of hashes."""
    code = "from serq.syntax import tables; import json; print(json.dumps(tables.make(tables.grammar())))"
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            cwd=ROOT,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1


def test_one_conflict(caplog: pytest.LogCaptureFixture) -> None:
    """The grammar has the one conflict that it speaks of: `cache` after a hold."""
    with caplog.at_level(logging.DEBUG, logger="lark"):
        tables.make(tables.grammar())
    conflicts = [record.getMessage() for record in caplog.records if "onflict" in record.getMessage()]
    assert conflicts
    assert all("Shift/Reduce conflict for terminal CACHE" in message for message in conflicts)


def test_every_rule_is_served() -> None:
    """Each rule of the grammar is the name of something to build, and nothing is left over."""
    from serq.source import Source
    from serq.syntax.build import Builder
    from serq.syntax.parser import Parser

    rules = tables.load().rules
    builder = Builder(Parser(Source("test", "fn main() { }"), tables.load(), unexpected))
    served = builder.actions(rules)
    assert all(make is not None for make, rule in zip(served, rules, strict=True) if rule.action)


def test_parsing_does_not_load_lark() -> None:
    """Lark is needed to make tables, not to parse: loading it would take longer than all the rest."""
    code = (
        "import sys; from serq.syntax.parse import parse; from serq.source import Source; "
        "parse(Source('t', 'fn main() { }')); "
        "print([name for name in sys.modules if name.partition('.')[0] in ('lark', 'numpy')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert run.stdout.strip() == "[]"


def test_hold_takes_the_cache_clause() -> None:
    """In a request, `cache` right after a hold belongs to the hold."""
    engine = "tokens cap 1; schedule { advance running; } execute (1);"
    program = parsed(
        f"fn main() {{ engine e on d {{ {engine} request (a) {{ hold p (1) {{ }} cache (2); cache (3); }} }} }}"
    )
    request = program.items[0].items[-1]  # type: ignore[union-attr]
    assert (request.body.statements[0].cache.value, request.cache.value) == (2, 3)  # type: ignore[union-attr]
