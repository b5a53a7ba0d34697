"""Every divided gap as a row, for those who want them all: a buffer that is emptied whenever it has filled.

A row is written where a request's token is recorded, so every decode must be visited: `simulate` switches the fleet
and fast-forward off, which changes no figure. The event loop stops between two events when `KEPT_AT_ONCE` rows have
gathered (`sim.drain`), is emptied, and goes on: memory does not grow with the run.
"""

from array import array

import cython

from serq.kernel.recording import KEPT_AT_ONCE, KeptGaps

if not cython.compiled:
    from serq.kernel.memory import more_doubles, more_longs
    from serq.kernel.numbers import truncate
    from serq.kernel.state import Sim

    ROWS = KEPT_AT_ONCE


def keep_gap(sim: "Sim", engine: int, agent: int, gap: float, cause: int, steady: bool) -> None:
    """Add a row for a gap that ends now, divided in `gap_parts`, or in `steady_parts` if its batch shares them."""
    row = sim.n_kept
    if row == sim.keep_room:
        _grow(sim)
    n = sim.n_labels
    root = sim.a_root[agent]
    sim.k_time[row] = sim.now
    sim.k_gap[row] = gap
    sim.k_session[row] = sim.a_serial[root]
    sim.k_turn[row] = truncate(sim.attrs[root * sim.width + 2])
    sim.k_engine[row] = engine
    sim.k_cause[row] = cause
    for label in range(n):
        sim.k_parts[row * n + label] = sim.steady_parts[label] if steady else sim.gap_parts[label]
    sim.n_kept = row + 1
    if sim.n_kept >= ROWS:
        sim.drain = 1


def _grow(sim: "Sim") -> None:
    """One iteration may end with more tokens than the buffer has room for."""
    old = sim.keep_room
    new = 2 * old
    sim.k_time = more_doubles(sim.k_time, old, new)
    sim.k_gap = more_doubles(sim.k_gap, old, new)
    sim.k_parts = more_doubles(sim.k_parts, old * sim.n_labels, new * sim.n_labels)
    sim.k_session = more_longs(sim.k_session, old, new)
    sim.k_turn = more_longs(sim.k_turn, old, new)
    sim.k_engine = more_longs(sim.k_engine, old, new)
    sim.k_cause = more_longs(sim.k_cause, old, new)
    sim.keep_room = new


def take_kept(sim: "Sim") -> KeptGaps:
    """The rows that have gathered; the buffer is empty after."""
    n = sim.n_kept
    zeros = bytes(8 * n)
    times = array("d", zeros)
    gaps = array("d", zeros)
    sessions = array("q", zeros)
    turns = array("q", zeros)
    engines = array("q", zeros)
    causes = array("q", zeros)
    parts = tuple([array("d", zeros) for _ in range(sim.n_labels)])
    for row in range(n):
        times[row] = sim.k_time[row]
        gaps[row] = sim.k_gap[row]
        sessions[row] = sim.k_session[row]
        turns[row] = sim.k_turn[row]
        engines[row] = sim.k_engine[row]
        causes[row] = sim.k_cause[row]
    for label in range(sim.n_labels):
        part = parts[label]
        for row in range(n):
            part[row] = sim.k_parts[row * sim.n_labels + label]
    sim.n_kept = 0
    sim.drain = 0
    return KeptGaps(times, sessions, turns, engines, gaps, parts, causes)
