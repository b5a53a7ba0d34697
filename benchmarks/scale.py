"""Cost of an event by the number of engines behind a router: `python benchmarks/scale.py`.

Each row is `fleet.sq` with N replicas at the same load a replica, and a horizon that makes about as many turns; the
least of three runs within one process, compiling left out.
"""

from __future__ import annotations

import time
from pathlib import Path

import serq

FLEET = Path(__file__).resolve().parent / "fleet.sq"
HORIZONS = {1: 19200.0, 8: 2400.0, 64: 300.0, 512: 37.5, 1000: 19.2}
ROUNDS = 3


def main() -> None:
    text = FLEET.read_text()
    print(
        f"{'engines':>7} {'horizon':>8} {'events':>9} {'turns':>7} {'seconds':>8} {'ns an event':>12} {'us a turn':>10}"
    )
    for engines, horizon in HORIZONS.items():
        source = text.replace("let N = 64;", f"let N = {engines};")
        program = serq.compile(source=source, horizon=horizon, warmup=horizon / 10)
        taken = []
        for _ in range(ROUNDS):
            started = time.perf_counter()
            report = serq.run(program)
            taken.append(time.perf_counter() - started)
        least = min(taken)
        event, turn = 1e9 * least / report.events, 1e6 * least / report.turns
        print(f"{engines:7} {horizon:8} {report.events:9} {report.turns:7} {least:8.3f} {event:12.1f} {turn:10.1f}")


if __name__ == "__main__":
    main()
