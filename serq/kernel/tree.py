"""The shared prefix tree of a pool: finding nodes, and how much of a chain is cached.

A node is a cache entry (`cache`) that covers a range of one segment of a prefix: `n_begin` units of the segment lie
before it. Its place in the tree is below the *end* of its parent, `n_up`; ends have numbers of their own, so that a
node can be split without a touch of what hangs below it. A pool's root is the end -1 - pool. Below an end hangs at
most one continuation of the same segment (`end_cont`), and any number (`end_kids`) of beginnings of next segments,
which a hash table finds by end, key space and key. Lengths within 1e-9 of each other are the same.

A *chain* is the prefix of a hold, as read when the statement was reached: per segment key space, key and length. The
key space -1 is the session's own. Chain -1 is that of a hold without a prefix: one own segment without end.
"""

import cython

if not cython.compiled:
    from serq.kernel.memory import longs, release
    from serq.kernel.numbers import floor_of, order
    from serq.kernel.state import Sim

    # Key spaces of entries outside of the tree, and of a session's own segments.
    OUTSIDE = -2
    OWN = -1
    # A reader that is in the header of no hold.
    NO_HEADER = -2


# ---------------------------------------------------------------- chains


def chain_count(sim: "Sim", chain: int) -> int:
    return sim.ch_count[chain] if chain >= 0 else 1


def chain_space(sim: "Sim", chain: int, i: int) -> int:
    return sim.ch_space[chain * sim.max_segments + i] if chain >= 0 else OWN


def chain_key(sim: "Sim", chain: int, i: int, root: int) -> float:
    """Key of a segment; of an own one the session's serial."""
    if chain_space(sim, chain, i) == OWN:
        return sim.a_serial[root]
    return sim.ch_key[chain * sim.max_segments + i]


def chain_length(sim: "Sim", chain: int, i: int) -> float:
    return sim.ch_length[chain * sim.max_segments + i] if chain >= 0 else sim.infinity


# ---------------------------------------------------------------- places in the tree


def node_end(sim: "Sim", node: int) -> float:
    """Units of its segment up to the end of a node."""
    return sim.n_begin[node] + sim.n_size[node]


def is_leaf(sim: "Sim", node: int) -> bool:
    if sim.n_space[node] == OUTSIDE:
        return True
    end = sim.n_end[node]
    return sim.end_cont[end] < 0 and sim.end_kids[end] == 0


def continuation(sim: "Sim", node: int) -> int:
    """The node that goes on where one ends, or -1."""
    return sim.end_cont[sim.n_end[node]]


def _bucket(sim: "Sim", up: int, space: int, key: float) -> int:
    bits = order(key)
    bits = bits ^ (bits >> 32) ^ (up * 40503) ^ (space * 8191)
    bits = bits ^ (bits >> 15)
    return bits & (sim.tree_buckets - 1)


def find(sim: "Sim", up: int, space: int, key: float) -> int:
    """The first node of a segment below an end, or -1."""
    node = sim.tree_bucket[_bucket(sim, up, space, key)]
    while node >= 0 and not (sim.n_up[node] == up and sim.n_space[node] == space and sim.n_key[node] == key):
        node = sim.n_link[node]
    return node


def attach(sim: "Sim", node: int, up: int) -> None:
    """Hang a node, whose segment and range are set, below an end."""
    sim.n_up[node] = up
    if sim.n_begin[node] > 0.0:
        sim.end_cont[up] = node
        return
    bucket = _bucket(sim, up, sim.n_space[node], sim.n_key[node])
    sim.n_link[node] = sim.tree_bucket[bucket]
    sim.tree_bucket[bucket] = node
    if up >= 0:
        sim.end_kids[up] += 1


def detach(sim: "Sim", node: int) -> None:
    """Take a leaf out of the tree; it is outside afterwards."""
    up = sim.n_up[node]
    if sim.n_begin[node] > 0.0:
        sim.end_cont[up] = -1
    else:
        bucket = _bucket(sim, up, sim.n_space[node], sim.n_key[node])
        at = sim.tree_bucket[bucket]
        if at == node:
            sim.tree_bucket[bucket] = sim.n_link[node]
        else:
            while sim.n_link[at] != node:
                at = sim.n_link[at]
            sim.n_link[at] = sim.n_link[node]
        if up >= 0:
            sim.end_kids[up] -= 1
    sim.n_space[node] = OUTSIDE


def rebuild(sim: "Sim") -> None:
    """Make the hash table anew, for twice as many nodes as there is room for."""
    release(sim.tree_bucket)
    sim.tree_buckets = 4 * sim.node_room
    sim.tree_bucket = longs(sim.tree_buckets)
    for i in range(sim.tree_buckets):
        sim.tree_bucket[i] = -1
    for node in range(sim.nodes_used):
        if sim.n_space[node] != OUTSIDE and sim.n_begin[node] == 0.0:
            bucket = _bucket(sim, sim.n_up[node], sim.n_space[node], sim.n_key[node])
            sim.n_link[node] = sim.tree_bucket[bucket]
            sim.tree_bucket[bucket] = node


def end_at(sim: "Sim", node: int, length: float) -> int:
    """The end of the node of a segment, beginning with its first, that ends after exactly `length` units; -1 without.

    Next segments of chains with this length hang there.
    """
    while node >= 0 and node_end(sim, node) < length - 1e-9:
        node = continuation(sim, node)
    if node < 0 or node_end(sim, node) > length + 1e-9:
        return -1
    return sim.n_end[node]


def match_chain(sim: "Sim", root: int, chain: int, pool: int) -> float:
    """Units of a chain that a pool caches from its beginning on, in whole blocks."""
    total = 0.0
    up = -1 - pool
    for i in range(chain_count(sim, chain)):
        length = chain_length(sim, chain, i)
        first = find(sim, up, chain_space(sim, chain, i), chain_key(sim, chain, i, root))
        cached = 0.0
        node = first
        while node >= 0 and cached < length - 1e-9:
            cached = node_end(sim, node)
            node = continuation(sim, node)
        if cached < length - 1e-9:
            total += cached
            break
        total += length
        up = end_at(sim, first, length)
        if up < 0:
            break
    block = sim.p_block[pool]
    return floor_of(total / block) * block


def matched(sim: "Sim", agent: int, pool: int) -> float:
    """What `cachedin` reads in a pool with blocks: by the chain of the hold being admitted, else of the innermost."""
    chain = sim.a_chain[agent]
    if chain == NO_HEADER:
        hold = sim.a_hold[agent]
        chain = sim.h_chain[hold] if hold >= 0 else -1
    return match_chain(sim, sim.a_root[agent], chain, pool)
