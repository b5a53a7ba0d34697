"""Expressions of the representation as readable text.

In: expressions. Out: infix text with no parentheses but those that precedence asks for, in the words of the language:
attributes, pools and stages by name, what an engine knows of its batch as `batch.tokens`. Where captions are at hand,
the program's own spelling comes first.
"""

from __future__ import annotations

import re
from math import isfinite

from serq.draw.simplify import constant as settled_value
from serq.ir import nodes as ir
from serq.ir.captions import Captions

BINARY = {
    "Or": ("||", 2),
    "And": ("&&", 3),
    "Eq": ("==", 4),
    "Ne": ("!=", 4),
    "Lt": ("<", 4),
    "Le": ("<=", 4),
    "Gt": (">", 4),
    "Ge": (">=", 4),
    "Add": ("+", 5),
    "Sub": ("-", 5),
    "Mul": ("*", 6),
    "Div": ("/", 6),
    "Pow": ("^", 8),
}
"""Signs of the operators, and how tightly they bind."""
LOOSE = {"?", *[sign for sign, level in BINARY.values() if level < 6]}
"""Signs that bind less tightly than a product."""
_CONDITIONAL, _UNARY, _ATOM = 1, 7, 9

SPELLED = {
    "Now": "now",
    "Size": "size",
    "Age": "age",
    "Last": "last",
    "Queued": "waiting",
    "Waited": "waited",
    "N": "present",
    "Attn": "batch.attention",
    "Decoding": "decoding",
    "Admission": "admission",
    "Position": "position",
    "Remaining": "remaining",
    "Preempted": "running.preempted",
    "Admitted": "waiting.admitted",
    "Demand": "demand",
    "Served": "served",
    "Arrived": "arrived",
    "Nres": "running.count",
    "Npre": "batch.prefilled",
    "Ntok": "batch.tokens",
}
"""Values of a moment, as the language calls them."""
OF_LIST = {"Ndec": "decoding", "Kvb": "kv_decode", "Kvp": "kv_prefill"}
"""Values that both an engine's running requests and its batch have."""

LONG = re.compile(r"(?<![\w.])\d{8,}(?![\w.])")
"""Whole numbers that are better written with an exponent, as they may have been in the text."""
FUNCTIONS = {
    "CachedIn": "cachedin",
    "BudgetLeft": "budget_left",
    "EstLambda": "est_lambda",
    "EstRho": "est_rho",
    "EstWait": "est_wait",
}
"""Functions whose name is not the word in small letters."""


def number(value: float) -> str:
    """A number as a user writes it: whole, or with six digits."""
    if not isfinite(value):
        return str(value)
    short = f"{value:.6g}".replace("e-0", "e-").replace("e+", "e").replace("e0", "e")
    if value == int(value) and abs(value) < 1e15:
        return short if abs(value) >= 1e7 and float(short) == value else str(int(value))
    return short


