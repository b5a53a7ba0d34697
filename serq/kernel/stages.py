"""Stages that are no engines: `fifo`, `ps`, `delay`, and flows over several `ps` stages.

A job is a row of `j_*`; jobs of a stage form a list in order of joining. A job without an agent is a write to a tier.
Jobs of engines live in the same rows but are handled by `runs` and `engine`.
"""

import cython

if not cython.compiled:
    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.events import push_event
    from serq.kernel.figures import set_signal
    from serq.kernel.machine import MACHINE_AT, evaluate
    from serq.kernel.memory import more_doubles, more_longs
    from serq.kernel.state import Sim


def make_ready(sim: "Sim", agent: int) -> None:
    """Put an agent at the back of the ready queue; more than 1000 times at one instant stop the run.

    A place in the queue outlasts a preemption: an agent that has become ready again by its turn runs at the first of
    its places, and the others are passed over.
    """
    if sim.a_ready_at[agent] != sim.now:
        sim.a_ready_at[agent] = sim.now
        sim.a_ready_count[agent] = 0
    sim.a_ready_count[agent] += 1
    if sim.a_ready_count[agent] > 1000:
        sim.fault = F_ACTIVATIONS
        sim.fault_agent = agent
    sim.a_state[agent] = A_READY
    if sim.ready_last - sim.ready_first == sim.ready_room:
        _grow_ready(sim)
    at = sim.ready_last & (sim.ready_room - 1)
    sim.ready_agent[at] = agent
    sim.ready_birth[at] = sim.a_birth[agent]
    sim.ready_last += 1


def free_agent(sim: "Sim", agent: int) -> None:
    """Give back the row of an agent that is over."""
    sim.a_state[agent] = A_FREE
    sim.a_next[agent] = sim.a_free
    sim.a_free = agent


def _grow_ready(sim: "Sim") -> None:
    """Twice the room of the ready queue, a ring; its places keep their numbers."""
    old = sim.ready_room
    sim.ready_agent = more_longs(sim.ready_agent, old, 2 * old)
    sim.ready_birth = more_longs(sim.ready_birth, old, 2 * old)
    sim.ready_room = 2 * old
    for place in range(sim.ready_first, sim.ready_last):
        was = place & (old - 1)
        at = place & (2 * old - 1)
        sim.ready_agent[at] = sim.ready_agent[was]
        sim.ready_birth[at] = sim.ready_birth[was]


# ---------------------------------------------------------------- rows of jobs


def new_job(sim: "Sim", stage: int, agent: int, work: float) -> int:
    """A job that joins a stage now; not yet in its list."""
    if sim.j_free < 0:
        _grow(sim)
    job = sim.j_free
    sim.j_free = sim.j_next[job]
    sim.j_stage[job] = stage
    sim.j_agent[job] = agent
    sim.j_work[job] = work
    sim.j_joined[job] = sim.now
    sim.j_started[job] = -1.0
    sim.j_stamp[job] = sim.stamps
    sim.stamps += 1
    sim.j_mode[job] = PLAIN
    sim.j_fleet[job] = 0
    sim.j_entry[job] = -1
    sim.j_also[job] = -1
    if agent >= 0:
        sim.a_job[agent] = job
        sim.a_state[agent] = A_RUNNING
    sim.live_jobs += 1
    return job


def free_job(sim: "Sim", job: int) -> None:
    agent = sim.j_agent[job]
    if agent >= 0:
        sim.a_job[agent] = -1
    sim.j_stamp[job] = -1
    sim.j_next[job] = sim.j_free
    sim.j_free = job
    sim.live_jobs -= 1


def _grow(sim: "Sim") -> None:
    old = sim.job_room
    new = 2 * old
    sim.j_stage = more_longs(sim.j_stage, old, new)
    sim.j_agent = more_longs(sim.j_agent, old, new)
    sim.j_mode = more_longs(sim.j_mode, old, new)
    sim.j_work = more_doubles(sim.j_work, old, new)
    sim.j_total = more_doubles(sim.j_total, old, new)
    sim.j_base = more_doubles(sim.j_base, old, new)
    sim.j_joined = more_doubles(sim.j_joined, old, new)
    sim.j_started = more_doubles(sim.j_started, old, new)
    sim.j_tag = more_doubles(sim.j_tag, old, new)
    sim.j_rate = more_doubles(sim.j_rate, old, new)
    sim.j_tokens = more_doubles(sim.j_tokens, old, new)
    sim.j_stamp = more_longs(sim.j_stamp, old, new)
    sim.j_previous = more_longs(sim.j_previous, old, new)
    sim.j_next = more_longs(sim.j_next, old, new)
    sim.j_loose_previous = more_longs(sim.j_loose_previous, old, new)
    sim.j_loose_next = more_longs(sim.j_loose_next, old, new)
    sim.j_ring_previous = more_longs(sim.j_ring_previous, old, new)
    sim.j_ring_next = more_longs(sim.j_ring_next, old, new)
    sim.j_due = more_longs(sim.j_due, old, new)
    sim.j_finish = more_longs(sim.j_finish, old, new)
    sim.j_tick = more_longs(sim.j_tick, old, new)
    sim.j_fleet = more_longs(sim.j_fleet, old, new)
    sim.j_entry = more_longs(sim.j_entry, old, new)
    sim.j_seen = more_longs(sim.j_seen, old, new)
    sim.j_batch = more_longs(sim.j_batch, old, new)
    sim.j_batch_next = more_longs(sim.j_batch_next, old, new)
    sim.j_stalled = more_longs(sim.j_stalled, old, new)
    sim.j_also = more_longs(sim.j_also, old, new)
    for i in range(old, new):
        sim.j_stamp[i] = -1
        sim.j_next[i] = i + 1 if i + 1 < new else -1
    sim.j_free = old
    sim.job_room = new


