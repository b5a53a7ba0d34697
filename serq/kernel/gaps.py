"""The partition of inter-token gaps by cause, and the declared stalls that lengthen iterations.

Asked for (`sim.split`), every gap that `figures.record_gaps` counts is divided among labels (`codes.L_*`, then the
declared stalls), and each bucket of an engine's gaps keeps the sum of every label and the number of gaps by primary
cause. docs/stalls/simulated.md tells what each label means.

Steady decodes share their engine's iteration: one partition an iteration, whatever their number. Every other request
keeps what its current gap consists of so far (`ga_parts`, up to the time `ga_mark`). While it is on an engine without
being served it is not visited: each engine has a clock a label, the time that its iterations have spent on it, and the
request remembers the clocks' readings at its mark. A fraction of an iteration counts by time.

Lengths are differences of instants, which are exact; only their division among labels is rounded, and the rounding
falls to the label that takes the rest, so that the parts of a gap sum to the gap.
"""

import cython

if not cython.compiled:
    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.kept import keep_gap
    from serq.kernel.machine import MACHINE_AT, evaluate
    from serq.kernel.stages import note_engine
    from serq.kernel.state import Sim

    SCRATCH_AT = 0


# ---------------------------------------------------------------- declared stalls


def owe(sim: "Sim", agent: int, engine: int, label: int, x: int) -> None:
    """A request's `stall`: seconds that the engine's next iteration pays."""
    value = _seconds(sim, agent, engine, label, x, 1)
    if sim.fault or sim.removed[L_STALLS + label]:
        return
    sim.owed[engine * sim.n_stalls + label] += value
    sim.eg_owed[engine] += value
    note_engine(sim, engine)


def _seconds(sim: "Sim", agent: int, engine: int, label: int, x: int, kind: int) -> float:
    """The value of a stall's expression; what it draws comes from a stream of this stall on this engine."""
    streams = sim.streams
    sim.streams = sim.stall_streams
    value = evaluate(sim, agent, x, 28 * (1 + 2 * (engine * sim.n_stalls + label) + kind))
    sim.streams = streams
    if not (value >= 0.0 and value < sim.infinity) and not sim.fault:
        sim.fault = F_STALL
        sim.fault_value = value
        sim.fault_agent = engine
        sim.fault_count = label
    return value


def take_stalls(sim: "Sim", engine: int, planned: bool) -> float:
    """Seconds by which an iteration is longer: the engine's stalls, if it was planned, and what is owed."""
    n = sim.n_stalls
    total = 0.0
    for label in range(n):
        sim.taken[label] = sim.owed[engine * n + label]
        sim.owed[engine * n + label] = 0.0
    sim.eg_owed[engine] = 0.0
    if planned:
        for clause in range(sim.sc_first[engine], sim.sc_first[engine + 1]):
            label = sim.sc_label[clause]
            value = _seconds(sim, -1, engine, label, sim.sc_x[clause], 0)
            if not sim.removed[L_STALLS + label]:
                sim.taken[label] += value
    for label in range(n):
        total += sim.taken[label]
    return total


# ---------------------------------------------------------------- iterations


def keep_draws(sim: "Sim") -> None:
    """Before `execute` is read: let its second reading, without the prefills, draw the same."""
    for i in range(28):
        sim.stall_streams[SCRATCH_AT + i] = sim.streams[MACHINE_AT + i]


def without_prefills(sim: "Sim", engine: int, duration: float) -> float:
    """What `execute` gives for the batch without its prefills; at most `duration`. The context is left as it was."""
    r = sim.registers
    tokens = r[NTOK]
    prefilled = r[NPRE]
    attention = r[ATTN]
    memory = r[KVP]
    r[NTOK] = tokens - prefilled
    r[NPRE] = 0.0
    r[ATTN] = 0.0
    r[KVP] = 0.0
    streams = sim.streams
    sim.streams = sim.stall_streams
    kernel = evaluate(sim, -1, sim.eg_cost[engine], SCRATCH_AT)
    sim.streams = streams
    r[NTOK] = tokens
    r[NPRE] = prefilled
    r[ATTN] = attention
    r[KVP] = memory
    if not kernel > 0.0:
        return 0.0
    return kernel if kernel < duration else duration


