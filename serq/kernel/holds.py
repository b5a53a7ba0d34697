"""Holds: joining a pool's queue, what fits, admission, release, leases.

A hold statement takes several pools at once. Its record has one *entry* a pool; entries of an agent form a list, oldest
first (leases stay in it), and entries of a pool form one in order of admission. A waiting agent's pools are resolved
when it reaches the statement and kept in `a_pools`.
"""

import cython

if not cython.compiled:
    from serq.kernel.cache import (
        add_used,
        consume_node,
        free_consumed,
        keep_fragment,
        make_room,
        new_node,
        next_release,
        pool_signal,
        remove_node,
    )
    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.events import push_event
    from serq.kernel.figures import set_signal
    from serq.kernel.gaps import move_gap
    from serq.kernel.machine import agent_stream, evaluate, own_node, resolve, round_down, round_up
    from serq.kernel.memory import more_doubles, more_longs
    from serq.kernel.numbers import order
    from serq.kernel.prefix import (
        end_pins,
        keep_chain,
        leave_chain,
        leave_header,
        overlap,
        read_chain,
        take_chain,
        use_chain,
    )
    from serq.kernel.runs import memory_changed
    from serq.kernel.stages import free_agent, make_ready, note_engine
    from serq.kernel.state import Sim

    # Columns of a row of `holds` and `held`, see tables.
    H_COLUMNS = 11
    U_COLUMNS = 7
    NO_HEADER = -2


# ---------------------------------------------------------------- rows


def _grow_entries(sim: "Sim") -> None:
    old = sim.entry_room
    new = 2 * old
    sim.e_pool = more_longs(sim.e_pool, old, new)
    sim.e_agent = more_longs(sim.e_agent, old, new)
    sim.e_hold = more_longs(sim.e_hold, old, new)
    sim.e_statement = more_longs(sim.e_statement, old, new)
    sim.e_alloc = more_doubles(sim.e_alloc, old, new)
    sim.e_pos = more_doubles(sim.e_pos, old, new)
    sim.e_reserved = more_doubles(sim.e_reserved, old, new)
    sim.e_shared = more_doubles(sim.e_shared, old, new)
    sim.e_fragment = more_doubles(sim.e_fragment, old, new)
    sim.e_sibling = more_longs(sim.e_sibling, old, new)
    sim.e_next = more_longs(sim.e_next, old, new)
    sim.e_before = more_longs(sim.e_before, old, new)
    sim.e_after = more_longs(sim.e_after, old, new)
    sim.e_lease = more_longs(sim.e_lease, old, new)
    sim.e_stamp = more_longs(sim.e_stamp, old, new)
    sim.e_chain = more_longs(sim.e_chain, old, new)
    sim.e_pin = more_longs(sim.e_pin, old, new)
    sim.e_slot = more_longs(sim.e_slot, old, new)
    sim.e_reader = more_longs(sim.e_reader, old, new)
    for i in range(old, new):
        sim.e_stamp[i] = -1
        sim.e_next[i] = i + 1 if i + 1 < new else -1
    sim.e_free = old
    sim.entry_room = new


def _grow_holds(sim: "Sim") -> None:
    old = sim.hold_room
    new = 2 * old
    sim.h_statement = more_longs(sim.h_statement, old, new)
    sim.h_pc = more_longs(sim.h_pc, old, new)
    sim.h_outer = more_longs(sim.h_outer, old, new)
    sim.h_grown = more_longs(sim.h_grown, old, new)
    sim.h_first = more_longs(sim.h_first, old, new)
    sim.h_chain = more_longs(sim.h_chain, old, new)
    for i in range(old, new):
        sim.h_outer[i] = i + 1 if i + 1 < new else -1
    sim.h_free = old
    sim.hold_room = new


# ---------------------------------------------------------------- reaching the statement


def amount(sim: "Sim", agent: int, x: int) -> float:
    """An amount of units: neither NaN nor negative, or the run stops."""
    value = evaluate(sim, agent, x, agent_stream(agent))
    if not value >= -1e-9:
        sim.fault = F_AMOUNT
        sim.fault_value = value
    return value