class Speaker:
    """Says what a program's expressions say.

    Attributes:
        batch: whether `decoding`, `kv_decode` and `kv_prefill` are the batch's (an engine's cost) or the running
            requests'.
    """

    def __init__(self, program: ir.Ir, captions: Captions | None) -> None:
        self.program = program
        self.captions = captions
        self.batch = False

    def caption(self, *place: str | int) -> str | None:
        """The program's own text of the expression at a place, if it is known."""
        text = None if self.captions is None else self.captions.texts.get(place)
        return text and LONG.sub(lambda match: number(float(match[0])), text)

    def at(self, e: ir.Expr, *place: str | int) -> str:
        """The text of the expression at a place."""
        return self.caption(*place) or self.expression(e)

    def value(self, value: float, *place: str | int) -> str:
        """A constant: `blocks * bs = 64000`, or the number alone where the text has no more."""
        caption, shown = self.caption(*place), number(value)
        return shown if caption is None or caption == shown or is_number(caption) else f"{caption} = {shown}"

    def constant(self, e: ir.Expr, *place: str | int) -> str:
        """An expression that may be a constant, with its value if it is one."""
        known = settled_value(e)
        return self.at(e, *place) if known is None else self.value(known, *place)

    # ------------------------------------------------------------ names

    def ref(self, ref: ir.Ref, names: tuple[ir.Pool, ...] | tuple[ir.Stage, ...]) -> str:
        name = names[ref.base].name
        if ref.index is None or (ref.count == 1 and names[ref.base].index is None):
            return name
        family, dot, member = name.partition(".")
        return f"{family}[{self.expression(ref.index)}]{dot}{member}"

    def pool(self, ref: ir.Ref) -> str:
        return self.ref(ref, self.program.pools)

    def stage(self, ref: ir.Ref) -> str:
        return self.ref(ref, self.program.stages)

    # ------------------------------------------------------------ expressions

    def expression(self, e: ir.Expr, level: int = _CONDITIONAL) -> str:
        """The text of an expression, in parentheses if it binds less tightly than `level`."""
        text, own = self.leveled(e)
        return text if own >= level else f"({text})"

    def leveled(self, e: ir.Expr) -> tuple[str, int]:
        match e:
            case ir.Num(value):
                return number(value), _ATOM if value >= 0 else _UNARY
            case ir.Attr(slot):
                return self.program.attrs[slot], _ATOM
            case ir.Reg(index):
                return self.program.registers[index].name, _ATOM
            case ir.Ctx(name):
                return self.context(name), _ATOM
            case ir.Unary(op, operand):
                return ("-" if op == "Neg" else "!") + self.expression(operand, _UNARY), _UNARY
            case ir.Binary():
                return self.binary(e)
            case ir.Cond(test, then, otherwise):
                condition = self.expression(test, _CONDITIONAL + 1)
                return f"{condition} ? {self.expression(then)} : {self.expression(otherwise)}", _CONDITIONAL
            case ir.Sample(law, args):
                return f"~{law.lower()}({', '.join(self.expression(arg) for arg in args)})", _UNARY
            case ir.Call(function, args):
                word = FUNCTIONS.get(function, function.lower())
                return f"{word}({', '.join(self.argument(arg) for arg in args)})", _ATOM
            case ir.Cost(_, operand):
                return self.leveled(operand)
            case ir.Agg(kind, observe):
                word = "prefix_total" if kind == "PrefixTotal" else kind.lower()
                return f"{word}({self.program.observes[observe]})", _ATOM

    def context(self, name: str) -> str:
        if name in OF_LIST:
            return f"{'batch' if self.batch else 'running'}.{OF_LIST[name]}"
        return SPELLED.get(name, name.lower())

    def binary(self, e: ir.Binary) -> tuple[str, int]:
        sign, level = BINARY[e.op]
        left, right = level, level + 1
        if e.op == "Pow":
            left, right = _ATOM, _UNARY
        elif level == 4:
            left = level + 1
        return f"{self.expression(e.left, left)} {sign} {self.expression(e.right, right)}", level

    def argument(self, arg: ir.Argument) -> str:
        match arg:
            case ir.PoolArg(ref):
                return self.pool(ref)
            case ir.StageArg(ref):
                return self.stage(ref)
        return self.expression(arg)


def seconds(text: str) -> str:
    """A time: in parentheses where the unit would seem to belong to its last part alone (and not to its value)."""
    depth = 0
    for word in text.split(" "):
        if depth == 0 and word in LOOSE and " = " not in text:
            return f"({text}) s"
        depth += word.count("(") - word.count(")")
    return f"{text} s"


def is_number(text: str) -> bool:
    """Whether a caption is a number written out, such as `2e3`."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def alike(a: object, b: object) -> bool:
    """Whether two nodes say the same. (Nodes of different classes may compare equal as tuples.)"""
    return repr(a) == repr(b)
