"""The shared prefix tree at work: reading a hold's chain, a hit, giving back, dropping (docs/semantics/memory.md).

A hold that hits pins the nodes that it shares: they count as used, once, and stay. What lies from a session's own
segment on is consumed instead. Content comes into the tree when a hold releases it.
"""

import cython

if not cython.compiled:
    from serq.kernel.cache import (
        add_cached,
        add_used,
        consume_node,
        free_consumed,
        keep_fragment,
        new_node,
        next_release,
        remove_node,
        split_node,
        touch_with,
    )
    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.machine import agent_stream, evaluate, round_down, round_up
    from serq.kernel.memory import more_doubles, more_longs
    from serq.kernel.state import Sim
    from serq.kernel.tree import (
        attach,
        chain_count,
        chain_key,
        chain_length,
        chain_space,
        continuation,
        end_at,
        find,
        is_leaf,
        match_chain,
        node_end,
    )

    H_COLUMNS = 11
    S_COLUMNS = 3
    OWN = -1
    NO_HEADER = -2


# ---------------------------------------------------------------- chains


def _new_chain(sim: "Sim") -> int:
    if sim.ch_free < 0:
        old = sim.chain_room
        new = 2 * old
        width = sim.max_segments
        sim.ch_count = more_longs(sim.ch_count, old, new)
        sim.ch_refs = more_longs(sim.ch_refs, old, new)
        sim.ch_space = more_longs(sim.ch_space, old * width, new * width)
        sim.ch_key = more_doubles(sim.ch_key, old * width, new * width)
        sim.ch_length = more_doubles(sim.ch_length, old * width, new * width)
        for i in range(old, new):
            sim.ch_refs[i] = i + 1 if i + 1 < new else -1
        sim.ch_free = old
        sim.chain_room = new
    chain = sim.ch_free
    sim.ch_free = sim.ch_refs[chain]
    sim.ch_refs[chain] = 1
    sim.ch_count[chain] = 0
    return chain


def use_chain(sim: "Sim", chain: int) -> int:
    """One more user of a chain."""
    if chain >= 0:
        sim.ch_refs[chain] += 1
    return chain


def leave_chain(sim: "Sim", chain: int) -> None:
    """One user less; the last one frees the row."""
    if chain < 0:
        return
    sim.ch_refs[chain] -= 1
    if sim.ch_refs[chain] == 0:
        sim.ch_refs[chain] = sim.ch_free
        sim.ch_free = chain


def leave_header(sim: "Sim", agent: int) -> None:
    """The agent no longer waits for the hold whose chain it read."""
    leave_chain(sim, sim.a_chain[agent])
    sim.a_chain[agent] = NO_HEADER


def read_chain(sim: "Sim", agent: int, statement: int) -> None:
    """Read keys and lengths of a hold's prefix; segments of length 0 are left out."""
    leave_header(sim, agent)
    row = statement * H_COLUMNS
    first = sim.holds[row + 2]
    count = sim.holds[row + 3]
    if count == 0:
        sim.a_chain[agent] = -1
        return
    chain = _new_chain(sim)
    sim.a_chain[agent] = chain
    at = chain * sim.max_segments
    for i in range(count):
        segment = (first + i) * S_COLUMNS
        key = evaluate(sim, agent, sim.segments[segment], agent_stream(agent))
        length = evaluate(sim, agent, sim.segments[segment + 1], agent_stream(agent))
        if key != key:
            sim.fault = F_LENGTH
            sim.fault_value = key
        elif not length >= 0.0 or (length == sim.infinity and i + 1 < count):
            sim.fault = F_LENGTH
            sim.fault_value = length
        elif length > 0.0:
            sim.ch_space[at] = sim.segments[segment + 2]
            # -0 is 0.
            sim.ch_key[at] = key + 0.0
            sim.ch_length[at] = length
            sim.ch_count[chain] += 1
            at += 1
    if sim.ch_count[chain] == 1 and sim.ch_space[at - 1] == OWN and sim.ch_length[at - 1] == sim.infinity:
        # What is left is the chain of a hold without a prefix: it is that one, whose hit its units do not bound.
        leave_header(sim, agent)
        sim.a_chain[agent] = -1


# ---------------------------------------------------------------- hits


