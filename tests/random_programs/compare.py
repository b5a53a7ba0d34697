"""Compare this package with an independent implementation on random programs.

    python -m tests.random_programs.compare [--oracle PYTHON] [--profile NAME ...] [--count N] [--start N] [--save FOLDER]

The other implementation is a module (`--module`, by default pyserq) of another Python (`--oracle`, or the variable
SERQ_ORACLE). Both compile and run each program. A refusal must be at the same place; a stop at run time must be a stop
for both; every figure must agree to a relative 1e-9, counts exactly. The first difference of each disagreeing program
is printed; with `--save` the program is shrunk while it still disagrees and left there as NAME.sq with NAME.txt.
`--from-ir` runs the other implementation's IR, which tests the kernel alone.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.figures import differences
from tests.random_programs import PROFILES, generate
from tests.random_programs.pool import Worker
from tests.random_programs.shrink import shrink

PLACE = re.compile(r"(?:[^\n:]*:)?(\d+):(\d+): ")


def place(error: str) -> tuple[int, int] | None:
    found = PLACE.match(error)
    return (int(found[1]), int(found[2])) if found else None


def refusals(theirs: dict[str, Any], ours: dict[str, Any]) -> str | None:
    """The difference between two answers of which at least one is an error, or None."""
    if theirs["stage"] in ("timeout", "died", "crash") if "stage" in theirs else False:
        return None if ours.get("stage") not in ("died", "crash") else f"ours: {ours['stage']}: {ours['error']}"
    if "error" not in theirs:
        return f"ours stops: {ours['stage']}: {ours['error'][:300]}"
    if "error" not in ours:
        return f"theirs stops: {theirs['stage']}: {theirs['error'][:300]}"
    if theirs["stage"] != ours["stage"]:
        return f"theirs stops: {theirs['stage']}: {theirs['error'][:200]}; ours: {ours['stage']}: {ours['error'][:200]}"
    at = place(theirs["error"])
    if theirs["stage"] == "compile" and at is not None and at != place(ours["error"]):
        return f"refused at another place: theirs {theirs['error'][:300]}; ours {ours['error'][:300]}"
    return None


class Comparison:
    """Both implementations, kept running."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.theirs = Worker(options.module, options.oracle)
        self.ours = Worker("serq")
        self.options = options
        self.events = 0
        self.wavering = 0
        self.compile_only = options.compile_only

    def difference(self, text: str, settings: dict[str, Any]) -> str | None:
        """The first thing on which both disagree, or None.

        The other implementation may answer differently from run to run where the order of a sum is left to chance. It
        is asked again before a difference counts, and a program to which it gives our answer once is `wavering`.
        """
        found = self._difference(text, settings)
        if found is None or self.compile_only:
            return found
        for _ in range(self.options.again):
            if self._difference(text, settings) is None:
                self.wavering += 1
                return None
        return found

    def _difference(self, text: str, settings: dict[str, Any]) -> str | None:
        job: dict[str, Any] = {"text": text, "settings": settings, "want_ir": True, "compile_only": self.compile_only}
        theirs = self.theirs.ask(job, self.options.limit)
        mine = {**job, "checked": not self.options.unchecked}
        if self.options.from_ir:
            if "ir" not in theirs:
                return None
            mine["ir"] = theirs["ir"]
        ours = self.ours.ask(mine, self.options.limit * 3)
        if "error" in theirs or "error" in ours:
            return refusals(theirs, ours)
        if not self.options.from_ir:
            found = next(ir_differences(json.loads(theirs["ir"]), json.loads(ours["ir"])), None)
            if found:
                return f"IR: {found}"
        if self.compile_only:
            return None
        expected = json.loads(theirs["report"])
        self.events += expected["events"]
        return next(iter(differences(expected, json.loads(ours["report"]))), None)


