"""At the end of a run: sessions that wait for each other, and would for ever (docs/semantics/time.md).

Everybody who waits is first taken to be stuck. Who can be helped is taken off, until nobody more is: whoever waits for
a pool of which somebody else will give something back, or for a leg that still gets on.
"""

import cython

if not cython.compiled:
    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.holds import fits, selected
    from serq.kernel.memory import longs, release
    from serq.kernel.state import Sim


def find_deadlock(sim: "Sim") -> None:
    """Count who is stuck, and find a pool that they wait for; a fault if a session waits for legs that never end."""
    marks = longs(sim.agent_room)
    # Nothing moves any more, so the waiter that decides in a pool is looked for once.
    heads = longs(sim.n_pools)
    for pool in range(sim.n_pools):
        heads[pool] = selected(sim, pool)
    for agent in range(sim.agent_room):
        state = sim.a_state[agent]
        if state == A_QUEUED or state == A_GROWING or state == A_JOINING:
            marks[agent] = 1
    helped = 1
    while helped > 0:
        helped = 0
        for agent in range(sim.agent_room):
            if marks[agent] and _can_be_helped(sim, agent, marks, heads):
                marks[agent] = 0
                helped += 1
    _accuse(sim, marks, heads)
    release(heads)
    release(marks)


def _can_be_helped(sim: "Sim", agent: int, marks: list[int], heads: list[int]) -> bool:
    state = sim.a_state[agent]
    if state == A_JOINING:
        leg = sim.a_leg[sim.a_root[agent]]
        while leg >= 0:
            if leg != agent and not marks[leg]:
                return True
            leg = sim.a_leg[leg]
        return False
    if state == A_GROWING:
        return _will_give(sim, sim.e_pool[sim.a_growing[agent]], marks)
    head = heads[sim.a_queue[agent]]
    if head != agent:
        return not marks[head]
    return fits(sim, agent) or _will_give(sim, sim.misfit, marks)


def _will_give(sim: "Sim", pool: int, marks: list[int]) -> bool:
    """Whether somebody who gets on holds a pool, or a lease on it will end by itself."""
    entry = sim.p_entry_first[pool]
    while entry >= 0:
        if not marks[sim.e_agent[entry]] or (sim.e_lease[entry] and _is_timed(sim, entry)):
            return True
        entry = sim.e_after[entry]
    return False


def _is_timed(sim: "Sim", entry: int) -> bool:
    for i in range(sim.heap_size):
        event = sim.heap[i]
        if sim.ev_kind[event] == E_LEASE and sim.ev_a[event] == entry and sim.ev_b[event] == sim.e_stamp[entry]:
            return True
    return False


def _accuse(sim: "Sim", marks: list[int], heads: list[int]) -> None:
    """Note how many are stuck, a pool that is held by those who wait for it, and a session that waits for its legs."""
    pool = -1
    session = -1
    stuck = 0
    for agent in range(sim.agent_room):
        if marks[agent]:
            stuck += 1
            wanted = -1
            if sim.a_state[agent] == A_JOINING and session < 0:
                session = agent
            elif sim.a_state[agent] == A_QUEUED and heads[sim.a_queue[agent]] == agent:
                wanted = sim.a_queue[agent]
                if not fits(sim, agent):
                    wanted = sim.misfit
            elif sim.a_state[agent] == A_GROWING:
                wanted = sim.e_pool[sim.a_growing[agent]]
            if pool < 0 and wanted >= 0 and sim.p_holders[wanted] > 0:
                pool = wanted
    if sim.fault:
        return
    if pool >= 0:
        sim.deadlocked = stuck
        sim.deadlock_pool = pool
    if session >= 0:
        sim.fault = F_JOIN_CYCLE
        sim.fault_agent = session
        sim.fault_value = pool
        sim.fault_count = sim.p_holders[pool] if pool >= 0 else 0