def _hit(sim: "Sim", agent: int, chain: int, pool: int, units: float, reuse: float, bounded: bool) -> float:
    """Units of the chain that a hold of `units` finds; `reuse` bounds them unless it is negative."""
    hit = match_chain(sim, sim.a_root[agent], chain, pool)
    if bounded:
        most = round_up(sim, pool, units)
        if most < hit:
            hit = most
    if reuse >= 0.0:
        most = round_down(sim, pool, reuse)
        if most < hit:
            hit = most
    return hit


def overlap(sim: "Sim", agent: int, pool: int, units: float) -> float:
    """Units of the hit of a waiting hold that others have pinned, and so are counted as used already."""
    row = sim.a_waiting[agent] * H_COLUMNS
    if sim.holds[row + 5] < 0:
        return 0.0
    reuse = -1.0
    if sim.holds[row + 4] >= 0:
        reuse = evaluate(sim, agent, sim.holds[row + 4], agent_stream(agent))
        if not reuse > 0.0:
            reuse = 0.0
    chain = sim.a_chain[agent]
    rest = _hit(sim, agent, chain, pool, units, reuse, chain >= 0)
    shared = 0.0
    up = -1 - pool
    for i in range(chain_count(sim, chain)):
        length = chain_length(sim, chain, i)
        t = rest if rest < length else length
        if t <= 1e-9 or chain_space(sim, chain, i) == OWN:
            break
        first = find(sim, up, chain_space(sim, chain, i), chain_key(sim, chain, i, 0))
        node = first
        while node >= 0 and sim.n_begin[node] < t - 1e-9:
            end = node_end(sim, node)
            if sim.n_pins[node] > 0:
                shared += (end if end < t else t) - sim.n_begin[node]
            node = continuation(sim, node)
        rest -= t
        up = end_at(sim, first, length)
        if up < 0:
            break
    return shared


def take_chain(sim: "Sim", agent: int, entry: int, units: float, reuse: float) -> float:
    """Pin the shared part of the hit, consume the own part; the units hit."""
    pool = sim.e_pool[entry]
    chain = sim.e_chain[entry]
    root = sim.a_root[agent]
    hit = _hit(sim, agent, chain, pool, units, reuse, chain >= 0)
    whole = hit == match_chain(sim, root, chain, pool)
    rest = hit
    shared = 0.0
    up = -1 - pool
    for i in range(chain_count(sim, chain)):
        length = chain_length(sim, chain, i)
        space = chain_space(sim, chain, i)
        first = find(sim, up, space, chain_key(sim, chain, i, root))
        t = rest if rest < length else length
        if space == OWN:
            if first >= 0:
                _take_own(sim, entry, first, t, whole)
            break
        if t <= 1e-9:
            break
        node = first
        while node >= 0 and sim.n_begin[node] < t - 1e-9:
            if sim.n_pins[node] == 0 and node_end(sim, node) > t + 1e-9:
                split_node(sim, node, t)
            _pin(sim, entry, node)
            node = continuation(sim, node)
        shared += t
        rest -= t
        if t < length - 1e-9:
            break
        up = end_at(sim, first, length)
        if up < 0:
            break
    sim.e_shared[entry] = shared
    return hit


def _take_own(sim: "Sim", entry: int, node: int, units: float, whole: bool) -> None:
    """Consume the first `units` of an own segment from its first node on.

    If these are all its whole blocks, a fragment behind them stays in the tree, out of reach until the hold gives back
    what it took. If the hold wanted less than there is, the rest is dead.
    """
    while node >= 0:
        after = continuation(sim, node)
        if node_end(sim, node) <= units + 1e-9:
            consume_node(sim, entry, node, sim.n_size[node])
        elif whole:
            if sim.n_begin[node] < units - 1e-9:
                split_node(sim, node, units)
                after = continuation(sim, node)
                consume_node(sim, entry, node, sim.n_size[node])
            else:
                after = -1
        else:
            taken = units - sim.n_begin[node]
            consume_node(sim, entry, node, taken if taken > 0.0 else 0.0)
        node = after


