"""Options that several commands share, and what they stand for.

In: the words after a command. Out: checked values; `settings` merges them, the files of `--instance` and the program
arguments after `--` in the order of the command line, so that later ones win. Every value is checked before any file
is opened.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, TypeVar

import click

from serq.program import Settings

T = TypeVar("T", int, float)
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

ORDER = "serq.order"
ARGUMENTS = "serq.arguments"
"""Keys of a context's `meta`: names of the options in the order given, and the program arguments after `--`."""


def number(read: Callable[[str], T], accept: Callable[[T], bool], wanted: str) -> Callable[[str], T]:
    """A type of options: what `read` makes of the text, if `accept` takes it; `wanted` says what it must be."""

    def convert(text: str) -> T:
        try:
            value = read(text)
        except ValueError:
            value = None
        if value is None or not accept(value):
            raise click.BadParameter(f"`{text}` is not {wanted}")
        return value

    return convert


def assignment(text: str) -> tuple[str, str]:
    """A type of options: `name=expr`, as a pair."""
    name, equals, value = text.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise click.BadParameter(f"`{text}` is not of the form name=expr")
    return name.strip(), value


SEED = number(int, lambda n: 0 <= n < 1 << 64, "a whole number from 0 to 2^64 - 1")
COUNT = number(int, lambda n: 1 <= n < 1 << 64, "a positive whole number")
HORIZON = number(float, lambda t: isfinite(t) and t > 0.0, "a positive, finite number of seconds")
WARMUP = number(float, lambda t: isfinite(t) and t >= 0.0, "a finite number of seconds, 0 or more")
PATH = click.Path()  # existence is for whoever opens it to find out; the type is for shells that complete


class ProgramCommand(click.Command):
    """A command that takes a program file, options, and after a lone `--` the arguments of the program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        split = args.index("--") if "--" in args else len(args)
        own, rest = args[:split], args[split + 1 :]
        ctx.meta[ARGUMENTS] = program_arguments(rest, ctx)
        try:
            _, _, order = self.make_parser(ctx).parse_args(list(own))
        except click.UsageError as error:
            error.ctx = ctx  # the parser does not say whose words it could not read
            raise
        ctx.meta[ORDER] = [parameter.name for parameter in order]
        return super().parse_args(ctx, own)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "[-- --name value ...]"]


def program_arguments(words: list[str], ctx: click.Context) -> dict[str, float]:
    """The pairs `--name value` and `--name=value` after the lone `--`; of a repeated name the last."""
    values: dict[str, float] = {}
    rest = iter(words)
    for word in rest:
        name, equals, text = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not name:
            raise click.UsageError(f"`{word}` after `--` is not a program argument; write `--name value`", ctx)
        value = text if equals else next(rest, None)
        if value is None:
            raise click.UsageError(f"the program argument `--{name}` has no value", ctx)
        try:
            values[name] = float(value)
        except ValueError:
            message = f"the program argument `--{name}` is `{value}`, which is not a number"
            raise click.UsageError(message + f"; for an expression use `--set {name}=...`", ctx) from None
    return values


FILE: Decorator = click.argument("file", type=click.Path(allow_dash=True))

SET_HELP = "Give a program argument the value of a constant expression. Repeatable."
DEF_HELP = "Replace the body of an expression `def`. Repeatable."
INSTANCE_HELP = "Read arguments and settings from a file: `let name = number;` and `run { horizon 100; ... }`."

COMPILE_OPTIONS: tuple[Decorator, ...] = (
    click.option("--set", "set_", type=assignment, multiple=True, metavar="NAME=EXPR", help=SET_HELP),
    click.option("--def", "def_", type=assignment, multiple=True, metavar="NAME=EXPR", help=DEF_HELP),
    click.option("--instance", type=PATH, multiple=True, metavar="F", help=INSTANCE_HELP),
)

RUN_OPTIONS: tuple[Decorator, ...] = (
    click.option("--horizon", type=HORIZON, metavar="T", help="Simulated seconds. A program text needs it."),
    click.option("--warmup", type=WARMUP, metavar="T", help="Simulated seconds left out of the figures.  [default: 0]"),
    click.option("--seed", type=SEED, metavar="N", help="Seed of all random draws.  [default: 1]"),
    click.option("--arrivals", type=COUNT, metavar="N", help="End the run when N sessions have come and gone."),
    click.option("--trace", type=PATH, metavar="F", help="Replay this trace instead of the program's."),
)


def with_options(*groups: tuple[Decorator, ...], file: bool = True) -> Decorator:
    """Add FILE, unless the command has its own, and the options of `groups` to a command, in this order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed([*([FILE] if file else []), *(one for group in groups for one in group)]):
            function = decorator(function)
        return function

    return decorate


def settings(ctx: click.Context) -> Settings:
    """The settings on the command line and in the instance files it names, later ones winning.

    Raises:
        SerqError: an instance file cannot be read.
    """
    given = ctx.params
    sets: dict[str, float | str] = {}
    defs: dict[str, str] = {}
    run: dict[str, Any] = {}
    repeated = {name: iter(given[name]) for name in ("set_", "def_", "instance")}
    for name in ctx.meta[ORDER]:
        if name == "set_":
            argument, text = next(repeated[name])
            sets[argument] = text
        elif name == "def_":
            definition, text = next(repeated[name])
            defs[definition] = text
        elif name == "instance":
            # Here because few command lines name an instance, and its tokens take 2 ms of every start.
            from serq.cli.instance import read_instance

            instance = read_instance(next(repeated[name]))
            sets |= instance.arguments
            run |= instance.settings
        elif name in Settings._fields:
            run[name] = given[name]
    sets |= ctx.meta[ARGUMENTS]
    horizon = run.get("horizon")
    if horizon is not None and run.get("warmup", 0.0) >= horizon:
        raise click.UsageError(f"the warm-up ({run['warmup']:g}) must be shorter than the horizon ({horizon:g})", ctx)
    return Settings(sets=sets, defs=defs, **run)
