"""Runs of an engine: who is running, and the fleet.

A running request is a job in its engine's list, in order of admission (ties: order of joining). Decodes of which every
iteration serves one token each form the engine's *fleet*: nothing of theirs is touched while that goes on. The engine
counts such iterations (`eg_ticks`), and a run's remaining work, its position and its turn's tokens follow from the
count since it joined. What will happen to it is known beforehand: the tick of its next block stands in a ring over
`tick mod block`, the tick of its last token in a ring over `tick mod 1024`. All other runs are *loose* and kept in a
list of their own.
"""

import cython

if not cython.compiled:
    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.figures import set_signal
    from serq.kernel.gaps import gap_of_fleet, move_gap, was_apart
    from serq.kernel.machine import allocated_in
    from serq.kernel.numbers import floor_of, truncate
    from serq.kernel.stages import new_job, note_engine
    from serq.kernel.state import Sim

    FINISH_SLOTS = 1024


# ---------------------------------------------------------------- joining and leaving


def join_run(sim: "Sim", engine: int, agent: int, mode: int, work: float, entry: int) -> int:
    """A prefill or decode of `work` tokens joins an engine, loose."""
    job = new_job(sim, engine, agent, work)
    sim.j_mode[job] = mode
    sim.j_entry[job] = entry
    sim.j_total[job] = work
    sim.j_base[job] = sim.e_pos[entry] if entry >= 0 else 0.0
    sim.j_started[job] = sim.now
    sim.j_batch[job] = 0
    sim.j_seen[job] = -1
    sim.j_stalled[job] = 0
    after = sim.st_last[engine]
    while after >= 0 and _earlier(sim, job, after):
        after = sim.j_previous[after]
    _insert(sim, job, after)
    _join_loose(sim, job)
    if sim.split:
        move_gap(sim, agent, G_RUNNING, engine)
    count_running(sim, engine, job, 1)
    return job


def _earlier(sim: "Sim", job: int, other: int) -> bool:
    """Whether a job comes before another: by admission, then by joining."""
    a = sim.a_admission[sim.j_agent[job]]
    b = sim.a_admission[sim.j_agent[other]]
    return a < b or (a == b and sim.j_stamp[job] < sim.j_stamp[other])


def _insert(sim: "Sim", job: int, after: int) -> None:
    engine = sim.j_stage[job]
    before = sim.j_next[after] if after >= 0 else sim.st_first[engine]
    sim.j_previous[job] = after
    sim.j_next[job] = before
    if after >= 0:
        sim.j_next[after] = job
    else:
        sim.st_first[engine] = job
    if before >= 0:
        sim.j_previous[before] = job
    else:
        sim.st_last[engine] = job


def leave_run(sim: "Sim", job: int) -> None:
    """Take a run off its engine; its row stays for the caller to free."""
    engine = sim.j_stage[job]
    if sim.j_fleet[job]:
        leave_fleet(sim, job)
    _leave_loose(sim, job)
    if sim.split:
        move_gap(sim, sim.j_agent[job], G_AWAY, engine)
    before = sim.j_previous[job]
    after = sim.j_next[job]
    if before >= 0:
        sim.j_next[before] = after
    else:
        sim.st_first[engine] = after
    if after >= 0:
        sim.j_previous[after] = before
    else:
        sim.st_last[engine] = before
    count_running(sim, engine, job, -1)


def count_running(sim: "Sim", engine: int, job: int, change: int) -> None:
    sim.st_jobs[engine] += change
    jobs = sim.st_jobs[engine]
    set_signal(sim, 1 + 2 * engine, jobs)
    set_signal(sim, 2 + 2 * engine, 1.0 if jobs > 0 else 0.0)
    note_engine(sim, engine)
    memory = sim.eg_memory[engine]
    held = allocated_in(sim, sim.j_agent[job], memory) if memory >= 0 else 0.0
    if sim.j_mode[job] == DECODE:
        sim.eg_decoding[engine] += change
        sim.eg_kv_decode[engine] += change * held
    else:
        sim.eg_kv_prefill[engine] += change * held
    sim.eg_stale[engine] = 1