def reach_hold(sim: "Sim", agent: int, statement: int) -> bool:
    """Resolve and measure a hold; False if it can never fit (the agent is rejected)."""
    row = statement * H_COLUMNS
    first = sim.holds[row]
    count = sim.holds[row + 1]
    pools = agent * sim.max_held
    for i in range(count):
        held = (first + i) * U_COLUMNS
        pool = resolve(sim, agent, sim.held[held], sim.held[held + 1], sim.held[held + 2])
        for k in range(i):
            if sim.a_pools[pools + k] == pool:
                sim.fault = F_MEMBER
        sim.a_pools[pools + i] = pool
    if sim.has_prefix:
        read_chain(sim, agent, statement)
    if sim.fault:
        return True
    # Whether it can ever fit is asked as outside of a plan: `budget_left` reads the budget anew.
    planning = sim.planning
    sim.planning = -1
    for i in range(count):
        held = (first + i) * U_COLUMNS
        sim.need_units[i] = amount(sim, agent, sim.held[held + 3])
        sim.need_reserve[i] = 0.0
        if sim.held[held + 4] >= 0:
            sim.need_reserve[i] = amount(sim, agent, sim.held[held + 4])
    sim.planning = planning
    for i in range(count):
        held = (first + i) * U_COLUMNS
        pool = sim.a_pools[pools + i]
        need = 0.0
        if sim.held[held + 5]:
            need = sim.need_units[i]
        if sim.held[held + 6] and sim.need_reserve[i] > need:
            need = sim.need_reserve[i]
        if round_up(sim, pool, need) > sim.p_cap[pool]:
            sim.p_rejected[pool] += 1
            if sim.has_prefix:
                leave_header(sim, agent)
            return False
    return True


def join_queue(sim: "Sim", agent: int, statement: int, front: bool) -> None:
    """Wait in the queue of the hold's first pool: at the back, or marked at the front."""
    pool = sim.a_pools[agent * sim.max_held]
    sim.a_waiting[agent] = statement
    sim.a_queue[agent] = pool
    sim.a_state[agent] = A_QUEUED
    sim.a_queued_at[agent] = sim.now
    sim.a_marked[agent] = 1 if front else 0
    head = sim.p_queue_first[pool]
    tail = sim.p_queue_last[pool]
    if front:
        sim.a_previous[agent] = -1
        sim.a_next[agent] = head
        if head >= 0:
            sim.a_previous[head] = agent
        else:
            sim.p_queue_last[pool] = agent
        sim.p_queue_first[pool] = agent
    else:
        sim.a_previous[agent] = tail
        sim.a_next[agent] = -1
        if tail >= 0:
            sim.a_next[tail] = agent
        else:
            sim.p_queue_first[pool] = agent
        sim.p_queue_last[pool] = agent
    _count_waiting(sim, pool, 1)


def leave_queue(sim: "Sim", agent: int) -> None:
    pool = sim.a_queue[agent]
    before = sim.a_previous[agent]
    after = sim.a_next[agent]
    if before >= 0:
        sim.a_next[before] = after
    else:
        sim.p_queue_first[pool] = after
    if after >= 0:
        sim.a_previous[after] = before
    else:
        sim.p_queue_last[pool] = before
    sim.a_queue[agent] = -1
    _count_waiting(sim, pool, -1)


def _count_waiting(sim: "Sim", pool: int, change: int) -> None:
    sim.p_waiting[pool] += change
    set_signal(sim, pool_signal(sim, pool, 2), sim.p_waiting[pool])
    engine = sim.p_engine[pool]
    if engine >= 0:
        sim.eg_waiting[engine] += change
        note_engine(sim, engine)
    else:
        sim.n_waiting += change


# ---------------------------------------------------------------- fit and admission


def selected(sim: "Sim", pool: int) -> int:
    """The waiter to try next: a marked head, else the least by the queue's keys, else the head; -1 without any."""
    head = sim.p_queue_first[pool]
    n_keys = sim.p_queue_keys[pool]
    if head < 0 or n_keys == 0 or sim.a_marked[head]:
        return head
    first = sim.p_queue_key[pool]
    best = head
    agent = head
    while agent >= 0:
        sim.registers[WAITED] = sim.now - sim.a_queued_at[agent]
        less = agent == head
        undecided = not less
        for i in range(n_keys):
            key = evaluate(sim, agent, sim.keys[first + i], agent_stream(agent))
            if undecided and order(key) != order(sim.best_keys[i]):
                undecided = False
                less = order(key) < order(sim.best_keys[i])
            sim.trial_keys[i] = key
        if less:
            best = agent
            for i in range(n_keys):
                sim.best_keys[i] = sim.trial_keys[i]
        agent = sim.a_next[agent]
    return best


