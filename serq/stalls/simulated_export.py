"""Every gap of a simulated run with its parts, as rows for other tools.

In: what the kernel keeps, chunk by chunk as it comes. Out: the columns of serq.stalls.export: engine, session and turn,
when the gap began and ended, its length and its parts in milliseconds, its primary cause.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from serq.kernel.recording import KeptGaps
from serq.stalls.figures import CLEAN
from serq.stalls.simulated import KERNEL, MS

if TYPE_CHECKING:
    from serq.stalls.export import Add, Columns


def keeper(add: Add, labels: Sequence[str], stages: Sequence[str]) -> Callable[[KeptGaps], None]:
    """What the kernel hands its gaps to; a file without gaps gets its header.

    Args:
        add: adds rows to a file.
        labels: names of the parts, `kernel` first.
        stages: what each stage of the program is called.
    """

    def keep(kept: KeptGaps) -> None:
        add(columns(kept, labels, stages))

    none = array("q")
    keep(KeptGaps(array("d"), none, none, none, array("d"), tuple(array("d") for _ in labels), none))
    return keep


def columns(kept: KeptGaps, labels: Sequence[str], stages: Sequence[str]) -> Columns:
    end, gap = np.array(kept.times), np.array(kept.gaps)
    # From the kernel's order of labels to that of the figures.
    order = [*range(KERNEL + 1, len(labels)), KERNEL]
    names = np.array([CLEAN if label == KERNEL else name for label, name in enumerate(labels)])
    return {
        "engine": np.array(stages)[np.array(kept.engines, dtype=np.intp)],
        "session": np.array(kept.sessions, dtype=np.int64),
        "turn": np.array(kept.turns, dtype=np.int64),
        "start_s": end - gap,
        "end_s": end,
        "gap_ms": gap * MS,
        **{f"{labels[label]}_ms": np.array(kept.parts[label]) * MS for label in order},
        "primary": names[np.array(kept.causes, dtype=np.intp)],
    }
