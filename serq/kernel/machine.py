"""The register machine that evaluates expressions, and the readings of the state that they ask for.

An expression is code over one register file (`tables`). `evaluate` takes the agent whose attributes are read and the
stream that is drawn from. Evaluating changes nothing but temporaries, streams, and `sim.fault`.
"""

import cython

if not cython.compiled:
    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.numbers import (
        ceil_of,
        divide,
        exponential,
        floor_of,
        logarithm,
        power,
        root,
        truncate,
    )
    from serq.kernel.state import Sim
    from serq.kernel.streams import draw_bernoulli, draw_erlang, draw_exp, draw_h2, draw_uniform
    from serq.kernel.tree import matched

    MACHINE_AT = 28


# ---------------------------------------------------------------- readings


def round_up(sim: "Sim", pool: int, x: float) -> float:
    """The least whole number of blocks that holds x units."""
    block = sim.p_block[pool]
    if block > 0.0:
        return ceil_of(x / block) * block
    return x


def round_down(sim: "Sim", pool: int, x: float) -> float:
    block = sim.p_block[pool]
    if block > 0.0:
        return floor_of(x / block) * block
    return x


def own_node(sim: "Sim", agent: int, pool: int) -> int:
    """The session's own live cache entry in a pool, or -1."""
    node = sim.a_node[sim.a_root[agent]]
    while node >= 0 and sim.n_pool[node] != pool:
        node = sim.n_owned[node]
    return node


def cached_in(sim: "Sim", agent: int, pool: int) -> float:
    """Units of the reader's prefix that the pool caches, in whole blocks."""
    if agent < 0:
        return 0.0
    if sim.p_tree[pool]:
        return matched(sim, agent, pool)
    node = own_node(sim, agent, pool)
    if node < 0:
        return 0.0
    return round_down(sim, pool, sim.n_size[node])


def allocated_in(sim: "Sim", agent: int, pool: int) -> float:
    """Units that an agent's holds and leases have in a pool, oldest first; -0 without any, as of an empty sum."""
    total = -0.0
    entry = sim.a_entry[agent]
    while entry >= 0:
        if sim.e_pool[entry] == pool:
            total += sim.e_alloc[entry]
        entry = sim.e_sibling[entry]
    return total


def remaining_of(sim: "Sim", job: int) -> float:
    """Work that an engine's run still needs; a run of the fleet is behind by the ticks since it joined."""
    if sim.j_fleet[job]:
        return sim.j_work[job] - (sim.eg_ticks[sim.j_stage[job]] - sim.j_tick[job])
    return sim.j_work[job]


def position_of(sim: "Sim", job: int) -> float:
    """Computed position of an engine's run in the hold entry that it grows."""
    entry = sim.j_entry[job]
    if entry < 0:
        return 0.0
    if sim.j_fleet[job]:
        return sim.e_pos[entry] + (sim.eg_ticks[sim.j_stage[job]] - sim.j_tick[job])
    return sim.e_pos[entry]


def work_at(sim: "Sim", stage: int) -> float:
    """Remaining work of all jobs at a stage, in its own unit; -0 without any, as of an empty sum."""
    total = -0.0
    kind = sim.st_kind[stage]
    if kind == K_PS and sim.st_flow[stage] == 0:
        virtual = sim.st_virtual[stage] + sim.st_rate[stage] * (sim.now - sim.st_updated[stage])
    else:
        virtual = 0.0
    if sim.st_flow[stage]:
        flow = sim.fl_first
        while flow >= 0:
            if sim.j_stage[flow] == stage or flow_uses(sim, flow, stage):
                left = sim.j_work[flow] - sim.j_rate[flow] * (sim.now - sim.fl_updated)
                total += left if left > 0.0 else 0.0
            flow = sim.j_next[flow]
        return total
    job = sim.st_first[stage]
    while job >= 0:
        if kind == K_ENGINE:
            total += remaining_of(sim, job)
        elif kind == K_PS:
            total += sim.j_tag[job] - virtual
        elif sim.j_started[job] >= 0.0:
            left = sim.j_work[job] - (sim.now - sim.j_started[job])
            total += left if left > 0.0 else 0.0
        else:
            total += sim.j_work[job]
        job = sim.j_next[job]
    return total


def flow_uses(sim: "Sim", flow: int, stage: int) -> bool:
    """Whether a flow runs over a stage besides its first."""
    at = sim.j_also[flow]
    while at >= 0:
        if sim.f_stage[at] == stage:
            return True
        at = sim.f_next[at]
    return False


