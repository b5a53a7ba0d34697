"""Make a program smaller while a property holds: remove statements, open blocks, simplify expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

TOKEN = re.compile(r'\s+|"[^"\n]*"|[A-Za-z_]\w*|[\d.][\d.]*(?:e-?\d+)?|[=!<>]=|&&|\|\||.')
OPEN, CLOSE = "({[", ")}]"


def closing(tokens: list[str], start: int) -> int:
    """Index of the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(tokens)):
        depth += (tokens[i] in OPEN) - (tokens[i] in CLOSE)
        if depth == 0:
            return i
    return len(tokens) - 1


def statement_end(tokens: list[str], start: int) -> int:
    """Index after the statement that begins at `start`: its `;`, or the block that closes it and what belongs to it."""
    i = start
    while i < len(tokens):
        token = tokens[i]
        if token in ("(", "["):
            i = closing(tokens, i)
        elif token == "{":
            i = closing(tokens, i)
            rest = next((t for t in tokens[i + 1 :] if not t.isspace()), "")
            if rest not in ("else", "cache", "lease", ";"):
                return i + 1
        elif token == ";":
            return i + 1
        elif token in ("}", ")"):
            return i
        i += 1
    return i


def candidates(text: str) -> Iterator[str]:
    """Smaller texts, the most radical first."""
    tokens = TOKEN.findall(text)
    starts = [
        i
        for i, token in enumerate(tokens)
        if not token.isspace()
        and next((t for t in reversed(tokens[:i]) if not t.isspace()), ";") in (";", "{", "}")
        and token not in ("}", ";", "else", "cache", "lease")
    ]
    spans = sorted(((statement_end(tokens, i), i) for i in starts), key=lambda span: span[1] - span[0])
    for end, start in spans:
        yield "".join(tokens[:start] + tokens[end:])
    for i, token in enumerate(tokens):
        if token == "{":
            end = closing(tokens, i)
            start = max((s for s in starts if s < i), default=None)
            if start is not None:
                whole = statement_end(tokens, start)
                yield "".join(tokens[:start] + tokens[i + 1 : end] + tokens[whole:])
            before = next((t for t in reversed(tokens[:i]) if not t.isspace()), "")
            if before == "else":
                at = max(k for k in range(i) if tokens[k] == "else")
                yield "".join(tokens[:at] + tokens[end + 1 :])
    for i, token in enumerate(tokens):
        word = token
        if word in ("reserve", "reuse", "while", "only", "cache", "lease", "prefix", "by"):
            opening = next((k for k in range(i, min(i + 6, len(tokens))) if tokens[k] == "("), None)
            if opening is not None:
                yield "".join(tokens[:i] + tokens[closing(tokens, opening) + 1 :])
        if word == "each" and "(" in tokens[i : i + 8]:
            opening = tokens.index("(", i)
            yield "".join(tokens[:i] + tokens[closing(tokens, opening) + 1 :])
        if word == "(":
            end = closing(tokens, i)
            inner = "".join(tokens[i + 1 : end])
            if len(inner) > 1:
                for simple in ("1", "2", "5"):
                    yield "".join([*tokens[: i + 1], simple, *tokens[end:]])
                parts = split(tokens[i + 1 : end])
                if len(parts) > 1:
                    for k in range(len(parts)):
                        yield "".join([*tokens[: i + 1], ",".join(parts[:k] + parts[k + 1 :]), *tokens[end:]])
        if word == "=" and tokens[i - 2 : i] and ";" in tokens[i:]:
            end = statement_end(tokens, i)
            if end - i > 4:
                for simple in ("1", "3", "8"):
                    yield "".join([*tokens[: i + 1], f" {simple};", *tokens[end:]])


def split(tokens: list[str]) -> list[str]:
    """The comma-separated parts at the outermost depth."""
    parts, depth = [""], 0
    for token in tokens:
        depth += (token in OPEN) - (token in CLOSE)
        if token == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += token
    return parts


def shrink(text: str, holds: Callable[[str], bool], most: int = 1500) -> str:
    """The smallest text found for which `holds` is true; `most` bounds the number of tries."""
    tries = 0
    again = True
    while again and tries < most:
        again = False
        for candidate in candidates(text):
            tries += 1
            if len(candidate) < len(text) and holds(candidate):
                text, again = candidate, True
                break
            if tries >= most:
                break
    return "\n".join(line for line in text.splitlines() if line.strip()) + "\n"
