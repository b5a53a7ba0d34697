"""`serq nano`: runs of the demonstrator engine, to measure and to take apart."""

from __future__ import annotations

from math import isfinite

import click

from serq.cli.files import write_file
from serq.cli.nano_runs import Interrupted, folder, make_run, need_tokenizers
from serq.cli.options import COUNT, PATH
from serq.cli.output import INTERRUPTED, report_failure, say, write
from serq.diagnostics import Diagnostic, SerqError
from serq.nano.rungs import BASELINE, RUNGS, find_rung, slug
from serq.spelling import suggest

EPILOG = """\b
Examples:
  serq nano run --rung baseline --seed 1 --duration 60 --rate 6.5 --out logs
  serq nano run --rung admit-watermark --out logs && serq stalls logs/*.npz
  serq nano calibrate
  serq nano ladder --seeds 1-5 --rate 8 --out logs

`serq nano COMMAND --help` tells more about each command."""

LONGEST = 600.0
"""Seconds of a run at most: the baseline keeps every token's objects, a gigabyte in ten minutes."""

GREATEST_RATE = 1000.0


@click.group("nano", epilog=EPILOG)
def command() -> None:
    """Run a small engine on this machine, in which every cause of a stall is real.

    Needs an optional part of the installation: pip install 'serq[nano]'
    """


def refuse(option: str, message: str, hint: str | None = None) -> SerqError:
    return SerqError(Diagnostic("settings", f"`{option}`: {message}", hint=hint))


def rung_of(text: str, option: str = "--rung") -> str:
    """The rung that a user means.

    Raises:
        SerqError: there is none.
    """
    rung = find_rung(text)
    if rung is None:
        near = suggest(slug(text), map(slug, RUNGS))
        raise refuse(option, f"there is no rung `{text}`", near or f"there are {', '.join(map(slug, RUNGS))}")
    return rung


def number_of(option: str, text: str, least: float, greatest: float, unit: str) -> float:
    """A number above `least` up to `greatest`.

    Raises:
        SerqError: the text is none.
    """
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not (isfinite(value) and least < value <= greatest):
        wanted = f"a number of {unit} above {least:g}, up to {greatest:g}"
        raise refuse(option, f"`{text}` is not {wanted}", f"`{option} {6.5 if 'requests' in unit else 60}`")
    return value


def seed_of(text: str, option: str = "--seed") -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 1 << 32):
        raise refuse(option, f"`{text}` is not a whole number from 0 to 2^32 - 1", f"`{option} 1`")
    return int(text)


@command.command("run")
@click.option("--rung", default=BASELINE, show_default=True, metavar="NAME", help="The engine's settings.")
@click.option("--seed", default="1", show_default=True, metavar="N", help="Seed of the arrival trace.")
@click.option("--duration", default="60", show_default=True, metavar="T", help="Seconds during which requests arrive.")
@click.option("--rate", default="6.5", show_default=True, metavar="R", help="Requests a second, on average.")
@click.option("--out", type=PATH, default=".", show_default=True, metavar="DIR", help="Folder that the log goes to.")
@click.pass_context
def run(ctx: click.Context, /, rung: str, seed: str, duration: str, rate: str, out: str) -> None:
    """Make one run, and write its log.

    Requests arrive for T seconds, and the engine goes on until all are served. Ctrl-C ends it sooner; the log then
    holds what was served.
    """
    need_tokenizers()
    name, number = rung_of(rung), seed_of(seed)
    seconds = number_of("--duration", duration, 0.0, LONGEST, "seconds")
    per_second = number_of("--rate", rate, 0.0, GREATEST_RATE, "requests a second")
    path = folder(out) / f"{slug(name)}__s{number}.npz"
    try:
        done = make_run({"rung": name, "seed": number, "duration": seconds, "rate": per_second, "out": str(path)})
    except Interrupted as end:
        ctx.exit(report_failure(str(end), INTERRUPTED))
    write(f"{path}: {done['served']} requests in {done['seconds']:.1f} s; `serq stalls {path}` tells more\n")


