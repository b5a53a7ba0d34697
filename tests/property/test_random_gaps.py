"""The partition of inter-token gaps on random programs: what holds for every gap, however the run is carried out."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from math import isclose
from typing import Any

import pytest

import serq
from serq.ir.nodes import Ir
from serq.kernel import simulate
from serq.kernel.recording import GapRecords, KeptGaps, Recording
from serq.results.report import Report
from tests.random_programs import Program, generate
from tests.random_programs.pool import Worker

PROFILES = ("engine", "prefix-engine", "queues")
PROGRAMS = 40
UNCOMPILED = 8

STALLS = (
    "stall gc (~bernoulli(0.2) * ~uniform(0.01, 0.5));",
    "stall tok (0.01 * batch.decoding);",
    "stall graph (batch.decoding > 2 ? 0.25 : 0);",
)


def stalled(profile: str, seed: int) -> Program:
    """A random program, with stalls in its engines and before its prefills for two seeds of three."""
    program = generate(profile, seed)
    if seed % 3 == 0:
        return program
    rng = random.Random(f"stalls/{profile}/{seed}")
    clauses = " ".join(rng.sample(STALLS, rng.randint(1, len(STALLS))))
    text = program.text.replace("execute (", f"{clauses}\nexecute (")
    if profile != "queues" and rng.random() < 0.5:
        text = text.replace("prefill (", "stall tok (0.02 * prompt);\nprefill (", 1)
    return Program(text, program.settings)


def compiled(profile: str, seed: int) -> serq.Program | None:
    program = stalled(profile, seed)
    try:
        return serq.compile(source=program.text, **program.settings)
    except serq.SerqError:
        return None


def programs(profile: str) -> Iterator[tuple[int, serq.Program, Recording]]:
    """Those that run, with their divided recording."""
    for seed in range(PROGRAMS):
        program = compiled(profile, seed)
        recording = program and attempt(program.ir, divide_gaps=True)
        if program and recording:
            yield seed, program, recording


def attempt(ir: Ir, **switches: Any) -> Recording | None:
    try:
        return simulate(ir, **switches)
    except serq.SerqError:
        return None


def figures(recording: Recording, program: serq.Program) -> str:
    return Report._of_recording(recording, program.provenance).json()


def counts(gaps: GapRecords | None) -> list[Any]:
    """What must agree to the last bit: of each bucket the gaps and their causes."""
    assert gaps is not None
    return [
        (engine.name, engine.index, b.number, b.count, b.least, b.greatest, b.causes, b.edge, b.above)
        for engine in gaps.engines
        for b in engine.buckets
    ]


def sums(gaps: GapRecords | None) -> list[float]:
    """What is added up in another order."""
    assert gaps is not None
    values = []
    for engine in gaps.engines:
        values += engine.context
        for b in engine.buckets:
            values += [b.total, *b.parts]
    return values


def same(one: Recording, other: Recording) -> None:
    assert counts(one.gaps) == counts(other.gaps)
    for a, b in zip(sums(one.gaps), sums(other.gaps), strict=True):
        assert isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize("profile", PROFILES)
def test_no_figure_changes(profile: str) -> None:
    """A run whose gaps are divided, or kept, reports what it does without, to the last byte."""
    tried = 0
    for seed, program, divided in programs(profile):
        usual = figures(simulate(program.ir), program)
        assert figures(divided, program) == usual, (profile, seed)
        assert figures(simulate(program.ir, keep=lambda _: None), program) == usual, (profile, seed)
        tried += 1
    assert tried > PROGRAMS / 2


@pytest.mark.parametrize("profile", PROFILES)
def test_ways_agree(profile: str) -> None:
    """Fast-forward and the fleet divide gaps as stepping does, and stepping as visiting every request does."""
    for seed, program, divided in programs(profile):
        for switches in ({"fast_forward": False}, {"fast_forward": False, "fleet": False}, {"checked": True}):
            try:
                same(simulate(program.ir, divide_gaps=True, **switches), divided)  # type: ignore[arg-type]
            except AssertionError as error:
                raise AssertionError(f"{profile}, {seed}, {switches}") from error


@pytest.mark.parametrize("profile", PROFILES)
def test_every_gap(profile: str) -> None:
    """A gap's parts are not negative and sum to it, and all kept gaps together are what the buckets hold."""
    n_gaps = 0
    for seed, program, divided in programs(profile):
        assert divided.gaps is not None
        assert divided.gaps.error <= 1e-12, (profile, seed)
        kept: list[KeptGaps] = []
        same(simulate(program.ir, keep=kept.append), divided)
        for chunk in kept:
            n_gaps += len(chunk.gaps)
            assert all(a <= b for a, b in pairwise(chunk.times))
            for row, gap in enumerate(chunk.gaps):
                parts = [part[row] for part in chunk.parts]
                assert abs(sum(parts) - gap) <= 1e-12 * gap, (profile, seed)
                assert min(parts) >= -1e-12 * gap, (profile, seed, parts)
        for number, stage in enumerate(program.ir.stages):
            total = sum(gap for c in kept for gap, engine in zip(c.gaps, c.engines, strict=True) if engine == number)
            held = [e for e in divided.gaps.engines if (e.name, e.index) == (stage.name, stage.index)]
            assert isclose(total, sum(b.total for e in held for b in e.buckets), rel_tol=1e-9)
    assert n_gaps > 20 * PROGRAMS


@pytest.mark.parametrize("profile", PROFILES)
def test_unknown_to_the_run(profile: str) -> None:
    """Removing a stall that the program declares and that never takes time changes nothing; neither does adding it."""
    for seed in range(PROGRAMS):
        program = stalled(profile, seed)
        text = program.text.replace("execute (", "stall never (0 * ~exp(1));\nexecute (")
        try:
            plain, idle = (serq.compile(source=t, **program.settings) for t in (program.text, text))
        except serq.SerqError:
            continue
        usual = attempt(plain.ir)
        if usual is None:
            continue
        expected = figures(usual, plain)
        for switches in ({}, {"without": ["never"]}):
            assert figures(simulate(idle.ir, **switches), plain) == expected, (profile, seed)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def sources() -> Iterator[Worker]:
    with Worker("serq", uncompiled=True) as worker:
        yield worker


@pytest.mark.parametrize("profile", PROFILES)
def test_uncompiled_agrees(profile: str, sources: Worker) -> None:
    """The kernel's sources divide gaps to the same bits as its compiled modules."""
    tried = 0
    for seed, program, divided in programs(profile):
        if tried == UNCOMPILED:
            break
        given = stalled(profile, seed)
        answer = sources.ask({"text": given.text, "settings": given.settings, "divide_gaps": True}, limit=60)
        assert answer["report"] == figures(divided, program), (profile, seed)
        assert answer["gaps"] == repr(divided.gaps), (profile, seed)
        tried += 1
    assert tried == UNCOMPILED
