"""Logs in JSON Lines: the events, what is counted from them, and what is said of lines that are none."""

from __future__ import annotations

import gc
import io
import json
import random
import re
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from serq.diagnostics import SerqError
from serq.stalls.jsonl import EVENTS, read_jsonl
from serq.stalls.log import COLUMNS, KINDS, Log
from serq.stalls.recorder import Recorder
from tests.unit.stalls.logs import random_log

LINES = """\
{"config": {"rung": "r", "seed": 1}}
{"config": {"duration": 20}}
{"request": {"request": "a", "arrival": 0.0, "prompt": 64}}
{"segment": {"step": 0, "kind": "prefill", "t0": 0.0, "t1": 0.01}}
{"token": {"request": "a", "time": 0.01, "step": 0}}
{"step": {"t0": 0.0, "t1": 0.01, "decodes": 0, "prefill": 64}}

{"request": {"request": "b", "arrival": 0.005}}
{"eviction": {"request": "b", "time": 0.012}}
{"readmission": {"request": "b", "time": 0.014}}
{"eviction": {"request": "b", "time": 0.015, "readmitted": 0.016}}
{"eviction": {"request": "b", "time": 0.017}}
{"gc": {"t0": 0.001, "t1": 0.002, "generation": 2}}
{"gc": {"t0": 0.003, "t1": 0.004}}
{"tokens": {"requests": ["a", "a", "b"], "time": 0.02, "step": 1}}
{"step": {"t0": 0.01, "t1": 0.02, "decodes": 1, "graph": 4, "preempted": 1, "swapped_in": 2}}
{"step": {"t0": 0.02, "t1": 0.02, "decodes": 3}}
{"trace": {"request": "a", "arrival": 0.0, "characters": 200, "output": 3}}
{"wall": {"seconds": 0.5}}
"""


def read(text: str | bytes) -> Log:
    return read_jsonl(io.BytesIO(text if isinstance(text, bytes) else text.encode()), "x.jsonl")


def refusal(text: str | bytes) -> str:
    with pytest.raises(SerqError) as refused:
        read(text)
    said = str(refused.value)
    assert "\n" not in said
    return said.removeprefix("`x.jsonl`: ")


def test_events() -> None:
    """Every event lands in its table; names become numbers, and what is not told is counted or what is usual."""
    log = read(LINES)
    assert log.config == {"rung": "r", "seed": 1, "duration": 20}
    assert log.request_names == ("a", "b")
    assert log.steps.tolist() == [
        [0.0, 0.01, 0, 64, -1, 0, 0],
        [0.01, 0.02, 1, 0, 4, 1, 2],
        [0.02, 0.02, 3, 0, 0, 0, 0],
    ]
    assert log.segs.tolist() == [[0, 2, 0.0, 0.01]]
    assert log.gcs.tolist() == [[0.001, 0.002, 2], [0.003, 0.004, 0]]
    assert log.emissions.tolist() == [[0, 0.01, 0], [0, 0.02, 1], [0, 0.02, 1], [1, 0.02, 1]]
    np.testing.assert_equal(log.evictions, [[1, 0.012, 0.014], [1, 0.015, 0.016], [1, 0.017, np.nan]])
    assert log.requests.tolist() == [[0, 0.0, 64, 3, 0.01], [1, 0.005, 0, 1, 0.02]]
    assert log.trace.tolist() == [[0, 0.0, 200, 3]]
    assert log.wall == 0.5


def test_told_outputs() -> None:
    """Output and first token of a request may be told; one without tokens has none of either."""
    told = '{"request": {"request": 7, "arrival": 0.0, "output": 5, "first_token": 0.25}}'
    log = read(told + '\n{"request": {"request": 8, "arrival": 0.0, "output": null}}')
    np.testing.assert_equal(log.requests, [[7, 0, 0, 5, 0.25], [8, 0, 0, 0, np.nan]])


