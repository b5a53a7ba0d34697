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
    from serq.kernel.tree import attach, detach, is_leaf, rebuild

    EVICTION_AT = 56
    OUTSIDE = -2


def pool_signal(sim: "Sim", pool: int, which: int) -> int:
    """Signal 0 used, 1 cached, 2 queue, 3 holders of a pool."""
    return sim.pool_signals + 4 * pool + which


def add_used(sim: "Sim", pool: int, units: float) -> None:
    sim.p_used[pool] += units
    set_signal(sim, pool_signal(sim, pool, 0), sim.p_used[pool])


def add_cached(sim: "Sim", pool: int, units: float) -> None:
    sim.p_cached[pool] += units
    set_signal(sim, pool_signal(sim, pool, 1), sim.p_cached[pool])


def next_release(sim: "Sim") -> int:
    """The number of a new release."""
    number = sim.releases
    sim.releases += 1
    return number


def _new_row(sim: "Sim", pool: int) -> int:
    """A row for an entry: the one that the pool freed last, else one never used; so rows order a pool's ties."""
    node = sim.p_free_row[pool]
    if node >= 0:
        sim.p_free_row[pool] = sim.n_owned[node]
    else:
        if sim.nodes_used == sim.node_room:
            _grow(sim)
        node = sim.nodes_used
        sim.nodes_used += 1
    sim.n_pool[node] = pool
    sim.n_dead[node] = 0
    sim.n_owner[node] = -1
    sim.n_serial[node] = -1
    sim.n_owned[node] = -1
    sim.n_space[node] = OUTSIDE
    sim.n_begin[node] = 0.0
    sim.n_pins[node] = 0
    sim.n_taken[node] = OUTSIDE
    sim.n_listed[node] = 1
    sim.end_cont[sim.n_end[node]] = -1
    sim.end_kids[sim.n_end[node]] = 0
    return node


def free_row(sim: "Sim", pool: int, node: int) -> None:
    sim.n_owned[node] = sim.p_free_row[pool]
    sim.p_free_row[pool] = node


def new_node(sim: "Sim", pool: int, agent: int, size: float, number: int) -> int:
    """A new entry, the newest of its pool, of a live session's agent or (-1) of nobody. Counts as cached.

    Args:
        number: of the release that leaves it.
    """
    node = _new_row(sim, pool)
    sim.n_size[node] = size
    if agent >= 0:
        _own(sim, node, sim.a_root[agent])
        take_snapshot(sim, node, agent)
    _append(sim, node)
    sim.n_last[node] = sim.now
    sim.n_release[node] = number
    add_cached(sim, pool, size)
    sim.live_nodes += 1
    return node


def _own(sim: "Sim", node: int, root: int) -> None:
    sim.n_owner[node] = root
    sim.n_serial[node] = sim.a_serial[root]
    sim.n_owned[node] = sim.a_node[root]
    sim.a_node[root] = node


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
    sim.n_listed = more_longs(sim.n_listed, old, new)
    sim.n_pins = more_longs(sim.n_pins, old, new)
    sim.n_taken = more_longs(sim.n_taken, old, new)
    sim.n_space = more_longs(sim.n_space, old, new)
    sim.n_up = more_longs(sim.n_up, old, new)
    sim.n_end = more_longs(sim.n_end, old, new)
    sim.n_link = more_longs(sim.n_link, old, new)
    sim.n_key = more_doubles(sim.n_key, old, new)
    sim.n_begin = more_doubles(sim.n_begin, old, new)
    sim.end_cont = more_longs(sim.end_cont, old, new)
    sim.end_kids = more_longs(sim.end_kids, old, new)
    if sim.snapshots:
        sim.n_attrs = more_doubles(sim.n_attrs, old * sim.width, new * sim.width)
    for i in range(old, new):
        sim.n_end[i] = i
    sim.node_room = new
    if sim.has_prefix:
        rebuild(sim)


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


def _renew(sim: "Sim", node: int, number: int) -> None:
    """List an entry as the newest of its pool, released now under a number."""
    _unlink(sim, node)
    _append(sim, node)
    sim.n_last[node] = sim.now
    sim.n_release[node] = number


