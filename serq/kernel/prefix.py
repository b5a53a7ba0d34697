"""The shared prefix tree: matching a hold's chain, pinning, keeping. Not written yet."""

import cython

if not cython.compiled:
    from serq.kernel.state import Sim


def read_chain(sim: "Sim", agent: int, statement: int) -> None:
    return


def overlap(sim: "Sim", agent: int, pool: int, units: float) -> float:
    return 0.0


def take_chain(sim: "Sim", agent: int, entry: int, units: float, reuse: float) -> float:
    return 0.0


def unpin(sim: "Sim", entry: int) -> None:
    return


def keep_chain(sim: "Sim", agent: int, entry: int, keep: float) -> None:
    return


def drop_chains(sim: "Sim", agent: int, pool: int) -> None:
    return
