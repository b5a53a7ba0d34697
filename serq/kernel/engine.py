"""The iteration of an engine: what it schedules, how long it takes, what its end credits; and fast-forward.

`attempt` plans an iteration: the schedule serves running requests and admits waiting ones, then `execute` gives its
duration. `end_iteration` credits the tokens. A plan keeps the budget in two parts, so that serving a fleet of n decodes
in one step gives the same doubles as serving them one by one: `plan_left` is what was not taken by prefills and by
fractional decodes, `plan_whole` counts the decodes of one whole token; the rest of the budget is their difference.

Two ways lead through a plan. In the *fast* one the fleet (see `runs`) is served at once, and only loose runs are
visited; it needs that every decode gets its token and its block, which `_fast_possible` tells. Otherwise the fleet
dissolves and runs are visited in the schedule's order. Both give the same batch.

`fast_forward` runs whole iterations in a loop while the fleet is alone and nothing else can happen: up to the first
finish, the next event, a growth without room, or an eviction while somebody waits whose need may shrink with it.
"""

import cython

if not cython.compiled:
    from serq.kernel.cache import add_used, make_room
    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.events import move_first, next_time, pop_event, push_event, second_time
    from serq.kernel.figures import record_gaps, set_signal
    from serq.kernel.gaps import (
        begin_split,
        end_split,
        glide_split,
        keep_draws,
        new_gap,
        note_apart,
        record_apart,
        record_kernel,
        record_own,
        record_steady,
        rest_clock,
        take_stalls,
        without_prefills,
    )
    from serq.kernel.growth import grow, stall
    from serq.kernel.holds import H_COLUMNS, admit_hold, fits, selected
    from serq.kernel.kept import keep_gap
    from serq.kernel.machine import (
        MACHINE_AT,
        allocated_in,
        chunk_cap,
        evaluate,
        position_of,
        remaining_of,
        round_up,
        set_running_context,
    )
    from serq.kernel.memory import more_longs
    from serq.kernel.numbers import floor_of, order, truncate
    from serq.kernel.runs import (
        FINISH_SLOTS,
        dissolve_fleet,
        is_steady,
        join_fleet,
        leave_fleet,
        leave_run,
        may_join_fleet,
    )
    from serq.kernel.sessions import confirm_first, run_agent, run_ready
    from serq.kernel.stages import count_completion, free_job, make_ready, note_engine
    from serq.kernel.state import Sim


# ---------------------------------------------------------------- the attempt


def attempt(sim: "Sim", engine: int) -> None:
    """Plan an iteration of an idle engine, and start it if it schedules tokens or preempted somebody."""
    if sim.eg_fast[engine]:
        _adopt(sim, engine)
        if sim.forward and (fast_forward(sim, engine) or sim.fault):
            return
    _begin_plan(sim, engine)
    start = sim.st_schedule[engine]
    if sim.plan_left > 0.0:
        if sim.st_exclusive[engine]:
            _exclusive(sim, engine, start)
        else:
            if sim.eg_fast[engine] and _fast_possible(sim, engine):
                _serve_fast(sim, engine)
                start += 1
            else:
                dissolve_fleet(sim, engine)
            _run_schedule(sim, engine, start)
    else:
        dissolve_fleet(sim, engine)
        _run_schedule(sim, engine, start)
    _finish_plan(sim, engine)


def _begin_plan(sim: "Sim", engine: int) -> None:
    set_running_context(sim, engine)
    budget = evaluate(sim, -1, sim.eg_budget[engine], MACHINE_AT)
    sim.plan_chunk = chunk_cap(sim, engine)
    sim.plan_left = budget if budget > 0.0 else 0.0
    sim.plan_whole = 0.0
    sim.plan_other = 0.0
    sim.plan_prefilled = 0.0
    sim.plan_preempted = 0
    sim.plan_admitted = 0
    sim.plan_refused = 0
    sim.planning = engine
    sim.eg_batch_first[engine] = -1
    sim.eg_batch_last[engine] = -1
    sim.eg_served[engine] = 0


def _left(sim: "Sim") -> float:
    return sim.plan_left - sim.plan_whole


def _run_schedule(sim: "Sim", engine: int, pc: int) -> None:
    """Execute a schedule's statements from instruction `pc` on."""
    first_register = sim.eg_register_first[engine]
    n_registers = sim.eg_register_count[engine]
    for k in range(n_registers):
        sim.saved_registers[k] = sim.engine_registers[first_register + k]
    g = sim.schedule
    while not sim.fault:
        at = 4 * pc
        op = g[at]
        if op == G_SERVE:
            _advance(sim, engine, g[at + 1], g[at + 2], g[at + 3] >> 1, g[at + 3] & 1)
        elif op == G_ADMIT:
            _admit(sim, engine, g[at + 1], g[at + 2])
        elif op == G_SET:
            _set_schedule_context(sim, engine)
            sim.engine_registers[g[at + 1]] = evaluate(sim, -1, g[at + 2], MACHINE_AT)
        elif op == G_BRANCH:
            _set_schedule_context(sim, engine)
            test = evaluate(sim, -1, g[at + 1], MACHINE_AT)
            if test == 0.0:
                pc = g[at + 2]
                continue
            if test != 1.0:
                sim.fault = F_GATE
                sim.fault_value = test
                return
        elif op == G_JUMP:
            pc = g[at + 1]
            continue
        else:
            break
        pc += 1
    if n_registers > 0 and _is_empty(sim, engine) and sim.plan_preempted == 0 and sim.plan_admitted == 0:
        for k in range(n_registers):
            sim.engine_registers[first_register + k] = sim.saved_registers[k]