def begin_split(sim: "Sim", engine: int, kernel: float, duration: float, stalls: float, empty: bool) -> None:
    """Note what the iteration that begins consists of: `duration` without its stalls, of which `kernel` is decoding."""
    rest_clock(sim, engine)
    base = engine * sim.n_labels
    for label in range(sim.n_labels):
        sim.it_parts[base + label] = 0.0
    if empty:
        sim.it_parts[base + L_PREEMPT] = duration
    else:
        sim.it_parts[base + L_KERNEL] = kernel
        sim.it_parts[base + L_PREFILL] = duration - kernel
    if stalls > 0.0:
        for label in range(sim.n_stalls):
            sim.it_parts[base + L_STALLS + label] = sim.taken[label]
    sim.it_start[engine] = sim.now
    sim.it_lasts[engine] = duration + stalls


def rest_clock(sim: "Sim", engine: int) -> None:
    """Let an idle engine's clock of standing still come up to now."""
    sim.clock[engine * sim.n_labels + L_BLOCKED] += sim.now - sim.clock_time[engine]
    sim.clock_time[engine] = sim.now


def end_split(sim: "Sim", engine: int) -> None:
    """Divide the iteration that ends now among the requests of its batch that are visited, and move the clocks on."""
    base = engine * sim.n_labels
    # The end was rounded; the greatest part that is not declared takes the difference.
    rest = sim.now - sim.it_start[engine]
    for label in range(sim.n_labels):
        if label != L_KERNEL:
            rest -= sim.it_parts[base + label]
    if sim.it_parts[base + L_PREEMPT] > 0.0:
        sim.it_parts[base + L_PREEMPT] += rest
    elif rest < 0.0 or sim.it_parts[base + L_KERNEL] == 0.0:
        sim.it_parts[base + L_KERNEL] = 0.0
        sim.it_parts[base + L_PREFILL] += rest
    else:
        sim.it_parts[base + L_KERNEL] = rest
    job = sim.eg_batch_first[engine]
    while job >= 0:
        agent = sim.j_agent[job]
        if sim.ga_mark[agent] < sim.it_start[engine]:
            _settle_running(sim, agent, sim.it_start[engine])
        own = agent * sim.n_labels
        kernel = sim.it_parts[base + L_KERNEL]
        prefill = sim.it_parts[base + L_PREFILL]
        if sim.j_mode[job] == DECODE:
            sim.ga_parts[own + L_KERNEL] += kernel
            sim.ga_parts[own + L_PREFILL] += prefill
        elif sim.ga_again[agent]:
            sim.ga_parts[own + L_RECOMPUTE] += kernel + prefill
        else:
            sim.ga_parts[own + L_PREFILL] += kernel + prefill
        for label in range(L_STALLS, sim.n_labels):
            sim.ga_parts[own + label] += sim.it_parts[base + label]
        sim.ga_mark[agent] = sim.now
        job = sim.j_batch_next[job]
    for label in range(sim.n_labels):
        sim.clock[base + label] += sim.it_parts[base + label]
    sim.clock_time[engine] = sim.now
    job = sim.eg_batch_first[engine]
    while job >= 0:
        _note_clock(sim, sim.j_agent[job], engine)
        job = sim.j_batch_next[job]


def glide_split(sim: "Sim", engine: int, start: float, duration: float, begun: bool) -> None:
    """After a stretch of decodes from `start` to now: its time is the kernel's, and so is the iteration begun."""
    base = engine * sim.n_labels
    sim.clock[base + L_KERNEL] += sim.now - start
    sim.clock_time[engine] = sim.now
    if begun:
        begin_split(sim, engine, duration, duration, 0.0, False)


# ---------------------------------------------------------------- requests


