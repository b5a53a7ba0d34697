"""Compare every command of the gallery with an independent implementation.

    python -m tests.examples.compare --oracle PYTHON [--module pyserq] [NAME ...]

Compiles and runs the commands of all transcripts and of all tables of figures (or those of the named programs) with
this package and with the other Python's module: counts must be equal, the rest to a relative 1e-9.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import serq
from tests.examples.gallery import PAGE, PROGRAM, PROGRAMS, ROOT, rows, transcript
from tests.figures import differences

THEIRS = """
import importlib, json, sys
module = importlib.import_module(sys.argv[1])
for line in sys.stdin:
    path, settings = json.loads(line)
    try:
        print(module.run(module.compile(path, **settings)).json(), flush=True)
    except ValueError as error:
        print(json.dumps({"error": str(error)}), flush=True)
"""

SETTINGS: dict[str, type] = {"horizon": float, "warmup": float, "seed": int, "arrivals": int, "trace": str}


def settings(command: str) -> tuple[str, dict[str, Any]]:
    """Path and keywords of `compile` that a command `serq run ...` stands for."""
    words = shlex.split(command)[2:]
    path, given = words[0], dict[str, Any](sets={}, defs={})
    behind = False
    rest = iter(words[1:])
    for word in rest:
        option = word.removeprefix("--")
        if word == "--":
            behind = True
        elif behind:
            given["sets"][option] = float(next(rest))
        elif option in ("set", "def"):
            name, _, text = next(rest).partition("=")
            given[f"{option}s"][name] = text
        else:
            given[option] = SETTINGS[option](next(rest))
    return path, given


def commands(wanted: list[str]) -> Iterator[str]:
    """All commands of the gallery, or those of the wanted programs, each once."""
    found = [part.command for path in PROGRAMS for part in transcript(path.with_suffix(".txt").read_text())]
    found += [row.command for row in rows(PAGE.read_text().splitlines())]
    for command in dict.fromkeys(found):
        name = PROGRAM.search(command)
        if name and (not wanted or name[1] in wanted):
            yield command


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", default=os.environ.get("SERQ_ORACLE"))
    parser.add_argument("--module", default="pyserq")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if not options.oracle:
        parser.error("say where the other implementation is: --oracle PYTHON or SERQ_ORACLE")
    theirs = subprocess.Popen(
        [options.oracle, "-c", THEIRS, options.module],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert theirs.stdin is not None
    assert theirs.stdout is not None
    compared = events = differing = 0
    for command in commands(options.names):
        path, given = settings(command)
        theirs.stdin.write(json.dumps([path, given]) + "\n")
        theirs.stdin.flush()
        expected = json.loads(theirs.stdout.readline())
        if "error" in expected:
            found = [expected["error"]]
        else:
            ours = json.loads(serq.run(serq.compile(ROOT / path, **given)).json())
            found = list(differences(expected, ours))
            events += expected["events"]
        compared += 1
        if found:
            differing += 1
            print(command, *found[:5], sep="\n    ", flush=True)
    print(f"{compared} commands, {events} events, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