def _is_empty(sim: "Sim", engine: int) -> bool:
    return sim.eg_batch_first[engine] < 0 and (sim.eg_served[engine] == 0 or sim.eg_fleet[engine] == 0)


def _set_schedule_context(sim: "Sim", engine: int) -> None:
    """Let `running.*`, `waiting.*` and `batch.*` be what the schedule has made of them so far."""
    set_running_context(sim, engine)
    r = sim.registers
    r[PREEMPTED] = sim.plan_preempted
    r[ADMITTED] = sim.plan_admitted
    r[NTOK] = sim.plan_whole + sim.plan_other
    r[NPRE] = sim.plan_prefilled


# ---------------------------------------------------------------- serving one run


def _serve(sim: "Sim", engine: int, job: int) -> int:
    """Give a loose run its tokens: 1 served, 0 nothing for it, -1 it was preempted itself."""
    remaining = sim.j_work[job]
    left = _left(sim)
    tokens = remaining if remaining < left else left
    decode = sim.j_mode[job] == DECODE
    if decode:
        if tokens > 1.0:
            tokens = 1.0
    else:
        if tokens > sim.plan_chunk:
            tokens = sim.plan_chunk
        granule = sim.eg_granule[engine]
        if granule > 0.0 and tokens < remaining:
            tokens = floor_of(tokens / granule) * granule if granule < sim.infinity else 0.0
            if tokens <= 0.0:
                sim.plan_refused = 1
                return 0
    if sim.j_stalled[job]:
        return 0
    entry = sim.j_entry[job]
    if entry >= 0:
        units = sim.e_pos[entry] + tokens - sim.e_alloc[entry]
        if units > 1e-9:
            agent = sim.j_agent[job]
            result = grow(sim, agent, entry, units)
            if result < 0 or sim.fault:
                return -1
            if result == 0:
                stall(sim, agent, entry, units)
                return 0
    last = sim.eg_batch_last[engine]
    if last >= 0:
        sim.j_batch_next[last] = job
    else:
        sim.eg_batch_first[engine] = job
    sim.eg_batch_last[engine] = job
    sim.j_batch_next[job] = -1
    sim.j_batch[job] = 1
    sim.j_tokens[job] = tokens
    if decode and tokens == 1.0:
        sim.plan_whole += 1.0
    else:
        sim.plan_left -= tokens
        sim.plan_other += tokens
        if not decode:
            sim.plan_prefilled += tokens
    return 1


# ---------------------------------------------------------------- advance running


def _adopt(sim: "Sim", engine: int) -> None:
    """Let steady decodes join the fleet; take out of it those that end with the coming tick."""
    job = sim.eg_loose_first[engine]
    while job >= 0:
        after = sim.j_loose_next[job]
        if may_join_fleet(sim, job):
            join_fleet(sim, job)
        job = after


def _take_finishing(sim: "Sim", engine: int) -> None:
    """Make loose the runs of the fleet that end with the coming tick."""
    tick = sim.eg_ticks[engine]
    job = sim.finish_ring[engine * FINISH_SLOTS + (tick & (FINISH_SLOTS - 1))]
    while job >= 0:
        after = sim.j_loose_next[job]
        if sim.j_finish[job] == tick:
            leave_fleet(sim, job)
        job = after


def _fleet_need(sim: "Sim", engine: int, tick: int) -> float:
    """Units that the fleet's due growths need at a tick: a block each."""
    block = sim.eg_block[engine]
    if block == 0:
        return 0.0
    due = 0
    job = sim.ring[sim.eg_ring[engine] + tick % block]
    while job >= 0:
        if sim.j_due[job] == tick:
            due += 1
        job = sim.j_ring_next[job]
    return due * sim.p_block[sim.eg_memory[engine]]


def _grow_fleet(sim: "Sim", engine: int, tick: int, need: float) -> None:
    """Give every run of the fleet that is due at a tick its block; there is room for all."""
    pool = sim.eg_memory[engine]
    block = sim.eg_block[engine]
    size = sim.p_block[pool]
    make_room(sim, pool, need)
    add_used(sim, pool, need)
    job = sim.ring[sim.eg_ring[engine] + tick % block]
    while job >= 0:
        if sim.j_due[job] == tick:
            sim.j_due[job] = tick + block
            sim.e_alloc[sim.j_entry[job]] += size
        job = sim.j_ring_next[job]
    sim.eg_kv_decode[engine] += need
    sim.eg_kv_fleet[engine] += need


def _fast_possible(sim: "Sim", engine: int) -> bool:
    """Whether all decodes get a token and a block, whatever the order of serving.

    Runs that end with this tick are loose from here on. Prefills must come after the decodes in the schedule's order.
    """
    if sim.eg_fleet[engine] == 0:
        return False
    _take_finishing(sim, engine)
    decoding = sim.eg_decoding[engine]
    if sim.plan_left < decoding:
        return False
    if not sim.eg_decode_first[engine]:
        prefilling = sim.st_jobs[engine] - decoding
        job = sim.st_last[engine]
        while prefilling > 0 and sim.j_mode[job] == PREFILL:
            prefilling -= 1
            job = sim.j_previous[job]
        if prefilling > 0:
            return False
    memory = sim.eg_memory[engine]
    need = _fleet_need(sim, engine, sim.eg_ticks[engine])
    job = sim.eg_loose_first[engine]
    while job >= 0:
        entry = sim.j_entry[job]
        if sim.j_mode[job] == DECODE:
            if sim.j_stalled[job]:
                return False
            if entry >= 0:
                tokens = sim.j_work[job] if sim.j_work[job] < 1.0 else 1.0
                units = sim.e_pos[entry] + tokens - sim.e_alloc[entry]
                if units > 1e-9:
                    if sim.e_pool[entry] != memory:
                        return False
                    need += round_up(sim, memory, sim.e_alloc[entry] + units) - sim.e_alloc[entry]
        job = sim.j_loose_next[job]
    if need > 0.0:
        return sim.p_used[memory] + sim.p_outstanding[memory] + need <= sim.p_cap[memory] + 1e-9
    return True


