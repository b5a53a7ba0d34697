"""The parameters of a log whose costs are known are those costs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from serq.cli.instance import read_instance
from serq.diagnostics import SerqError
from serq.nano.parameters import Parameters, instance_text, merged, parameters, trace_lines
from serq.stalls import Log, make_log
from serq.trace import parse_trace

TRUE = Parameters(
    call=2e-4,
    row=9e-5,
    context=4e-7,
    alone_row=5e-4,
    alone_context=3e-7,
    chunk=1e-4,
    prompt_token=3e-5,
    tokenize=7e-7,
    swap=math.nan,
    loop=2e-5,
    loop_row=3e-6,
    young=0.0,
    full_rate=0.0,
    full_pause=0.0,
)
SIZES = (1, 2, 4, 8, 16, 24, 32)


def made(n_requests: int, prompt: int, output: int, pause: float = 0.0, seed: int = 1) -> Log:
    """A run in which requests join one by one, every cost as in `TRUE`; the collector pauses in each fifth decode."""
    rng = np.random.default_rng(seed)
    steps, segs, emissions, gcs = [], [], [], []
    lengths = [prompt + int(rng.integers(0, 100)) for _ in range(n_requests)]
    tokens = [0] * n_requests
    first = [math.nan] * n_requests
    characters = [4 * length for length in lengths]
    time, number = 0.0, 0
    while min(tokens) < output:
        step = len(steps)
        start = time
        decodes = [i for i in range(n_requests) if 0 < tokens[i] < output]
        joins = [number] if number < n_requests and step % 2 == 0 else []
        number += len(joins)
        for i in joins:
            segs.append((step, 0, time, time := time + TRUE.tokenize * characters[i]))
            segs.append((step, 2, time, time := time + TRUE.chunk + TRUE.prompt_token * lengths[i]))
        n = len(decodes)
        graph = -1 if n == 0 else next((size for size in SIZES if size >= n), 0)
        if n:
            kv = sum(16 * math.ceil((lengths[i] + tokens[i]) / 16) for i in decodes)
            alone = TRUE.alone_row * n + TRUE.alone_context * kv
            began = time
            time += TRUE.call + TRUE.row * graph + TRUE.context * kv if graph else alone
            if pause and step % 5 == 0:
                gcs.append((began, began + pause, 2))
                time += pause
            segs.append((step, 3, began, time))
        for i in decodes + joins:
            first[i] = time if i in joins else first[i]
            emissions.append((i, time, step))
            tokens[i] += 1
        time += TRUE.loop + TRUE.loop_row * n
        steps.append((start, time, n, sum(lengths[i] for i in joins), graph, 0, 0))
    return make_log(
        steps=steps,
        segs=segs,
        emissions=emissions,
        gcs=gcs,
        requests=[(i, 0.0, lengths[i], output, first[i]) for i in range(n_requests)],
        trace=[(i, 0.0, characters[i], output) for i in range(n_requests)],
    )


@pytest.mark.parametrize("pause", [0.0, 0.1])
def test_known_costs(pause: float) -> None:
    """Costs come back, pauses or not; what a log cannot tell is NaN."""
    log = made(40, 50, 90, pause)
    found = parameters([log])
    for name, value in TRUE._asdict().items():
        if name in ("full_rate", "full_pause") and pause:
            continue
        assert getattr(found, name) == pytest.approx(value, rel=1e-6, abs=1e-12, nan_ok=True), name
    if pause:
        assert found.full_pause == pytest.approx(pause)
        assert found.full_rate == pytest.approx(len(log.gcs) / len(log.emissions))


def test_several_logs_count_together() -> None:
    """Two logs without any eager decode leave that cost open; another source fills it."""
    found = parameters([made(10, 50, 40, seed=1), made(8, 80, 30, seed=2)])
    assert found.row == pytest.approx(TRUE.row, rel=1e-6)
    assert math.isnan(found.alone_row)
    assert merged(found, TRUE).alone_row == TRUE.alone_row
    assert merged(found, TRUE).row == found.row


def test_no_cost_is_negative() -> None:
    """Noise does not make a cost negative."""
    log = made(40, 50, 60)
    noise = np.random.default_rng(3).uniform(0.5, 1.0, len(log.segs))
    segs = log.segs.copy()
    segs[:, 3] = segs[:, 2] + (segs[:, 3] - segs[:, 2]) * noise
    found = parameters([log._replace(segs=segs)])
    assert all(math.isnan(value) or value >= 0 for value in found)


def test_too_short_a_log() -> None:
    with pytest.raises(SerqError, match="too few captured decodes"):
        parameters([make_log(steps=[[0, 1, 0, 0, -1, 0, 0]], segs=[], emissions=[], requests=[])])


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """The instance file and the trace say what the log says, in serq's own formats."""
    log = made(12, 50, 40)
    found = parameters([log])
    path = f"{tmp_path}/nano.instance"
    with open(path, "w") as file:
        file.write(instance_text(found, "a log"))
    read = read_instance(path).arguments
    known = {name: value for name, value in found._asdict().items() if not math.isnan(value)}
    assert read == pytest.approx(known, rel=1e-3)
    sessions = parse_trace("".join(trace_lines(log)), "trace")
    assert len(sessions) == len(log.trace)
    for rows, request in zip(sessions, log.requests, strict=True):
        assert rows == [(0, 0, 0, 0), (request[2], request[3], 0, 4 * request[2])]
