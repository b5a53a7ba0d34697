"""Queue families with engines, a gateway, prefill/decode pairs and their KV transfers."""

from __future__ import annotations

import random

from .engines import guard
from .holds import evict_option
from .program import Choices, Program, block, whole


def queue_program(rng: random.Random) -> Program:
    c = Choices(rng)
    n, d = c.integer(1, 3), c.integer(1, 2)
    pull = c.chance(0.6)
    forked = not pull and c.chance(0.5)
    block_size = c.pick(2, 4, 4)

    def engine(name: str, cap: int) -> list[str]:
        gate = c.pick(" while (running.preempted == 0)", " while (running.preempted == 0)", "", f" while ({guard(c)})")
        gate = (
            gate.replace("turnstile > 0", "running.count < 3")
            .replace("used(kv)", "running.kv_decode")
            .replace("waiting.count", "running.count")
        )
        cost = (
            c.pick("1", "0.5")
            if c.exact
            else c.pick("0.1 + 0.01 * batch.tokens", "0.2 + 0.001 * batch.kv_decode", "0.3")
        )
        return [
            f"device gpu {{ kv cap {cap}; }}",
            block(
                "pool kv on gpu",
                f"block {block_size};",
                evict_option(c, []),
                c.pick("preempt lifo;", "preempt by (-admission);", "preempt by (position) requeue tail;"),
            ),
            block(
                "engine on gpu",
                f"reqs cap {c.pick(1, 2, 4)};",
                f"tokens cap {c.integer(4, 20)};",
                block(
                    "schedule",
                    f"advance running{c.pick('', ' decode first', ' by (remaining)')};",
                    f"admit waiting{gate};",
                ),
                f"execute ({cost});",
            ),
            f"pool reqs on {name} {{ {c.pick('', 'queue fifo;', 'queue by (-waited);')} }}",
        ]

    cap_p, cap_d = c.integer(24, 60), c.integer(24, 60)
    units = c.pick("min(p, budget_left(P))", "p", "min(p, 4)")
    lease = c.pick("inf", "inf", "3", "20")
    prefill = block(
        "prefill (p)",
        block(
            f"hold reqs (cost(reqs, 1)), kv (cost(kv, {units})) reserve (cost(kv, p))",
            "set hit = min(cached, floor((p - 1) / 4) * 4);",
            "run P prefill (cost(P, p - hit)) growing kv;",
            c.maybe(0.3, "observe member = self;"),
            "mark served;",
        )
        + f" cache (cost(reqs, kv, p)){f' lease kv ({lease})'};",
    )
    guarded = c.chance(0.6)
    moved = "transfer (max(0, p - cached)) from P to kv (max(0, p - cached));"
    if guarded:
        moved = f"branch (moved == 0) {{ {moved} set moved = 1; }} else {{ run D prefill (cost(D, max(0, p - cached))) growing kv; }}"
    decode = block(
        "decode (p) from P",
        "set moved = 0;" if guarded else "",
        "join;" if forked else "",
        block(
            f"hold reqs (cost(reqs, 1)), kv (cost(kv, p)) reserve (cost(kv, p + 2)){c.pick('', *[' reuse (cost(reqs, kv, p))'] * 3)}",
            moved,
            "mark landed;",
            "run D decode (cost(D, o)) growing kv;",
        )
        + " cache (cost(reqs, kv, p + o));",
    )
    plain = block(
        "decode (p)",
        block("hold reqs (cost(reqs, 1)), kv (cost(kv, p))", "run D decode (cost(D, o)) growing kv;")
        + c.pick("", " cache (cost(reqs, kv, p + o));"),
    )
    reading = c.pick(
        "queued(P[i].reqs) + holders(P[i].kv)",
        "work(P[i])",
        "used(P[i].kv)",
        "-cachedin(P[i].kv), queue(P[i])",
        "~uniform(0, 1)",
    )
    gateway = c.chance(0.4)
    routing = [
        f"choose i in {n} by ({reading});",
        f"choose k in {d} by ({c.pick('work(D[k])', 'holders(D[k].kv)', 'queue(D[k])')});",
    ]
    calls = [
        "fork { P[i].prefill (prompt); }" if forked else "P[i].prefill (prompt);",
        "observe when_served = P.served;" if not forked else "",
        "D[k].decode (prompt) from P[i];",
        "observe when_landed = D.landed;",
    ]
    server = ["set prompt = K + n;", *(["G.route ();"] if gateway else routing), *calls]
    clause, _ = c.arrivals()
    text = 'use "std/share";\nuse "std/kvt";\n' + block(
        "fn main()",
        block(f"queue P[{n}] : prefill", *engine("P", cap_p), f"nic ps({c.pick('4', '10', '20')});", prefill),
        block(f"queue D[{d}] : decode", *engine("D", cap_d), f"nic ps({c.pick('4', '10', '20')});", plain, decode),
        block("queue G : gateway", block("route", *routing)) if gateway else "",
        f"kvt.nixl_{'pull' if pull else 'push'} (P, D{c.maybe(0.5, ', latency = 0.5')}, share = {c.pick('share.maxmin', 'share.bottleneck')});",
        block(
            "workload",
            clause,
            "init { set K = 0; }",
            f"turn {{ set n = {c.size(2, 10)}; set o = {c.size(1, 6)}; }}",
            "hidden o;",
            c.pick(
                "",
                f"session {{ loop {{ turn; set K = min(K + n, 8); branch with (0.6) {{ tool ({c.duration()}); }} else {{ end; }} }} }}",
            ),
        ),
        block("server", *server),
        c.maybe(0.3, "gauge waiting_all = sum m in 1 (queued(P[m].reqs));"),
    )
    return whole(text, c.integer(15, 60), rng)
