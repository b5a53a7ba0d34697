"""Ladders from TOML files.

In: the text of a file. Out: a `Plan`; what is wrong is told with the file, and with the line or the table.
"""

from __future__ import annotations

import os
import re
import tomllib
from math import isfinite
from typing import Any

from serq.files import read_text
from serq.ladder.plan import Plan, climb, read_seeds, refuse
from serq.spelling import suggest

KEYS = ("program", "horizon", "warmup", "seeds", "set", "def", "rung")
RUNG_KEYS = ("name", "set", "def")
PLACE = re.compile(r" \(at (.*)\)$")


def read_plan(path: str) -> Plan:
    """The ladder in a file; its program is named relative to it.

    Raises:
        SerqError: the file cannot be read, or what it says makes no ladder.
    """
    text = read_text(path)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = PLACE.search(str(error))
        refuse(f"{path}: {PLACE.sub('', str(error))}{f', {place[1]}' if place else ''}", "the file must be TOML")
    only(path, "the file", table, KEYS)
    program = string(path, "program", table.get("program"))
    rungs = table.get("rung", [])
    if not isinstance(rungs, list) or not all(isinstance(rung, dict) for rung in rungs):
        refuse(f"{path}: `rung` is no list of tables", "begin each with a line `[[rung]]`")
    for number, rung in enumerate(rungs, 1):
        only(path, f"rung {number}", rung, RUNG_KEYS)
    changes = [
        (
            string(path, f"name of rung {number}", rung.get("name")),
            arguments(path, f"`set` of rung {number}", rung.get("set", {})),
            definitions(path, f"`def` of rung {number}", rung.get("def", {})),
        )
        for number, rung in enumerate(rungs, 1)
    ]
    sets, defs = arguments(path, "`set`", table.get("set", {})), definitions(path, "`def`", table.get("def", {}))
    return Plan(
        program=os.path.join(os.path.dirname(path), program),
        rungs=climb(changes, sets, defs),
        seeds=seeds(path, table.get("seeds", 1)),
        horizon=seconds(path, "horizon", table.get("horizon")),
        warmup=seconds(path, "warmup", table.get("warmup")),
    )


def only(path: str, what: str, table: dict[str, Any], keys: tuple[str, ...]) -> None:
    """Refuse keys that are not known."""
    for key in table:
        if key not in keys:
            near = suggest(key, keys)
            refuse(f"{path}: {what} has no key `{key}`", near or listed(keys))


def listed(keys: tuple[str, ...]) -> str:
    return f"the keys are {', '.join(f'`{key}`' for key in keys)}"


def string(path: str, what: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        refuse(f"{path}: the {what} is {'missing' if value is None else 'no text'}", 'write it in quotes: `"..."`')
    return value


def arguments(path: str, what: str, table: object) -> dict[str, float | str]:
    """Numbers, or texts of constant expressions, by name."""
    if not isinstance(table, dict):
        refuse(f"{path}: {what} is no table", "write `set = { Lambda = 2 }`")
    for name, value in table.items():
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            refuse(f"{path}: {what} gives `{name}` no number", 'a number, or an expression in quotes: `"1/3"`')
    # As text, which prints as the file has it, and reads as the same double.
    return {str(name): value if isinstance(value, str) else repr(value) for name, value in table.items()}


def definitions(path: str, what: str, table: object) -> dict[str, str]:
    """Texts of expressions by name."""
    if not isinstance(table, dict):
        refuse(f"{path}: {what} is no table", 'write `def = { service = "~exp(4)" }`')
    for name, value in table.items():
        if not isinstance(value, str):
            refuse(f"{path}: {what} gives `{name}` no text", 'an expression in quotes: `"~exp(4)"`')
    # As text, which prints as the file has it, and reads as the same double.
    return {str(name): value if isinstance(value, str) else repr(value) for name, value in table.items()}


def seeds(path: str, value: object) -> tuple[int, ...]:
    """Seeds from a number, a list of numbers, or a text as on the command line."""
    if isinstance(value, list):
        value = ",".join(str(one) if isinstance(one, int) and not isinstance(one, bool) else "?" for one in value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        refuse(f"{path}: `seeds` are no seeds", 'write `seeds = "1-5"`, or a list of numbers')
    return read_seeds(str(value))


def seconds(path: str, what: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not (isfinite(value) and value >= 0):
        refuse(f"{path}: `{what}` is no number of seconds", f"write `{what} = 20000`")
    return float(value)