def _serve_fast(sim: "Sim", engine: int) -> None:
    """Serve the fleet at once, then the loose decodes, then the prefills, each in order of admission."""
    tick = sim.eg_ticks[engine]
    need = _fleet_need(sim, engine, tick)
    if need > 0.0:
        _grow_fleet(sim, engine, tick, need)
    sim.eg_served[engine] = 1
    sim.plan_whole = sim.eg_fleet[engine]
    job = sim.eg_loose_first[engine]
    while job >= 0:
        if sim.j_mode[job] == DECODE:
            _serve(sim, engine, job)
        job = sim.j_loose_next[job]
    sim.visits += 1
    visit = sim.visits
    while True:
        # Serving a prefill may preempt others, so the list is read afresh for each.
        job = sim.eg_loose_first[engine]
        while job >= 0 and (sim.j_mode[job] == DECODE or sim.j_seen[job] == visit):
            job = sim.j_loose_next[job]
        if job < 0 or not _left(sim) > 0.0:
            return
        sim.j_seen[job] = visit
        if _serve(sim, engine, job) < 0 or sim.fault:
            return


def _advance(sim: "Sim", engine: int, only: int, key: int, n_keys: int, still: int) -> None:
    """`advance running`: serve running requests that are not in the batch, by keys, then in order of admission.

    Keys are read again before every pick, unless they cannot change meanwhile (`still`): then the pick is the next
    by the keys read once.
    """
    sim.visits += 1
    visit = sim.visits
    if n_keys > 0 and still:
        _advance_sorted(sim, engine, only, key, n_keys, visit)
        return
    while _left(sim) > 0.0 and not sim.fault:
        job = _pick(sim, engine, key, n_keys, visit)
        if job < 0:
            return
        sim.j_seen[job] = visit
        if only >= 0 and _read_job(sim, engine, job, only) == 0.0:
            continue
        if _serve(sim, engine, job) < 0:
            return


def _pick(sim: "Sim", engine: int, key: int, n_keys: int, visit: int) -> int:
    """The running request with the least keys that is neither in the batch nor was considered; -1 without."""
    job = sim.st_first[engine]
    if n_keys == 0:
        job = sim.eg_cursor[engine] if sim.eg_cursor_visit[engine] == visit else job
        while job >= 0 and (sim.j_seen[job] == visit or sim.j_batch[job]):
            job = sim.j_next[job]
        sim.eg_cursor[engine] = job
        # A preemption may free the row that the cursor names.
        sim.eg_cursor_visit[engine] = visit if sim.plan_preempted == 0 else -1
        return job
    best = -1
    place = 0
    while job >= 0:
        if sim.j_seen[job] != visit and not sim.j_batch[job]:
            _set_job_context(sim, engine, job, place)
            less = best < 0
            undecided = not less
            for i in range(n_keys):
                value = evaluate(sim, sim.j_agent[job], sim.keys[key + i], MACHINE_AT)
                if undecided and order(value) != order(sim.best_keys[i]):
                    undecided = False
                    less = order(value) < order(sim.best_keys[i])
                sim.trial_keys[i] = value
            if less:
                best = job
                for i in range(n_keys):
                    sim.best_keys[i] = sim.trial_keys[i]
        place += 1
        job = sim.j_next[job]
    return best


def _advance_sorted(sim: "Sim", engine: int, only: int, key: int, n_keys: int, visit: int) -> None:
    """Serve by keys that cannot change during the pass: read them once, sort, go through."""
    n = sim.st_jobs[engine]
    if n > sim.sort_room:
        sim.sort_job = more_longs(sim.sort_job, sim.sort_room, 2 * n)
        sim.sort_stamp = more_longs(sim.sort_stamp, sim.sort_room, 2 * n)
        sim.sort_key = more_longs(sim.sort_key, sim.sort_room * sim.max_keys, 2 * n * sim.max_keys)
        sim.sort_order = more_longs(sim.sort_order, sim.sort_room, 2 * n)
        sim.sort_spare = more_longs(sim.sort_spare, sim.sort_room, 2 * n)
        sim.sort_room = 2 * n
    n = 0
    place = 0
    job = sim.st_first[engine]
    while job >= 0:
        if not sim.j_batch[job]:
            _set_job_context(sim, engine, job, place)
            for i in range(n_keys):
                value = evaluate(sim, sim.j_agent[job], sim.keys[key + i], MACHINE_AT)
                sim.sort_key[n * sim.max_keys + i] = order(value)
            sim.sort_job[n] = job
            sim.sort_stamp[n] = sim.j_stamp[job]
            sim.sort_order[n] = n
            n += 1
        place += 1
        job = sim.j_next[job]
    _merge_sort(sim, n, n_keys)
    for k in range(n):
        if not _left(sim) > 0.0 or sim.fault:
            return
        at = sim.sort_order[k]
        job = sim.sort_job[at]
        if sim.j_stamp[job] != sim.sort_stamp[at] or sim.j_batch[job]:
            continue
        if only >= 0 and _read_job(sim, engine, job, only) == 0.0:
            continue
        if _serve(sim, engine, job) < 0:
            return


