"""A generated program, and the choices that all profiles share."""

from __future__ import annotations

import random
from typing import Any, NamedTuple


class Program(NamedTuple):
    """A text and the settings of its run (`horizon`, `warmup`, `seed`, perhaps `arrivals`)."""

    text: str
    settings: dict[str, Any]


def indent(text: str, by: int = 2) -> str:
    return "\n".join(" " * by + line if line else line for line in text.splitlines())


def block(head: str, *lines: str) -> str:
    """`head { lines }`, the empty lines left out."""
    body = "\n".join(line for line in lines if line)
    return f"{head} {{\n{indent(body)}\n}}" if body else f"{head} {{ }}"


def whole(text: str, horizon: float, rng: random.Random, *, arrivals: int | None = None) -> Program:
    """The program with settings: now and then a warm-up, at most half of the horizon."""
    warmup = rng.choice([0, 0, 0, horizon / 4, horizon / 2, 1])
    settings: dict[str, Any] = {"horizon": horizon, "warmup": warmup, "seed": rng.randrange(1000)}
    if arrivals is not None:
        settings["arrivals"] = arrivals
    return Program(text + "\n", settings)


class Choices:
    """Random choices of words, numbers and small expressions."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        # Half of the programs keep to whole and dyadic times, so that unrelated events fall on one instant.
        self.exact = rng.random() < 0.5

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def some(self, options: list[str], least: int = 0, most: int | None = None) -> list[str]:
        """A random selection in random order."""
        n = self.rng.randint(least, min(len(options), most if most is not None else len(options)))
        return self.rng.sample(options, n)

    def maybe(self, probability: float, text: str) -> str:
        return text if self.chance(probability) else ""

    def integer(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def number(self, low: int, high: int) -> str:
        """A number of the range: whole, with halves, or with a fraction that is not dyadic."""
        n = self.rng.randint(low, high)
        if self.exact or self.chance(0.5):
            return str(n)
        return self.pick(str(n + 0.5), str(round(n + self.rng.random(), 2)))

    def duration(self) -> str:
        """A time expression, seldom zero."""
        if self.exact:
            return self.pick("1", "2", "3", "0.5", "0.25", "4", f"~bernoulli(0.5) + {self.integer(1, 2)}", "~det(1)")
        return self.pick(
            "1",
            self.number(1, 4),
            "~exp(1)",
            f"~exp({self.number(1, 3)})",
            "~uniform(0, 2)",
            "~erlang(2, 1)",
            "~h2(1, 4)",
            "~uniform(1, 1 + ~exp(1))",
        )

    def size(self, low: int, high: int) -> str:
        """A length expression between about `low` and `high`."""
        return self.pick(
            str(self.integer(low, high)),
            f"floor(~uniform({low}, {high + 1}))",
            f"{low} + floor(~exp({max(1, (high - low) // 2)}))",
            f"~bernoulli(0.5) ? {self.integer(low, high)} : {self.integer(low, high)}",
            *([] if self.exact else [f"~uniform({low}, {high})"]),
        )

    def arrivals(self) -> tuple[str, bool]:
        """An arrival clause, and whether a number of arrivals may be asked for."""
        kind = self.pick("poisson", "renewal", "closed", "batch", "renewal", "poisson")
        if kind == "poisson":
            return f"arrive poisson({self.pick('0.25', '0.5', '1', '2')});", True
        if kind == "renewal":
            gap = (
                self.pick("1", "2", "0.5")
                if self.exact
                else self.pick("1", "~exp(1)", "~uniform(0.1, 2)", "~erlang(3, 2)")
            )
            return f"arrive renewal({gap});", True
        if kind == "closed":
            return f"arrive closed({self.integer(1, 8)});", False
        return f"arrive batch({self.integer(1, 12)});", False
