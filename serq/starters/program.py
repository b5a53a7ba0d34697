"""A starting program, put together from an engine and its clients."""

from __future__ import annotations

import os
from shlex import quote
from textwrap import indent, wrap

from serq.record import Record
from serq.starters.engines import ENGINES, Engine, Setting
from serq.starters.workloads import WORKLOADS, Workload

WIDTH = 100

HARDWARE = """\
// What an iteration costs: Llama 3 8B in 16 bit on one A100 80GB by its data sheet, 2.0 TB/s and
// half of 312 TFLOP/s. Replace the numbers by what you measure.
let weights = 16e9 / 2e12;    // seconds to read the weights once
let kv_read = 131072 / 2e12;  // seconds to read one token's KV
let compute = 16e9 / 156e12;  // seconds of computing for one token
"""


class Starter(Record):
    """A starting program.

    Attributes:
        text: the program.
        trace: the sessions that it replays, or None.
        trace_name: the file in which it looks for them, beside its own.
    """

    text: str
    trace: str | None
    trace_name: str


def starter(name: str, engine: str, workload: str) -> Starter:
    """The program for an engine and a workload, by their words in `ENGINES` and `WORKLOADS`.

    Args:
        name: path of the program's file without its ending, as it is to be shown.
    """
    system, clients = ENGINES[engine], WORKLOADS[workload]
    trace_name = f"{os.path.basename(name)}-sessions.csv"
    settings = [Setting("rate", clients.rate, "sessions a second"), *system.settings]
    settings.append(Setting("limit", clients.limit, "output tokens a request may ask for"))
    text = "\n".join(
        [
            _opening(name, system, clients),
            'use "std/args";\n',
            HARDWARE,
            "fn main() {",
            indent(_arguments(settings), "  "),
            indent(_engine(system), "  "),
            indent(clients.text.replace("TRACE", trace_name), "  ") + "}\n",
        ]
    )
    return Starter(text, clients.trace, trace_name)


def _opening(name: str, system: Engine, clients: Workload) -> str:
    lines = [f"{os.path.basename(name)}: {clients.about} at one {system.name} engine.", ""]
    lines += wrap(" ".join(system.about.split()), WIDTH - 3)
    lines += [
        "",
        f"The engine's arguments are called as the settings of {system.name} are. What to do next:",
        *[f"  {command}" for command in next_commands(name, clients.rate)],
    ]
    return "".join([f"// {line}".rstrip() + "\n" for line in lines])


def next_commands(name: str, rate: str) -> list[str]:
    """What to try with a new program: check it, run it, run it under twice the load."""
    file = quote(f"{name}.sq")
    run = f"serq run {file} --horizon 2000 --warmup 200"
    return [f"serq check {file}", run, f"{run} -- --rate {2 * float(rate):g}"]


def _arguments(settings: list[Setting]) -> str:
    declared = [f'let {each.name} = args.number("{each.name}", {each.default});' for each in settings]
    width = max(map(len, declared))
    return "".join([f"{line.ljust(width)}  // {each.text}\n" for line, each in zip(declared, settings, strict=True)])


def _engine(system: Engine) -> str:
    memory, *others = system.pools.split("pool seqs")
    return f"""\
device gpu {{
  read (k) = weights + kv_read * k;
  multiply (t) = compute * t;
  kv cap {system.room};
}}
{memory}
engine llm on gpu {{
{indent(system.items, "  ")}
  // Bound by reading memory or by computing, whichever takes longer.
  execute (max(read(batch.kv_decode + batch.kv_prefill), multiply(batch.tokens)));
}}
{"".join(["pool seqs" + other for other in others])}"""
