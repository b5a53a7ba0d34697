"""Sessions and their legs: creation, the interpreter of statements, the client's figures, the end.

An *agent* is a live session or a leg that it forked. `run_agent` executes an agent's statements until it blocks or
ends. A statement is eight numbers `(code, operands...)`; `a_pc` is the number of the next one, and stays on a hold,
a growth or a join while the agent waits for it.
"""

import cython

if not cython.compiled:
    from serq.kernel.cache import remove_node
    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.figures import record_sample, set_signal
    from serq.kernel.flows import start_flow
    from serq.kernel.gaps import owe
    from serq.kernel.growth import grow, stall, try_pools, withdraw
    from serq.kernel.holds import (
        amount,
        close_hold,
        computed,
        count_holder,
        end_lease,
        forget_positions,
        holds_pool,
        innermost,
        join_queue,
        lease_of,
        reach_hold,
        release_entry,
    )
    from serq.kernel.machine import agent_stream, evaluate, own_node, resolve
    from serq.kernel.memory import more_doubles, more_longs, more_words
    from serq.kernel.numbers import floor_of, truncate
    from serq.kernel.prefix import drop_chains, leave_header
    from serq.kernel.runs import join_run
    from serq.kernel.stages import free_agent, make_ready, start_job
    from serq.kernel.state import Sim
    from serq.kernel.streams import (
        LEG_STREAM,
        SESSION_STREAM,
        WORKLOAD_STREAM,
        below,
        copy_stream,
        seed_stream,
        substream_seed,
    )
    from serq.kernel.tree import NO_HEADER

    TRACE_AT = 84
    R_COLUMNS = 11


# ---------------------------------------------------------------- rows


def new_agent(sim: "Sim") -> int:
    """A row for a session or leg, everything cleared but its attributes and streams."""
    if sim.a_free < 0:
        _grow(sim)
    agent = sim.a_free
    sim.a_free = sim.a_next[agent]
    sim.a_birth[agent] = sim.stamps
    sim.stamps += 1
    sim.a_pc[agent] = 0
    sim.a_turns[agent] = 0
    sim.a_root[agent] = agent
    sim.a_leg[agent] = -1
    sim.a_legs[agent] = 0
    sim.a_forks[agent] = 0
    sim.a_hold[agent] = -1
    sim.a_entry[agent] = -1
    sim.a_node[agent] = -1
    sim.a_job[agent] = -1
    sim.a_queue[agent] = -1
    sim.a_growing[agent] = -1
    sim.a_memory[agent] = -1
    sim.a_chain[agent] = NO_HEADER
    sim.a_admission[agent] = -1
    sim.a_marked[agent] = 0
    sim.a_stuck[agent] = 0
    sim.a_doomed[agent] = 0
    sim.a_ready_at[agent] = -1.0
    sim.a_ready_count[agent] = 0
    sim.token_seen[agent] = 0
    sim.token_decoded[agent] = 0
    sim.token_preempted[agent] = 0
    sim.turn_open[agent] = 0
    sim.turn_first[agent] = 0
    sim.turn_tokens[agent] = 0
    if sim.split:
        sim.ga_state[agent] = G_AWAY
        sim.ga_engine[agent] = -1
        sim.ga_mark[agent] = sim.now
        sim.ga_again[agent] = 0
        sim.ga_apart[agent] = 0
    return agent


