"""What a run of the engine cost, as parameters of a simulated one (examples/nano.sq).

In: logs of the demonstrator engine. Out: `Parameters`, and the arrival trace as a program replays it. Times are without
the collector's pauses, which have parameters of their own. They are fitted on relative errors, so that a small
iteration counts as much as a large one, and then scaled to the time that all took together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from serq.diagnostics import Diagnostic, SerqError
from serq.stalls.log import EAGER, Log

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

BLOCK = 16
"""Tokens of a KV block."""

TOK, SWAP, PREFILL, DECODE = range(4)
FULL = 2
"""The collector's oldest generation."""


class Parameters(NamedTuple):
    """Seconds, and what they are multiplied with. Those that the logs cannot tell are NaN.

    Attributes:
        call, row, context: of a captured decode: each call, each row it is padded to, each token of KV it reads.
        alone_row, alone_context: of a decode without a graph: each request, each token of KV.
        chunk, prompt_token: of prefills: each iteration that has one, each token.
        tokenize: each character of a prompt, on the loop.
        swap: a copy of a request's blocks, out or in.
        loop, loop_row: what is left of an iteration: each, and each decode in it.
        young: the collector's younger generations, each token.
        full_rate: collections of the oldest generation, each token.
        full_pause: how long one takes.
    """

    call: float
    row: float
    context: float
    alone_row: float
    alone_context: float
    chunk: float
    prompt_token: float
    tokenize: float
    swap: float
    loop: float
    loop_row: float
    young: float
    full_rate: float
    full_pause: float


class Steps(NamedTuple):
    """Iterations, of one or several logs; shape (n,) each, `seconds` (n, 4) by kind of segment.

    Attributes:
        rest: what no segment and no pause covers, seconds.
        kv: tokens of KV that the decodes read, in whole blocks.
    """

    seconds: FloatArray
    rest: FloatArray
    decodes: FloatArray
    prompt_tokens: FloatArray
    graph: FloatArray
    kv: FloatArray


def parameters(logs: Sequence[Log]) -> Parameters:
    """The parameters that the logs show.

    Raises:
        SerqError: there is no captured decode or no prefill in them.
    """
    steps = Steps(*(np.concatenate(parts) for parts in zip(*map(steps_of, logs), strict=True)))
    decode, prefill = steps.seconds[:, DECODE], steps.seconds[:, PREFILL]
    captured = (steps.graph > EAGER) & (decode > 0)
    alone, chunks = (steps.graph == EAGER) & (decode > 0), prefill > 0
    if captured.sum() < 3 or chunks.sum() < 2:
        message = "the logs have too few captured decodes, or too few prefills, to tell what they cost"
        raise SerqError(Diagnostic("stall log", message, hint="record a run of some seconds"))
    call, row, context = fit(decode[captured], np.ones(captured.sum()), steps.graph[captured], steps.kv[captured])
    alone_row, alone_context = fit(decode[alone], steps.decodes[alone], steps.kv[alone])
    chunk, prompt_token = fit(prefill[chunks], np.ones(chunks.sum()), steps.prompt_tokens[chunks])
    loop, loop_row = fit(np.maximum(steps.rest, 1e-6), np.ones(len(steps.rest)), steps.decodes)
    n_tokens = sum(len(log.emissions) for log in logs)
    young, full = pauses(logs)
    swaps = np.concatenate([free_of_pauses(log)[log.segs[:, 1] == SWAP] for log in logs])
    return Parameters(
        call=call,
        row=row,
        context=context,
        alone_row=alone_row,
        alone_context=alone_context,
        chunk=chunk,
        prompt_token=prompt_token,
        tokenize=float(steps.seconds[:, TOK].sum() / sum(log.trace[:, 2].sum() for log in logs)),
        swap=float(swaps.mean()) if len(swaps) else float("nan"),
        loop=loop,
        loop_row=loop_row,
        young=float(young.sum()) / n_tokens,
        full_rate=len(full) / n_tokens,
        full_pause=float(full.mean()) if len(full) else 0.0,
    )


def fit(seconds: FloatArray, *features: FloatArray) -> tuple[float, ...]:
    """Factors of the features, none negative, with the least relative errors and the right sum; NaN without rows."""
    if len(seconds) < len(features):
        return (float("nan"),) * len(features)
    table = np.column_stack(features) / seconds[:, np.newaxis]
    table /= (scale := np.maximum(np.abs(table).max(axis=0), 1e-300))
    kept = list(range(len(features)))
    found = np.zeros(len(features))
    while kept:
        factors, *_ = np.linalg.lstsq(table[:, kept], np.ones(len(seconds)), rcond=None)
        if factors.min() >= 0:
            found[kept] = factors
            break
        # A factor below 0 explains nothing: without it.
        del kept[int(factors.argmin())]
    # Least relative errors favour the small; scaled, so that the sum over the rows is what was measured.
    total = float((table @ found * seconds).sum())
    found *= float(seconds.sum()) / total if total > 0 else 0.0
    return tuple(float(factor) for factor in found / scale)


