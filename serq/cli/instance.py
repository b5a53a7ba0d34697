"""Instance files: the arguments and settings of one run, kept in a file.

In: text such as

    let max_seqs = 32;               // arguments of the program
    run { horizon 20000; warmup 2000; seed 7; arrivals 500; }

Out: an `Instance`. Both kinds of line are optional; `//` starts a comment.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import NamedTuple, NoReturn

from serq.diagnostics import Diagnostic, SerqError
from serq.files import read_text
from serq.source import Source, Span

TOKEN = re.compile(
    r"\s+|//[^\n]*"
    r"|(?P<number>[+-]?(?:inf\b|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<mark>.)"
)


class Instance(NamedTuple):
    """Values of program arguments by name, and those of `horizon`, `warmup`, `seed` and `arrivals` that are given."""

    arguments: dict[str, float]
    settings: dict[str, float | int]


class Token(NamedTuple):
    """A word of the text; `kind` is `number`, `name`, `mark` or `end`."""

    kind: str
    text: str
    span: Span


def read_instance(path: str) -> Instance:
    """The instance in the file at `path`.

    Raises:
        SerqError: it cannot be read, or is not as it must be.
    """
    return Reader(Source(path, read_text(path))).instance()


class Reader:
    """Reads tokens from left to right, one ahead."""

    def __init__(self, source: Source) -> None:
        self.source = source
        found = (m for m in TOKEN.finditer(source.text) if m.lastgroup is not None)
        self.tokens = [Token(str(m.lastgroup), m.group(), Span(*m.span())) for m in found]
        self.tokens.append(Token("end", "the end of the file", Span(len(source.text), len(source.text))))
        self.position = 0

    def instance(self) -> Instance:
        instance = Instance({}, {})
        while self.tokens[self.position].kind != "end":
            if self.accept("let"):
                name = self.take("name", "the name of an argument").text
                self.expect("=")
                instance.arguments[name] = float(self.take("number", "a number").text)
                self.expect(";")
            elif self.accept("run"):
                self.expect("{")
                while not self.accept("}"):
                    self.setting(instance.settings)
            else:
                self.refuse(self.tokens[self.position], "`let name = number;` or `run { ... }`")
        return instance

    def setting(self, settings: dict[str, float | int]) -> None:
        name = self.take("name", "`horizon`, `warmup`, `seed`, `arrivals` or `}`")
        if name.text not in ("horizon", "warmup", "seed", "arrivals"):
            self.refuse(name, "`horizon`, `warmup`, `seed` or `arrivals`")
        number = self.take("number", "a number")
        value = float(number.text)
        if name.text in ("seed", "arrivals"):
            least = 1 if name.text == "arrivals" else 0
            if not number.text.isdecimal() or not least <= int(number.text) < 1 << 64:
                self.refuse(number, f"a whole number from {least} to 2^64 - 1")
            settings[name.text] = int(number.text)
        elif not (isfinite(value) and (value > 0.0 or (value == 0.0 and name.text == "warmup"))):
            self.refuse(number, "a positive, finite number of seconds")
        else:
            settings[name.text] = value
        self.expect(";")

    def accept(self, text: str) -> bool:
        """Whether the next token is `text`; it is then taken."""
        found = self.tokens[self.position].text == text
        self.position += found
        return found

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.refuse(self.tokens[self.position], f"`{text}`")

    def take(self, kind: str, wanted: str) -> Token:
        """The next token, which must be of `kind`."""
        token = self.tokens[self.position]
        if token.kind != kind:
            self.refuse(token, wanted)
        self.position += 1
        return token

    def refuse(self, token: Token, wanted: str) -> NoReturn:
        found = token.text if token.kind == "end" else f"`{token.text}`"
        message = f"found {found} where {wanted} is wanted"
        raise SerqError(Diagnostic("instance", message, token.span, source=self.source))