def fits(sim: "Sim", agent: int) -> bool:
    """Whether every pool of a waiting hold has room now; fills `need_units` and `need_reserve`.

    Cached units of anybody never count: they are evicted. `misfit` is the first pool without room.
    """
    row = sim.a_waiting[agent] * H_COLUMNS
    first = sim.holds[row]
    count = sim.holds[row + 1]
    sim.registers[WAITED] = sim.now - sim.a_queued_at[agent]
    for i in range(count):
        held = (first + i) * U_COLUMNS
        pool = sim.a_pools[agent * sim.max_held + i]
        units = amount(sim, agent, sim.held[held + 3])
        need = units
        reserve = 0.0
        if sim.held[held + 4] >= 0:
            reserve = amount(sim, agent, sim.held[held + 4])
            if reserve > need:
                need = reserve
        sim.need_units[i] = units
        sim.need_reserve[i] = reserve
        need = round_up(sim, pool, need)
        if sim.p_tree[pool]:
            need -= overlap(sim, agent, pool, units)
        if sim.p_used[pool] + sim.p_outstanding[pool] + need > sim.p_cap[pool] + 1e-9:
            sim.misfit = pool
            sim.misfit_held = held
            return False
    return not sim.fault


def admit_hold(sim: "Sim", agent: int) -> None:
    """Give a waiting hold its units; `fits` was true just before. The agent is left to the caller to run."""
    statement = sim.a_waiting[agent]
    row = statement * H_COLUMNS
    count = sim.holds[row + 1]
    caches = sim.holds[row + 5] >= 0
    first_pool = sim.a_queue[agent]
    leave_queue(sim, agent)
    reuse = -1.0
    if sim.holds[row + 4] >= 0:
        reuse = evaluate(sim, agent, sim.holds[row + 4], agent_stream(agent))
        if not reuse > 0.0:
            reuse = 0.0
    if sim.split and sim.ga_state[agent] == G_PREEMPTED:
        move_gap(sim, agent, G_AWAY, -1)
    hold = _new_hold(sim, agent, statement)
    cached = 0.0
    last = -1
    for i in range(count):
        pool = sim.a_pools[agent * sim.max_held + i]
        units = round_up(sim, pool, sim.need_units[i])
        entry = _new_entry(sim, agent, hold, pool)
        if last >= 0:
            sim.e_next[last] = entry
        else:
            sim.h_first[hold] = entry
        last = entry
        own = 0.0
        if sim.p_tree[pool]:
            if caches:
                own = take_chain(sim, agent, entry, units, reuse)
        elif caches:
            own = _consume(sim, agent, entry, reuse)
        if own > cached:
            cached = own
        make_room(sim, pool, units - sim.e_shared[entry])
        add_used(sim, pool, units - sim.e_shared[entry])
        sim.p_admissions[pool] += 1
        sim.e_alloc[entry] = units
        sim.e_pos[entry] = own
        reserve = sim.need_units[i]
        if sim.need_reserve[i] > reserve:
            reserve = sim.need_reserve[i]
        sim.e_reserved[entry] = round_up(sim, pool, reserve)
        if sim.p_held[pool] and sim.e_reserved[entry] > units:
            sim.p_outstanding[pool] += sim.e_reserved[entry] - units
        memory_changed(sim, agent, pool, units)
    if sim.warm:
        sim.p_waits[first_pool] += 1
        wait = sim.now - sim.a_queued_at[agent]
        sim.p_wait[first_pool] += (wait - sim.p_wait[first_pool]) / sim.p_waits[first_pool]
    sim.a_admission[agent] = sim.admissions
    sim.admissions += 1
    sim.attrs[agent * sim.width] = cached
    sim.a_marked[agent] = 0
    sim.a_pc[agent] += 1


