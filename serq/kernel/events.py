"""The event list: a binary heap of event numbers, ordered by time, then by the order of scheduling.

An event is five values in parallel arrays: time, sequence number, kind (`codes.E_*`) and two operands. Freed numbers
are used again.
"""

import cython

if not cython.compiled:
    from serq.kernel.memory import more_doubles, more_longs
    from serq.kernel.state import Sim


def _grow(sim: "Sim") -> None:
    old = sim.ev_room
    new = 2 * old
    sim.ev_time = more_doubles(sim.ev_time, old, new)
    sim.ev_sequence = more_longs(sim.ev_sequence, old, new)
    sim.ev_kind = more_longs(sim.ev_kind, old, new)
    sim.ev_a = more_longs(sim.ev_a, old, new)
    sim.ev_b = more_longs(sim.ev_b, old, new)
    sim.ev_next = more_longs(sim.ev_next, old, new)
    sim.heap = more_longs(sim.heap, old, new)
    for i in range(old, new):
        sim.ev_next[i] = i + 1 if i + 1 < new else -1
    sim.ev_free = old
    sim.ev_room = new


def _before(sim: "Sim", left: int, right: int) -> bool:
    a = sim.ev_time[left]
    b = sim.ev_time[right]
    return a < b or (a == b and sim.ev_sequence[left] < sim.ev_sequence[right])


def push_event(sim: "Sim", time: float, kind: int, a: int, b: int) -> None:
    """Schedule an event; of two at one time the one scheduled first is taken first."""
    if sim.ev_free < 0:
        _grow(sim)
    event = sim.ev_free
    sim.ev_free = sim.ev_next[event]
    sim.ev_time[event] = time
    sim.ev_sequence[event] = sim.ev_count
    sim.ev_count += 1
    sim.ev_kind[event] = kind
    sim.ev_a[event] = a
    sim.ev_b[event] = b
    heap = sim.heap
    at = sim.heap_size
    sim.heap_size = at + 1
    while at > 0:
        up = (at - 1) >> 1
        if not _before(sim, event, heap[up]):
            break
        heap[at] = heap[up]
        at = up
    heap[at] = event


def pop_event(sim: "Sim") -> int:
    """Take the first event off the list; its number stays readable until the next push."""
    heap = sim.heap
    first = heap[0]
    size = sim.heap_size - 1
    sim.heap_size = size
    _sift_down(sim, heap[size])
    sim.ev_next[first] = sim.ev_free
    sim.ev_free = first
    return first


def move_first(sim: "Sim", time: float) -> None:
    """Let the first event be due at `time` instead, as if it had been taken and scheduled anew."""
    event = sim.heap[0]
    sim.ev_time[event] = time
    sim.ev_sequence[event] = sim.ev_count
    sim.ev_count += 1
    _sift_down(sim, event)


def _sift_down(sim: "Sim", event: int) -> None:
    """Put an event into the heap whose top place is free."""
    heap = sim.heap
    size = sim.heap_size
    at = 0
    while True:
        down = 2 * at + 1
        if down >= size:
            break
        if down + 1 < size and _before(sim, heap[down + 1], heap[down]):
            down += 1
        if not _before(sim, heap[down], event):
            break
        heap[at] = heap[down]
        at = down
    heap[at] = event


def next_time(sim: "Sim") -> float:
    """When the next event is due; infinite when there is none."""
    if sim.heap_size == 0:
        return sim.infinity
    return sim.ev_time[sim.heap[0]]


def second_time(sim: "Sim") -> float:
    """When the event after the next is due; infinite when there is none."""
    if sim.heap_size < 2:
        return sim.infinity
    time = sim.ev_time[sim.heap[1]]
    if sim.heap_size > 2 and sim.ev_time[sim.heap[2]] < time:
        time = sim.ev_time[sim.heap[2]]
    return time
