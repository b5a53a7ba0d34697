"""Flows: runs over one or more `ps` stages at once, which share their capacities by one policy.

A flow is a job whose first stage is `j_stage` and whose other stages are chained from `j_also`. Flows of all fabrics
are one list in order of starting, because rates are recomputed together: once, at the end of an instant in which a flow
started or ended. Then one finish is scheduled, of the flow that ends first; the one scheduled before is stale.
"""

import cython

if not cython.compiled:
    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.events import push_event
    from serq.kernel.figures import set_signal
    from serq.kernel.machine import agent_stream, evaluate, flow_uses, resolve
    from serq.kernel.memory import more_longs
    from serq.kernel.stages import count_completion, free_job, make_ready, new_job
    from serq.kernel.state import Sim

    R_COLUMNS = 11


def start_flow(sim: "Sim", agent: int, stage: int, run: int) -> None:
    """A run on stages that flows share. Work 0 takes no time."""
    row = R_COLUMNS * run
    first = sim.runs[row + 8]
    count = sim.runs[row + 9]
    chain = -1
    k = count - 1
    while k >= 0:
        at = 3 * (first + k)
        other = resolve(sim, agent, sim.also[at], sim.also[at + 1], sim.also[at + 2])
        chain = _link(sim, other, chain)
        k -= 1
    work = evaluate(sim, agent, sim.runs[row + 4], agent_stream(agent))
    if not work >= -1e-9:
        sim.fault = F_AMOUNT
        sim.fault_value = work
    if sim.fault or work <= 0.0:
        _unlink_chain(sim, chain)
        if not sim.fault:
            make_ready(sim, agent)
        return
    job = new_job(sim, stage, agent, work)
    sim.j_also[job] = chain
    sim.j_started[job] = sim.now
    sim.j_rate[job] = 0.0
    advance_flows(sim)
    last = sim.fl_last
    sim.j_previous[job] = last
    sim.j_next[job] = -1
    if last >= 0:
        sim.j_next[last] = job
    else:
        sim.fl_first = job
    sim.fl_last = job
    _count(sim, job, 1)
    sim.fl_changed = 1


def _link(sim: "Sim", stage: int, after: int) -> int:
    if sim.f_free < 0:
        old = sim.link_room
        new = 2 * old
        sim.f_stage = more_longs(sim.f_stage, old, new)
        sim.f_next = more_longs(sim.f_next, old, new)
        for i in range(old, new):
            sim.f_next[i] = i + 1 if i + 1 < new else -1
        sim.f_free = old
        sim.link_room = new
    at = sim.f_free
    sim.f_free = sim.f_next[at]
    sim.f_stage[at] = stage
    sim.f_next[at] = after
    return at


def _unlink_chain(sim: "Sim", at: int) -> None:
    while at >= 0:
        after = sim.f_next[at]
        sim.f_next[at] = sim.f_free
        sim.f_free = at
        at = after


def _count(sim: "Sim", job: int, change: int) -> None:
    """Count a flow at each of its stages."""
    stage = sim.j_stage[job]
    at = sim.j_also[job]
    while stage >= 0:
        sim.st_jobs[stage] += change
        set_signal(sim, 1 + 2 * stage, sim.st_jobs[stage])
        if at < 0:
            break
        stage = sim.f_stage[at]
        at = sim.f_next[at]


def advance_flows(sim: "Sim") -> None:
    """Bring the remaining work of all flows up to now."""
    elapsed = sim.now - sim.fl_updated
    if elapsed > 0.0:
        job = sim.fl_first
        while job >= 0:
            left = sim.j_work[job] - sim.j_rate[job] * elapsed
            sim.j_work[job] = left if left > 0.0 else 0.0
            job = sim.j_next[job]
    sim.fl_updated = sim.now