@command.command("ladder")
@click.option("--seeds", default="1-5", show_default=True, metavar="LIST", help="Seeds, such as 1-5 or 1,2,7.")
@click.option("--rungs", metavar="LIST", help="Rungs, with commas between them.  [default: all]")
@click.option("--duration", default="60", show_default=True, metavar="T", help="Seconds during which requests arrive.")
@click.option("--rate", default="6.5", show_default=True, metavar="R", help="Requests a second, on average.")
@click.option("--out", type=PATH, default=".", show_default=True, metavar="DIR", help="Folder that the logs go to.")
@click.pass_context
def ladder(ctx: click.Context, /, seeds: str, rungs: str | None, duration: str, rate: str, out: str) -> None:
    """Make a run of every rung with every seed, and compare the rungs.

    Seeds are gone through one after the other, each with all rungs and beginning with another one, so that a machine
    that slows down does not look like a remedy that fails. Logs that are there already are not made again: Ctrl-C ends
    the ladder, and the same command goes on with it.
    """
    from serq.cli.nano_ladder import make_ladder, order
    from serq.ladder.plan import read_seeds
    from serq.stalls.files import read_log
    from serq.stalls.runs import measure
    from serq.stalls.text import report_text

    need_tokenizers()
    names = [rung_of(text, "--rungs") for text in (rungs or ",".join(RUNGS)).split(",")]
    cells = order(list(dict.fromkeys(names)), [seed_of(str(seed), "--seeds") for seed in read_seeds(seeds)])
    seconds = number_of("--duration", duration, 0.0, LONGEST, "seconds")
    per_second = number_of("--rate", rate, 0.0, GREATEST_RATE, "requests a second")
    try:
        paths, kept = make_ladder(cells, folder(out), seconds, per_second)
    except Interrupted as end:
        ctx.exit(report_failure(f"{end}; the same command goes on with the ladder", INTERRUPTED))
    if kept:
        say(f"serq: {kept} of {len(cells)} logs were there already")
    write(report_text([measure(read_log(path)) for path in paths]))


@command.command("calibrate")
@click.option("--each", default="15", show_default=True, metavar="T", help="Seconds that a measurement takes.")
@click.option("--rounds", type=COUNT, default="3", show_default=True, metavar="N", help="Measurements.")
@click.pass_context
def calibrate(ctx: click.Context, /, each: str, rounds: int) -> None:
    """Find the arrival rate that this machine sustains.

    The engine with all remedies serves as fast as it can. A rate near what it reaches makes every cause of a stall
    occur at the baseline, whose swells go beyond it.
    """
    from serq.cli.nano_ladder import sustained

    need_tokenizers()
    seconds = number_of("--each", each, 0.0, LONGEST, "seconds")
    try:
        pace = sustained(seconds, rounds)
    except Interrupted:
        ctx.exit(report_failure("interrupted; nothing was measured to its end", INTERRUPTED))
    write(
        f"this machine serves {pace.median:.2f} requests a second "
        f"({pace.least:.2f} to {pace.greatest:.2f} in {rounds} measurements of {seconds:g} s); "
        f"try `serq nano ladder --rate {pace.median:.1f}`\n"
    )


@command.command("model")
@click.argument("logs", nargs=-1, required=True, type=PATH, metavar="LOG...")
@click.option("--trace", type=PATH, metavar="FILE", help="Write the first log's requests as a trace for the program.")
def model(logs: tuple[str, ...], trace: str | None) -> None:
    """Tell what the runs in LOG cost, as parameters of examples/nano.sq.

    They are printed as an instance file: `serq run examples/nano.sq --instance FILE --trace TRACE` simulates the
    run. Needs nothing that is not installed with serq.
    """
    # Here because the other commands start an engine, which reads no log.
    from serq.nano.parameters import instance_text, parameters, trace_lines
    from serq.stalls.files import read_log

    read = [read_log(log) for log in logs]
    text = instance_text(parameters(read), ", ".join(one.name for one in read))
    if trace is not None:
        write_file(trace, "".join(trace_lines(read[0])))
    write(text)