def _consume(sim: "Sim", agent: int, entry: int, reuse: float) -> float:
    """Take the session's own entry out of the cache; what exceeds `reuse` (negative: no bound) stays, dead."""
    pool = sim.e_pool[entry]
    node = own_node(sim, agent, pool)
    if node < 0:
        return 0.0
    size = sim.n_size[node]
    own = round_down(sim, pool, size)
    if reuse >= 0.0 and own > round_down(sim, pool, reuse):
        own = round_down(sim, pool, reuse)
        if size - own > 1e-9:
            consume_node(sim, entry, node, own)
            return own
    elif size - own > 1e-9:
        # A fragment smaller than a block, left by a tier of other blocks, stays in the session's entry.
        sim.e_fragment[entry] = own
        keep_fragment(sim, node, size - own)
        return own
    consume_node(sim, entry, node, size)
    return own


def _new_hold(sim: "Sim", agent: int, statement: int) -> int:
    if sim.h_free < 0:
        _grow_holds(sim)
    hold = sim.h_free
    sim.h_free = sim.h_outer[hold]
    sim.h_statement[hold] = statement
    sim.h_pc[hold] = sim.a_pc[agent]
    sim.h_outer[hold] = sim.a_hold[agent]
    sim.h_grown[hold] = 0
    sim.h_first[hold] = -1
    sim.h_chain[hold] = -1
    if sim.has_prefix:
        sim.h_chain[hold] = sim.a_chain[agent]
        sim.a_chain[agent] = NO_HEADER
    sim.a_hold[agent] = hold
    return hold


def _new_entry(sim: "Sim", agent: int, hold: int, pool: int) -> int:
    if sim.e_free < 0:
        _grow_entries(sim)
    entry = sim.e_free
    sim.e_free = sim.e_next[entry]
    first = not holds_pool(sim, agent, pool)
    sim.e_pool[entry] = pool
    sim.e_agent[entry] = agent
    sim.e_hold[entry] = hold
    sim.e_statement[entry] = sim.h_statement[hold]
    sim.e_alloc[entry] = 0.0
    sim.e_pos[entry] = 0.0
    sim.e_shared[entry] = 0.0
    sim.e_fragment[entry] = 0.0
    sim.e_next[entry] = -1
    sim.e_sibling[entry] = -1
    sim.e_lease[entry] = 0
    sim.e_pin[entry] = -1
    sim.e_stamp[entry] = sim.stamps
    sim.stamps += 1
    sim.e_slot[entry] = -1
    sim.e_reader[entry] = -1
    sim.e_chain[entry] = -1
    if sim.has_prefix:
        sim.e_chain[entry] = use_chain(sim, sim.h_chain[hold])
    if sim.a_entry[agent] < 0:
        sim.a_entry[agent] = entry
    else:
        at = sim.a_entry[agent]
        while sim.e_sibling[at] >= 0:
            at = sim.e_sibling[at]
        sim.e_sibling[at] = entry
    newest = sim.p_entry_last[pool]
    sim.e_before[entry] = newest
    sim.e_after[entry] = -1
    if newest >= 0:
        sim.e_after[newest] = entry
    else:
        sim.p_entry_first[pool] = entry
    sim.p_entry_last[pool] = entry
    if first:
        count_holder(sim, pool, 1)
    sim.live_entries += 1
    return entry


def holds_pool(sim: "Sim", agent: int, pool: int) -> bool:
    """Whether an agent has a hold or lease on a pool. A session and each of its legs hold for themselves."""
    entry = sim.a_entry[agent]
    while entry >= 0:
        if sim.e_pool[entry] == pool:
            return True
        entry = sim.e_sibling[entry]
    return False


def count_holder(sim: "Sim", pool: int, change: int) -> None:
    sim.p_holders[pool] += change
    set_signal(sim, pool_signal(sim, pool, 3), sim.p_holders[pool])


# ---------------------------------------------------------------- release


def innermost(sim: "Sim", agent: int, pool: int) -> int:
    """The entry of the innermost hold of an agent that has the pool, or -1."""
    hold = sim.a_hold[agent]
    while hold >= 0:
        entry = sim.h_first[hold]
        while entry >= 0:
            if sim.e_pool[entry] == pool:
                return entry
            entry = sim.e_next[entry]
        hold = sim.h_outer[hold]
    return -1


def lease_of(sim: "Sim", agent: int, pool: int) -> int:
    """The agent's earliest lease on a pool, or -1."""
    entry = sim.a_entry[agent]
    while entry >= 0:
        if sim.e_lease[entry] and sim.e_pool[entry] == pool:
            return entry
        entry = sim.e_sibling[entry]
    return -1


