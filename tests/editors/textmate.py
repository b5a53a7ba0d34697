"""A small TextMate: enough of it to try the grammar, which has patterns of one line and comments of several."""

from __future__ import annotations

import re
from typing import Any


def scopes(grammar: dict[str, Any], text: str) -> list[tuple[str, str]]:
    """Pieces of a text with their scopes, without the language's ending, in order; blanks are left out."""
    found: list[tuple[str, str]] = []
    until: re.Pattern[str] | None = None
    name = ""
    for line in text.split("\n"):
        at = 0
        while at <= len(line):
            if until is not None:
                end = until.search(line, at)
                add(found, line[at : end.end() if end else len(line)], name)
                at = end.end() if end else len(line) + 1
                until = None if end else until
                continue
            best = first_match(grammar, line, at)
            if best is None:
                add(found, line[at:], "")
                break
            pattern, match = best
            add(found, line[at : match.start()], "")
            if "begin" in pattern:
                add(found, match[0], pattern["name"])
                until, name = re.compile(pattern["end"]), pattern["name"]
            elif "name" in pattern:
                add(found, match[0], pattern["name"])
            else:
                for number, capture in pattern["captures"].items():
                    add(found, match[int(number)], capture["name"])
            at = match.end()
    return found


def first_match(grammar: dict[str, Any], line: str, at: int) -> tuple[dict[str, Any], re.Match[str]] | None:
    """The pattern that matches first, of those at one place the first of the grammar."""
    best: tuple[dict[str, Any], re.Match[str]] | None = None
    for pattern in grammar["patterns"]:
        match = re.compile(pattern.get("match") or pattern["begin"]).search(line, at)
        if match is not None and match.end() > match.start() and (best is None or match.start() < best[1].start()):
            best = pattern, match
    return best


def add(found: list[tuple[str, str]], piece: str | None, scope: str) -> None:
    if piece and piece.strip():
        found.append((piece.strip(), scope.removesuffix(".serq")))
