"""Conservation, verified between events in checked mode: what pools, stages and sessions count must add up."""

import cython

if not cython.compiled:
    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.machine import allocated_in, position_of, remaining_of
    from serq.kernel.state import Sim


def _near(a: float, b: float) -> bool:
    gap = a - b
    size = abs(a) + abs(b) + 1.0
    return -1e-7 * size < gap < 1e-7 * size


def _fail(sim: "Sim", law: int, place: int) -> None:
    if not sim.fault:
        sim.fault = F_INVARIANT
        sim.fault_value = law
        sim.fault_agent = place


def verify(sim: "Sim") -> None:
    """Set a fault if a law is broken: 1 used, 2 cached, 3 holders, 4 queues, 5 jobs, 6 decodes, 7 runs, 8 rows."""
    entries = 0
    nodes = 0
    for pool in range(sim.n_pools):
        used = 0.0
        entry = sim.p_entry_first[pool]
        while entry >= 0:
            used += sim.e_alloc[entry] - sim.e_shared[entry]
            entries += 1
            entry = sim.e_after[entry]
        cached = 0.0
        node = sim.p_oldest[pool]
        while node >= 0:
            if sim.n_pins[node] > 0:
                used += sim.n_size[node]
            else:
                cached += sim.n_size[node]
            nodes += 1
            node = sim.n_after[node]
        if not _near(used, sim.p_used[pool]):
            _fail(sim, 1, pool)
        if not _near(cached, sim.p_cached[pool]):
            _fail(sim, 2, pool)
        if sim.p_used[pool] > sim.p_cap[pool] + 1e-6:
            _fail(sim, 1, pool)
        waiting = 0
        agent = sim.p_queue_first[pool]
        while agent >= 0:
            waiting += 1
            if sim.a_queue[agent] != pool or sim.a_state[agent] != A_QUEUED:
                _fail(sim, 4, pool)
            agent = sim.a_next[agent]
        if waiting != sim.p_waiting[pool]:
            _fail(sim, 4, pool)
    if entries != sim.live_entries:
        _fail(sim, 8, 0)
    if nodes != sim.live_nodes:
        _fail(sim, 8, 1)
    jobs = 0
    for stage in range(sim.n_stages):
        if sim.st_flow[stage]:
            continue
        count = 0
        decodes = 0
        fleet = 0
        job = sim.st_first[stage]
        while job >= 0:
            count += 1
            if sim.j_mode[job] == DECODE:
                decodes += 1
            if sim.st_kind[stage] == K_ENGINE:
                fleet += sim.j_fleet[job]
                _verify_run(sim, stage, job)
            job = sim.j_next[job]
        if count != sim.st_jobs[stage]:
            _fail(sim, 5, stage)
        if sim.st_kind[stage] == K_ENGINE and (decodes != sim.eg_decoding[stage] or fleet != sim.eg_fleet[stage]):
            _fail(sim, 6, stage)
        jobs += count
    job = sim.fl_first
    while job >= 0:
        jobs += 1
        job = sim.j_next[job]
    if jobs != sim.live_jobs:
        _fail(sim, 8, 2)
    if sim.ready_first != sim.ready_last:
        _fail(sim, 7, -1)


def _verify_run(sim: "Sim", engine: int, job: int) -> None:
    """A run has work left, belongs to a live agent, and what it computed is allocated."""
    agent = sim.j_agent[job]
    if sim.a_job[agent] != job or sim.a_state[agent] != A_RUNNING or remaining_of(sim, job) <= 0.0:
        _fail(sim, 7, engine)
    entry = sim.j_entry[job]
    if entry >= 0:
        if sim.e_agent[entry] != agent or position_of(sim, job) > allocated_in(sim, agent, sim.e_pool[entry]) + 1e-6:
            if sim.h_grown[sim.e_hold[entry]]:
                _fail(sim, 7, engine)
