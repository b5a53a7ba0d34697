"""Growth of allocations, and preemption when one does not fit.

`grow` tries to enlarge an entry; if there is no room it preempts by the pool's rule, or the grower stalls until the
pools are tried again. `try_pools` is that trial: stalled growers first, then the queues that no engine serves.
"""

import cython

if not cython.compiled:
    from serq.kernel.cache import add_used, make_room
    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.flows import cancel_flow
    from serq.kernel.gaps import move_gap
    from serq.kernel.holds import (
        admit_settling,
        close_hold,
        end_lease,
        innermost,
        join_queue,
        lease_of,
        leave_queue,
        reach_hold,
    )
    from serq.kernel.machine import agent_stream, evaluate, round_up
    from serq.kernel.memory import more_doubles, more_longs
    from serq.kernel.numbers import order
    from serq.kernel.runs import leave_fleet, leave_run, memory_changed, sync_run
    from serq.kernel.stages import cancel_job, free_job, make_ready
    from serq.kernel.state import Sim


# ---------------------------------------------------------------- growing


def room_for(sim: "Sim", entry: int, need: float) -> bool:
    """Whether an entry may take `need` more units; its own reservation does not stand in its way."""
    pool = sim.e_pool[entry]
    outstanding = sim.p_outstanding[pool]
    if sim.p_held[pool] and sim.e_reserved[entry] > sim.e_alloc[entry] and not sim.e_lease[entry]:
        outstanding -= sim.e_reserved[entry] - sim.e_alloc[entry]
    return sim.p_used[pool] + outstanding + need <= sim.p_cap[pool] + 1e-9


def enlarge(sim: "Sim", entry: int, need: float) -> None:
    """Give an entry `need` more units; there is room."""
    pool = sim.e_pool[entry]
    make_room(sim, pool, need)
    add_used(sim, pool, need)
    if sim.p_held[pool] and not sim.e_lease[entry] and sim.e_reserved[entry] > sim.e_alloc[entry]:
        owed = sim.e_reserved[entry] - sim.e_alloc[entry]
        sim.p_outstanding[pool] -= need if need < owed else owed
    sim.e_alloc[entry] += need
    memory_changed(sim, sim.e_agent[entry], pool, need)


def grow(sim: "Sim", agent: int, entry: int, units: float) -> int:
    """Enlarge an entry by `units`: 1 done, 0 the agent stalls, -1 the agent was preempted itself."""
    pool = sim.e_pool[entry]
    need = round_up(sim, pool, sim.e_alloc[entry] + units) - sim.e_alloc[entry]
    if need <= 0.0:
        return 1
    while not room_for(sim, entry, need):
        kind = sim.p_preempt[pool]
        if kind == 0:
            return 0
        if kind == 2:
            lease = _victim_lease(sim, pool, agent)
            if lease < 0:
                return 0
            sim.p_preemptions[pool] += 1
            end_lease(sim, lease)
        else:
            victim = _victim(sim, pool)
            if victim < 0:
                return 0
            preempt(sim, victim, pool)
            if victim == agent:
                return -1
        if sim.fault:
            return 0
    enlarge(sim, entry, need)
    return 1


def stall(sim: "Sim", agent: int, entry: int, units: float) -> None:
    """Let an agent wait for room in a pool, behind those that wait already."""
    pool = sim.e_pool[entry]
    sim.a_growing[agent] = entry
    sim.a_growth[agent] = units
    last = sim.p_grower_last[pool]
    sim.a_grower_next[agent] = -1
    if last >= 0:
        sim.a_grower_next[last] = agent
    else:
        sim.p_grower_first[pool] = agent
    sim.p_grower_last[pool] = agent
    sim.p_growers[pool] += 1
    sim.n_growers += 1
    job = sim.a_job[agent]
    if job >= 0:
        sim.j_stalled[job] = 1
    else:
        sim.a_state[agent] = A_GROWING


def stop_growing(sim: "Sim", agent: int) -> None:
    """Take an agent off the growers of its pool."""
    pool = sim.e_pool[sim.a_growing[agent]]
    at = sim.p_grower_first[pool]
    if at == agent:
        sim.p_grower_first[pool] = sim.a_grower_next[agent]
        if sim.p_grower_last[pool] == agent:
            sim.p_grower_last[pool] = -1
    else:
        while sim.a_grower_next[at] != agent:
            at = sim.a_grower_next[at]
        sim.a_grower_next[at] = sim.a_grower_next[agent]
        if sim.p_grower_last[pool] == agent:
            sim.p_grower_last[pool] = at
    sim.p_growers[pool] -= 1
    sim.n_growers -= 1
    sim.a_growing[agent] = -1
    job = sim.a_job[agent]
    if job >= 0:
        sim.j_stalled[job] = 0