def _merge_sort(sim: "Sim", n: int, n_keys: int) -> None:
    """Sort `sort_order` by rows of `sort_key`, keeping the order of equals."""
    width = 1
    while width < n:
        low = 0
        while low < n:
            middle = low + width if low + width < n else n
            high = low + 2 * width if low + 2 * width < n else n
            i = low
            j = middle
            for k in range(low, high):
                left = i < middle
                if left and j < high:
                    left = not _key_less(sim, sim.sort_order[j], sim.sort_order[i], n_keys)
                if left:
                    sim.sort_spare[k] = sim.sort_order[i]
                    i += 1
                else:
                    sim.sort_spare[k] = sim.sort_order[j]
                    j += 1
            low = high
        for k in range(n):
            sim.sort_order[k] = sim.sort_spare[k]
        width *= 2


def _key_less(sim: "Sim", a: int, b: int, n_keys: int) -> bool:
    for i in range(n_keys):
        left = sim.sort_key[a * sim.max_keys + i]
        right = sim.sort_key[b * sim.max_keys + i]
        if left != right:
            return left < right
    return False


def _set_job_context(sim: "Sim", engine: int, job: int, place: int) -> None:
    """Let `decoding admission remaining` be a run's, and `running.*` the engine's now."""
    set_running_context(sim, engine)
    r = sim.registers
    r[PREEMPTED] = sim.plan_preempted
    r[ADMITTED] = sim.plan_admitted
    r[DECODING] = 1.0 if sim.j_mode[job] == DECODE else 0.0
    r[ADMISSION] = place
    r[REMAINING] = remaining_of(sim, job)


def _read_job(sim: "Sim", engine: int, job: int, x: int) -> float:
    """`only`, read for a run."""
    place = 0
    other = sim.st_first[engine]
    while other != job and other >= 0:
        place += 1
        other = sim.j_next[other]
    _set_job_context(sim, engine, job, place)
    return evaluate(sim, sim.j_agent[job], x, MACHINE_AT)


# ---------------------------------------------------------------- admit waiting


def _admit(sim: "Sim", engine: int, only: int, gate: int) -> None:
    """`admit waiting`: while the gate holds, tokens are left and the head fits. A newcomer is served at once."""
    while sim.eg_waiting[engine] > 0 and not sim.fault:
        if not _left(sim) > 0.0 or sim.plan_refused:
            return
        if not _gate(sim, engine, gate):
            return
        agent = _head(sim, engine)
        if agent < 0 or not fits(sim, agent):
            return
        job = _enter(sim, agent)
        if job < 0 or sim.j_stage[job] != engine or sim.fault:
            continue
        if only >= 0 and _read_job(sim, engine, job, only) == 0.0:
            continue
        if not _left(sim) > 0.0:
            continue
        if _serve(sim, engine, job) < 0:
            return


def _gate(sim: "Sim", engine: int, gate: int) -> bool:
    if gate < 0:
        return True
    _set_schedule_context(sim, engine)
    test = evaluate(sim, -1, gate, MACHINE_AT)
    if test != 0.0 and test != 1.0:
        sim.fault = F_GATE
        sim.fault_value = test
        return False
    return test == 1.0


def _head(sim: "Sim", engine: int) -> int:
    """The waiter that decides: the selected one of the engine's first pool with any."""
    first = sim.st_admits[engine]
    for k in range(sim.st_n_admits[engine]):
        pool = sim.admits[first + k]
        if sim.p_waiting[pool] > 0:
            return selected(sim, pool)
    return -1


def _enter(sim: "Sim", agent: int) -> int:
    """Admit a waiter and run it, and whom that makes ready, until all block; its job then, or -1."""
    admit_hold(sim, agent)
    sim.plan_admitted += 1
    if sim.plan_admitted > 100000:
        sim.fault = F_LIVELOCK
        return -1
    serial = sim.a_serial[agent]
    run_agent(sim, agent)
    run_ready(sim)
    if sim.a_state[agent] == A_RUNNING and sim.a_serial[agent] == serial:
        return sim.a_job[agent]
    return -1


def _exclusive(sim: "Sim", engine: int, start: int) -> None:
    """`exclusive prefill`: a running prefill alone; else the decodes, which an admitted prefill replaces."""
    dissolve_fleet(sim, engine)
    budget = sim.plan_left
    prefills = 0
    job = sim.st_first[engine]
    while job >= 0:
        if sim.j_mode[job] == PREFILL:
            prefills += 1
            if not sim.j_stalled[job]:
                _serve(sim, engine, job)
                if not sim.j_stalled[job]:
                    return
        job = sim.j_next[job]
    if prefills == 0:
        # Where all prefills wait for room, the decodes wait for them.
        _advance(sim, engine, -1, 0, 0, 0)
    while sim.eg_waiting[engine] > 0 and not sim.fault:
        if sim.plan_preempted > 0 or sim.plan_refused or not _left(sim) > 0.0:
            return
        kept = sim.plan_left
        whole = sim.plan_whole
        # A newcomer's admission sees the whole budget: its prefill would replace the decodes.
        sim.plan_left = budget
        sim.plan_whole = 0.0
        agent = _head(sim, engine)
        fit = agent >= 0 and fits(sim, agent)
        if not fit:
            sim.plan_left = kept
            sim.plan_whole = whole
            return
        job = _enter(sim, agent)
        sim.plan_left = kept
        sim.plan_whole = whole
        if job < 0 or sim.j_stage[job] != engine:
            continue
        if sim.j_mode[job] == PREFILL:
            sim.plan_left = budget
            sim.plan_whole = 0.0
            served = _serve(sim, engine, job)
            if served > 0:
                _keep_only(sim, engine, job)
            _recount(sim, engine, budget)
            if served != 0:
                return
            # One that waits for room changes nothing.
            continue
        if _left(sim) > 0.0:
            _serve(sim, engine, job)