def touch_with(sim: "Sim", node: int, agent: int, number: int) -> None:
    """Make an entry the newest of its pool: of this instant, of a release with a number.

    It stays its maker's: while that session lives, keys read its attributes, later those of the last releaser as they
    were then.
    """
    _renew(sim, node, number)
    take_snapshot(sim, node, agent)


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
    _take_out(sim, node)
    free_row(sim, sim.n_pool[node], node)


def _take_out(sim: "Sim", node: int) -> None:
    """Take an entry off all lists, and leave its row in use."""
    if sim.n_size[node] != 0.0:
        add_cached(sim, sim.n_pool[node], -sim.n_size[node])
    if sim.n_space[node] != OUTSIDE:
        detach(sim, node)
    disown(sim, node)
    _unlink(sim, node)
    sim.n_listed[node] = 0
    sim.live_nodes -= 1


def consume_node(sim: "Sim", entry: int, node: int, units: float) -> None:
    """Let a hold's entry take the first `units` of an own entry; the rest stays as a dead one until it is evicted.

    The row is free again only when the hold releases, so that it takes no part in ties meanwhile. An entry of which
    nothing is taken dies in its row.
    """
    if units <= 1e-9:
        _die(sim, node)
        return
    rest = sim.n_size[node] - units
    if rest > 1e-9:
        dead = _new_row(sim, sim.n_pool[node])
        sim.n_serial[dead] = sim.n_serial[node]
        sim.n_size[dead] = rest
        take_snapshot(sim, dead, sim.n_owner[node])
        _number_death(sim, dead)
        _insert_after(sim, dead, node)
        add_cached(sim, sim.n_pool[node], rest)
    sim.n_taken[node] = sim.n_space[node]
    _take_out(sim, node)
    sim.n_size[node] = units
    sim.n_owned[node] = sim.e_slot[entry]
    sim.e_slot[entry] = node


def _die(sim: "Sim", node: int) -> None:
    """Make an own entry one that nobody finds: it keeps its size, its row and its place in the order of releases."""
    take_snapshot(sim, node, sim.n_owner[node])
    if sim.n_space[node] != OUTSIDE:
        detach(sim, node)
    disown(sim, node)
    _number_death(sim, node)


def _number_death(sim: "Sim", node: int) -> None:
    """Tell a dead entry from the others of its session, here and in the pools that it is spilled to."""
    sim.deaths += 1
    sim.n_dead[node] = sim.deaths


def free_consumed(sim: "Sim", entry: int) -> None:
    """Free the rows of what an entry consumed; where a fragment stayed behind it in the tree, put it back before."""
    node = sim.e_slot[entry]
    sim.e_slot[entry] = -1
    while node >= 0:
        after = sim.n_owned[node]
        behind = sim.end_cont[sim.n_end[node]] if sim.n_taken[node] != OUTSIDE else -1
        if behind >= 0 and sim.n_listed[behind]:
            sim.n_space[node] = sim.n_taken[node]
            sim.n_listed[node] = 1
            sim.n_owned[node] = -1
            if sim.n_owner[behind] >= 0:
                _own(sim, node, sim.n_owner[behind])
            attach(sim, node, sim.n_up[node])
            _insert_after(sim, node, behind)
            add_cached(sim, sim.n_pool[node], sim.n_size[node])
        else:
            sim.end_cont[sim.n_end[node]] = -1
            free_row(sim, sim.n_pool[node], node)
        node = after


def _insert_after(sim: "Sim", node: int, other: int) -> None:
    """List an entry behind another of its pool, with the same last release."""
    pool = sim.n_pool[other]
    after = sim.n_after[other]
    sim.n_before[node] = other
    sim.n_after[node] = after
    sim.n_after[other] = node
    if after >= 0:
        sim.n_before[after] = node
    else:
        sim.p_newest[pool] = node
    sim.n_last[node] = sim.n_last[other]
    sim.n_release[node] = sim.n_release[other]
    sim.live_nodes += 1