def retry_growers(sim: "Sim", pool: int) -> None:
    """Let stalled growers go on, in order, as long as the first one fits. No position moves."""
    while sim.p_growers[pool] > 0:
        agent = sim.p_grower_first[pool]
        entry = sim.a_growing[agent]
        need = round_up(sim, pool, sim.e_alloc[entry] + sim.a_growth[agent]) - sim.e_alloc[entry]
        if need > 0.0:
            if not room_for(sim, entry, need):
                return
            enlarge(sim, entry, need)
        stop_growing(sim, agent)
        if sim.a_job[agent] < 0:
            sim.a_pc[agent] += 1
            make_ready(sim, agent)


def try_pools(sim: "Sim") -> None:
    """After something was given back: growers first, then the queues that no engine serves, in order of pools."""
    if sim.n_growers == 0 and sim.n_waiting == 0:
        return
    for pool in range(sim.n_pools):
        if sim.p_growers[pool] > 0:
            retry_growers(sim, pool)
        if sim.p_waiting[pool] > 0 and sim.p_engine[pool] < 0:
            admit_settling(sim, pool)
        if sim.fault:
            return


# ---------------------------------------------------------------- victims


def _victim(sim: "Sim", pool: int) -> int:
    """Who gives way in a pool: of an engine's memory the running requests, elsewhere all that hold it; -1 for none.

    The least key loses; ties go to the later place.
    """
    engine = sim.p_memory_of[pool]
    lifo = sim.p_preempt[pool] == 3
    best = -1
    place = 0
    if engine >= 0:
        job = sim.st_last[engine] if lifo else sim.st_first[engine]
        while job >= 0:
            agent = sim.j_agent[job]
            entry = innermost(sim, agent, pool)
            if entry >= 0:
                if lifo:
                    return agent
                if _less(sim, pool, agent, entry, place, sim.j_mode[job] == DECODE, best < 0):
                    best = agent
                place += 1
            job = sim.j_next[job] if not lifo else sim.j_previous[job]
        return best
    entry = sim.p_entry_first[pool]
    while entry >= 0:
        agent = sim.e_agent[entry]
        if _is_first(sim, entry) and innermost(sim, agent, pool) >= 0:
            job = sim.a_job[agent]
            decoding = job >= 0 and sim.j_mode[job] == DECODE
            if lifo:
                best = agent
            elif _less(sim, pool, agent, innermost(sim, agent, pool), place, decoding, best < 0):
                best = agent
            place += 1
        entry = sim.e_after[entry]
    return best


def _is_first(sim: "Sim", entry: int) -> bool:
    """Whether no earlier entry of the pool, hold or lease, belongs to the same agent."""
    before = sim.e_before[entry]
    while before >= 0:
        if sim.e_agent[before] == sim.e_agent[entry]:
            return False
        before = sim.e_before[before]
    return True


def _less(sim: "Sim", pool: int, agent: int, entry: int, place: int, decoding: bool, first: bool) -> bool:
    """Read a candidate's keys; whether they are not greater than the best so far, which they then replace."""
    r = sim.registers
    r[ADMISSION] = place
    r[DECODING] = 1.0 if decoding else 0.0
    job = sim.a_job[agent]
    position = sim.e_pos[entry]
    if job >= 0 and sim.j_fleet[job] and sim.j_entry[job] == entry:
        position += sim.eg_ticks[sim.j_stage[job]] - sim.j_tick[job]
    r[POSITION] = position
    n_keys = sim.p_preempt_keys[pool]
    start = sim.p_preempt_first[pool]
    undecided = not first
    less = True
    for i in range(n_keys):
        key = evaluate(sim, agent, sim.keys[start + i], agent_stream(agent))
        if undecided and order(key) != order(sim.best_keys[i]):
            undecided = False
            less = order(key) < order(sim.best_keys[i])
        sim.trial_keys[i] = key
    if less:
        for i in range(n_keys):
            sim.best_keys[i] = sim.trial_keys[i]
    return less


def _victim_lease(sim: "Sim", pool: int, grower: int) -> int:
    """The lease that gives way: of the session with the least keys, its earliest.

    Never one of the grower's, nor of a session that also holds the pool.
    """
    best = -1
    place = 0
    entry = sim.p_entry_first[pool]
    while entry >= 0:
        agent = sim.e_agent[entry]
        if sim.a_root[agent] != sim.a_root[grower] and _is_first(sim, entry) and lease_of(sim, agent, pool) >= 0:
            if innermost(sim, agent, pool) < 0:
                if _less(sim, pool, agent, entry, place, False, best < 0):
                    best = agent
                place += 1
        entry = sim.e_after[entry]
    if best < 0:
        return -1
    return lease_of(sim, best, pool)


