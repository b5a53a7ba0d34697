"""Random programs: small valid `.sq` texts from a seed, by profile.

    program = generate("engine", 17)
    program.text, program.settings

Each profile concentrates on one part of the language, because a program that uses everything rarely gets far: it is
refused, or starves. The texts are for comparing two ways to run one program (compiled and uncompiled kernel, stepping
and fast-forward, this package and an independent implementation), so they aim at collisions: equal times, full pools,
lengths beside block boundaries, keys with ties.
"""

from __future__ import annotations

import random

from .engines import engine_program, prefix_engine_program
from .expressions import expression_program
from .holds import hold_program, prefix_program
from .networks import network_program
from .program import Program
from .queues import queue_program
from .stages import stage_program

PROFILES = {
    "expressions": expression_program,
    "stages": stage_program,
    "holds": hold_program,
    "prefix": prefix_program,
    "engine": engine_program,
    "prefix-engine": prefix_engine_program,
    "networks": network_program,
    "queues": queue_program,
}

__all__ = ["PROFILES", "Program", "generate"]


def generate(profile: str, seed: int) -> Program:
    """The program of a profile and a seed: always the same one."""
    return PROFILES[profile](random.Random(f"{profile}/{seed}"))
