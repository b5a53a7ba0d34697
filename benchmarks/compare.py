"""Time whole processes of serq, alone or against another implementation, in turns, within the same minutes.

    python benchmarks/compare.py [--quick] [--oracle PYTHON] [--only TEXT] [--rounds 3] [--oracle-rounds 1]

Each measurement is a fresh interpreter that imports the package, compiles a program and runs it. The two
implementations take turns, so that a busy minute hits both. Printed are the least and the median wall time of each,
the ratio of the least ones, the peak memory of a process, and the number of events, which must be equal for a ratio to
mean anything. Then come short commands of serq, and two runs in two threads of one process beside one run. Without
`--oracle` (or the variable ORACLE_PYTHON) serq is timed alone. Standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "docs" / "tutorial" / "programs" / "05-engine.sq"
FLEET = ROOT / "benchmarks" / "fleet.sq"


class Workload(NamedTuple):
    name: str
    horizon: float
    warmup: float
    sets: dict[str, float]
    replicas: int = 0
    """Engines of `fleet.sq`; 0 for the tutorial's program."""

    def text(self) -> str:
        """The program; how many members a family has is no argument, so that line is replaced."""
        if not self.replicas:
            return PROGRAM.read_text()
        head, line, tail = FLEET.read_text().partition("let N = 64;\n")
        assert line, "fleet.sq does not say how many replicas it has"
        return f"{head}let N = {self.replicas};\n{tail}"


WORKLOADS = [
    Workload("05-engine as printed", 20000, 2000, {}),
    Workload("Lambda=2", 20000, 2000, {"Lambda": 2}),
    Workload("Lambda=2, 40000 blocks", 20000, 2000, {"Lambda": 2, "blocks": 40000}),
    Workload("256 slots", 6000, 600, {"Lambda": 8, "blocks": 200000, "max_seqs": 256}),
    Workload("1024 slots", 300, 30, {"Lambda": 12, "blocks": 800000, "max_seqs": 1024}),
    Workload("1 engine", 6400, 640, {}, 1),
    Workload("8 engines", 800, 80, {}, 8),
    Workload("64 engines", 100, 10, {}, 64),
    Workload("512 engines", 2.5, 0.25, {}, 512),
]

QUICK = 0.1
"""Part of its horizon that a workload runs with `--quick`."""

PAIRS, QUICK_PAIRS = 20, 2
"""How often two threads are timed beside one, in full and with `--quick`."""

RUN = """
import json, sys
module, source, settings = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
module = __import__(module)
report = module.run(module.compile(source=source, **settings))
print(report.events, report.turns)
"""

THREADS = """
import json, sys, threading, time
import serq
program = serq.compile(sys.argv[1], **json.loads(sys.argv[2]))
def seconds(count):
    threads = [threading.Thread(target=serq.run, args=(program,)) for _ in range(count)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - started
pairs = [(seconds(1), seconds(2)) for _ in range(int(sys.argv[3]))]
print(min(one for one, _ in pairs), min(two for _, two in pairs))
"""


class Side(NamedTuple):
    """An implementation: an interpreter, the name of its module, and how often each of its workloads is timed."""

    python: str
    module: str
    rounds: int


class Measurement(NamedTuple):
    seconds: float
    peak_mib: float
    output: str


