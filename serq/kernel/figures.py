"""What a run adds up as it goes: time averages, running means, samples, inter-token gaps.

A signal's integral is advanced when its value changes; several changes at one instant leave no trace. Signal numbers:
0 live sessions; per stage the jobs and "at least one job"; per engine the four of its iterations; per pool units
used, units cached, queue length and distinct holders (`stage_signal`, `pool_signal`).
"""

import cython

if not cython.compiled:
    from math import log

    from serq.kernel.memory import more_doubles, more_longs
    from serq.kernel.numbers import floor_of, truncate
    from serq.kernel.recording import GAP_EDGES
    from serq.kernel.state import Sim

    N_EDGES = len(GAP_EDGES)


def set_signal(sim: "Sim", signal: int, value: float) -> None:
    """Let a signal have `value` from now on."""
    old = sim.g_value[signal]
    if value != old:
        sim.g_integral[signal] += old * (sim.now - sim.g_last[signal])
        sim.g_last[signal] = sim.now
        sim.g_value[signal] = value


def restart_signals(sim: "Sim") -> None:
    """At the end of the warm-up: forget what was integrated, keep the values."""
    for signal in range(sim.n_signals):
        sim.g_integral[signal] = 0.0
        sim.g_last[signal] = sim.now
    sim.g_start = sim.now


def record_sample(sim: "Sim", series: int, value: float, serial: int, turn: float) -> None:
    """Append a sample of an observation, or of a client figure (series behind the observations)."""
    at = sim.n_samples
    if at == sim.sample_room:
        new = 2 * at
        sim.s_series = more_longs(sim.s_series, at, new)
        sim.s_value = more_doubles(sim.s_value, at, new)
        sim.s_time = more_doubles(sim.s_time, at, new)
        sim.s_serial = more_longs(sim.s_serial, at, new)
        sim.s_turn = more_longs(sim.s_turn, at, new)
        sim.sample_room = new
    sim.s_series[at] = series
    sim.s_value[at] = value
    sim.s_time[at] = sim.now
    sim.s_serial[at] = serial
    sim.s_turn[at] = truncate(turn)
    sim.n_samples = at + 1


def _bucket(sim: "Sim", engine: int, x: float) -> int:
    """The record of the 1 % bucket that holds gap `x`, made if need be."""
    number = -(1 << 40)
    if x > 0.0:
        number = truncate(floor_of(log(x) / sim.log_ratio))
    mask = sim.bucket_slots - 1
    slot = ((engine * 7919) ^ (number * 40503)) & mask
    while True:
        record = sim.bucket_table[slot] - 1
        if record < 0:
            break
        if sim.b_engine[record] == engine and sim.b_number[record] == number:
            return record
        slot = (slot + 1) & mask
    record = sim.n_buckets
    if record == sim.bucket_room:
        _grow_buckets(sim)
        return _bucket(sim, engine, x)
    sim.n_buckets = record + 1
    sim.bucket_table[slot] = record + 1
    sim.b_engine[record] = engine
    sim.b_number[record] = number
    sim.b_count[record] = 0
    sim.b_least[record] = sim.infinity
    sim.b_greatest[record] = -sim.infinity
    if sim.split:
        sim.b_edge[record] = _edge_in(sim, number)
    return record


def _edge_in(sim: "Sim", number: int) -> float:
    """The edge of a histogram's bin that lies in a bucket; infinite if none does."""
    for i in range(N_EDGES):
        edge = sim.gap_edges[i]
        if truncate(floor_of(log(edge) / sim.log_ratio)) == number:
            return edge
    return sim.infinity


def _grow_buckets(sim: "Sim") -> None:
    old = sim.bucket_room
    new = 2 * old
    sim.b_engine = more_longs(sim.b_engine, old, new)
    if sim.split:
        sim.b_parts = more_doubles(sim.b_parts, old * sim.n_labels, new * sim.n_labels)
        sim.b_cause = more_longs(sim.b_cause, old * sim.n_labels, new * sim.n_labels)
        sim.b_above = more_longs(sim.b_above, old * sim.n_labels, new * sim.n_labels)
        sim.b_sum = more_doubles(sim.b_sum, old, new)
        sim.b_edge = more_doubles(sim.b_edge, old, new)
    sim.b_number = more_longs(sim.b_number, old, new)
    sim.b_count = more_longs(sim.b_count, old, new)
    sim.b_least = more_doubles(sim.b_least, old, new)
    sim.b_greatest = more_doubles(sim.b_greatest, old, new)
    sim.bucket_room = new
    sim.bucket_table = more_longs(sim.bucket_table, sim.bucket_slots, 4 * new)
    sim.bucket_slots = 4 * new
    mask = sim.bucket_slots - 1
    for slot in range(sim.bucket_slots):
        sim.bucket_table[slot] = 0
    for record in range(sim.n_buckets):
        slot = ((sim.b_engine[record] * 7919) ^ (sim.b_number[record] * 40503)) & mask
        while sim.bucket_table[slot] != 0:
            slot = (slot + 1) & mask
        sim.bucket_table[slot] = record + 1


def record_gaps(sim: "Sim", engine: int, x: float, count: int) -> None:
    """Count `count` inter-token gaps of `x` seconds on an engine.

    The bucket of the last gap is remembered: a gap between its least and its greatest so far needs no logarithm.
    """
    record = sim.eg_bucket[engine]
    if record < 0 or x < sim.b_least[record] or x > sim.b_greatest[record]:
        record = _bucket(sim, engine, x)
        sim.eg_bucket[engine] = record
        if x < sim.b_least[record]:
            sim.b_least[record] = x
        if x > sim.b_greatest[record]:
            sim.b_greatest[record] = x
    sim.b_count[record] += count
    sim.eg_gaps[engine] += count
    sim.eg_gap_sum[engine] += x * count