def _pin(sim: "Sim", entry: int, node: int) -> None:
    if sim.pn_free < 0:
        old = sim.pin_room
        new = 2 * old
        sim.pn_node = more_longs(sim.pn_node, old, new)
        sim.pn_next = more_longs(sim.pn_next, old, new)
        for i in range(old, new):
            sim.pn_next[i] = i + 1 if i + 1 < new else -1
        sim.pn_free = old
        sim.pin_room = new
    pin = sim.pn_free
    sim.pn_free = sim.pn_next[pin]
    sim.pn_node[pin] = node
    sim.pn_next[pin] = sim.e_pin[entry]
    sim.e_pin[entry] = pin
    if sim.n_pins[node] == 0:
        add_cached(sim, sim.n_pool[node], -sim.n_size[node])
        add_used(sim, sim.n_pool[node], sim.n_size[node])
    sim.n_pins[node] += 1


def unpin(sim: "Sim", entry: int) -> None:
    """Let go of the nodes that an entry shares."""
    pin = sim.e_pin[entry]
    while pin >= 0:
        node = sim.pn_node[pin]
        sim.n_pins[node] -= 1
        if sim.n_pins[node] == 0:
            add_used(sim, sim.n_pool[node], -sim.n_size[node])
            add_cached(sim, sim.n_pool[node], sim.n_size[node])
        after = sim.pn_next[pin]
        sim.pn_next[pin] = sim.pn_free
        sim.pn_free = pin
        pin = after
    sim.e_pin[entry] = -1


# ---------------------------------------------------------------- keeping


def keep_chain(sim: "Sim", agent: int, entry: int, keep: float) -> None:
    """Leave the first `keep` units of an entry's chain in the tree: touch what is there, add what is not."""
    pool = sim.e_pool[entry]
    chain = sim.e_chain[entry]
    root = sim.a_root[agent]
    if keep <= 0.0:
        return
    number = next_release(sim)
    rest = keep
    up = -1 - pool
    for i in range(chain_count(sim, chain)):
        length = chain_length(sim, chain, i)
        space = chain_space(sim, chain, i)
        key = chain_key(sim, chain, i, root)
        first = find(sim, up, space, key)
        t = rest if rest < length else length
        if space == OWN and first >= 0:
            first = _shorten(sim, first, t, length)
        if t > 0.0:
            last = -1
            inside = -1
            node = first
            while node >= 0:
                if sim.n_begin[node] < t - 1e-9:
                    touch_with(sim, node, agent, number)
                    if node_end(sim, node) > t + 1e-9:
                        inside = node
                last = node
                node = continuation(sim, node)
            cached = node_end(sim, last) if last >= 0 else 0.0
            if inside >= 0 and rest > t:
                if sim.n_pins[inside] > 0:
                    return
                split_node(sim, inside, t)
            elif cached < t - 1e-9:
                if last >= 0 and sim.n_pins[last] == 0 and is_leaf(sim, last):
                    sim.n_size[last] += t - cached
                    add_cached(sim, pool, t - cached)
                else:
                    node = new_node(sim, pool, agent, t - cached, number)
                    sim.n_space[node] = space
                    sim.n_key[node] = key
                    sim.n_begin[node] = cached
                    attach(sim, node, up if last < 0 else sim.n_end[last])
                    if first < 0:
                        first = node
        rest -= t
        up = end_at(sim, first, length)
        if up < 0:
            return


def _shorten(sim: "Sim", first: int, units: float, length: float) -> int:
    """Cut an own segment down to `units`, unless another chain made it longer than `length`; its first node then."""
    last = first
    while continuation(sim, last) >= 0:
        last = continuation(sim, last)
    if node_end(sim, last) > length + 1e-9:
        return first
    while last >= 0 and node_end(sim, last) > units + 1e-9:
        rest = units - sim.n_begin[last]
        if rest > 1e-9:
            keep_fragment(sim, last, rest)
            return first
        before = -1
        node = first
        while node != last:
            before = node
            node = continuation(sim, node)
        remove_node(sim, last)
        last = before
    return first if last >= 0 else -1


def drop_chains(sim: "Sim", agent: int, pool: int) -> None:
    """Remove what is the session's own in a pool, below whatever prefix; never what it shares."""
    node = sim.a_node[sim.a_root[agent]]
    while node >= 0:
        after = sim.n_owned[node]
        if sim.n_pool[node] == pool and sim.n_space[node] == OWN:
            remove_node(sim, node)
        node = after


def end_pins(sim: "Sim", entry: int) -> None:
    """At the end of a hold or lease: its pins go, and the row of the own entry that it consumed is free again."""
    unpin(sim, entry)
    free_consumed(sim, entry)
