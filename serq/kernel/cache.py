"""The prefix cache of a pool: entries in order of release, eviction from the tail, spilling to another pool.

An entry (`node`) holds units that a session left behind. Entries of a pool form a list from the oldest release to the
newest. Used and cached units together never exceed the capacity, except in a pool that another spills to, by one write.
"""

import cython

if not cython.compiled:
    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.figures import set_signal
    from serq.kernel.machine import evaluate, own_node
    from serq.kernel.memory import more_doubles, more_longs
    from serq.kernel.numbers import order
    from serq.kernel.stages import start_job
    from serq.kernel.state import Sim

    EVICTION_AT = 56


def pool_signal(sim: "Sim", pool: int, which: int) -> int:
    """Signal 0 used, 1 cached, 2 queue, 3 holders of a pool."""
    return sim.pool_signals + 4 * pool + which


def add_used(sim: "Sim", pool: int, units: float) -> None:
    sim.p_used[pool] += units
    set_signal(sim, pool_signal(sim, pool, 0), sim.p_used[pool])


def add_cached(sim: "Sim", pool: int, units: float) -> None:
    sim.p_cached[pool] += units
    set_signal(sim, pool_signal(sim, pool, 1), sim.p_cached[pool])


def new_node(sim: "Sim", pool: int, agent: int, size: float) -> int:
    """A new entry, the newest of its pool, of a live session's agent or (-1) of nobody. Counts as cached."""
    if sim.n_free < 0:
        _grow(sim)
    node = sim.n_free
    sim.n_free = sim.n_owned[node]
    sim.n_pool[node] = pool
    sim.n_size[node] = size
    sim.n_dead[node] = 0
    sim.n_owner[node] = -1
    sim.n_serial[node] = -1
    sim.n_owned[node] = -1
    if agent >= 0:
        root = sim.a_root[agent]
        sim.n_owner[node] = root
        sim.n_serial[node] = sim.a_serial[root]
        sim.n_owned[node] = sim.a_node[root]
        sim.a_node[root] = node
        take_snapshot(sim, node, agent)
    _append(sim, node)
    touch(sim, node)
    add_cached(sim, pool, size)
    sim.live_nodes += 1
    return node


def _grow(sim: "Sim") -> None:
    old = sim.node_room
    new = 2 * old
    sim.n_pool = more_longs(sim.n_pool, old, new)
    sim.n_size = more_doubles(sim.n_size, old, new)
    sim.n_last = more_doubles(sim.n_last, old, new)
    sim.n_release = more_longs(sim.n_release, old, new)
    sim.n_dead = more_longs(sim.n_dead, old, new)
    sim.n_owner = more_longs(sim.n_owner, old, new)
    sim.n_serial = more_longs(sim.n_serial, old, new)
    sim.n_owned = more_longs(sim.n_owned, old, new)
    sim.n_before = more_longs(sim.n_before, old, new)
    sim.n_after = more_longs(sim.n_after, old, new)
    if sim.snapshots:
        sim.n_attrs = more_doubles(sim.n_attrs, old * sim.width, new * sim.width)
    for i in range(old, new):
        sim.n_owned[i] = i + 1 if i + 1 < new else -1
    sim.n_free = old
    sim.node_room = new


def take_snapshot(sim: "Sim", node: int, agent: int) -> None:
    """Keep the attributes as they are now, for keys read after the session's end."""
    if sim.snapshots:
        for slot in range(sim.width):
            sim.n_attrs[node * sim.width + slot] = sim.attrs[agent * sim.width + slot]


def _append(sim: "Sim", node: int) -> None:
    pool = sim.n_pool[node]
    newest = sim.p_newest[pool]
    sim.n_before[node] = newest
    sim.n_after[node] = -1
    if newest >= 0:
        sim.n_after[newest] = node
    else:
        sim.p_oldest[pool] = node
    sim.p_newest[pool] = node


def _unlink(sim: "Sim", node: int) -> None:
    pool = sim.n_pool[node]
    before = sim.n_before[node]
    after = sim.n_after[node]
    if before >= 0:
        sim.n_after[before] = after
    else:
        sim.p_oldest[pool] = after
    if after >= 0:
        sim.n_before[after] = before
    else:
        sim.p_newest[pool] = before


def touch(sim: "Sim", node: int) -> None:
    """Give an entry this instant as its last release, and the next release number."""
    sim.n_last[node] = sim.now
    sim.n_release[node] = sim.releases
    sim.releases += 1


def disown(sim: "Sim", node: int) -> None:
    """Take an entry off its session's list; nobody finds it any more but by its serial."""
    root = sim.n_owner[node]
    if root < 0:
        return
    at = sim.a_node[root]
    if at == node:
        sim.a_node[root] = sim.n_owned[node]
    else:
        while sim.n_owned[at] != node:
            at = sim.n_owned[at]
        sim.n_owned[at] = sim.n_owned[node]
    sim.n_owner[node] = -1
    sim.n_owned[node] = -1


