"""What must hold for any program, tried on random ones: no figure depends on how the run was carried out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

import serq
from serq.kernel import simulate
from serq.results.report import Report
from tests.random_programs import PROFILES, Program, generate
from tests.random_programs.pool import Worker

PROGRAMS = int(os.environ.get("SERQ_PROGRAMS", "60"))
"""Programs of each profile; the environment may ask for more."""

UNCOMPILED = max(1, PROGRAMS // 5)
"""Of these, how many also run by Python itself, some hundred times slower."""


def outcome(program: Program, **switches: bool) -> str:
    """The report of a run, or why it stopped."""
    try:
        compiled = serq.compile(source=program.text, **program.settings)
        return Report._of_recording(simulate(compiled.ir, **switches), compiled.provenance).json()
    except serq.SerqError as error:
        return f"stopped: {error}"


@pytest.fixture(scope="module")
def sources() -> Iterator[Worker]:
    with Worker("serq", uncompiled=True) as worker:
        yield worker


@pytest.mark.parametrize("profile", PROFILES)
def test_most_programs_run(profile: str) -> None:
    """The profiles write programs that compile and in which something happens."""
    outcomes = [outcome(generate(profile, seed)) for seed in range(PROGRAMS)]
    ran = [json.loads(text) for text in outcomes if not text.startswith("stopped")]
    assert len(ran) > 0.5 * PROGRAMS
    assert sum(report["events"] for report in ran) > 15 * PROGRAMS


@pytest.mark.parametrize("profile", PROFILES)
def test_checked_stepping_and_fast_forward_agree(profile: str) -> None:
    """Conservation holds after every event, and neither the checks nor the fast-forward change a byte."""
    for seed in range(PROGRAMS):
        program = generate(profile, seed)
        usual = outcome(program)
        assert "internal error" not in usual, (profile, seed)
        assert outcome(program, checked=True) == usual, (profile, seed)
        assert outcome(program, fast_forward=False) == usual, (profile, seed)


@pytest.mark.parametrize("profile", PROFILES)
def test_uncompiled_agrees(profile: str, sources: Worker) -> None:
    """The kernel's sources give the same bytes as its compiled modules."""
    for seed in range(UNCOMPILED):
        program = generate(profile, seed)
        usual = outcome(program)
        job: dict[str, Any] = {"text": program.text, "settings": program.settings}
        answer = sources.ask(job, limit=60)
        assert answer.get("report", f"stopped: {answer.get('error')}") == usual, (profile, seed)


@pytest.mark.parametrize("profile", PROFILES)
def test_same_seed_same_bytes(profile: str) -> None:
    """A run depends on program and settings alone; another seed is another run."""
    others = 0
    for seed in range(PROGRAMS // 3):
        program = generate(profile, seed)
        usual = outcome(program)
        assert outcome(program) == usual, (profile, seed)
        other = Program(program.text, {**program.settings, "seed": program.settings["seed"] + 1})
        others += outcome(other) != usual
    assert others > 0


@pytest.mark.parametrize("profile", PROFILES)
def test_ir_round_trip(profile: str) -> None:
    """A program read back from its JSON form is equal, and runs to the same bytes."""
    for seed in range(PROGRAMS // 3):
        program = generate(profile, seed)
        try:
            compiled = serq.compile(source=program.text, **program.settings)
        except serq.SerqError:
            continue
        again = serq.Program.from_json(compiled.to_json())
        assert again.ir == compiled.ir
        assert again.to_json() == compiled.to_json()
        try:
            usual = serq.run(compiled).json()
        except serq.SerqError:
            continue
        assert serq.run(again).json() == usual