def link_job(sim: "Sim", job: int) -> None:
    """Append a job to its stage's list."""
    stage = sim.j_stage[job]
    last = sim.st_last[stage]
    sim.j_previous[job] = last
    sim.j_next[job] = -1
    if last >= 0:
        sim.j_next[last] = job
    else:
        sim.st_first[stage] = job
    sim.st_last[stage] = job
    count_jobs(sim, stage, 1)


def unlink_job(sim: "Sim", job: int) -> None:
    stage = sim.j_stage[job]
    before = sim.j_previous[job]
    after = sim.j_next[job]
    if before >= 0:
        sim.j_next[before] = after
    else:
        sim.st_first[stage] = after
    if after >= 0:
        sim.j_previous[after] = before
    else:
        sim.st_last[stage] = before
    count_jobs(sim, stage, -1)


def count_jobs(sim: "Sim", stage: int, change: int) -> None:
    sim.st_jobs[stage] += change
    jobs = sim.st_jobs[stage]
    set_signal(sim, 1 + 2 * stage, jobs)
    set_signal(sim, 2 + 2 * stage, 1.0 if jobs > 0 else 0.0)


def count_completion(sim: "Sim", stage: int, wait: float, start: float) -> None:
    """A job that began at `start` has finished: estimates of its stage, running means over those that finish warm."""
    service = sim.now - start
    if sim.estimates:
        _estimate(sim, stage, wait, start, service)
    if sim.warm:
        sim.st_done[stage] += 1
        n = sim.st_done[stage]
        sim.st_wait[stage] += (wait - sim.st_wait[stage]) / n
        sim.st_service[stage] += (service - sim.st_service[stage]) / n


def _estimate(sim: "Sim", stage: int, wait: float, start: float, service: float) -> None:
    """What `est_lambda`, `est_rho`, `est_wait` and `price` read: exponential averages over the completed jobs.

    The first value of each is taken as it is. Gaps lie between the starts of jobs in order of completion.
    """
    n = sim.est_count[stage]
    if n == 0:
        sim.est_service[stage] = service
        sim.est_waited[stage] = wait
    else:
        sim.est_service[stage] += 0.01 * (service - sim.est_service[stage])
        sim.est_waited[stage] += 0.01 * (wait - sim.est_waited[stage])
        gap = start - sim.est_start[stage]
        if n == 1:
            sim.est_gap[stage] = gap
        else:
            sim.est_gap[stage] += 0.01 * (gap - sim.est_gap[stage])
    sim.est_start[stage] = start
    sim.est_count[stage] = n + 1


# ---------------------------------------------------------------- fifo, ps, delay


def start_job(sim: "Sim", stage: int, agent: int, work: float) -> None:
    """A job of `work` joins a stage that is no engine. Work 0 takes no time and enters no stage."""
    if work <= 0.0:
        if agent >= 0:
            make_ready(sim, agent)
        return
    job = new_job(sim, stage, agent, work)
    link_job(sim, job)
    kind = sim.st_kind[stage]
    if kind == K_DELAY:
        sim.j_started[job] = sim.now
        push_event(sim, sim.now + work, E_FINISH, job, sim.j_stamp[job])
    elif kind == K_FIFO:
        serve_fifo(sim, stage)
    else:
        _advance_virtual(sim, stage)
        sim.j_started[job] = sim.now
        sim.j_tag[job] = sim.st_virtual[stage] + work
        mark_changed(sim, stage)


def serve_fifo(sim: "Sim", stage: int) -> None:
    """Start waiting jobs on free servers, in order."""
    while sim.st_serving[stage] < sim.st_servers[stage]:
        job = sim.st_waiting[stage]
        if job < 0:
            job = sim.st_first[stage]
            while job >= 0 and sim.j_started[job] >= 0.0:
                job = sim.j_next[job]
        if job < 0:
            return
        sim.st_waiting[stage] = sim.j_next[job]
        sim.st_serving[stage] += 1
        sim.j_started[job] = sim.now
        push_event(sim, sim.now + sim.j_work[job], E_FINISH, job, sim.j_stamp[job])