def _grow(sim: "Sim") -> None:
    old = sim.agent_room
    new = 2 * old
    sim.a_state = more_longs(sim.a_state, old, new)
    sim.a_pc = more_longs(sim.a_pc, old, new)
    sim.a_serial = more_longs(sim.a_serial, old, new)
    sim.a_turns = more_longs(sim.a_turns, old, new)
    sim.a_root = more_longs(sim.a_root, old, new)
    sim.a_leg = more_longs(sim.a_leg, old, new)
    sim.a_legs = more_longs(sim.a_legs, old, new)
    sim.a_forks = more_longs(sim.a_forks, old, new)
    sim.a_hold = more_longs(sim.a_hold, old, new)
    sim.a_entry = more_longs(sim.a_entry, old, new)
    sim.a_node = more_longs(sim.a_node, old, new)
    sim.a_job = more_longs(sim.a_job, old, new)
    sim.a_queue = more_longs(sim.a_queue, old, new)
    sim.a_waiting = more_longs(sim.a_waiting, old, new)
    sim.a_previous = more_longs(sim.a_previous, old, new)
    sim.a_next = more_longs(sim.a_next, old, new)
    sim.a_marked = more_longs(sim.a_marked, old, new)
    sim.a_growing = more_longs(sim.a_growing, old, new)
    sim.a_grower_next = more_longs(sim.a_grower_next, old, new)
    sim.a_memory = more_longs(sim.a_memory, old, new)
    sim.a_chain = more_longs(sim.a_chain, old, new)
    sim.a_admission = more_longs(sim.a_admission, old, new)
    sim.a_stuck = more_longs(sim.a_stuck, old, new)
    sim.a_doomed = more_longs(sim.a_doomed, old, new)
    sim.a_ready_count = more_longs(sim.a_ready_count, old, new)
    sim.a_birth = more_longs(sim.a_birth, old, new)
    sim.a_pools = more_longs(sim.a_pools, old * sim.max_held, new * sim.max_held)
    sim.a_ready_at = more_doubles(sim.a_ready_at, old, new)
    sim.a_queued_at = more_doubles(sim.a_queued_at, old, new)
    sim.a_growth = more_doubles(sim.a_growth, old, new)
    sim.a_corpus = more_longs(sim.a_corpus, old, new)
    sim.token_seen = more_longs(sim.token_seen, old, new)
    sim.token_decoded = more_longs(sim.token_decoded, old, new)
    sim.token_preempted = more_longs(sim.token_preempted, old, new)
    sim.token_stage = more_longs(sim.token_stage, old, new)
    sim.token_time = more_doubles(sim.token_time, old, new)
    sim.token_turn = more_doubles(sim.token_turn, old, new)
    sim.turn_open = more_longs(sim.turn_open, old, new)
    sim.turn_first = more_longs(sim.turn_first, old, new)
    sim.turn_tokens = more_longs(sim.turn_tokens, old, new)
    sim.turn_start = more_doubles(sim.turn_start, old, new)
    sim.turn_first_time = more_doubles(sim.turn_first_time, old, new)
    sim.attrs = more_doubles(sim.attrs, old * sim.width, new * sim.width)
    sim.streams = more_words(sim.streams, 112 + 56 * old, 112 + 56 * new)
    if sim.split:
        sim.ga_mark = more_doubles(sim.ga_mark, old, new)
        sim.ga_state = more_longs(sim.ga_state, old, new)
        sim.ga_engine = more_longs(sim.ga_engine, old, new)
        sim.ga_again = more_longs(sim.ga_again, old, new)
        sim.ga_apart = more_longs(sim.ga_apart, old, new)
        sim.ga_parts = more_doubles(sim.ga_parts, old * sim.n_labels, new * sim.n_labels)
        sim.ga_clock = more_doubles(sim.ga_clock, old * sim.n_labels, new * sim.n_labels)
    for i in range(old, new):
        sim.a_next[i] = i + 1 if i + 1 < new else -1
    sim.a_free = old
    sim.agent_room = new


# ---------------------------------------------------------------- creation and end


def create_session(sim: "Sim") -> None:
    """A session arrives: its serial, its trace session, its `init` block; it becomes ready."""
    agent = new_agent(sim)
    serial = sim.arrivals
    sim.arrivals += 1
    sim.live += 1
    set_signal(sim, 0, sim.live)
    sim.a_serial[agent] = serial
    for slot in range(sim.width):
        sim.attrs[agent * sim.width + slot] = 0.0
    sim.attrs[agent * sim.width + 1] = serial
    sim.a_corpus[agent] = -1
    if sim.n_corpus > 0:
        if sim.trace_ordered:
            sim.a_corpus[agent] = serial % sim.n_corpus
        else:
            sim.a_corpus[agent] = below(sim.streams, TRACE_AT, sim.n_corpus)
    if sim.preset:
        first = sim.preset_first[serial]
        for k in range(sim.preset_count[serial]):
            sim.attrs[agent * sim.width + sim.preset_slot[first + k]] = sim.preset_value[first + k]
    seed_stream(sim.streams, agent_stream(agent), substream_seed(sim.seed, serial, 0, SESSION_STREAM))
    seed_stream(sim.streams, agent_stream(agent) + 28, substream_seed(sim.seed, serial, 0, WORKLOAD_STREAM))
    _run_block(sim, agent, sim.init_block)
    if sim.judge_given and sim.out_of_scope < 0:
        _judge(sim, agent)
    sim.a_pc[agent] = sim.start
    make_ready(sim, agent)
    sim.births += 1
    if sim.births > 1000000 and sim.births_at == sim.now:
        sim.fault = F_INSTANT
    if sim.births_at != sim.now:
        sim.births_at = sim.now
        sim.births = 1