def _keep_only(sim: "Sim", engine: int, job: int) -> None:
    """Take all runs but the last out of the batch; what they grew stays."""
    other = sim.eg_batch_first[engine]
    while other >= 0:
        if other != job:
            sim.j_batch[other] = 0
        other = sim.j_batch_next[other]
    sim.eg_batch_first[engine] = job
    sim.eg_batch_last[engine] = job


def _recount(sim: "Sim", engine: int, budget: float) -> None:
    """Set the plan's sums of tokens to those of its batch."""
    sim.plan_left = budget
    sim.plan_whole = 0.0
    sim.plan_other = 0.0
    sim.plan_prefilled = 0.0
    job = sim.eg_batch_first[engine]
    while job >= 0:
        tokens = sim.j_tokens[job]
        if sim.j_mode[job] == DECODE and tokens == 1.0:
            sim.plan_whole += 1.0
        else:
            sim.plan_left -= tokens
            sim.plan_other += tokens
            if sim.j_mode[job] == PREFILL:
                sim.plan_prefilled += tokens
        job = sim.j_batch_next[job]


# ---------------------------------------------------------------- the start and the end of an iteration


def _finish_plan(sim: "Sim", engine: int) -> None:
    """Start the planned iteration, or leave the engine idle if it schedules nothing and preempted nobody."""
    sim.planning = -1
    if sim.fault:
        return
    empty = _is_empty(sim, engine)
    owes = sim.eg_owed[engine] > 0.0
    if empty and sim.plan_preempted == 0 and not owes:
        sim.eg_starved[engine] = 1 if sim.st_jobs[engine] > 0 or sim.eg_waiting[engine] > 0 else 0
        sim.eg_served[engine] = 0
        return
    sim.eg_starved[engine] = 0
    decodes = _set_batch_context(sim, engine)
    planned = not empty or sim.plan_preempted > 0
    prefills = sim.registers[NPRE] > 0.0
    if prefills and sim.split:
        keep_draws(sim)
    duration = evaluate(sim, -1, sim.eg_cost[engine], MACHINE_AT) if planned else 0.0
    if not duration > 0.0:
        if not empty:
            sim.fault = F_COST
            sim.fault_value = duration
            sim.fault_count = truncate(sim.registers[NTOK])
            sim.fault_agent = engine
            return
        duration = 0.0
        if not owes:
            sim.empty_plans += 1
        if sim.empty_at != sim.now:
            sim.empty_at = sim.now
            sim.empty_plans = 0
        if sim.empty_plans > 100000:
            sim.fault = F_LIVELOCK
            sim.fault_agent = engine
            return
    if sim.n_claims > 0:
        _read_claims(sim, engine)
    kernel = duration
    if prefills and sim.split:
        kernel = without_prefills(sim, engine, duration)
        if sim.removed[L_PREFILL]:
            duration = kernel
    stalls = 0.0
    if sim.n_stalls > 0:
        stalls = take_stalls(sim, engine, planned)
        if sim.fault:
            return
    if sim.split:
        begin_split(sim, engine, kernel, duration, stalls, empty)
    _start_iteration(sim, engine, duration + stalls, decodes, prefills)
    sim.eg_busy[engine] = 1
    note_engine(sim, engine)
    push_event(sim, sim.now + (duration + stalls), E_ITERATION, engine, 0)


def _set_batch_context(sim: "Sim", engine: int) -> int:
    """Let `batch.*` and `running.count` be what was scheduled; the number of decodes."""
    memory = sim.eg_memory[engine]
    decodes = 0
    decode_memory = 0.0
    prefill_memory = 0.0
    attention = 0.0
    prefilled = 0.0
    if sim.eg_served[engine]:
        decodes = sim.eg_fleet[engine]
        decode_memory = sim.eg_kv_fleet[engine]
    job = sim.eg_batch_first[engine]
    while job >= 0:
        held = allocated_in(sim, sim.j_agent[job], memory) if memory >= 0 else 0.0
        if sim.j_mode[job] == DECODE:
            decodes += 1
            decode_memory += held
        else:
            prefill_memory += held
            tokens = sim.j_tokens[job]
            prefilled += tokens
            attention += tokens * (position_of(sim, job) + tokens / 2.0)
        job = sim.j_batch_next[job]
    r = sim.registers
    r[NTOK] = sim.plan_whole + sim.plan_other
    r[NDEC] = decodes
    r[NPRE] = prefilled
    r[NRES] = sim.st_jobs[engine]
    r[KVB] = decode_memory
    r[KVP] = prefill_memory
    r[ATTN] = attention
    return decodes


def _start_iteration(sim: "Sim", engine: int, duration: float, decodes: int, prefills: bool) -> None:
    """Count an iteration that starts now."""
    sim.eg_iterations[engine] += 1
    first = sim.engine_signals + 4 * sim.eg_number[engine]
    if sim.eg_lit[engine] != 1 + 2 * decodes + (1 if prefills else 0):
        sim.eg_lit[engine] = 1 + 2 * decodes + (1 if prefills else 0)
        set_signal(sim, first, 1.0 if prefills and decodes == 0 else 0.0)
        set_signal(sim, first + 1, 1.0 if decodes > 0 and not prefills else 0.0)
        set_signal(sim, first + 2, 1.0 if decodes > 0 and prefills else 0.0)
        set_signal(sim, first + 3, decodes)
    if decodes > 0 and sim.warm:
        sim.eg_decode_iterations[engine] += 1
        sim.eg_decode_total[engine] += decodes
        if duration == sim.eg_step[engine]:
            sim.eg_step_count[engine] += 1
        else:
            # Equal durations in a row are added up as one product, in stepping and in fast-forward alike.
            sim.eg_step_sum[engine] += sim.eg_step[engine] * sim.eg_step_count[engine]
            sim.eg_step[engine] = duration
            sim.eg_step_count[engine] = 1