def computed(sim: "Sim", entry: int) -> float:
    """Computed position of an entry: where growing runs or loads have brought it, else all that it was given."""
    if sim.h_grown[sim.e_hold[entry]]:
        return sim.e_pos[entry]
    return sim.e_alloc[entry]


def release_entry(sim: "Sim", entry: int, position: float) -> None:
    """Give an entry's units back; by its hold's `cache` clause, at most `position` of them stay cached."""
    pool = sim.e_pool[entry]
    agent = sim.e_agent[entry]
    row = sim.e_statement[entry] * H_COLUMNS
    alloc = sim.e_alloc[entry]
    _detach(sim, entry)
    memory_changed(sim, agent, pool, -alloc)
    if sim.p_held[pool] and not sim.e_lease[entry] and sim.e_reserved[entry] > alloc:
        sim.p_outstanding[pool] -= sim.e_reserved[entry] - alloc
    if sim.has_prefix:
        end_pins(sim, entry)
    else:
        free_consumed(sim, entry)
    add_used(sim, pool, sim.e_shared[entry] - alloc)
    if sim.holds[row + 5] >= 0:
        # A lease that a leg left reads the leg's attributes, and draws for its session.
        reader = sim.e_reader[entry]
        n = evaluate(sim, agent if reader < 0 else reader, sim.holds[row + 5], agent_stream(agent))
        if not n > 0.0:
            n = 0.0
        keep = round_down(sim, pool, position if position < n else n)
        if sim.p_tree[pool]:
            keep_chain(sim, agent, entry, keep)
        elif keep > 0.0:
            node = own_node(sim, agent, pool)
            if node >= 0:
                remove_node(sim, node)
            new_node(sim, pool, agent, keep, next_release(sim))
        elif sim.e_fragment[entry] > 0.0:
            # Nothing is kept: the entry whose fragment stayed is what it was.
            node = own_node(sim, agent, pool)
            if node >= 0:
                keep_fragment(sim, node, sim.n_size[node] + sim.e_fragment[entry])
    if sim.has_prefix:
        leave_chain(sim, sim.e_chain[entry])
    if sim.e_reader[entry] >= 0:
        _end_reading(sim, sim.e_reader[entry])
    sim.e_next[entry] = sim.e_free
    sim.e_free = entry
    sim.e_stamp[entry] = -1
    sim.live_entries -= 1


def _end_reading(sim: "Sim", leg: int) -> None:
    """One lease less that reads the attributes of a leg that is over."""
    sim.a_legs[leg] -= 1
    if sim.a_legs[leg] == 0:
        free_agent(sim, leg)


def _detach(sim: "Sim", entry: int) -> None:
    """Take an entry off the lists of its agent, its pool and its hold."""
    agent = sim.e_agent[entry]
    pool = sim.e_pool[entry]
    at = sim.a_entry[agent]
    if at == entry:
        sim.a_entry[agent] = sim.e_sibling[entry]
    else:
        while sim.e_sibling[at] != entry:
            at = sim.e_sibling[at]
        sim.e_sibling[at] = sim.e_sibling[entry]
    other = sim.a_entry[agent]
    while other >= 0 and sim.e_pool[other] != pool:
        other = sim.e_sibling[other]
    if other >= 0:
        # An agent with several entries gives up its first place in the pool, whichever of them goes.
        other = sim.e_before[entry]
        first = entry
        while other >= 0:
            if sim.e_agent[other] == agent:
                first = other
            other = sim.e_before[other]
        if first != entry:
            _unlist(sim, first)
            _list_behind(sim, first, entry)
    _unlist(sim, entry)
    if not holds_pool(sim, agent, pool):
        count_holder(sim, pool, -1)
    leave_hold(sim, entry)


def _unlist(sim: "Sim", entry: int) -> None:
    """Take an entry off its pool's list."""
    pool = sim.e_pool[entry]
    before = sim.e_before[entry]
    after = sim.e_after[entry]
    if before >= 0:
        sim.e_after[before] = after
    else:
        sim.p_entry_first[pool] = after
    if after >= 0:
        sim.e_before[after] = before
    else:
        sim.p_entry_last[pool] = before