def mark_changed(sim: "Sim", stage: int) -> None:
    """Let a shared stage reschedule when the instant settles."""
    if not sim.st_changed[stage]:
        sim.st_changed[stage] = 1
        sim.n_changed += 1
        _set_due(sim, stage, True)


def note_engine(sim: "Sim", engine: int) -> None:
    """Keep account of whether an engine is idle with running or waiting requests: it attempts an iteration then."""
    idle = sim.eg_busy[engine] == 0 and (
        sim.st_jobs[engine] > 0 or sim.eg_waiting[engine] > 0 or sim.eg_owed[engine] > 0.0
    )
    if idle != (sim.eg_candidate[engine] == 1):
        sim.eg_candidate[engine] = 1 if idle else 0
        sim.n_candidates += 1 if idle else -1
        _set_due(sim, engine, idle)


def _set_due(sim: "Sim", stage: int, due: bool) -> None:
    """Mark in a bit set the stages that settling must visit, and in another which words of the first have any."""
    word = stage >> 5
    if due:
        sim.due[word] |= 1 << (stage & 31)
        sim.due_of[word >> 5] |= 1 << (word & 31)
    else:
        sim.due[word] &= ~(1 << (stage & 31))
        if sim.due[word] == 0:
            sim.due_of[word >> 5] &= ~(1 << (word & 31))


def _advance_virtual(sim: "Sim", stage: int) -> None:
    sim.st_virtual[stage] += sim.st_rate[stage] * (sim.now - sim.st_updated[stage])
    sim.st_updated[stage] = sim.now


def reschedule(sim: "Sim", stage: int) -> None:
    """After jobs joined or left a `ps` stage: the new rate, and a finish of the job with the least tag."""
    sim.st_changed[stage] = 0
    sim.n_changed -= 1
    _set_due(sim, stage, False)
    _advance_virtual(sim, stage)
    jobs = sim.st_jobs[stage]
    sim.st_rate[stage] = 0.0
    sim.st_stamp[stage] += 1
    if jobs == 0:
        return
    sim.registers[PRESENT] = jobs
    rate = evaluate(sim, -1, sim.st_capacity[stage], MACHINE_AT) / jobs
    sim.st_rate[stage] = rate
    if rate > 0.0:
        job = sim.st_first[stage]
        least = job
        while job >= 0:
            if sim.j_tag[job] < sim.j_tag[least]:
                least = job
            job = sim.j_next[job]
        delay = (sim.j_tag[least] - sim.st_virtual[stage]) / rate
        sim.st_next[stage] = least
        push_event(sim, sim.now + (delay if delay > 0.0 else 0.0), E_FINISH, -1 - stage, sim.st_stamp[stage])


def finish_event(sim: "Sim", a: int, stamp: int) -> None:
    """A finish comes up: of job `a`, or of the next job of `ps` stage -1 - a; stale ones do nothing."""
    if a >= 0:
        if sim.j_stamp[a] == stamp:
            _finish(sim, a)
        return
    stage = -1 - a
    if sim.st_stamp[stage] != stamp:
        return
    _advance_virtual(sim, stage)
    job = sim.st_next[stage]
    tag = sim.j_tag[job]
    if tag > sim.st_virtual[stage]:
        sim.st_virtual[stage] = tag
    _finish(sim, job)
    mark_changed(sim, stage)


def _finish(sim: "Sim", job: int) -> None:
    stage = sim.j_stage[job]
    agent = sim.j_agent[job]
    fifo = sim.st_kind[stage] == K_FIFO
    wait = sim.j_started[job] - sim.j_joined[job] if fifo else 0.0
    unlink_job(sim, job)
    count_completion(sim, stage, wait, sim.j_started[job])
    free_job(sim, job)
    if agent >= 0:
        make_ready(sim, agent)
    if fifo:
        sim.st_serving[stage] -= 1
        serve_fifo(sim, stage)


def cancel_job(sim: "Sim", job: int) -> None:
    """Take a job out of a stage that is no engine; it counts nowhere."""
    stage = sim.j_stage[job]
    if sim.st_waiting[stage] == job:
        sim.st_waiting[stage] = sim.j_next[job]
    served = sim.st_kind[stage] == K_FIFO and sim.j_started[job] >= 0.0
    unlink_job(sim, job)
    free_job(sim, job)
    if sim.st_kind[stage] == K_PS:
        _advance_virtual(sim, stage)
        mark_changed(sim, stage)
    elif served:
        sim.st_serving[stage] -= 1
        serve_fifo(sim, stage)
