"""The DOT sources of chosen programs, word for word: `python -m tests.draw.test_golden` makes them anew.

Read the difference before committing it: each changed line is a change that users see.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import serq

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "dot"
DRAWN = {
    "mg1": "examples/mg1.sq",
    "engine": "docs/tutorial/programs/05-engine.sq",
    "agents": "examples/agents.sq",
    "offload": "examples/offload.sq",
    "pull": "examples/pd-pull.sq",
    "subagents": "examples/subagents.sq",
    "stalls": "tests/syntax/stalls.sq",
}
"""A queue alone; an engine; branches and loops; a spill; families, routing and a transfer; forks; stalls."""


def source(program: str) -> str:
    return str(serq.draw(ROOT / program, format="dot", style="light"))


@pytest.mark.parametrize("name", DRAWN)
def test_source(name: str) -> None:
    assert source(DRAWN[name]) == (GOLDEN / f"{name}.dot").read_text()


def test_session_alone() -> None:
    """The client's side alone has its cards and nothing of the server."""
    drawn = str(serq.draw(ROOT / DRAWN["engine"], format="dot", session=True))
    assert "cluster_client" in drawn
    assert "~exp(Z)" in drawn
    for word in ("cluster_server", "gpu", "hbm", "admission"):
        assert word not in drawn


if __name__ == "__main__":
    for name, program in DRAWN.items():
        (GOLDEN / f"{name}.dot").write_text(source(program))
