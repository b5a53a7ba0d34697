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
    """Set a fault if a session waits at `join;` for legs that will never end."""
    marks = longs(sim.agent_room)
    joins = 0
    for agent in range(sim.agent_room):
        state = sim.a_state[agent]
        if state == A_QUEUED or state == A_GROWING or state == A_JOINING:
            marks[agent] = 1
        if state == A_JOINING:
            joins += 1
    helped = 1
    while joins > 0 and helped > 0:
        helped = 0
        for agent in range(sim.agent_room):
            if marks[agent] and _can_be_helped(sim, agent, marks):
                marks[agent] = 0
                helped += 1
    if joins > 0 and not sim.fault:
        _accuse(sim, marks)
    release(marks)


def _can_be_helped(sim: "Sim", agent: int, marks: list[int]) -> bool:
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
    head = selected(sim, sim.a_queue[agent])
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


def _accuse(sim: "Sim", marks: list[int]) -> None:
    """The fault, if a stuck session waits for its legs: it, the pool that a stuck one waits for, how many hold that."""
    pool = -1
    session = -1
    for agent in range(sim.agent_room):
        if marks[agent]:
            if sim.a_state[agent] == A_JOINING and session < 0:
                session = agent
            if sim.a_state[agent] == A_QUEUED and pool < 0:
                pool = sim.a_queue[agent]
                if not fits(sim, selected(sim, pool)):
                    pool = sim.misfit
            if sim.a_state[agent] == A_GROWING and pool < 0:
                pool = sim.e_pool[sim.a_growing[agent]]
    if session >= 0 and not sim.fault:
        sim.fault = F_JOIN_CYCLE
        sim.fault_agent = session
        sim.fault_value = pool
        sim.fault_count = sim.p_holders[pool] if pool >= 0 else 0
