"""The IR as a JSON document, version 13: written with two blanks of indentation, read with every check.

`dump` and `load` are inverse to each other: `load(dump(ir)) == ir`. The document is the form in which programs are
kept, exchanged with other tools, and given to a run without their text.
"""

from __future__ import annotations

import json

from serq.diagnostics import Diagnostic, SerqError
from serq.ir.check import check
from serq.ir.decode import decode
from serq.ir.encode import Plain, encode
from serq.ir.nodes import Ir
from serq.nesting import room_to_recurse


def dump(ir: Ir) -> str:
    """The program as JSON text, without a newline at its end."""
    parts: list[str] = []
    with room_to_recurse():
        _write(encode(ir), "\n", parts)
    return "".join(parts)


def load(text: str) -> Ir:
    """The program in a JSON document.

    Fields that the form does not know are ignored.

    Raises:
        SerqError: the text is not JSON, lacks a field, has another version (the message gives both), or refers to
            an attribute, block, pool, stage, observation or register that it does not have.
    """
    with room_to_recurse():
        try:
            plain: Plain = json.loads(text)
        except ValueError as error:
            raise SerqError(Diagnostic("ir", f"this is not a JSON document: {error}")) from None
        ir = decode(plain)
        check(ir)
    return ir


def _write(plain: Plain, newline: str, parts: list[str]) -> None:
    """Append the text of `plain`; `newline` is a line break with the present indentation.

    The standard encoder is not used because its indenting form recurses through nested generators, which ends at a
    few hundred levels.
    """
    inner = newline + "  "
    if isinstance(plain, dict):
        separator = "{" + inner
        for key, item in plain.items():
            parts.append(f"{separator}{json.dumps(key)}: ")
            _write(item, inner, parts)
            separator = "," + inner
        parts.append(newline + "}" if plain else "{}")
    elif isinstance(plain, list):
        separator = "[" + inner
        for item in plain:
            parts.append(separator)
            _write(item, inner, parts)
            separator = "," + inner
        parts.append(newline + "]" if plain else "[]")
    else:
        parts.append(json.dumps(plain))