def _judge(sim: "Sim", agent: int) -> None:
    """Read the claims' `given`: a session that fails one puts that claim out of scope."""
    for claim in range(sim.n_claims):
        x = sim.claims[4 * claim + 2]
        if x >= 0 and sim.claim_scope[claim] < 0:
            if evaluate(sim, agent, x, agent_stream(agent)) == 0.0:
                sim.claim_scope[claim] = sim.a_serial[agent]


def _run_block(sim: "Sim", agent: int, pc: int) -> None:
    """The `init` or `turn` block: assignments and observations, drawing from the session's workload stream."""
    stream = agent_stream(agent) + 28
    while True:
        at = 8 * pc
        op = sim.statements[at]
        if op == S_SET:
            sim.attrs[agent * sim.width + sim.statements[at + 1]] = evaluate(sim, agent, sim.statements[at + 2], stream)
        elif op == S_OBSERVE:
            _observe(sim, agent, sim.statements[at + 1], evaluate(sim, agent, sim.statements[at + 2], stream))
        else:
            return
        pc += 1


def _observe(sim: "Sim", agent: int, observe: int, value: float) -> None:
    if sim.n_claims > 0:
        _aggregate(sim, observe, value)
    if sim.warm:
        record_sample(sim, observe, value, sim.a_serial[agent], sim.attrs[agent * sim.width + 2])


def _aggregate(sim: "Sim", observe: int, value: float) -> None:
    """Keep every sample, warm or not, for the claims read at the end."""
    at = sim.n_all
    if at == sim.all_room:
        sim.all_series = more_longs(sim.all_series, at, 2 * at)
        sim.all_value = more_doubles(sim.all_value, at, 2 * at)
        sim.all_room = 2 * at
    sim.all_series[at] = observe
    sim.all_value[at] = value
    sim.n_all = at + 1


def end_agent(sim: "Sim", agent: int) -> None:
    """A session or leg comes to its end; a session may not while a leg of its runs."""
    if agent == sim.a_root[agent] and sim.a_legs[agent] > 0:
        sim.fault = F_LEGS
        sim.fault_agent = agent
        return
    _leave(sim, agent)


def refuse(sim: "Sim", agent: int) -> None:
    """A session or leg asked for more than a pool can have: the session ends, and legs that still run go on alone."""
    root = sim.a_root[agent]
    gone = sim.a_state[root] == A_GONE
    if agent != root:
        _leave(sim, agent)
    if not gone:
        _leave(sim, root)


def _leave(sim: "Sim", agent: int) -> None:
    """A session or leg is over: everything it has goes back, what it cached stays."""
    root = sim.a_root[agent]
    withdraw(sim, agent)
    if sim.has_prefix:
        leave_header(sim, agent)
    while sim.a_hold[agent] >= 0:
        close_hold(sim, agent, 1)
    if agent != root and sim.a_state[root] != A_GONE:
        _hand_over(sim, agent, root)
    while sim.a_entry[agent] >= 0:
        end_lease(sim, sim.a_entry[agent])
    at = sim.a_memory[agent]
    while at >= 0:
        after = sim.m_next[at]
        sim.m_next[at] = sim.m_free
        sim.m_free = at
        at = after
    if agent == root:
        sim.turn_open[agent] = 0
        sim.live -= 1
        set_signal(sim, 0, sim.live)
        if sim.warm:
            sim.ended += 1
        sim.a_state[agent] = A_GONE
    else:
        sim.a_legs[root] -= 1
        other = root
        while sim.a_leg[other] != agent:
            other = sim.a_leg[other]
        sim.a_leg[other] = sim.a_leg[agent]
        if sim.a_legs[root] == 0 and sim.a_state[root] == A_JOINING:
            sim.a_pc[root] += 1
            make_ready(sim, root)
        if sim.a_legs[agent] == 0:
            free_agent(sim, agent)
        else:
            sim.a_state[agent] = A_GONE
    if sim.a_legs[root] == 0 and sim.a_state[root] == A_GONE:
        _disown_all(sim, root)
        free_agent(sim, root)
    if agent == root and sim.arrival == 3:
        create_session(sim)


def _disown_all(sim: "Sim", root: int) -> None:
    """What a session cached belongs to nobody once it and its legs are over."""
    node = sim.a_node[root]
    while node >= 0:
        after = sim.n_owned[node]
        sim.n_owner[node] = -1
        sim.n_owned[node] = -1
        node = after