def move_gap(sim: "Sim", agent: int, state: int, engine: int) -> None:
    """From now on a request runs on an engine (G_RUNNING), waits preempted (G_PREEMPTED), or is elsewhere (G_AWAY)."""
    was = sim.ga_state[agent]
    length = sim.now - sim.ga_mark[agent]
    own = agent * sim.n_labels
    if was == G_RUNNING:
        _settle_running(sim, agent, sim.now)
    elif was == G_PREEMPTED:
        sim.ga_parts[own + L_PREEMPT] += length
        _add_context(sim, agent, length)
    else:
        sim.ga_parts[own + L_AWAY] += length
    sim.ga_mark[agent] = sim.now
    sim.ga_state[agent] = state
    if state == G_PREEMPTED:
        sim.ga_again[agent] = 1
    if state != G_AWAY:
        sim.ga_engine[agent] = engine
        _note_clock(sim, agent, engine)


def new_gap(sim: "Sim", agent: int, engine: int) -> None:
    """A request's token: its next gap begins."""
    own = agent * sim.n_labels
    for label in range(sim.n_labels):
        sim.ga_parts[own + label] = 0.0
    sim.ga_mark[agent] = sim.now
    sim.ga_again[agent] = 0
    sim.ga_apart[agent] = 0
    sim.ga_state[agent] = G_RUNNING
    sim.ga_engine[agent] = engine
    _note_clock(sim, agent, engine)


def gap_of_fleet(sim: "Sim", agent: int, engine: int) -> None:
    """A run that the fleet served: its gap began with the engine's last iteration's end."""
    now = sim.now
    sim.now = sim.eg_last_end[engine]
    own = agent * sim.n_labels
    for label in range(sim.n_labels):
        sim.ga_parts[own + label] = 0.0
        sim.ga_clock[own + label] = sim.clock[engine * sim.n_labels + label]
    if sim.eg_busy[engine]:
        # What the engine stood idle since is on its clock already.
        sim.ga_clock[own + L_BLOCKED] -= sim.it_start[engine] - sim.now
    sim.ga_mark[agent] = sim.now
    sim.ga_again[agent] = 0
    sim.ga_apart[agent] = 0
    sim.ga_state[agent] = G_RUNNING
    sim.ga_engine[agent] = engine
    sim.now = now


def _read_clock(sim: "Sim", engine: int, label: int, until: float) -> float:
    """An engine's clock of a label at an instant that is not before the last iteration's end."""
    at = engine * sim.n_labels + label
    value = sim.clock[at]
    if sim.eg_busy[engine]:
        if until > sim.it_start[engine]:
            value += sim.it_parts[at] * ((until - sim.it_start[engine]) / sim.it_lasts[engine])
    elif label == L_BLOCKED:
        value += until - sim.clock_time[engine]
    return value


def _note_clock(sim: "Sim", agent: int, engine: int) -> None:
    own = agent * sim.n_labels
    for label in range(sim.n_labels):
        sim.ga_clock[own + label] = _read_clock(sim, engine, label, sim.now)


def _settle_running(sim: "Sim", agent: int, until: float) -> None:
    """Divide the time since a running request's mark, in which it got no token."""
    length = until - sim.ga_mark[agent]
    if not length > 0.0:
        return
    own = agent * sim.n_labels
    engine = sim.ga_engine[agent]
    rest = length
    largest = L_PREFILL
    most = 0.0
    for label in range(sim.n_labels):
        if label != L_KERNEL and label != L_UNSERVED:
            part = _read_clock(sim, engine, label, until) - sim.ga_clock[own + label]
            if part > 0.0:
                sim.ga_parts[own + label] += part
                rest -= part
                if part > most:
                    most = part
                    largest = label
    if rest < 0.0:
        sim.ga_parts[own + largest] += rest
    else:
        sim.ga_parts[own + L_UNSERVED] += rest


def _add_context(sim: "Sim", agent: int, length: float) -> None:
    """What the engine did while a request waited preempted; the time in which it stood still is left."""
    own = agent * sim.n_labels
    engine = sim.ga_engine[agent]
    if engine < 0 or not sim.warm:
        return
    for label in range(sim.n_labels):
        part = _read_clock(sim, engine, label, sim.now) - sim.ga_clock[own + label]
        if part > 0.0:
            sim.context[engine * sim.n_labels + label] += part