def budget_left(sim: "Sim", agent: int, engine: int) -> float:
    """Tokens that an engine's iteration may still schedule.

    While that engine plans: what the plan has left. Otherwise the budget less what its running requests want next,
    not below 0; that reads `tokens cap` and the chunk cap anew, and draws if they do.
    """
    if sim.planning == engine:
        return sim.plan_left - sim.plan_whole
    saved_decoding = sim.registers[NDEC]
    saved_running = sim.registers[NRES]
    saved_decode = sim.registers[KVB]
    saved_prefill = sim.registers[KVP]
    set_running_context(sim, engine)
    left = evaluate(sim, -1, sim.eg_budget[engine], MACHINE_AT)
    chunk = chunk_cap(sim, engine)
    sim.registers[NDEC] = saved_decoding
    sim.registers[NRES] = saved_running
    sim.registers[KVB] = saved_decode
    sim.registers[KVP] = saved_prefill
    job = sim.st_first[engine]
    while job >= 0:
        want = remaining_of(sim, job)
        if sim.j_mode[job] == DECODE:
            want = min(want, 1.0)
        else:
            want = min(want, chunk)
        left -= want
        job = sim.j_next[job]
    return left if left > 0.0 else 0.0


def chunk_cap(sim: "Sim", engine: int) -> float:
    """Greatest prefill chunk of a request in an iteration; infinite without a cap."""
    x = sim.eg_chunk[engine]
    if x < 0:
        return sim.infinity
    cap = evaluate(sim, -1, x, MACHINE_AT)
    return cap if cap > 0.0 else sim.infinity


def set_running_context(sim: "Sim", engine: int) -> None:
    """Let `running.*` be that engine's."""
    sim.registers[NRES] = sim.st_jobs[engine]
    sim.registers[NDEC] = sim.eg_decoding[engine]
    refresh_memory(sim, engine)
    sim.registers[KVB] = sim.eg_kv_decode[engine]
    sim.registers[KVP] = sim.eg_kv_prefill[engine]


def refresh_memory(sim: "Sim", engine: int) -> None:
    """Add up what running decodes and prefills hold, where running totals would not be exact."""
    if sim.eg_exact[engine] or not sim.eg_stale[engine]:
        return
    memory = sim.eg_memory[engine]
    decoding = 0.0
    prefilling = 0.0
    if memory >= 0:
        job = sim.st_first[engine]
        while job >= 0:
            if sim.j_mode[job] == DECODE:
                decoding += allocated_in(sim, sim.j_agent[job], memory)
            else:
                prefilling += allocated_in(sim, sim.j_agent[job], memory)
            job = sim.j_next[job]
    sim.eg_kv_decode[engine] = decoding
    sim.eg_kv_prefill[engine] = prefilling
    sim.eg_stale[engine] = 0


def aggregate(sim: "Sim", kind: int, observe: int) -> float:
    """Total, count, largest, smallest or sum of ascending prefix sums of all samples of an observation."""
    return sim.aggregates[5 * observe + kind]


# ---------------------------------------------------------------- evaluation


def evaluate(sim: "Sim", agent: int, x: int, stream: int) -> float:
    """The value of expression `x` for an agent (-1: none), drawing from the stream at offset `stream`."""
    at = sim.x_start[x]
    r = sim.registers
    if at < 0:
        return r[sim.x_result[x]]
    code = sim.code
    at *= 5
    while True:
        op = code[at]
        t = code[at + 1]
        a = code[at + 2]
        b = code[at + 3]
        at += 5
        if op == X_RETURN:
            break
        if op == X_ADD:
            r[t] = r[a] + r[b]
        elif op == X_SUB:
            r[t] = r[a] - r[b]
        elif op == X_MUL:
            r[t] = r[a] * r[b]
        elif op == X_DIV:
            r[t] = divide(r[a], r[b])
        elif op == X_MIN:
            r[t] = r[a] if r[a] < r[b] or r[b] != r[b] else r[b]
        elif op == X_MAX:
            r[t] = r[a] if r[a] > r[b] or r[b] != r[b] else r[b]
        elif op == X_ATTR:
            r[t] = attribute(sim, agent, a)
        elif op == X_LT:
            r[t] = 1.0 if r[a] < r[b] else 0.0
        elif op == X_LE:
            r[t] = 1.0 if r[a] <= r[b] else 0.0
        elif op == X_GT:
            r[t] = 1.0 if r[a] > r[b] else 0.0
        elif op == X_GE:
            r[t] = 1.0 if r[a] >= r[b] else 0.0
        elif op == X_EQ:
            r[t] = 1.0 if r[a] == r[b] else 0.0
        elif op == X_NE:
            r[t] = 1.0 if r[a] != r[b] else 0.0
        elif op == X_NEG:
            r[t] = -r[a]
        elif op == X_NOT:
            r[t] = 1.0 if r[a] == 0.0 else 0.0
        elif op == X_TRUTH:
            r[t] = 1.0 if r[a] != 0.0 else 0.0
        elif op == X_MOVE:
            r[t] = r[a]
        elif op == X_JUMP:
            at = 5 * t
        elif op == X_JUMP_IF:
            if r[a] != 0.0:
                at = 5 * t
        elif op == X_JUMP_UNLESS:
            if r[a] == 0.0:
                at = 5 * t
        elif op == X_POW:
            r[t] = power(r[a], r[b])
        elif op == X_ABS:
            r[t] = abs(r[a])
        elif op == X_FLOOR:
            r[t] = floor_of(r[a])
        elif op == X_CEIL:
            r[t] = ceil_of(r[a])
        elif op == X_SQRT:
            r[t] = root(r[a])
        elif op == X_EXP:
            r[t] = exponential(r[a])
        elif op == X_LN:
            r[t] = logarithm(r[a])
        elif op == X_DRAW_EXP:
            r[t] = draw_exp(sim.streams, stream, r[a])
        elif op == X_DRAW_UNIFORM:
            r[t] = draw_uniform(sim.streams, stream, r[a], r[b])
        elif op == X_DRAW_ERLANG:
            r[t] = draw_erlang(sim.streams, stream, r[a], r[b])
        elif op == X_DRAW_H2:
            r[t] = draw_h2(sim.streams, stream, r[a], r[b])
        elif op == X_DRAW_BERNOULLI:
            r[t] = draw_bernoulli(sim.streams, stream, r[a])
        elif op == X_INDEX:
            r[t] = member(sim, r[a], b, code[at - 1])
        elif op == X_REGISTER:
            r[t] = sim.engine_registers[a]
        elif op == X_AGGREGATE:
            r[t] = aggregate(sim, a, b)
        elif op == X_PRICE:
            r[t] = price(sim, truncate(r[a]), r[b], r[code[at - 1]])
        elif op >= X_NAMED:
            place = member(sim, attribute(sim, agent, a), b, code[at - 1])
            r[t] = reading(sim, agent, op - X_NAMED, place)
        else:
            r[t] = reading(sim, agent, op, truncate(r[a]))
    return r[sim.x_result[x]]