def darken(sim: "Sim", engine: int) -> None:
    """Let the four figures of an engine that runs no iteration be 0."""
    sim.eg_lit[engine] = 0
    first = sim.engine_signals + 4 * sim.eg_number[engine]
    for k in range(4):
        set_signal(sim, first + k, 0.0)


def _read_claims(sim: "Sim", engine: int) -> None:
    """Read the claims about this engine's iterations; the batch is formed."""
    r = sim.registers
    demand = 0.0
    job = sim.st_first[engine]
    while job >= 0:
        if sim.j_mode[job] == DECODE:
            demand += 1.0
        else:
            rest = remaining_of(sim, job)
            demand += rest if rest < sim.plan_chunk else sim.plan_chunk
        job = sim.j_next[job]
    r[DEMAND] = demand
    r[SERVED] = sim.eg_tokens[engine]
    r[ARRIVED] = sim.arrivals
    sim.eg_tokens[engine] += r[NTOK]
    for claim in range(sim.n_claims):
        kind = sim.claims[4 * claim]
        if kind == 2 or sim.claims[4 * claim + 1] != engine:
            continue
        holds = evaluate(sim, -1, sim.claims[4 * claim + 3], MACHINE_AT) != 0.0
        sim.claim_checked[claim] += 1
        if not holds:
            sim.claim_failures[claim] += 1
        if holds == (kind == 1) and sim.claim_first[claim] < 0.0:
            sim.claim_first[claim] = sim.now


def end_iteration(sim: "Sim", engine: int) -> None:
    """Credit the batch in the order served; then finished runs leave and their sessions become ready, in this order."""
    _go_idle(sim, engine)
    steady = 0
    apart = 0
    if sim.eg_served[engine]:
        sim.eg_ticks[engine] += 1
        steady = sim.eg_fleet[engine]
    job = sim.eg_batch_first[engine]
    while job >= 0:
        if sim.j_mode[job] == DECODE and is_steady(sim, job):
            steady += 1
            if sim.split and note_apart(sim, job):
                apart += 1
        job = sim.j_batch_next[job]
    if sim.split:
        end_split(sim, engine)
    if steady > 0 and sim.warm:
        record_gaps(sim, engine, sim.now - sim.eg_last_end[engine], steady)
        if sim.split:
            record_steady(sim, engine, sim.now - sim.eg_last_end[engine], steady - apart)
            if apart > 0:
                record_apart(sim, engine)
    _credit(sim, engine)
    sim.eg_last_end[engine] = sim.now
    sim.eg_served[engine] = 0
    _complete(sim, engine)
    sim.eg_batch_first[engine] = -1
    sim.eg_batch_last[engine] = -1


def _go_idle(sim: "Sim", engine: int) -> None:
    sim.eg_busy[engine] = 0
    if not sim.eg_dim[engine]:
        sim.eg_dim[engine] = 1
        sim.dim[sim.n_dim] = engine
        sim.n_dim += 1
    note_engine(sim, engine)


def _credit(sim: "Sim", engine: int) -> None:
    job = sim.eg_batch_first[engine]
    while job >= 0:
        tokens = sim.j_tokens[job]
        decode = sim.j_mode[job] == DECODE
        sim.j_work[job] -= tokens
        entry = sim.j_entry[job]
        if entry >= 0:
            sim.e_pos[entry] += tokens
            if sim.j_work[job] <= 1e-9:
                # Fractions of tokens end at the whole.
                sim.e_pos[entry] = sim.j_base[job] + sim.j_total[job]
            sim.h_grown[sim.e_hold[entry]] = 1
        if decode or sim.j_work[job] <= 1e-9:
            _emit(sim, engine, job, decode)
        job = sim.j_batch_next[job]


def _emit(sim: "Sim", engine: int, job: int, decode: bool) -> None:
    """A token of a loose run: its gap, if it was not counted as steady, and the turn's record."""
    agent = sim.j_agent[job]
    root = sim.a_root[agent]
    turn = sim.attrs[agent * sim.width + 2]
    same = sim.token_seen[agent] == 1 and sim.token_turn[agent] == turn
    if not same:
        sim.token_decoded[agent] = 0
        sim.token_preempted[agent] = 0
    preempted = sim.token_preempted[agent] == 1
    if same and sim.warm and not (decode and is_steady(sim, job)):
        if decode or sim.token_decoded[agent] == 1 or (preempted and sim.token_stage[agent] == engine):
            record_gaps(sim, engine, sim.now - sim.token_time[agent], 1)
            if sim.split:
                record_own(sim, engine, agent, sim.now - sim.token_time[agent])
    elif sim.keep and same and sim.warm and not sim.ga_apart[agent]:
        keep_gap(sim, engine, agent, sim.now - sim.eg_last_end[engine], sim.steady_cause, True)
    if sim.split:
        new_gap(sim, agent, engine)
    sim.token_seen[agent] = 1
    sim.token_turn[agent] = turn
    sim.token_time[agent] = sim.now
    sim.token_stage[agent] = engine
    sim.token_preempted[agent] = 0
    if decode:
        sim.token_decoded[agent] = 1
    if not sim.turn_open[root]:
        return
    if sim.turn_first[root] == 0 or (sim.turn_first[root] == 1 and not decode):
        # The first token, or a later prefill's end that replaces it.
        sim.turn_first_time[root] = sim.now
        sim.turn_first[root] = 1
        sim.turn_tokens[root] = 1
        if decode:
            confirm_first(sim, root)
        return
    if sim.turn_first[root] == 1:
        confirm_first(sim, root)
    sim.turn_tokens[root] += 1