def steps_of(log: Log) -> Steps:
    """The iterations of a log."""
    n = len(log.steps)
    step, kind = log.segs[:, 0].astype(int), log.segs[:, 1].astype(int)
    seconds = np.zeros((n, 4))
    np.add.at(seconds, (step, kind), free_of_pauses(log))
    whole = log.steps[:, 1] - log.steps[:, 0] - paused(log, log.steps[:, 0], log.steps[:, 1])
    return Steps(
        seconds=seconds,
        rest=whole - seconds.sum(axis=1),
        decodes=log.steps[:, 2],
        prompt_tokens=log.steps[:, 3],
        graph=log.steps[:, 4],
        kv=kv_read(log),
    )


def free_of_pauses(log: Log) -> FloatArray:
    """Seconds of each segment without the collector's pauses, shape (n_segs,)."""
    segs = log.segs
    result: FloatArray = segs[:, 3] - segs[:, 2] - paused(log, segs[:, 2], segs[:, 3])
    return result


def paused(log: Log, start: FloatArray, end: FloatArray) -> FloatArray:
    """Seconds of the collector's pauses in each span; pauses that overlap count once."""
    gcs = log.gcs[np.argsort(log.gcs[:, 0], kind="stable")]
    if not len(gcs):
        return np.zeros(len(start))
    begin = np.maximum(gcs[:, 0], np.concatenate([[-np.inf], np.maximum.accumulate(gcs[:-1, 1])]))
    length = np.maximum(gcs[:, 1] - begin, 0.0)
    before = np.concatenate([[0.0], np.cumsum(length)])

    def until(time: FloatArray) -> FloatArray:
        place = np.searchsorted(begin, time, side="right")
        last = np.maximum(place - 1, 0)
        inside = np.clip(time - begin[last], 0.0, length[last])
        return np.where(place > 0, before[last] + inside, 0.0)

    result: FloatArray = until(end) - until(start)
    return result


def kv_read(log: Log) -> FloatArray:
    """Tokens of KV that each iteration's decodes hold, in whole blocks; shape (n_steps,)."""
    order = np.lexsort((log.emissions[:, 1], log.emissions[:, 0]))
    request, step = log.emissions[order, 0], log.emissions[order, 2].astype(int)
    place = np.arange(len(request))
    first = np.r_[True, request[1:] != request[:-1]] if len(request) else np.zeros(0, bool)
    made = place - np.maximum.accumulate(np.where(first, place, 0))
    rows = np.argsort(log.requests[:, 0], kind="stable")
    prompt = log.requests[rows[np.searchsorted(log.requests[rows, 0], request)], 2]
    decodes = made > 0
    kv = np.zeros(len(log.steps))
    np.add.at(kv, step[decodes], np.ceil((prompt + made)[decodes] / BLOCK) * BLOCK)
    return kv


def pauses(logs: Sequence[Log]) -> tuple[FloatArray, FloatArray]:
    """Seconds of each pause in serving: of younger generations, of the oldest."""
    found = [log.gcs[log.gcs[:, 0] >= log.steps[0, 0]] for log in logs if len(log.steps)]
    gcs = np.concatenate(found) if found else np.zeros((0, 3))
    length = gcs[:, 1] - gcs[:, 0]
    return length[gcs[:, 2] < FULL], length[gcs[:, 2] >= FULL]


def merged(found: Parameters, other: Parameters) -> Parameters:
    """`found`, with what it cannot tell taken from `other`."""
    return Parameters(*(b if np.isnan(a) else a for a, b in zip(found, other, strict=True)))


def instance_text(found: Parameters, source: str) -> str:
    """An instance file (`serq run --instance`) with the parameters that are known."""
    lines = [f"// Parameters of {source}; seconds."]
    lines += [f"let {name} = {value:.4g};" for name, value in found._asdict().items() if not np.isnan(value)]
    return "\n".join(lines) + "\n"


def trace_lines(log: Log) -> Iterator[str]:
    """The requests of a log as a trace of sessions: a row that says when one comes, a row that says what it asks for.

    Columns `session,turn,new,out,think,forced`: the first row has its arrival as `think`, the second its prompt and
    output in tokens and, as `forced`, the characters of its prompt. Requests that the engine never took in are left
    out.
    """
    prompt = dict(zip(log.requests[:, 0].tolist(), log.requests[:, 2].tolist(), strict=True))
    yield "# A request: when it comes (think, seconds); its prompt and output, tokens, and its characters (forced).\n"
    yield "session,turn,new,out,think,forced\n"
    for session, (request, arrival, characters, output) in enumerate(log.trace.tolist()):
        if request in prompt:
            yield f"{session},0,0,0,{arrival:.6f},0\n"
            yield f"{session},1,{prompt[request]:.0f},{output:.0f},0,{characters:.0f}\n"