def split_node(sim: "Sim", node: int, at: float) -> None:
    """Split a prefix node after `at` units of its segment; the front keeps the row, the rest what hangs below."""
    rest = _new_row(sim, sim.n_pool[node])
    sim.n_size[rest] = sim.n_begin[node] + sim.n_size[node] - at
    sim.n_size[node] -= sim.n_size[rest]
    sim.n_space[rest] = sim.n_space[node]
    sim.n_key[rest] = sim.n_key[node]
    sim.n_begin[rest] = at
    end = sim.n_end[node]
    sim.n_end[node] = sim.n_end[rest]
    sim.n_end[rest] = end
    sim.end_kids[sim.n_end[node]] = 0
    attach(sim, rest, sim.n_end[node])
    if sim.n_owner[node] >= 0:
        _own(sim, rest, sim.n_owner[node])
    sim.n_serial[rest] = sim.n_serial[node]
    if sim.snapshots:
        for slot in range(sim.width):
            sim.n_attrs[rest * sim.width + slot] = sim.n_attrs[node * sim.width + slot]
    _insert_after(sim, rest, node)


def keep_fragment(sim: "Sim", node: int, size: float) -> None:
    """Set an entry's size without touching its release."""
    kept = sim.n_size[node]
    sim.n_size[node] = size
    add_cached(sim, sim.n_pool[node], size - kept)


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


def _evictable(sim: "Sim", node: int) -> bool:
    return sim.n_pins[node] == 0 and is_leaf(sim, node)


def victim_node(sim: "Sim", pool: int) -> int:
    """The entry to evict from, -1 without any: the oldest, or the one with the least keys.

    Of equals the least recently released, then the one with the least row.
    """
    if sim.p_evict_keys[pool] == 0:
        return _oldest(sim, pool)
    best = -1
    if sim.p_evict_draws[pool]:
        # Which entry meets which draw is part of the semantics: by rows.
        for node in range(sim.nodes_used):
            if sim.n_pool[node] == pool and sim.n_listed[node] and _evictable(sim, node):
                best = _better(sim, pool, node, best)
    else:
        node = sim.p_oldest[pool]
        while node >= 0:
            if _evictable(sim, node):
                best = _better(sim, pool, node, best)
            node = sim.n_after[node]
    sim.snapshot = -1
    return best


def _oldest(sim: "Sim", pool: int) -> int:
    """The least row among the entries of the earliest release that has one to evict. A parent is never older."""
    best = -1
    node = sim.p_oldest[pool]
    while node >= 0 and (best < 0 or sim.n_release[node] == sim.n_release[best]):
        if (best < 0 or node < best) and _evictable(sim, node):
            best = node
        node = sim.n_after[node]
    return best


def _better(sim: "Sim", pool: int, node: int, best: int) -> int:
    """Of the best entry so far (-1: none) and another, the one to evict first; reads the other's keys."""
    first = sim.p_evict_first[pool]
    n_keys = sim.p_evict_keys[pool]
    owner = _set_context(sim, node, sim.n_size[node])
    less = best < 0
    undecided = not less
    for i in range(n_keys):
        key = evaluate(sim, owner, sim.keys[first + i], EVICTION_AT)
        if undecided and order(key) != order(sim.best_keys[i]):
            undecided = False
            less = order(key) < order(sim.best_keys[i])
        sim.trial_keys[i] = key
    if undecided:
        if sim.n_release[node] != sim.n_release[best]:
            less = sim.n_release[node] < sim.n_release[best]
        else:
            less = node < best
    if not less:
        return best
    for i in range(n_keys):
        sim.best_keys[i] = sim.trial_keys[i]
    return node


def make_room(sim: "Sim", pool: int, units: float) -> None:
    """Evict until `units` more fit beside what is used and cached, or nothing is cached any more."""
    steady = sim.p_evict_keys[pool] == 0 and sim.p_spill_to[pool] < 0
    node = -1
    while sim.p_used[pool] + sim.p_cached[pool] + units > sim.p_cap[pool] + 1e-9:
        if node < 0:
            node = victim_node(sim, pool)
        if node < 0 or sim.fault:
            return
        # Without keys the entry that was the oldest stays it until it is gone.
        if evict_step(sim, pool, node) or not steady:
            node = -1


def evict_step(sim: "Sim", pool: int, node: int) -> bool:
    """Evict one block from an entry's tail, or the whole entry where there are no blocks; whether it is gone.

    What is evicted is spilled if the pool asks for it.
    """
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
        return True
    return False


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
        _renew(sim, target, next_release(sim))
    else:
        target = new_node(sim, tier, owner, units, next_release(sim))
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