def test_empty() -> None:
    """A log in which nothing has happened yet is one."""
    log = read("")
    assert (len(log.steps), log.wall, log.rung) == (0, 0.0, None)


LINE = '{"gc": {"t0": 1, "t1": 2}}\n'
HAS = "it has request, time, readmitted"
BAD_LINES: list[tuple[str, str]] = [
    ("{", "it is no JSON: Expecting property name enclosed in double quotes: line 2 column 1 (char 2)"),
    ("[" * 5000, "it is no JSON: maximum recursion depth exceeded while decoding a JSON array from a unicode..."),
    ("[1]", 'an event is an object with one member, such as `{"gc": {"t0": 1.25, "t1": 1.5}}`'),
    ("{}", 'an event is an object with one member, such as `{"gc": {"t0": 1.25, "t1": 1.5}}`'),
    ('{"gc": {}, "wall": {}}', 'an event is an object with one member, such as `{"gc": {"t0": 1.25, "t1": 1.5}}`'),
    ('{"gk": {}}', f"there is no event `gk`; there are {', '.join(EVENTS)}"),
    ('{"gc": 5}', 'the value of `gc` is no object of fields, as in `{"gc": {"t0": 1.25, "t1": 1.5}}`'),
    ('{"gc": {"t0": 5}}', "`gc` has no field `t1`"),
    ('{"eviction": {"request": 5, "time": 1, "x": 2}}', f"`eviction` knows no field `x`; {HAS}"),
    ('{"gc": {"t0": "5", "t1": 6}}', '`t0` is "5", not a number'),
    ('{"gc": {"t0": true, "t1": 6}}', "`t0` is true, not a number"),
    ('{"gc": {"t0": 1' + "0" * 400 + ', "t1": 6}}', "`t0` is a number of 401 digits"),
    ('{"tokens": {"requests": 5, "time": 1, "step": 0}}', "`requests` is no list"),
    (
        '{"segment": {"step": 0, "kind": "tik", "t0": 0, "t1": 0}}',
        'there is no kind of segment "tik"; there are tok, swap, prefill, decode',
    ),
    (
        '{"segment": {"step": 0, "kind": [], "t0": 0, "t1": 0}}',
        "there is no kind of segment []; there are tok, swap, prefill, decode",
    ),
    ('{"readmission": {"request": 5, "time": 1}}', "the request is not evicted"),
    ('{"request": {"request": {}, "arrival": 0}}', "`request` is {}, not a number"),
]


@pytest.mark.parametrize(("line", "message"), BAD_LINES, ids=lambda value: value[:20])
def test_bad_lines(line: str, message: str) -> None:
    """A line that is no event is named by its number."""
    said = refusal(LINE + line + "\n" + LINE)
    assert said.startswith("line 2: ")
    if "recursion" in message:  # Python's own words, which change with its version
        assert said.startswith("line 2: it is no JSON: ")
    else:
        assert said == f"line 2: {message}"


def test_bad_sequences() -> None:
    """Events that contradict earlier ones."""
    evicted = '{"eviction": {"request": 5, "time": 1}}\n'
    assert refusal(evicted + evicted) == "line 2: the request is evicted already, since line 1"
    named = '{"eviction": {"request": "a", "time": 1}}\n'
    assert refusal(evicted + named) == "line 2: the request has the name 'a', while those before have numbers"
    assert refusal(named + evicted) == "line 2: the request 5 has no name, while those before have names"


def test_lies_are_told_by_line() -> None:
    """What only a check of the whole finds is named by line and by row."""
    assert refusal(LINES.replace('0.02, "step": 1', '0.03, "step": 1')) == (
        "line 15 (`emissions` row 1): its time (0.03 s) is outside of step 1 (0.01-0.02 s)"
    )
    assert refusal(LINES.replace('{"request": {"request": "b", "arrival": 0.005}}', "")) == (
        "line 15 (`emissions` row 3): request 1 is unknown: it is not in `requests`"
    )
    assert refusal(LINES + '{"gc": {"t0": null, "t1": 1}}') == "line 20 (`gcs` row 2): `t0` is nan"
    assert refusal('{"wall": {"seconds": null}}') == "`wall` is nan, not a number of seconds"