def _list_behind(sim: "Sim", entry: int, other: int) -> None:
    """Put an entry on its pool's list, behind another."""
    after = sim.e_after[other]
    sim.e_before[entry] = other
    sim.e_after[entry] = after
    sim.e_after[other] = entry
    if after >= 0:
        sim.e_before[after] = entry
    else:
        sim.p_entry_last[sim.e_pool[entry]] = entry


def leave_hold(sim: "Sim", entry: int) -> None:
    """Take an entry off its hold's list; a lease's is off it already."""
    hold = sim.e_hold[entry]
    if hold < 0:
        return
    at = sim.h_first[hold]
    if at == entry:
        sim.h_first[hold] = sim.e_next[entry]
    else:
        while sim.e_next[at] != entry:
            at = sim.e_next[at]
        sim.e_next[at] = sim.e_next[entry]


def close_hold(sim: "Sim", agent: int, how: int) -> None:
    """End the innermost hold: in order (0), with its session (1), or preempted (2); release its entries in order.

    A hold that ends in order may turn an entry into a lease; a preempted one keeps what it computed, grown or not.
    """
    hold = sim.a_hold[agent]
    row = sim.h_statement[hold] * H_COLUMNS
    lease = -1
    if how == 0 and sim.holds[row + 6] >= 0:
        held = (sim.holds[row] + sim.holds[row + 6]) * U_COLUMNS
        pool = resolve(sim, agent, sim.held[held], sim.held[held + 1], sim.held[held + 2])
        entry = sim.h_first[hold]
        while entry >= 0:
            if sim.e_pool[entry] == pool:
                lease = entry
            entry = sim.e_next[entry]
    entry = sim.h_first[hold]
    while entry >= 0:
        after = sim.e_next[entry]
        if entry == lease:
            _begin_lease(sim, agent, entry, row)
        else:
            release_entry(sim, entry, sim.e_pos[entry] if how == 2 else computed(sim, entry))
        entry = after
    if sim.has_prefix:
        leave_chain(sim, sim.h_chain[hold])
    sim.a_hold[agent] = sim.h_outer[hold]
    sim.h_outer[hold] = sim.h_free
    sim.h_free = hold


def _begin_lease(sim: "Sim", agent: int, entry: int, row: int) -> None:
    """Let an entry outlive its hold: it stays allocated, and ends at a release, at its time, or with the session."""
    time = evaluate(sim, agent, sim.holds[row + 7], agent_stream(agent))
    sim.e_pos[entry] = computed(sim, entry)
    pool = sim.e_pool[entry]
    if sim.p_held[pool] and sim.e_reserved[entry] > sim.e_alloc[entry]:
        sim.p_outstanding[pool] -= sim.e_reserved[entry] - sim.e_alloc[entry]
    leave_hold(sim, entry)
    sim.e_hold[entry] = -1
    sim.e_lease[entry] = 1
    if not time > 0.0:
        time = 0.0
    if time < sim.infinity:
        push_event(sim, sim.now + time, E_LEASE, entry, sim.e_stamp[entry])


def end_lease(sim: "Sim", entry: int) -> None:
    release_entry(sim, entry, sim.e_pos[entry])


def forget_positions(sim: "Sim", agent: int, hold: int) -> None:
    """After a hold was completed: where its pools preempted it no longer matters, also of one given back before."""
    if sim.a_memory[agent] < 0:
        return
    row = sim.h_statement[hold] * H_COLUMNS
    for i in range(sim.holds[row + 1]):
        held = (sim.holds[row] + i) * U_COLUMNS
        pool = resolve(sim, agent, sim.held[held], sim.held[held + 1], sim.held[held + 2])
        at = sim.a_memory[agent]
        before = -1
        while at >= 0:
            after = sim.m_next[at]
            if sim.m_pool[at] == pool:
                if before >= 0:
                    sim.m_next[before] = after
                else:
                    sim.a_memory[agent] = after
                sim.m_next[at] = sim.m_free
                sim.m_free = at
            else:
                before = at
            at = after


def admit_settling(sim: "Sim", pool: int) -> None:
    """Admit from a queue that no engine serves, while the selected hold fits; the admitted become ready."""
    while sim.p_waiting[pool] > 0 and not sim.fault:
        agent = selected(sim, pool)
        if not fits(sim, agent):
            return
        admit_hold(sim, agent)
        make_ready(sim, agent)
