"""Small programs whose gaps can be computed by hand, and a way to see every gap of a run.

An iteration of their engine lasts a second, and another for each token that it prefills:
`execute (1 + batch.prefilled)`. So of each iteration one second is the kernel's and the rest the prefills'.
"""

from __future__ import annotations

from typing import NamedTuple

import serq
from serq.kernel import simulate
from serq.kernel.extract import GAP_LABELS
from serq.kernel.recording import KeptGaps, Recording

ADVANCE = "advance running; admit waiting while (running.preempted == 0) taking reqs (1), kv (p);"


class Gap(NamedTuple):
    """Whose gap, when it ended, and its parts that are not 0."""

    session: int
    end: float
    parts: dict[str, float]


def text(
    *,
    sessions: int = 1,
    prompt: str = "1",
    decodes: str = "3",
    late: str = "0",
    kv: str = "100",
    pool: str = "preempt lifo;",
    budget: str = "100",
    body: str = "prefill (p) growing kv; decode (d) growing kv;",
    schedule: str = ADVANCE,
    execute: str = "1 + batch.prefilled",
    engine: str = "",
    server: str = "llm (p, d);",
) -> str:
    """A program of `sessions` sessions, each with one request that is made `late` seconds after the start."""
    return f"""
fn main() {{
  device gpu {{ kv cap {kv}; }}
  pool kv on gpu {{ block 1; {pool} }}
  engine llm on gpu {{
    reqs cap 8;
    tokens cap {budget};
    request (p, d) {{ {body} }}
    schedule {{ {schedule} }}
    execute ({execute});
    {engine}
  }}
  pool reqs on llm {{ }}
  stage link : delay;
  workload {{ arrive batch({sessions}); turn {{ set p = {prompt}; set d = {decodes}; set l = {late}; }} }}
  server {{ run link (cost(link, l)); {server} }}
}}
"""


def recorded(program: str, horizon: float = 100, **options: object) -> tuple[Recording, list[KeptGaps]]:
    """The recording of a run, and what it kept."""
    kept: list[KeptGaps] = []
    ir = serq.compile(source=program, horizon=horizon).ir
    return simulate(ir, keep=kept.append, **{"checked": True, **options}), kept  # type: ignore[arg-type]


def gaps(program: str, horizon: float = 100, **options: object) -> list[Gap]:
    """Every gap of a run, in order of session and time."""
    recording, kept = recorded(program, horizon, **options)
    assert recording.gaps is not None
    labels = recording.gaps.labels
    assert labels[: len(GAP_LABELS)] == GAP_LABELS
    rows = []
    for chunk in kept:
        for i, session in enumerate(chunk.sessions):
            parts = {label: part[i] for label, part in zip(labels, chunk.parts, strict=True) if part[i]}
            rows.append(Gap(session, chunk.times[i], parts))
            assert sum(parts.values()) == chunk.gaps[i]
    return sorted(rows, key=lambda gap: gap[:2])


def together(program: str, horizon: float = 100) -> dict[str, float]:
    """The parts of all gaps, those that are not 0, from a run that carries decodes out the fast way."""
    found = simulate(serq.compile(source=program, horizon=horizon).ir, divide_gaps=True).gaps
    assert found is not None
    buckets = [bucket for engine in found.engines for bucket in engine.buckets]
    sums = [sum(bucket.parts[i] for bucket in buckets) for i in range(len(found.labels))]
    return {label: total for label, total in zip(found.labels, sums, strict=True) if total}