def remove_node(sim: "Sim", node: int) -> None:
    """Take an entry away; what it still holds is no longer cached."""
    if sim.n_size[node] != 0.0:
        add_cached(sim, sim.n_pool[node], -sim.n_size[node])
    disown(sim, node)
    _unlink(sim, node)
    sim.n_owned[node] = sim.n_free
    sim.n_free = node
    sim.live_nodes -= 1


def kill_remainder(sim: "Sim", node: int, size: float) -> None:
    """Leave `size` units of a consumed entry as a dead one: same release, waiting for eviction only."""
    take_snapshot(sim, node, sim.n_owner[node])
    add_cached(sim, sim.n_pool[node], size - sim.n_size[node])
    sim.n_size[node] = size
    disown(sim, node)
    sim.deaths += 1
    sim.n_dead[node] = sim.deaths


def _set_context(sim: "Sim", node: int, size: float) -> int:
    """Let `size age last waiting` and the attributes be those of an entry; the agent to evaluate for."""
    r = sim.registers
    r[SIZE] = size
    r[LAST] = sim.n_last[node]
    r[AGE] = sim.now - sim.n_last[node]
    owner = sim.n_owner[node]
    r[QUEUED] = 1.0 if owner >= 0 and sim.a_state[owner] == A_QUEUED else 0.0
    sim.snapshot = node if owner < 0 and sim.snapshots else -1
    return owner


def victim_node(sim: "Sim", pool: int) -> int:
    """The entry to evict from: the oldest, or the one with the least keys (ties: the oldest); -1 without any."""
    n_keys = sim.p_evict_keys[pool]
    best = sim.p_oldest[pool]
    if n_keys == 0 or best < 0:
        return best
    first = sim.p_evict_first[pool]
    node = best
    while node >= 0:
        owner = _set_context(sim, node, sim.n_size[node])
        less = node == best
        undecided = not less
        for i in range(n_keys):
            key = evaluate(sim, owner, sim.keys[first + i], EVICTION_AT)
            if undecided and order(key) != order(sim.best_keys[i]):
                undecided = False
                less = order(key) < order(sim.best_keys[i])
            sim.trial_keys[i] = key
        if less:
            best = node
            for i in range(n_keys):
                sim.best_keys[i] = sim.trial_keys[i]
        node = sim.n_after[node]
    sim.snapshot = -1
    return best


def make_room(sim: "Sim", pool: int, units: float) -> None:
    """Evict until `units` more fit beside what is used and cached, or nothing is cached any more."""
    while sim.p_used[pool] + sim.p_cached[pool] + units > sim.p_cap[pool] + 1e-9:
        node = victim_node(sim, pool)
        if node < 0 or sim.fault:
            return
        evict_step(sim, pool, node)


def evict_step(sim: "Sim", pool: int, node: int) -> None:
    """Evict one block from an entry's tail, or the whole entry where there are no blocks; spill it if asked."""
    size = sim.n_size[node]
    block = sim.p_block[pool]
    units = size
    if 0.0 < block < size:
        units = block
    sim.n_size[node] = size - units
    add_cached(sim, pool, -units)
    sim.p_evicted_units[pool] += units
    if sim.p_spill_to[pool] >= 0:
        _spill(sim, pool, node, units)
    if sim.n_size[node] <= 1e-9:
        sim.p_evicted[pool] += 1
        remove_node(sim, node)


def _spill(sim: "Sim", pool: int, node: int, units: float) -> None:
    """Write evicted units to the tier: it repairs an overrun first, and may pass its capacity by this one write."""
    owner = _set_context(sim, node, units)
    when = evaluate(sim, owner, sim.p_spill_when[pool], EVICTION_AT)
    work = 0.0
    if when != 0.0:
        work = evaluate(sim, owner, sim.p_spill_work[pool], EVICTION_AT)
    sim.snapshot = -1
    if when == 0.0:
        return
    tier = sim.p_spill_to[pool]
    if sim.spilling > 64:
        sim.fault = F_LIVELOCK
        return
    sim.spilling += 1
    make_room(sim, tier, 0.0)
    sim.spilling -= 1
    target = _twin(sim, tier, node)
    if target >= 0:
        sim.n_size[target] += units
        add_cached(sim, tier, units)
        _unlink(sim, target)
        _append(sim, target)
        touch(sim, target)
    else:
        target = new_node(sim, tier, owner, units)
        sim.n_serial[target] = sim.n_serial[node]
        sim.n_dead[target] = sim.n_dead[node]
        if owner < 0 and sim.snapshots:
            for slot in range(sim.width):
                sim.n_attrs[target * sim.width + slot] = sim.n_attrs[node * sim.width + slot]
    sim.p_spills[pool] += 1
    start_job(sim, sim.p_spill_via[pool], -1, work if work > 0.0 else 0.0)


def _twin(sim: "Sim", tier: int, node: int) -> int:
    """The tier's entry of the same session, or of the same dead entry; -1 without."""
    if sim.n_owner[node] >= 0:
        return own_node(sim, sim.n_owner[node], tier)
    other = sim.p_oldest[tier]
    while other >= 0:
        if sim.n_serial[other] == sim.n_serial[node] and sim.n_dead[other] == sim.n_dead[node]:
            return other
        other = sim.n_after[other]
    return -1