def _hand_over(sim: "Sim", leg: int, root: int) -> None:
    """Leases that a leg leaves become its session's, and go on reading the leg's attributes: `a_legs` counts them."""
    while sim.a_entry[leg] >= 0:
        entry = sim.a_entry[leg]
        pool = sim.e_pool[entry]
        held = holds_pool(sim, root, pool)
        sim.a_entry[leg] = sim.e_sibling[entry]
        sim.e_sibling[entry] = -1
        last = sim.a_entry[root]
        if last < 0:
            sim.a_entry[root] = entry
        else:
            while sim.e_sibling[last] >= 0:
                last = sim.e_sibling[last]
            sim.e_sibling[last] = entry
        sim.e_agent[entry] = root
        sim.e_reader[entry] = leg
        sim.a_legs[leg] += 1
        if held and not holds_pool(sim, leg, pool):
            count_holder(sim, pool, -1)
        elif not held and holds_pool(sim, leg, pool):
            count_holder(sim, pool, 1)


# ---------------------------------------------------------------- the client's figures


def open_turn(sim: "Sim", agent: int) -> None:
    """`turn;`: number, trace row, `turn` block, a new record of the client's figures."""
    row = agent * sim.width
    sim.attrs[row + 2] += 1.0
    sim.a_turns[agent] += 1
    if sim.warm:
        sim.turns += 1
    serial = sim.a_serial[agent]
    seed_stream(
        sim.streams, agent_stream(agent) + 28, substream_seed(sim.seed, serial, sim.a_turns[agent], WORKLOAD_STREAM)
    )
    corpus = sim.a_corpus[agent]
    if corpus >= 0:
        first = sim.corpus_first[corpus]
        rows = sim.corpus_first[corpus + 1] - first
        turn = sim.a_turns[agent]
        more = 1.0 if turn < rows else 0.0
        at = first + (turn if turn < rows else rows) - 1
        sim.attrs[row + 3] = sim.corpus[4 * at]
        sim.attrs[row + 4] = sim.corpus[4 * at + 1]
        sim.attrs[row + 5] = sim.corpus[4 * at + 2]
        sim.attrs[row + 7] = sim.corpus[4 * at + 3]
        sim.attrs[row + 6] = more
    sim.turn_open[agent] = 1
    sim.turn_start[agent] = sim.now
    sim.turn_first[agent] = 0
    sim.turn_tokens[agent] = 0
    _run_block(sim, agent, sim.turn_block)


def confirm_first(sim: "Sim", root: int) -> None:
    """The turn's first token is certain now: record its time since the turn began."""
    sim.turn_first[root] = 2
    if sim.warm:
        value = sim.turn_first_time[root] - sim.turn_start[root]
        record_sample(sim, sim.n_observes, value, sim.a_serial[root], sim.attrs[root * sim.width + 2])


def close_turn(sim: "Sim", agent: int) -> None:
    """The server's statements of a turn are done: its response."""
    if not sim.turn_open[agent]:
        return
    sim.turn_open[agent] = 0
    if sim.turn_first[agent] == 1:
        confirm_first(sim, agent)
    if not sim.warm:
        return
    serial = sim.a_serial[agent]
    turn = sim.attrs[agent * sim.width + 2]
    if sim.turn_tokens[agent] > 1:
        value = (sim.now - sim.turn_first_time[agent]) / (sim.turn_tokens[agent] - 1)
        record_sample(sim, sim.n_observes + 1, value, serial, turn)
    record_sample(sim, sim.n_observes + 2, sim.now - sim.turn_start[agent], serial, turn)


# ---------------------------------------------------------------- the interpreter


def run_ready(sim: "Sim") -> None:
    """Run the agents that are ready, in order, and those that they make ready, until none is."""
    while sim.ready_first != sim.ready_last and not sim.fault:
        at = sim.ready_first & (sim.ready_room - 1)
        sim.ready_first += 1
        agent = sim.ready_agent[at]
        if sim.a_state[agent] == A_READY and sim.a_birth[agent] == sim.ready_birth[at]:
            run_agent(sim, agent)


