"""What a ladder is to run: rungs, each with all the changes up to it, and seeds.

In: texts. Out: a `Plan`, or a `SerqError` that says where it cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

from serq.diagnostics import Diagnostic, SerqError

MOST_SEEDS = 10_000
SEEDS = re.compile(r"(\d+)(?:-(\d+))?")


class Rung(NamedTuple):
    """A configuration.

    Attributes:
        changes: the arguments and definitions that it changes, as written.
        sets, defs: those of this rung and of all before it.
    """

    name: str
    changes: str
    sets: Mapping[str, float | str]
    defs: Mapping[str, str]


class Plan(NamedTuple):
    """A ladder.

    Attributes:
        program: path of a program.
        horizon, warmup: simulated seconds; None where the program has its own.
    """

    program: str
    rungs: tuple[Rung, ...]
    seeds: tuple[int, ...]
    horizon: float | None
    warmup: float | None


def refuse(message: str, hint: str | None = None) -> NoReturn:
    raise SerqError(Diagnostic("ladder", message, hint=hint))


def read_seeds(text: str) -> tuple[int, ...]:
    """Seeds from `1-5`, `7`, or `1-3,8`; each once, in the order given.

    Raises:
        SerqError: it is no such list.
    """
    seeds: dict[int, None] = {}
    for part in text.split(","):
        match = SEEDS.fullmatch(part.strip())
        if match is None:
            refuse(f"`{text}` are no seeds", "write a list of numbers and ranges: `1-5`, or `1,2,7`")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            refuse(f"the range of seeds `{part.strip()}` runs backwards", f"write `{last}-{first}`")
        if last - first + len(seeds) >= MOST_SEEDS or last >= 1 << 64:
            refuse(f"`{text}` are too many seeds, or too large ones", f"at most {MOST_SEEDS}, each below 2^64")
        seeds |= dict.fromkeys(range(first, last + 1))
    return tuple(seeds)


def read_rung(text: str) -> tuple[str, dict[str, str]]:
    """A name and its changes from `name: Lambda=2, B=256`; there may be none: `baseline`.

    Raises:
        SerqError: it is none.
    """
    name, _, rest = text.partition(":")
    if not name.strip():
        refuse(f"the rung `{text}` has no name", 'write `--rung "name: Lambda=2, B=256"`')
    changes: dict[str, str] = {}
    for part in split(rest):
        argument, equals, value = part.partition("=")
        if not (argument.strip() and equals and value.strip()):
            refuse(
                f"`{part.strip()}` in the rung `{name.strip()}` gives no argument a value",
                'write `--rung "name: Lambda=2, B=256"`',
            )
        if argument.strip() in changes:
            refuse(f"the rung `{name.strip()}` gives `{argument.strip()}` twice")
        changes[argument.strip()] = value.strip()
    return name.strip(), changes


def split(text: str) -> list[str]:
    """The parts between commas that stand in no parenthesis."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part.strip()]


def climb(
    changes: Sequence[tuple[str, Mapping[str, float | str], Mapping[str, str]]],
    sets: Mapping[str, float | str],
    defs: Mapping[str, str],
) -> tuple[Rung, ...]:
    """Rungs of which each keeps what those before it changed.

    Args:
        changes: a rung's name, arguments and definitions.
        sets, defs: what all rungs begin with.

    Raises:
        SerqError: two have the same name, or there is none.
    """
    rungs: list[Rung] = []
    for name, own_sets, own_defs in changes:
        if any(rung.name == name for rung in rungs):
            refuse(f"two rungs are called `{name}`", "their runs could not be told apart")
        sets, defs = {**sets, **own_sets}, {**defs, **own_defs}
        said = ", ".join(f"{key}={value}" for key, value in {**own_sets, **own_defs}.items())
        rungs.append(Rung(name, said, sets, defs))
    if not rungs:
        refuse("the ladder has no rung", 'give one: `--rung "name: Lambda=2"`, or `[[rung]]` in the file')
    return tuple(rungs)