# ---------------------------------------------------------------- preemption


def preempt(sim: "Sim", agent: int, pool: int) -> None:
    """Stop an agent, release its holds up to the innermost one on `pool`, and queue that hold again."""
    job = sim.a_job[agent]
    if job >= 0 and sim.j_fleet[job]:
        sync_run(sim, job)
    entry = innermost(sim, agent, pool)
    position = sim.e_pos[entry]
    _remember(sim, agent, pool, position)
    sim.attrs[agent * sim.width + 8] = position
    if sim.token_seen[agent] and job >= 0 and sim.st_kind[sim.j_stage[job]] == K_ENGINE:
        sim.token_preempted[agent] = 1
    withdraw(sim, agent)
    if sim.split:
        move_gap(sim, agent, G_PREEMPTED, sim.ga_engine[agent])
    hold = sim.e_hold[entry]
    statement = sim.h_statement[hold]
    pc = sim.h_pc[hold]
    while True:
        inner = sim.a_hold[agent]
        close_hold(sim, agent, 2)
        if inner == hold or sim.fault:
            break
    sim.p_preemptions[pool] += 1
    if sim.planning >= 0:
        sim.plan_preempted += 1
    sim.a_pc[agent] = pc
    if reach_hold(sim, agent, statement):
        join_queue(sim, agent, statement, not sim.p_tail[pool])
    else:
        sim.a_state[agent] = A_READY
        reject(sim, agent)


def reject(sim: "Sim", agent: int) -> None:
    """Note an agent whose hold can never fit; its session ends when the caller comes to it."""
    sim.a_doomed[agent] = 1
    make_ready(sim, agent)


def withdraw(sim: "Sim", agent: int) -> None:
    """Take an agent out of its stage, its queue or its growth; tokens scheduled for it return to the budget."""
    if sim.a_growing[agent] >= 0:
        stop_growing(sim, agent)
    job = sim.a_job[agent]
    if job >= 0:
        engine = sim.j_stage[job]
        if sim.st_kind[engine] == K_ENGINE:
            if sim.j_fleet[job]:
                leave_fleet(sim, job)
                if sim.eg_served[engine]:
                    # It was in the iteration that is being planned or under way.
                    if sim.planning == engine:
                        sim.plan_whole -= 1.0
            elif sim.j_batch[job]:
                unschedule(sim, job)
            leave_run(sim, job)
            free_job(sim, job)
        elif sim.st_flow[engine]:
            cancel_flow(sim, job)
        else:
            cancel_job(sim, job)
    elif sim.a_queue[agent] >= 0:
        leave_queue(sim, agent)


def unschedule(sim: "Sim", job: int) -> None:
    """Take a run out of its engine's batch."""
    engine = sim.j_stage[job]
    at = sim.eg_batch_first[engine]
    before = -1
    while at != job:
        before = at
        at = sim.j_batch_next[at]
    if before >= 0:
        sim.j_batch_next[before] = sim.j_batch_next[job]
    else:
        sim.eg_batch_first[engine] = sim.j_batch_next[job]
    if sim.eg_batch_last[engine] == job:
        sim.eg_batch_last[engine] = before
    sim.j_batch[job] = 0
    if sim.planning == engine:
        tokens = sim.j_tokens[job]
        if sim.j_mode[job] == DECODE and tokens == 1.0:
            sim.plan_whole -= 1.0
        else:
            sim.plan_left += tokens
            sim.plan_other -= tokens
            if sim.j_mode[job] == PREFILL:
                sim.plan_prefilled -= tokens


def _remember(sim: "Sim", agent: int, pool: int, position: float) -> None:
    """Remember where a pool preempted an agent; one that has not passed its last place is stuck, counted once."""
    at = sim.a_memory[agent]
    while at >= 0 and sim.m_pool[at] != pool:
        at = sim.m_next[at]
    if at < 0:
        if sim.m_free < 0:
            old = sim.memory_room
            new = 2 * old
            sim.m_pool = more_longs(sim.m_pool, old, new)
            sim.m_next = more_longs(sim.m_next, old, new)
            sim.m_pos = more_doubles(sim.m_pos, old, new)
            for i in range(old, new):
                sim.m_next[i] = i + 1 if i + 1 < new else -1
            sim.m_free = old
            sim.memory_room = new
        at = sim.m_free
        sim.m_free = sim.m_next[at]
        sim.m_pool[at] = pool
        sim.m_next[at] = sim.a_memory[agent]
        sim.a_memory[agent] = at
    elif position <= sim.m_pos[at] + 1e-9 and not sim.a_stuck[agent]:
        sim.a_stuck[agent] = 1
        sim.p_stuck[pool] += 1
    sim.m_pos[at] = position