def run_agent(sim: "Sim", agent: int) -> None:
    """Execute an agent's statements until it blocks or ends."""
    if sim.a_doomed[agent]:
        refuse(sim, agent)
        return
    sim.a_state[agent] = A_ACTIVE
    steps = 0
    while not sim.fault:
        steps += 1
        if steps > 10000000:
            sim.fault = F_STATEMENTS
            sim.fault_agent = agent
            return
        pc = sim.a_pc[agent]
        s = sim.statements
        at = 8 * pc
        op = s[at]
        a = s[at + 1]
        if op == S_SET:
            value = evaluate(sim, agent, s[at + 2], agent_stream(agent))
            sim.attrs[agent * sim.width + a] = value
            sim.a_pc[agent] = pc + 1
        elif op == S_RUN:
            sim.a_pc[agent] = pc + 1
            _start_run(sim, agent, a)
            return
        elif op == S_BRANCH:
            test = evaluate(sim, agent, a, agent_stream(agent))
            if test == 1.0:
                sim.a_pc[agent] = pc + 1
            elif test == 0.0:
                sim.a_pc[agent] = s[at + 2]
            else:
                sim.fault = F_GUARD
                sim.fault_value = test
                return
        elif op == S_JUMP:
            sim.a_pc[agent] = a
        elif op == S_OBSERVE:
            _observe(sim, agent, a, evaluate(sim, agent, s[at + 2], agent_stream(agent)))
            sim.a_pc[agent] = pc + 1
        elif op == S_HOLD:
            if reach_hold(sim, agent, a):
                if not sim.fault:
                    join_queue(sim, agent, a, False)
                return
            refuse(sim, agent)
            return
        elif op == S_HOLD_END:
            sim.a_pc[agent] = pc + 1
            forget_positions(sim, agent, sim.a_hold[agent])
            close_hold(sim, agent, 0)
            sim.attrs[agent * sim.width + 8] = 0.0
            try_pools(sim)
        elif op == S_TURN:
            sim.a_pc[agent] = pc + 1
            open_turn(sim, agent)
        elif op == S_RESPONSE:
            sim.a_pc[agent] = pc + 1
            close_turn(sim, agent)
        elif op == S_END or op == S_LEG_END:
            end_agent(sim, agent)
            return
        elif op == S_GROW:
            if not _grow_statement(sim, agent, at):
                return
        elif op == S_LOAD:
            sim.a_pc[agent] = pc + 1
            _load(sim, agent, at)
        elif op == S_DROP:
            sim.a_pc[agent] = pc + 1
            pool = resolve(sim, agent, a, s[at + 2], s[at + 3])
            if sim.p_tree[pool]:
                drop_chains(sim, agent, pool)
            else:
                node = own_node(sim, agent, pool)
                if node >= 0:
                    remove_node(sim, node)
        elif op == S_RELEASE:
            sim.a_pc[agent] = pc + 1
            _release(sim, agent, resolve(sim, agent, a, s[at + 2], s[at + 3]))
        elif op == S_CHOOSE:
            sim.a_pc[agent] = pc + 1
            _choose(sim, agent, at)
        elif op == S_STALL:
            engine = resolve(sim, agent, s[at + 1], s[at + 2], s[at + 3])
            if not sim.fault:
                owe(sim, agent, engine, s[at + 4], s[at + 5])
            sim.a_pc[agent] = pc + 1
        elif op == S_FORK:
            sim.a_pc[agent] = pc + 1
            _fork(sim, agent, a)
        elif op == S_JOIN:
            if sim.a_legs[agent] > 0:
                sim.a_state[agent] = A_JOINING
                return
            sim.a_pc[agent] = pc + 1
        else:
            return


def _start_run(sim: "Sim", agent: int, run: int) -> None:
    """A run: a job on a stage, a flow, or tokens of an engine."""
    row = R_COLUMNS * run
    runs = sim.runs
    stage = resolve(sim, agent, runs[row], runs[row + 1], runs[row + 2])
    mode = runs[row + 3]
    also = runs[row + 9]
    if also > 0 or sim.st_flow[stage]:
        start_flow(sim, agent, stage, run)
        return
    work = evaluate(sim, agent, runs[row + 4], agent_stream(agent))
    if not work >= -1e-9:
        sim.fault = F_AMOUNT
        sim.fault_value = work
        return
    if mode == PLAIN:
        start_job(sim, stage, agent, work)
        return
    entry = -1
    if runs[row + 5] >= 0:
        pool = resolve(sim, agent, runs[row + 5], runs[row + 6], runs[row + 7])
        entry = innermost(sim, agent, pool)
        if entry < 0:
            sim.fault = F_GROW
            sim.fault_value = pool
            return
    root = sim.a_root[agent]
    if mode == DECODE and sim.turn_first[root] == 1 and sim.turn_first_time[root] == sim.now:
        # Also when nothing is left to decode: an output of one token is complete with its first.
        confirm_first(sim, root)
    if work <= 0.0:
        make_ready(sim, agent)
        return
    join_run(sim, stage, agent, mode, work, entry)