def ir_differences(theirs: Any, ours: Any, path: str = "") -> Iterator[str]:
    """Where two JSON IRs differ; fields that one of them leaves out count as null, false or empty."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if "Joint" in theirs and "Joint" in ours:  # a set of resources
            theirs, ours = ({"Joint": sorted(side["Joint"], key=json.dumps)} for side in (theirs, ours))
        for key in [*theirs, *(k for k in ours if k not in theirs)]:
            a, b = theirs.get(key), ours.get(key)
            if (a or None) != (b or None) or (a and b):
                yield from ir_differences(a, b, f"{path}.{key}")
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for i, (a, b) in enumerate(zip(theirs, ours, strict=True)):
            yield from ir_differences(a, b, f"{path}[{i}]")
    elif theirs != ours and not (not theirs and not ours):
        yield f"{path}: theirs {json.dumps(theirs)[:200]}, ours {json.dumps(ours)[:200]}"


def kind(difference: str) -> str:
    """A difference without its numbers and places: what to shrink towards, and what to count together."""
    return re.sub(r"[\d.]+(e[-+]?\d+)?|\[[^\]]*\]|`[^`]*`", "", difference.split(": theirs")[0].split(", got")[0])[:60]


def sort(difference: str) -> str:
    """Which sort of difference it is, kept while a program is shrunk: in figures, or in what stops where."""
    return "figure" if difference.startswith(".") else ":".join(difference.split(":")[:2])


def save(folder: Path, name: str, comparison: Comparison, text: str, settings: dict[str, Any], found: str) -> None:
    def still(candidate: str) -> bool:
        difference = comparison.difference(candidate, settings)
        return difference is not None and sort(difference) == sort(found)

    small = shrink(text, still)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.sq").write_text(small)
    (folder / f"{name}.txt").write_text(
        f"{comparison.difference(small, settings)}\nat first: {found}\nsettings: {json.dumps(settings)}\n"
    )


def main(arguments: list[str] | None = None, generator: Callable[..., Any] = generate) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--oracle", default=os.environ.get("SERQ_ORACLE"), help="Python that has the other implementation"
    )
    parser.add_argument("--module", default="pyserq")
    parser.add_argument("--profile", action="append", choices=list(PROFILES), help="default: all")
    parser.add_argument("--count", type=int, default=200, help="programs of each profile")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--limit", type=float, default=3.0, help="seconds for one program")
    parser.add_argument("--save", type=Path, help="folder for shrunk programs")
    parser.add_argument("--most", type=int, default=6, help="differing programs to report of each profile")
    parser.add_argument(
        "--again", type=int, default=5, help="runs of the other implementation to repeat on a difference"
    )
    parser.add_argument("--from-ir", action="store_true", help="run the other implementation's IR")
    parser.add_argument("--compile-only", action="store_true", help="compare places of refusal and IR, run nothing")
    parser.add_argument("--unchecked", action="store_true", help="without the kernel's checks between events")
    options = parser.parse_args(arguments)
    if not options.oracle:
        parser.error("say where the other implementation is: --oracle PYTHON or SERQ_ORACLE")
    comparison = Comparison(options)
    total = 0
    for profile in options.profile or PROFILES:
        started, kinds = time.monotonic(), Counter[str]()
        comparison.events = comparison.wavering = 0
        for seed in range(options.start, options.start + options.count):
            program = generator(profile, seed)
            found = comparison.difference(program.text, program.settings)
            if found is None:
                continue
            kinds[kind(found)] += 1
            if kinds.total() <= options.most and kinds[kind(found)] <= 2:
                print(f"{profile}-{seed}: {found}", flush=True)
                if options.save:
                    save(options.save, f"{profile}-{seed}", comparison, program.text, program.settings, found)
        total += kinds.total()
        print(
            f"{profile}: {kinds.total()} of {options.count} differ, {comparison.wavering} waver, {comparison.events} events, "
            f"{time.monotonic() - started:.0f} s",
            flush=True,
        )
        for name, number in kinds.most_common(6):
            print(f"    {number} {name}")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