def test_damaged_files() -> None:
    """Damage anywhere is refused, or does not show."""
    rng, whole = random.Random(1), LINES.encode()
    for _ in range(500):
        damaged = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            damaged[rng.randrange(len(damaged))] = rng.choice((*b'{}[]",:0-9.eE\n x\xff', rng.randrange(256)))
        with suppress(SerqError):
            read(bytes(damaged[: rng.choice((len(damaged), rng.randrange(len(damaged))))]))


# ---------------------------------------------------------------- the recorder


def replayed(log: Log) -> str:
    """What a recorder writes when an engine does what the log says."""
    file = io.StringIO()
    recorder = Recorder(file, rung="r", seed=1)
    for request, arrival, prompt, _, _ in log.requests.tolist():
        recorder.request(int(request), arrival, int(prompt))
    for request, evicted, readmitted in log.evictions.tolist():
        recorder.evicted(int(request), evicted)
        if readmitted == readmitted:
            recorder.readmitted(int(request), readmitted)
    for t0, t1, generation in log.gcs.tolist():
        recorder.pause(t0, t1, int(generation))
    for i, (t0, t1, decodes, prefill, graph, preempted, swapped) in enumerate(log.steps.tolist()):
        for step, kind, begin, end in log.segs.tolist():
            if step == i:
                recorder.segment(KINDS[int(kind)], begin, end)
        for request, time, step in log.emissions.tolist():
            if step == i:
                recorder.tokens([int(request)], time)
        moved: dict[str, Any] = {"preempted": int(preempted), "swapped_in": int(swapped)}
        recorder.step(t0, t1, decodes=int(decodes), prefill=int(prefill), graph=int(graph), **moved)
    recorder.wall(log.wall)
    return file.getvalue()


@pytest.mark.parametrize("seed", [4, 7, 11])
def test_recorder(seed: int) -> None:
    """What is recorded is read as what happened."""
    log = random_log(seed)
    again = read(replayed(log))
    for table in ("steps", "segs", "gcs", "evictions"):
        np.testing.assert_array_equal(getattr(again, table), getattr(log, table))
    assert sorted(again.emissions.tolist()) == sorted(log.emissions.tolist())
    assert again.requests[:, :3].tolist() == log.requests[:, :3].tolist()
    assert (again.wall, dict(again.config)) == (log.wall, {"rung": "r", "seed": 1})
    assert set(COLUMNS) == {*again._fields} - {"wall", "config", "name", "request_names"}


def test_recorded_pauses() -> None:
    """Collections of the process are recorded with the event that follows them, by the author's clock."""
    file, now = io.StringIO(), iter(range(100))
    recorder = Recorder(file)
    watch = recorder.pauses(lambda: float(next(now)))
    gc.callbacks.append(watch)
    try:
        gc.collect()
    finally:
        gc.callbacks.remove(watch)
    assert file.getvalue() == ""
    recorder.wall(200.0)
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert lines == [{"gc": {"t0": 0.0, "t1": 1.0, "generation": 2}}, {"wall": {"seconds": 200.0}}]


def test_recorder_knows_its_kinds() -> None:
    """A segment of an unknown kind is the caller's mistake."""
    with pytest.raises(ValueError, match="no kind of segment `forward`"):
        Recorder(io.StringIO()).segment("forward", 0, 1)


def test_stopped_engine() -> None:
    """What an engine that stopped in the middle has written is a log up to its last whole iteration."""
    text = replayed(random_log(4))
    written = text[: len(text) * 2 // 3]
    assert refusal(written).startswith("line ")
    whole = re.match(r'(?s).*\n\{"step": [^\n]*\n', written)
    assert whole is not None
    assert 0 < len(read(whole[0]).steps) < len(random_log(4).steps)