# ---------------------------------------------------------------- records


def record_steady(sim: "Sim", engine: int, gap: float, count: int) -> None:
    """Count the gap that `count` steady decodes share, by its parts; `record_gaps` has found its bucket."""
    if count == 0:
        return
    base = engine * sim.n_labels
    rest = gap
    for label in range(sim.n_labels):
        part = sim.it_parts[base + label]
        if label == L_BLOCKED:
            part = sim.it_start[engine] - sim.eg_last_end[engine]
        sim.gap_parts[label] = part
        if label != L_KERNEL:
            rest -= part
    if rest < 0.0:
        sim.gap_parts[L_PREFILL] += rest
        rest = 0.0
    sim.gap_parts[L_KERNEL] = rest
    sim.steady_cause = _record(sim, engine, gap, count)
    if sim.keep:
        for label in range(sim.n_labels):
            sim.steady_parts[label] = sim.gap_parts[label]


def note_apart(sim: "Sim", job: int) -> bool:
    """Whether a steady decode was elsewhere since its last token while its engine stood still; noted for `_emit`."""
    agent = sim.j_agent[job]
    sim.ga_apart[agent] = 1 if was_apart(sim, agent, sim.j_stage[job]) else 0
    return sim.ga_apart[agent] != 0


def was_apart(sim: "Sim", agent: int, engine: int) -> bool:
    """Its mark is where it came back; of those who stayed it is where the engine's last iteration ended."""
    return sim.ga_mark[agent] > sim.eg_last_end[engine]


def record_apart(sim: "Sim", engine: int) -> None:
    """Count the gaps of those steady decodes that do not share the others' parts; `record_gaps` has counted them."""
    job = sim.eg_batch_first[engine]
    while job >= 0:
        if sim.j_mode[job] == DECODE and sim.ga_apart[sim.j_agent[job]]:
            record_own(sim, engine, sim.j_agent[job], sim.now - sim.eg_last_end[engine])
        job = sim.j_batch_next[job]


def record_own(sim: "Sim", engine: int, agent: int, gap: float) -> None:
    """Count a request's own gap by its parts."""
    own = agent * sim.n_labels
    for label in range(sim.n_labels):
        sim.gap_parts[label] = sim.ga_parts[own + label]
    cause = _record(sim, engine, gap, 1)
    if sim.keep:
        keep_gap(sim, engine, agent, gap, cause, False)


def record_kernel(sim: "Sim", bucket: int, total: float, count: int, above: int) -> None:
    """Count gaps of a stretch of decodes, which are the kernel's alone.

    `total` is their sum, `above` the number of those that are not below the bucket's edge.
    """
    base = bucket * sim.n_labels
    sim.b_parts[base + L_KERNEL] += total
    sim.b_sum[bucket] += total
    sim.b_cause[base + L_KERNEL] += count
    sim.b_above[base + L_KERNEL] += above


def _record(sim: "Sim", engine: int, gap: float, count: int) -> int:
    """Count gaps that are divided as `gap_parts` says; their primary cause."""
    bucket = sim.eg_bucket[engine]
    base = bucket * sim.n_labels
    total = 0.0
    cause = L_KERNEL
    most = 0.0
    for label in range(sim.n_labels):
        part = sim.gap_parts[label]
        total += part
        sim.b_parts[base + label] += part * count
        if label != L_KERNEL and part > most:
            most = part
            cause = label
    if most < 0.001 or most < 0.25 * gap:
        cause = L_KERNEL
    sim.b_cause[base + cause] += count
    if gap >= sim.b_edge[bucket]:
        sim.b_above[base + cause] += count
    sim.b_sum[bucket] += gap * count
    off = total - gap if total > gap else gap - total
    if off > sim.split_error * gap:
        sim.split_error = off / gap
    return cause
