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
    if isinstance(plain, dict):
        _write_items(list(plain.items()), "{", "}", newline, parts)
    elif isinstance(plain, list):
        _write_items([(None, item) for item in plain], "[", "]", newline, parts)
    else:
        parts.append(json.dumps(plain))


def _write_items(
    items: list[tuple[str, Plain]] | list[tuple[None, Plain]],
    opening: str,
    closing: str,
    newline: str,
    parts: list[str],
) -> None:
    if not items:
        parts.append(opening + closing)
        return
    inner = newline + "  "
    separator = opening + inner
    for key, item in items:
        parts.append(separator if key is None else f"{separator}{json.dumps(key)}: ")
        _write(item, inner, parts)
        separator = "," + inner
    parts.append(newline + closing)
