"""Expressions of every operator, observed: values, draws and their order."""

from __future__ import annotations

import random

from .program import Choices, Program, block, whole


def expression(choices: Choices, depth: int, names: list[str]) -> str:
    """A random expression over numbers, `names` and draws."""
    if depth == 0 or choices.chance(0.1):
        return str(
            choices.pick(
                *names,
                "0",
                "1",
                "2",
                "0.5",
                "3",
                "1e-3",
                "7.25",
                "inf",
                str(choices.integer(0, 9)),
                "now",
                "serial",
                "k",
            )
        )
    sub = [expression(choices, depth - 1, names) for _ in range(3)]
    kind = choices.integer(0, 9)
    if kind <= 2:
        operator = choices.pick("+", "-", "*", "/", "^")
        return f"({sub[0]}) {operator} ({sub[1]})" if operator == "^" else f"({sub[0]} {operator} {sub[1]})"
    if kind == 3:
        return f"({sub[0]} {choices.pick('<', '<=', '>', '>=', '==', '!=')} {sub[1]})"
    if kind == 4:
        return f"({sub[0]} {choices.pick('&&', '||')} {sub[1]})"
    if kind == 5:
        return f"({sub[0]} ? {sub[1]} : {sub[2]})"
    if kind == 6:
        return f"({choices.pick('-', '!')}{sub[0]})"
    if kind == 7:
        return f"{choices.pick('min', 'max')}({sub[0]}, {sub[1]})"
    if kind == 8:
        return f"{choices.pick('abs', 'floor', 'ceil', 'sqrt', 'exp', 'ln', 'half')}({sub[0]})"
    law = choices.pick("exp", "det", "uniform", "erlang", "h2", "bernoulli")
    few = f"min(5, {sub[1]})"
    arguments = {
        "uniform": f"{sub[0]}, {sub[1]}",
        "erlang": f"{few}, {sub[0]}",
        "h2": f"{sub[0]}, {sub[1]}",
    }
    return f"(~{law}({arguments.get(law, sub[0])}))"


def expression_program(rng: random.Random) -> Program:
    choices = Choices(rng)
    names = ["a", "b", "c"]
    statements = []
    for i in range(choices.integer(2, 6)):
        place = choices.pick("set", "observe", "branch", "sum")
        value = expression(choices, choices.integer(1, 4), names)
        if place == "set":
            statements.append(f"set {choices.pick('b', 'c')} = {value};")
        elif place == "observe":
            statements.append(f"observe x{i} = {value};")
        elif place == "branch":
            other = expression(choices, 2, names)
            statements.append(f"branch ({value} < 1) {{ observe y{i} = {other}; }} else {{ set c = {other}; }}")
        else:
            statements.append(f"observe x{i} = {choices.pick('sum', 'max', 'min')} j in 3 (j * 2 + {value});")
    clause, _ = choices.arrivals()
    main = block(
        "fn main()",
        "stage rest : delay;",
        block(
            "workload",
            clause,
            f"init {{ set a = {expression(choices, 2, ['a'])}; }}",
            f"turn {{ set d = {expression(choices, 3, ['a', 'd'])}; }}",
            "session { turn; tool (1); observe drawn = d; turn; }",
        ),
        block("server", "set b = 2; set c = 0.5;", *statements, "run rest (cost(rest, 1));"),
    )
    constants = f"let k = {choices.pick('3', '2 ^ -1', '-2 ^ 2', '7 / 2', '1 / 0', 'max(2, 3) * 1.5')};\ndef half(x) {{ x / 2 }}\n"
    return whole(constants + main, choices.integer(3, 12), rng)