def _grow_statement(sim: "Sim", agent: int, at: int) -> bool:
    """`grow`: True to go on with the next statement."""
    s = sim.statements
    pool = resolve(sim, agent, s[at + 1], s[at + 2], s[at + 3])
    units = amount(sim, agent, s[at + 4])
    if sim.fault:
        return False
    entry = innermost(sim, agent, pool)
    if entry < 0:
        entry = lease_of(sim, agent, pool)
    if entry < 0:
        sim.fault = F_GROW
        sim.fault_value = pool
        return False
    result = grow(sim, agent, entry, units)
    if result == 1:
        sim.a_pc[agent] += 1
        return True
    if result == 0 and not sim.fault:
        stall(sim, agent, entry, units)
    return False


def _load(sim: "Sim", agent: int, at: int) -> None:
    """`load`: the innermost hold's computed position advances; it must stay within the allocation."""
    s = sim.statements
    pool = resolve(sim, agent, s[at + 1], s[at + 2], s[at + 3])
    units = amount(sim, agent, s[at + 4])
    entry = innermost(sim, agent, pool)
    if entry < 0 or sim.e_pos[entry] + units > sim.e_alloc[entry] + 1e-9:
        if not sim.fault:
            sim.fault = F_LOAD
            sim.fault_value = pool
        return
    sim.e_pos[entry] += units
    sim.h_grown[sim.e_hold[entry]] = 1


def _release(sim: "Sim", agent: int, pool: int) -> None:
    """`release`: the innermost hold's units of a pool, else the first lease of it; else nothing."""
    entry = innermost(sim, agent, pool)
    if entry >= 0:
        position = computed(sim, entry)
        release_entry(sim, entry, position)
    else:
        entry = lease_of(sim, agent, pool)
        if entry < 0 and sim.a_root[agent] != agent:
            entry = lease_of(sim, sim.a_root[agent], pool)
        if entry >= 0:
            end_lease(sim, entry)
    try_pools(sim)


def _choose(sim: "Sim", agent: int, at: int) -> None:
    """`choose`: the candidate with the least keys; ties, and comparisons that meet a NaN, keep the earlier one."""
    s = sim.statements
    slot = agent * sim.width + s[at + 1]
    stream = agent_stream(agent)
    count = evaluate(sim, agent, s[at + 2], stream)
    if not count >= 0.0 or count != floor_of(count):
        sim.fault = F_CHOOSE
        sim.fault_value = count
        return
    best = 0
    n_keys = s[at + 4]
    for candidate in range(truncate(count)):
        sim.attrs[slot] = candidate
        less = candidate == 0
        decided = less
        for i in range(n_keys):
            key = evaluate(sim, agent, sim.keys[s[at + 3] + i], stream)
            sim.trial_keys[i] = key
            if not decided and key != sim.choose_keys[i]:
                decided = True
                less = key < sim.choose_keys[i]
        if less:
            best = candidate
            for i in range(n_keys):
                sim.choose_keys[i] = sim.trial_keys[i]
    sim.attrs[slot] = best


def _fork(sim: "Sim", agent: int, pc: int) -> None:
    """`fork`: a leg with a copy of the attributes and a stream of its own goes to the back of the ready queue."""
    root = sim.a_root[agent]
    leg = new_agent(sim)
    sim.a_root[leg] = root
    sim.a_serial[leg] = sim.a_serial[root]
    sim.a_corpus[leg] = -1
    sim.a_turns[leg] = sim.a_turns[agent]
    sim.a_leg[leg] = sim.a_leg[root]
    sim.a_leg[root] = leg
    sim.a_legs[root] += 1
    for slot in range(sim.width):
        sim.attrs[leg * sim.width + slot] = sim.attrs[agent * sim.width + slot]
    copy_stream(sim.streams, agent_stream(leg) + 28, agent_stream(agent) + 28)
    seed = substream_seed(sim.seed, sim.a_serial[root], sim.a_forks[root], LEG_STREAM)
    seed_stream(sim.streams, agent_stream(leg), seed)
    sim.a_forks[root] += 1
    sim.a_pc[leg] = pc
    make_ready(sim, leg)