def memory_changed(sim: "Sim", agent: int, pool: int, units: float) -> None:
    """An agent's allocation in a pool changed: if its run sits on the engine whose memory that is, so do the totals."""
    job = sim.a_job[agent]
    if job < 0 or sim.st_kind[sim.j_stage[job]] != K_ENGINE:
        return
    engine = sim.j_stage[job]
    if sim.eg_memory[engine] != pool:
        return
    if sim.j_mode[job] == DECODE:
        sim.eg_kv_decode[engine] += units
        if sim.j_fleet[job]:
            sim.eg_kv_fleet[engine] += units
    else:
        sim.eg_kv_prefill[engine] += units
    sim.eg_stale[engine] = 1


def _join_loose(sim: "Sim", job: int) -> None:
    engine = sim.j_stage[job]
    after = sim.eg_loose_last[engine]
    while after >= 0 and _earlier(sim, job, after):
        after = sim.j_loose_previous[after]
    before = sim.j_loose_next[after] if after >= 0 else sim.eg_loose_first[engine]
    sim.j_loose_previous[job] = after
    sim.j_loose_next[job] = before
    if after >= 0:
        sim.j_loose_next[after] = job
    else:
        sim.eg_loose_first[engine] = job
    if before >= 0:
        sim.j_loose_previous[before] = job
    else:
        sim.eg_loose_last[engine] = job


def _leave_loose(sim: "Sim", job: int) -> None:
    engine = sim.j_stage[job]
    before = sim.j_loose_previous[job]
    after = sim.j_loose_next[job]
    if before >= 0:
        sim.j_loose_next[before] = after
    else:
        sim.eg_loose_first[engine] = after
    if after >= 0:
        sim.j_loose_previous[after] = before
    else:
        sim.eg_loose_last[engine] = before


# ---------------------------------------------------------------- the fleet


def sync_run(sim: "Sim", job: int) -> None:
    """Bring a run of the fleet up to date with the ticks since it was last."""
    engine = sim.j_stage[job]
    ticks = sim.eg_ticks[engine] - sim.j_tick[job]
    if ticks == 0:
        return
    sim.j_tick[job] = sim.eg_ticks[engine]
    sim.j_work[job] -= ticks
    entry = sim.j_entry[job]
    if entry >= 0:
        sim.e_pos[entry] += ticks
        sim.h_grown[sim.e_hold[entry]] = 1
    agent = sim.j_agent[job]
    sim.turn_tokens[sim.a_root[agent]] += ticks
    sim.token_time[agent] = sim.eg_last_end[engine]
    sim.token_decoded[agent] = 1
    sim.token_preempted[agent] = 0
    if sim.split:
        gap_of_fleet(sim, agent, engine)


def is_steady(sim: "Sim", job: int) -> bool:
    """Whether a decode's last token came with the engine's last iteration, so that its next gap is the engine's."""
    agent = sim.j_agent[job]
    return (
        sim.token_seen[agent] == 1
        and sim.token_time[agent] == sim.eg_last_end[sim.j_stage[job]]
        and sim.token_turn[agent] == sim.attrs[agent * sim.width + 2]
        and sim.turn_first[sim.a_root[agent]] == 2
    )


def may_join_fleet(sim: "Sim", job: int) -> bool:
    if sim.j_mode[job] != DECODE or sim.j_stalled[job]:
        return False
    engine = sim.j_stage[job]
    if not sim.eg_exact[engine]:
        return False
    entry = sim.j_entry[job]
    if entry >= 0:
        pool = sim.e_pool[entry]
        if pool != sim.eg_memory[engine] or sim.eg_block[engine] == 0 or sim.p_held[pool]:
            return False
    # Where gaps are divided, one that was elsewhere meanwhile has parts of its own.
    return is_steady(sim, job) and not (sim.split and was_apart(sim, sim.j_agent[job], engine))