def measure(command: list[str]) -> Measurement:
    """Run a command to its end in a child whose resources are counted alone."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None
    output = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command[:3])} ... ended with status {process.returncode}")
    scale = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Measurement(seconds, usage.ru_maxrss / scale, output.strip())


def settings_of(workload: Workload) -> str:
    settings = {"horizon": workload.horizon, "warmup": workload.warmup, "seed": 1, "sets": workload.sets}
    return json.dumps(settings)


def text_of(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()


def version_of(side: Side) -> str:
    code = f"import sys, {side.module} as m; print(m.__name__, m.__version__, 'on Python', sys.version.split()[0])"
    return text_of([side.python, "-c", code])


def kernel_state() -> str:
    code = "import serq.kernel.engine as e; print('not compiled' if e.__file__.endswith('.py') else 'compiled')"
    return text_of([sys.executable, "-c", code])


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor()
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def compare(workload: Workload, sides: list[Side]) -> str:
    """One line of the table; the sides take turns, the one with more rounds going on alone."""
    taken: list[list[Measurement]] = [[] for _ in sides]
    for number in range(max(side.rounds for side in sides)):
        for side, found in zip(sides, taken, strict=True):
            if number < side.rounds:
                command = [side.python, "-c", RUN, side.module, workload.text(), settings_of(workload)]
                found.append(measure(command))
    least = [min(one.seconds for one in found) for found in taken]
    median = [statistics.median(one.seconds for one in found) for found in taken]
    memory = [max(one.peak_mib for one in found) for found in taken]
    cells = [f"{a:9.3f} {b:9.3f} {m:8.0f}" for a, b, m in zip(least, median, memory, strict=True)]
    counts = [found[0].output for found in taken]
    ratio = f"{least[1] / least[0]:8.1f}" if len(sides) > 1 else ""
    note = "" if len(set(counts)) == 1 else f"  THE RUNS DIFFER (events, turns): {counts}"
    return f"{workload.name:24}{''.join(cells)}{ratio}{int(counts[0].split()[0]):12}{note}"


def head(sides: list[Side]) -> str:
    """The line above those of `compare`."""
    cells = [f"{side.module:>9} {'median':>9} {'MiB':>8}" for side in sides]
    return f"{'seconds, least':24}{''.join(cells)}{'   ratio' if len(sides) > 1 else ''}{'events':>12}"


def commands(rounds: int) -> list[str]:
    """Times of short commands of serq."""
    lines = []
    for name, words in {"serq --version": ["--version"], "serq check": ["check", str(PROGRAM)]}.items():
        taken = [measure([sys.executable, "-m", "serq", *words]) for _ in range(max(rounds, 5))]
        least, median = min(one.seconds for one in taken), statistics.median(one.seconds for one in taken)
        lines.append(f"{name:24}{least:9.3f} {median:9.3f} {taken[0].peak_mib:8.0f}")
    return lines


def threads(workload: Workload, pairs: int) -> str:
    """Two runs at the same time in one process beside one run; 1.0 where two cores are idle and nothing waits.

    Many short pairs, of which the least times count: a busy machine leaves both cores alone only for moments.
    """
    short = workload._replace(horizon=2000.0, warmup=200.0)
    output = measure([sys.executable, "-c", THREADS, str(PROGRAM), settings_of(short), str(pairs)]).output
    one, two = map(float, output.split())
    return f"{'threads':24}one run {one:.3f} s, two runs in two threads {two:.3f} s: {two / one:.2f} times"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--oracle", default=os.environ.get("ORACLE_PYTHON"), help="Python with the other implementation"
    )
    parser.add_argument("--module", default="pyserq", help="name of its module")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of serq")
    parser.add_argument("--oracle-rounds", type=int, default=1, help="measurements of the other, which may be slow")
    parser.add_argument("--only", default="", help="workloads whose name contains this text")
    parser.add_argument("--quick", action="store_true", help="a tenth of each horizon")
    options = parser.parse_args()
    sides = [Side(sys.executable, "serq", options.rounds)]
    if options.oracle:
        sides.append(Side(options.oracle, options.module, options.oracle_rounds))
    print(processor())
    for side in sides:
        print(f"{version_of(side)}; rounds: {side.rounds}")
    print(f"kernel {kernel_state()}; load {os.getloadavg()[0]:.1f}")
    if not options.oracle:
        print("nothing to compare with: say where another implementation is with --oracle PYTHON or ORACLE_PYTHON")
    part = QUICK if options.quick else 1.0
    workloads = [w._replace(horizon=w.horizon * part, warmup=w.warmup * part) for w in WORKLOADS]
    print(head(sides))
    for workload in workloads:
        if options.only in workload.name:
            print(compare(workload, sides), flush=True)
    for line in commands(options.rounds):
        print(line, flush=True)
    print(threads(WORKLOADS[1], QUICK_PAIRS if options.quick else PAIRS))


if __name__ == "__main__":
    main()