def reschedule_flows(sim: "Sim") -> None:
    """New rates of all flows, what each stage carries, and the finish of the flow that ends first."""
    sim.fl_changed = 0
    sim.fl_stamp += 1
    advance_flows(sim)
    _share(sim)
    for stage in range(sim.n_stages):
        if sim.st_flow[stage]:
            sim.st_carried[stage] = 0.0
    job = sim.fl_first
    best = -1
    soonest = sim.infinity
    while job >= 0:
        rate = sim.j_rate[job]
        stage = sim.j_stage[job]
        at = sim.j_also[job]
        while stage >= 0:
            sim.st_carried[stage] += rate
            if at < 0:
                break
            stage = sim.f_stage[at]
            at = sim.f_next[at]
        if rate > 0.0:
            wait = sim.j_work[job] / rate
            end = sim.now + (wait if wait > 0.0 else 0.0)
            if end < soonest:
                soonest = end
                best = job
        job = sim.j_next[job]
    for stage in range(sim.n_stages):
        if sim.st_flow[stage]:
            set_signal(sim, 2 + 2 * stage, sim.st_carried[stage] / sim.st_bandwidth[stage])
    if best >= 0:
        push_event(sim, soonest, E_FLOW, best, sim.fl_stamp)


def _share(sim: "Sim") -> None:
    """Rates by each fabric's policy: the least fair share along the way, or progressive filling.

    Filling takes one stage at a time, of equals the first in the program: what that leaves to the others is rounded by
    its subtractions, and decides which of two flows that end together ends first.
    """
    for stage in range(sim.n_stages):
        if sim.st_flow[stage]:
            sim.st_free[stage] = sim.st_bandwidth[stage]
            sim.st_open[stage] = sim.st_jobs[stage]
    job = sim.fl_first
    pending = 0
    while job >= 0:
        if sim.st_flow[sim.j_stage[job]] == 2:
            rate = sim.infinity
            stage = sim.j_stage[job]
            at = sim.j_also[job]
            while stage >= 0:
                share = sim.st_bandwidth[stage] / sim.st_jobs[stage]
                if share < rate:
                    rate = share
                if at < 0:
                    break
                stage = sim.f_stage[at]
                at = sim.f_next[at]
            sim.j_rate[job] = rate
        else:
            sim.j_rate[job] = -1.0
            pending += 1
        job = sim.j_next[job]
    while pending > 0:
        least = sim.infinity
        tight = -1
        for stage in range(sim.n_stages):
            if sim.st_flow[stage] == 1 and sim.st_open[stage] > 0:
                share = sim.st_free[stage] / sim.st_open[stage]
                if share < least:
                    least = share
                    tight = stage
        job = sim.fl_first
        frozen = 0
        while job >= 0:
            if sim.j_rate[job] < 0.0 and (sim.j_stage[job] == tight or flow_uses(sim, job, tight)):
                sim.j_rate[job] = least
                frozen += 1
                stage = sim.j_stage[job]
                at = sim.j_also[job]
                while stage >= 0:
                    sim.st_free[stage] -= least
                    sim.st_open[stage] -= 1
                    if at < 0:
                        break
                    stage = sim.f_stage[at]
                    at = sim.f_next[at]
            job = sim.j_next[job]
        pending -= frozen
        if frozen == 0:
            break


def flow_event(sim: "Sim", job: int, stamp: int) -> None:
    """The finish scheduled last comes up; an earlier one is stale."""
    if stamp != sim.fl_stamp:
        return
    advance_flows(sim)
    agent = sim.j_agent[job]
    stage = sim.j_stage[job]
    at = sim.j_also[job]
    while stage >= 0:
        count_completion(sim, stage, 0.0, sim.j_started[job])
        if at < 0:
            break
        stage = sim.f_stage[at]
        at = sim.f_next[at]
    cancel_flow(sim, job)
    if agent >= 0:
        make_ready(sim, agent)


def cancel_flow(sim: "Sim", job: int) -> None:
    """Take a flow away; it counts nowhere."""
    advance_flows(sim)
    _count(sim, job, -1)
    before = sim.j_previous[job]
    after = sim.j_next[job]
    if before >= 0:
        sim.j_next[before] = after
    else:
        sim.fl_first = after
    if after >= 0:
        sim.j_previous[after] = before
    else:
        sim.fl_last = before
    _unlink_chain(sim, sim.j_also[job])
    sim.j_also[job] = -1
    free_job(sim, job)
    sim.fl_changed = 1