def join_fleet(sim: "Sim", job: int) -> None:
    """From now on a run gets one token an iteration; note when it needs a block and when it ends."""
    engine = sim.j_stage[job]
    _leave_loose(sim, job)
    sim.j_fleet[job] = 1
    ticks = sim.eg_ticks[engine]
    sim.j_tick[job] = ticks
    sim.eg_fleet[engine] += 1
    memory = sim.eg_memory[engine]
    if memory >= 0:
        sim.eg_kv_fleet[engine] += allocated_in(sim, sim.j_agent[job], memory)
    work = sim.j_work[job]
    last = truncate(work)
    if last < 1:
        last = 1
    while work - last > 1e-9:
        last += 1
    while last > 1 and work - (last - 1) <= 1e-9:
        last -= 1
    sim.j_finish[job] = ticks + last - 1
    slot = engine * FINISH_SLOTS + (sim.j_finish[job] & (FINISH_SLOTS - 1))
    first = sim.finish_ring[slot]
    sim.j_loose_previous[job] = -1
    sim.j_loose_next[job] = first
    if first >= 0:
        sim.j_loose_previous[first] = job
    sim.finish_ring[slot] = job
    if sim.j_entry[job] >= 0:
        _plan_growth(sim, job)


def _plan_growth(sim: "Sim", job: int) -> None:
    """Put a run into the ring at the tick at which one more token needs another block."""
    engine = sim.j_stage[job]
    entry = sim.j_entry[job]
    room = sim.e_alloc[entry] + 1e-9 - sim.e_pos[entry] - 1.0
    k = truncate(floor_of(room)) + 1
    if k < 0:
        k = 0
    while k > 0 and sim.e_pos[entry] + (k - 1) + 1.0 - sim.e_alloc[entry] > 1e-9:
        k -= 1
    while sim.e_pos[entry] + k + 1.0 - sim.e_alloc[entry] <= 1e-9:
        k += 1
    due = sim.eg_ticks[engine] + k
    sim.j_due[job] = due
    slot = sim.eg_ring[engine] + due % sim.eg_block[engine]
    first = sim.ring[slot]
    sim.j_ring_previous[job] = -1
    sim.j_ring_next[job] = first
    if first >= 0:
        sim.j_ring_previous[first] = job
    sim.ring[slot] = job


def leave_fleet(sim: "Sim", job: int) -> None:
    """Make a run of the fleet loose, up to date."""
    engine = sim.j_stage[job]
    sync_run(sim, job)
    sim.j_fleet[job] = 0
    sim.eg_fleet[engine] -= 1
    memory = sim.eg_memory[engine]
    if memory >= 0:
        sim.eg_kv_fleet[engine] -= allocated_in(sim, sim.j_agent[job], memory)
    before = sim.j_loose_previous[job]
    after = sim.j_loose_next[job]
    if before >= 0:
        sim.j_loose_next[before] = after
    else:
        sim.finish_ring[engine * FINISH_SLOTS + (sim.j_finish[job] & (FINISH_SLOTS - 1))] = after
    if after >= 0:
        sim.j_loose_previous[after] = before
    if sim.j_entry[job] >= 0:
        before = sim.j_ring_previous[job]
        after = sim.j_ring_next[job]
        if before >= 0:
            sim.j_ring_next[before] = after
        else:
            sim.ring[sim.eg_ring[engine] + sim.j_due[job] % sim.eg_block[engine]] = after
        if after >= 0:
            sim.j_ring_previous[after] = before
    _join_loose(sim, job)


def dissolve_fleet(sim: "Sim", engine: int) -> None:
    """Make every run of an engine loose."""
    if sim.eg_fleet[engine] == 0:
        return
    job = sim.st_first[engine]
    while job >= 0:
        if sim.j_fleet[job]:
            leave_fleet(sim, job)
        job = sim.j_next[job]