def _complete(sim: "Sim", engine: int) -> None:
    job = sim.eg_batch_first[engine]
    before = -1
    while job >= 0:
        after = sim.j_batch_next[job]
        sim.j_batch[job] = 0
        if sim.j_work[job] <= 1e-9:
            agent = sim.j_agent[job]
            leave_run(sim, job)
            count_completion(sim, engine, 0.0, sim.j_joined[job])
            # The row leaves the batch's list before it is used again.
            if before >= 0:
                sim.j_batch_next[before] = after
            else:
                sim.eg_batch_first[engine] = after
            free_job(sim, job)
            make_ready(sim, agent)
        else:
            before = job
        job = after


# ---------------------------------------------------------------- fast-forward


def _waiters_blocked(sim: "Sim", engine: int) -> int:
    """Whether admission can only fail during a stretch: 0 no, 1 yes, 2 as long as nothing is evicted."""
    if sim.eg_waiting[engine] == 0:
        return 1
    if not sim.plan_left - sim.eg_fleet[engine] > 0.0:
        return 1
    first = sim.st_admits[engine]
    pool = -1
    for k in range(sim.st_n_admits[engine]):
        if sim.p_waiting[sim.admits[first + k]] > 0:
            pool = sim.admits[first + k]
            break
    head = sim.p_queue_first[pool]
    if sim.p_queue_keys[pool] > 0 and not sim.a_marked[head]:
        return 0
    row = sim.a_waiting[head] * H_COLUMNS
    if sim.holds[row + 8] & (READS_NOW | READS_POOL | READS_STAGE | READS_WAITED | READS_DRAW):
        return 0
    sim.planning = engine
    sim.plan_whole = sim.eg_fleet[engine]
    fit = fits(sim, head)
    sim.planning = -1
    if fit or sim.fault:
        return 0
    units = sim.held[sim.misfit_held + 3]
    reserve = sim.held[sim.misfit_held + 4]
    live = sim.x_reads[units] & READS_CACHED
    if reserve >= 0:
        live |= sim.x_reads[reserve] & READS_CACHED
    return 2 if live else 1


def fast_forward(sim: "Sim", engine: int) -> bool:
    """Run whole iterations of an idle engine's fleet; true if the next one, which ends as an event, has begun too."""
    if not _is_alone(sim, engine) or sim.n_candidates > 1:
        return False
    if sim.n_dim > 1 or (sim.n_dim == 1 and sim.dim[0] != engine):
        # Another engine has just gone idle; its figures are set to 0 when this instant settles.
        return False
    if sim.split and sim.now > sim.eg_last_end[engine]:
        # The fleet's gap began with a time of standing still, and is divided like any other.
        return False
    limit = next_time(sim)
    if limit <= sim.now:
        return False
    end = _stretch(sim, engine, limit)
    if end < 0.0:
        return False
    sim.eg_starved[engine] = 0
    sim.eg_served[engine] = 1
    sim.eg_batch_first[engine] = -1
    sim.eg_batch_last[engine] = -1
    sim.eg_busy[engine] = 1
    note_engine(sim, engine)
    push_event(sim, end, E_ITERATION, engine, 0)
    return True


def glide(sim: "Sim") -> int:
    """Take the first event, if it ends an iteration of a fleet that is alone, and begin the fleet's next iteration.

    Where settling would do nothing but that, this leaves it out, and the event is moved instead of taken and made
    anew: most events of many engines are of this kind. 0 if it is not of this kind, and nothing has been done; 1 if
    the next iteration has begun; 2 if the instant is to be settled.
    """
    event = sim.heap[0]
    engine = sim.ev_a[event]
    if sim.eg_batch_first[engine] >= 0 or not sim.eg_served[engine] or not _is_alone(sim, engine):
        return 0
    if sim.n_candidates > 0 or sim.n_dim > 0 or sim.ready_first != sim.ready_last:
        return 0
    limit = second_time(sim)
    if limit <= sim.now:
        return 0
    sim.eg_ticks[engine] += 1
    if sim.split:
        end_split(sim, engine)
    if sim.warm:
        record_gaps(sim, engine, sim.now - sim.eg_last_end[engine], sim.eg_fleet[engine])
        if sim.split:
            record_steady(sim, engine, sim.now - sim.eg_last_end[engine], sim.eg_fleet[engine])
    sim.eg_last_end[engine] = sim.now
    end = _stretch(sim, engine, limit)
    if end >= 0.0:
        move_first(sim, end)
        return 1
    pop_event(sim)
    sim.eg_served[engine] = 0
    _go_idle(sim, engine)
    return 2


def _is_alone(sim: "Sim", engine: int) -> bool:
    """Whether a fleet is all that runs on its engine, and neither other stages nor pools have anything to do."""
    fleet = sim.eg_fleet[engine]
    if fleet == 0 or fleet != sim.st_jobs[engine] or sim.n_changed > 0 or sim.fl_changed:
        return False
    return sim.n_growers == 0 and sim.n_waiting == 0 and sim.eg_plain[engine] != 0