def attribute(sim: "Sim", agent: int, slot: int) -> float:
    """An attribute of the agent, or as it was when the cache entry that is being judged was left."""
    if sim.snapshot >= 0:
        return sim.n_attrs[sim.snapshot * sim.width + slot]
    if agent >= 0:
        return sim.attrs[agent * sim.width + slot]
    return 0.0


def member(sim: "Sim", index: float, base: int, count: int) -> int:
    """Number of a family's member; an index that names none stops the run."""
    if index >= 0.0 and index < count:
        whole = truncate(index)
        if whole == index:
            return base + whole
    sim.fault = F_INDEX
    sim.fault_value = index
    sim.fault_count = count
    return base


def resolve(sim: "Sim", agent: int, base: int, count: int, x: int) -> int:
    """The pool or stage that a reference of a statement names now."""
    if x < 0:
        return base
    return member(sim, evaluate(sim, agent, x, agent_stream(agent)), base, count)


def agent_stream(agent: int) -> int:
    """Offset of the stream of an agent's own statements."""
    return 112 + 56 * agent


def reading(sim: "Sim", agent: int, op: int, place: int) -> float:
    """A query of pool or stage `place`."""
    if op == X_USED:
        return sim.p_used[place]
    elif op == X_FREE:
        return sim.p_cap[place] - sim.p_used[place]
    elif op == X_CACHED_IN:
        return cached_in(sim, agent, place)
    elif op == X_HOLDERS:
        return sim.p_holders[place]
    elif op == X_QUEUED:
        return sim.p_waiting[place]
    elif op == X_ALLOCATED:
        return allocated_in(sim, agent, place) if agent >= 0 else 0.0
    elif op == X_QUEUE:
        return sim.st_jobs[place]
    elif op == X_BUSY:
        if sim.st_kind[place] == K_FIFO:
            return sim.st_serving[place]
        return sim.st_jobs[place]
    elif op == X_WORK:
        return work_at(sim, place)
    elif op == X_BUDGET_LEFT:
        return budget_left(sim, agent, place)
    elif op == X_EST_LAMBDA:
        return arrival_estimate(sim, place)
    elif op == X_EST_RHO:
        return load_estimate(sim, place)
    return sim.est_waited[place]


def arrival_estimate(sim: "Sim", stage: int) -> float:
    """Jobs a second that a stage begins, by its completed ones; 0 before the second, or if they overtake each other."""
    gap = sim.est_gap[stage]
    return 1.0 / gap if gap > 0.0 else 0.0


def load_estimate(sim: "Sim", stage: int) -> float:
    """Arrival rate times mean service, at most 0.99."""
    load = arrival_estimate(sim, stage) * sim.est_service[stage]
    return load if load < 0.99 else 0.99


def price(sim: "Sim", stage: int, before: float, work: float) -> float:
    """What a job of `work` that starts `before` seconds from now costs itself and those whom it delays there."""
    load = load_estimate(sim, stage)
    delayed = work * sim.est_waited[stage] + before * work + work * work / 2.0
    return work + arrival_estimate(sim, stage) / (1.0 - load) * delayed
