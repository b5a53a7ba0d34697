"""Reading the shared prefix tree: how much of a chain a pool caches."""

import cython

if not cython.compiled:
    from serq.kernel.state import Sim


def matched(sim: "Sim", agent: int, pool: int) -> float:
    """Units of the reader's chain that a pool with blocks caches, in whole blocks."""
    return 0.0
