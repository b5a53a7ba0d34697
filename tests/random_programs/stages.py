"""Plain stages: fifo, processor sharing and delays, alone and in families, in loops and branches."""

from __future__ import annotations

import random

from .program import Choices, Program, block, whole


def stage_kind(choices: Choices) -> str:
    return str(
        choices.pick(
            "fifo",
            f"fifo({choices.integer(1, 3)})",
            "delay",
            "ps(1)",
            "ps(2)",
            "ps(present)",
            "ps(min(present, 2))",
            "ps(present > 2 ? 2 : 1)",
            "ps(1 / present)",
            "ps(1 + ~bernoulli(0.5))",
            "ps(0.5 + queued(gate))",
        )
    )


class StageProgram:
    """Writes one program over the stages it declares."""

    def __init__(self, rng: random.Random) -> None:
        self.choices = Choices(rng)
        c = self.choices
        self.scalars = [f"s{i}" for i in range(c.integer(1, 3))]
        self.family = c.integer(2, 3) if c.chance(0.4) else 0
        self.observations = 0

    def observe(self, value: str) -> str:
        self.observations += 1
        return f"observe o{self.observations} = {value};"

    def reading(self) -> str:
        """A value that tells the state of the stages."""
        c = self.choices
        stage = c.pick(*self.scalars, *(["f[0]", "f[1]"] if self.family else []))
        return str(
            c.pick(
                f"queue({stage})",
                f"busy({stage})",
                f"work({stage})",
                f"queue({stage}) + 10 * busy({stage})",
                "now",
                "w * 2",
                "turn_no",
                f"est_lambda({stage}) + est_rho({stage})" if c.chance(0.05) else "serial",
            )
        )

    def statement(self, depth: int) -> str:
        c = self.choices
        kind = c.pick("run", "run", "run", "observe", "set", "branch", "choose", "while", "with")
        if kind == "run" or depth == 0:
            stage = c.pick(*self.scalars)
            return f"run {stage} (cost({stage}, {c.pick('w', c.duration(), '0', 'w + 1')}));"
        if kind == "observe":
            return self.observe(self.reading())
        if kind == "set":
            return f"set {c.pick('x', 'y')} = {c.pick(self.reading(), 'x + 1', 'w', c.duration())};"
        if kind == "choose" and self.family:
            key = c.pick(
                "work(f[j])", "queue(f[j])", "busy(f[j]), -j", "~uniform(0, 1)", "(j + serial) / 2", "j == x ? 0 : 1"
            )
            return f"choose j in {self.family} by ({key});\nrun f[j] (cost(f, {c.duration()}));"
        if kind == "while":
            return f"set n = 0;\nwhile (n < {c.integer(1, 3)}) {{ set n = n + 1; {self.statement(0)} }}"
        test = (
            f"with ({c.pick('0.5', '0.2', 'w > 1 ? 0.9 : 0.1')})"
            if kind == "with"
            else f"({c.pick('w > 1', 'x > 2', 'serial < 3', 'now > 5')})"
        )
        then, other = self.statement(depth - 1), self.statement(depth - 1)
        return f"branch {test} {{ {then} }}" + c.maybe(0.6, f" else {{ {other} }}")

    def program(self, rng: random.Random) -> Program:
        c = self.choices
        declarations = ["pool gate { cap 2; }"]
        declarations += [f"stage {name} : {stage_kind(c)};" for name in self.scalars]
        if self.family:
            declarations.append(f"stage f[{self.family}] : {c.pick('fifo', 'delay', 'ps(1)', 'fifo(2)')};")
        clause, open_arrivals = c.arrivals()
        turns = c.pick(
            "",
            "session { turn; }",
            f"session {{ loop {{ turn; branch with (0.6) {{ tool ({c.duration()}); }} else {{ end; }} }} }}",
            f"session {{ turn; tool ({c.duration()}); turn; }}",
            f"session {{ loop {{ turn; tool ({c.duration()}); }} }}",
        )
        used = {"x", "y", "n"}
        server = [f"set {name} = 0;" for name in sorted(used)] + [self.statement(2) for _ in range(c.integer(1, 4))]
        if not any("run" in line for line in server):
            server.append(self.statement(0))
        hold = c.maybe(0.3, f"hold gate (cost(gate, 1)) {{ {self.statement(0)} }}")
        gauges = [f"gauge g{i} = {c.pick('queue', 'busy')}({c.pick(*self.scalars)});" for i in range(c.integer(0, 2))]
        text = block(
            "fn main()",
            *declarations,
            block("workload", clause, f"turn {{ set w = {c.duration()}; }}", turns),
            block("server", *server, hold),
            *gauges,
        )
        arrivals = c.integer(3, 20) if open_arrivals and c.chance(0.2) else None
        return whole(text, c.integer(10, 60), rng, arrivals=arrivals)


def stage_program(rng: random.Random) -> Program:
    return StageProgram(rng).program(rng)