def _stretch(sim: "Sim", engine: int, limit: float) -> float:
    """Run iterations of a fleet that is alone, up to the last that ends before `limit`, and count the next as begun.

    The end of the iteration that was begun; -1 if the next iteration must be planned, as something may happen in it.
    """
    fleet = sim.eg_fleet[engine]
    set_running_context(sim, engine)
    budget = evaluate(sim, -1, sim.eg_budget[engine], MACHINE_AT)
    sim.plan_left = budget if budget > 0.0 else 0.0
    if sim.plan_left < fleet:
        return -1.0
    blocked = _waiters_blocked(sim, engine)
    if blocked == 0 or sim.fault:
        return -1.0
    r = sim.registers
    r[NTOK] = fleet
    r[NDEC] = fleet
    r[NPRE] = 0.0
    r[NRES] = fleet
    r[KVP] = 0.0
    r[ATTN] = 0.0
    memory = sim.eg_memory[engine]
    block = sim.eg_block[engine]
    ring = sim.eg_ring[engine]
    finish = engine * FINISH_SLOTS
    cost = sim.eg_cost[engine]
    fresh = (sim.x_reads[cost] & (READS_NOW | READS_STAGE)) != 0
    lasting = (sim.x_reads[cost] & ~READS_ENGINE) == 0
    horizon = sim.horizon
    begun = -1.0
    duration = 0.0
    stale = True
    tick = sim.eg_ticks[engine]
    phase = tick % block if block > 0 else 0
    done = 0
    now = sim.now
    last = sim.eg_last_end[engine]
    warm = sim.warm
    split = sim.split
    began = now
    run_sum = 0.0
    run_count = 0
    run_above = 0
    if split:
        rest_clock(sim, engine)
    bucket = sim.eg_bucket[engine]
    low = sim.b_least[bucket] if bucket >= 0 else 1.0
    high = sim.b_greatest[bucket] if bucket >= 0 else 0.0
    gap_sum = sim.eg_gap_sum[engine]
    pending = 0
    while True:
        job = sim.finish_ring[finish + (tick & (FINISH_SLOTS - 1))]
        while job >= 0 and sim.j_finish[job] != tick:
            job = sim.j_loose_next[job]
        if job >= 0:
            break
        if block > 0:
            if sim.ring[ring + phase] >= 0:
                need = _fleet_need(sim, engine, tick)
                if need > 0.0:
                    if sim.p_used[memory] + sim.p_outstanding[memory] + need > sim.p_cap[memory] + 1e-9:
                        break
                    sim.now = now
                    r[NOW] = now
                    evicted = sim.p_evicted_units[memory]
                    _grow_fleet(sim, engine, tick, need)
                    stale = True
                    if blocked == 2 and sim.p_evicted_units[memory] != evicted:
                        break
        if stale or fresh:
            r[NOW] = now
            sim.now = now
            sim.eg_ticks[engine] = tick
            r[KVB] = sim.eg_kv_fleet[engine]
            if lasting and sim.eg_last_fleet[engine] == fleet and sim.eg_last_kv[engine] == r[KVB]:
                step = sim.eg_last_cost[engine]
            else:
                step = evaluate(sim, -1, cost, MACHINE_AT)
                sim.eg_last_fleet[engine] = fleet
                sim.eg_last_kv[engine] = r[KVB]
                sim.eg_last_cost[engine] = step
            stale = False
            if not step > 0.0:
                break
            if step != duration or done == 0:
                if pending > 0:
                    _count_stretch(sim, engine, pending, fleet)
                    pending = 0
                duration = step
        end = now + duration
        if pending == 0:
            sim.now = now
            _start_iteration(sim, engine, duration, fleet, False)
        pending += 1
        if end >= limit or end > horizon:
            begun = end
            break
        if warm:
            gap = end - last
            if low <= gap <= high:
                gap_sum += gap * fleet
                sim.b_count[bucket] += fleet
            else:
                if run_count > 0:
                    record_kernel(sim, bucket, run_sum, run_count, run_above)
                    run_sum = 0.0
                    run_count = 0
                    run_above = 0
                sim.eg_gap_sum[engine] = gap_sum
                record_gaps(sim, engine, gap, fleet)
                sim.eg_gaps[engine] -= fleet
                gap_sum = sim.eg_gap_sum[engine]
                bucket = sim.eg_bucket[engine]
                low = sim.b_least[bucket]
                high = sim.b_greatest[bucket]
            if split:
                run_sum += gap * fleet
                run_count += fleet
                if gap >= sim.b_edge[bucket]:
                    run_above += fleet
        now = end
        last = end
        tick += 1
        done += 1
        if block > 0:
            phase += 1
            if phase == block:
                phase = 0
        if (done & 65535) == 0:
            sim.progress.now = now
            sim.progress.events = sim.events + done
            if sim.progress.stop or done >= 1 << 22:
                break
    if pending > 0:
        _count_stretch(sim, engine, pending, fleet)
    sim.eg_gap_sum[engine] = gap_sum
    if warm:
        sim.eg_gaps[engine] += done * fleet
    sim.eg_ticks[engine] = tick
    sim.eg_last_end[engine] = last
    sim.events += done
    sim.now = now
    r[NOW] = now
    if split:
        if run_count > 0:
            record_kernel(sim, bucket, run_sum, run_count, run_above)
        glide_split(sim, engine, began, duration, begun >= 0.0)
    return begun


def _count_stretch(sim: "Sim", engine: int, iterations: int, fleet: int) -> None:
    """Count the iterations of a stretch of equal durations; the first one was counted when it started."""
    more = iterations - 1
    sim.eg_iterations[engine] += more
    if sim.warm:
        sim.eg_decode_iterations[engine] += more
        sim.eg_decode_total[engine] += more * fleet
        sim.eg_step_count[engine] += more
