"""`serq stalls`: the tail of the inter-token latency by cause, of an engine's logs or of a program's runs."""

from __future__ import annotations

import os

import click

from serq.cli.options import COMPILE_OPTIONS, ORDER, PATH, RUN_OPTIONS, ProgramCommand, with_options

PROGRAM_SUFFIXES = (".sq", ".json")
"""What names a program and not a log; `-` is a program, too."""

TABLES = (".csv", ".parquet")
"""What names a file that gaps are written to."""

OF_LOGS = {"html": "--html", "picture": "--png"}
OF_PROGRAMS = {
    "horizon": "--horizon",
    "warmup": "--warmup",
    "seed": "--seed",
    "arrivals": "--arrivals",
    "trace": "--trace",
    "set_": "--set",
    "def_": "--def",
    "instance": "--instance",
    "seeds": "--seeds",
    "without": "--without",
    "members": "--members",
}
"""Options that go with one kind of source only, by the names of their values."""

EPILOG = """\b
Examples:
  serq stalls run.npz
  serq stalls baseline-*.npz watermark-*.npz --html ladder.html
  serq stalls run.jsonl --json > stalls.json
  serq stalls run.npz --gaps gaps.csv
  serq stalls program.sq --horizon 2000 --warmup 200
  serq stalls program.sq --horizon 2000 --without prefill --without gc,tok
  serq stalls program.sq --horizon 2000 --gaps gaps.parquet -- --max_seqs 32

\b
Letters of the bars:
  P prefill     S preemption     C no captured graph     G garbage collection     T tokenizer     · clean
  R prefill again after a preemption     U running, not served     B waiting for memory     A on another stage"""

WITHOUT_HELP = "Also run a program without this cause, or these: `prefill`, names of stalls. Repeatable."
SEEDS_HELP = "Run a program with each of these seeds, such as 1-5 or 1,2,7."


@click.command("stalls", cls=ProgramCommand, epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True), metavar="LOG...|PROGRAM")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one line of JSON: an object, or a list.")
@click.option(
    "--gaps", "--export", "gaps", type=PATH, metavar="FILE", help="Write every gap with its parts, as .csv or .parquet."
)
@click.option("--html", type=PATH, metavar="FILE", help="Write the report on logs with its pictures as one page.")
@click.option("--png", "picture", type=PATH, metavar="FILE", help="Write the pictures of logs; needs matplotlib.")
@click.option("--without", multiple=True, metavar="CAUSE", help=WITHOUT_HELP)
@click.option("--seeds", metavar="LIST", help=SEEDS_HELP)
@click.option("--members", is_flag=True, help="A row for each member of a family of engines, not one for all.")
@with_options(RUN_OPTIONS, COMPILE_OPTIONS, file=False)
@click.pass_context
def command(ctx: click.Context, /, files: tuple[str, ...], gaps: str | None, **_: object) -> None:
    """Take every gap between tokens apart by cause, and tell where the tail comes from.

    LOG is what an engine recorded of one run: NumPy arrays (.npz) or JSON Lines (.jsonl). Runs with the same `rung` in
    their settings are repetitions: several logs are also compared rung by rung.

    PROGRAM is a program text (.sq), an intermediate representation (.json), or - for standard input: it is run, and the
    gaps of its engines are taken apart.
    """
    programs = [file for file in files if file.endswith(PROGRAM_SUFFIXES) or file == "-"]
    if programs and len(files) > 1:
        raise click.UsageError(f"`{programs[0]}` is a program: give one program, or logs (.npz, .jsonl)", ctx)
    refuse_foreign(ctx, files[0], OF_LOGS if programs else OF_PROGRAMS, "logs" if programs else "a program")
    if gaps is not None and os.path.splitext(gaps)[1].lower() not in TABLES:
        raise click.UsageError(f"`{gaps}`: export to a name that ends in {' or '.join(TABLES)}", ctx)
    if programs:
        # Here because a log needs neither the compiler nor the kernel, and a program none of NumPy.
        from serq.cli.simulated_stalls import report_program

        report_program(ctx, files[0])
    else:
        from serq.cli.measured_stalls import report_logs

        given = ctx.params
        report_logs(files, as_json=given["as_json"], export=gaps, html=given["html"], picture=given["picture"])


def refuse_foreign(ctx: click.Context, file: str, options: dict[str, str], whose: str) -> None:
    """Refuse an option that has no meaning for the file."""
    for name in ctx.meta[ORDER]:
        if name in options:
            what = "a log" if whose == "a program" else "a program"
            raise click.UsageError(f"`{options[name]}` goes with {whose}, and `{file}` is {what}", ctx)
