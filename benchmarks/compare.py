"""Time whole processes of serq against another implementation, in turns, within the same minutes.

    python benchmarks/compare.py --oracle PYTHON [--module pyserq] [--rounds 5] [--only TEXT]

Each measurement is a fresh interpreter that imports the package, compiles a program and runs it. The two
implementations take turns, so that a busy minute hits both. Printed are the medians of wall time, their ratio, the
peak memory, and the numbers of events, which must be equal for a ratio to mean anything. Without `--oracle` (or the
variable SERQ_ORACLE) serq is timed alone. Standard library only.
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


class Workload(NamedTuple):
    name: str
    horizon: float
    warmup: float
    sets: dict[str, float]


WORKLOADS = [
    Workload("chapter 5 as printed", 20000, 2000, {}),
    Workload("Lambda=2", 20000, 2000, {"Lambda": 2}),
    Workload("Lambda=2, 40000 blocks", 20000, 2000, {"Lambda": 2, "blocks": 40000}),
    Workload("256 slots", 6000, 2000, {"Lambda": 8, "blocks": 200000, "max_seqs": 256}),
    Workload("1024 slots", 300, 30, {"Lambda": 12, "blocks": 800000, "max_seqs": 1024}),
]

RUN = """
import json, sys
module, path, settings = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
module = __import__(module)
report = module.run(module.compile(path, **settings))
print(report.events, report.turns)
"""


class Measurement(NamedTuple):
    seconds: float
    peak_mib: float
    counts: str


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


def run_command(python: str, module: str, workload: Workload) -> list[str]:
    settings = {"horizon": workload.horizon, "warmup": workload.warmup, "seed": 1, "sets": workload.sets}
    return [python, "-c", RUN, module, str(PROGRAM), json.dumps(settings)]


def version_of(python: str, module: str) -> str:
    text = f"import sys, {module} as m; print(m.__name__, m.__version__, 'on Python', sys.version.split()[0])"
    return subprocess.run([python, "-c", text], capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()


def kernel_state() -> str:
    text = "import serq.kernel.engine as e; print('compiled' if e.__file__.endswith('.so') else 'not compiled')"
    return subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.strip()


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor()
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def compare(workload: Workload, sides: list[tuple[str, str]], rounds: int) -> str:
    """One line of the table: medians over `rounds` interleaved measurements of each side."""
    taken: list[list[Measurement]] = [[] for _ in sides]
    for _ in range(rounds):
        for side, (python, module) in enumerate(sides):
            taken[side].append(measure(run_command(python, module, workload)))
    seconds = [statistics.median(m.seconds for m in side) for side in taken]
    memory = [max(m.peak_mib for m in side) for side in taken]
    counts = [side[0].counts for side in taken]
    cells = [f"{s:9.3f} s {m:7.0f} MiB" for s, m in zip(seconds, memory, strict=True)]
    ratio = f"{seconds[1] / seconds[0]:7.1f}x" if len(sides) > 1 else ""
    note = "" if len(set(counts)) == 1 else f"  DIFFERENT RUNS: {counts}"
    return f"{workload.name:24}{''.join(cells)}{ratio}  events {counts[0].split()[0]}{note}"


def commands(rounds: int) -> list[str]:
    """Medians of short commands of the installed serq."""
    lines = []
    for name, arguments in {"serq --version": ["--version"], "serq check": ["check", str(PROGRAM)]}.items():
        command = [sys.executable, "-m", "serq", *arguments]
        taken = [measure(command) for _ in range(max(rounds, 5))]
        lines.append(f"{name:24}{statistics.median(m.seconds for m in taken):9.3f} s {taken[0].peak_mib:7.0f} MiB")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--oracle", default=os.environ.get("SERQ_ORACLE"), help="Python that has the other implementation"
    )
    parser.add_argument("--module", default="pyserq", help="its module")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="workloads whose name contains this text")
    options = parser.parse_args()
    sides = [(sys.executable, "serq")]
    if options.oracle:
        sides.append((options.oracle, options.module))
    print(processor())
    for python, module in sides:
        print(version_of(python, module))
    print(
        f"kernel {kernel_state()}; medians of {options.rounds} whole processes, in turns; load {os.getloadavg()[0]:.1f}"
    )
    for workload in WORKLOADS:
        if options.only in workload.name:
            print(compare(workload, sides, options.rounds), flush=True)
    for line in commands(options.rounds):
        print(line)


if __name__ == "__main__":
    main()
