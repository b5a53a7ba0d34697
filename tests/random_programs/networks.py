"""Families and routing, flows over shared stages, forked legs, leases between pools."""

from __future__ import annotations

import random

from .program import Choices, Program, block, whole


def network_program(rng: random.Random) -> Program:
    c = Choices(rng)
    n = c.integer(2, 4)
    policy = c.pick("share.maxmin", "share.bottleneck")
    caps = [c.pick("1", "2", "4", "10", "3") for _ in range(3)]
    key = c.pick(
        "work(f[j])",
        "queue(f[j]), j",
        "holders(m[j]) + queued(m[j])",
        "cachedin(m[j]) > 0 ? 0 : 1, work(f[j])",
        "~uniform(0, 1)",
        "j == home ? 0 : 1",
        "used(m[j]), -j",
        "work(f[j]) / (1 + j)",
    )

    def flow(work: str) -> str:
        kind = c.integer(0, 3)
        if kind == 0:
            return f"run a, b[j] (cost(a, b, {work}), share = {policy});"
        if kind == 1:
            return f"run a, d (cost(a, d, {work}), share = {policy});"
        if kind == 2:
            return f"run b[j] (cost(b, {work}));"
        return f"run d, b[{c.pick('0', '1', 'j')}], a (cost(a, b, d, {work}), share = {policy});"

    def step(depth: int) -> str:
        kind = c.pick("flow", "flow", "run", "hold", "fork", "observe", "route", "copy")
        if kind == "flow":
            return flow(c.pick("w", "2", "1 + w", "~exp(2)", "0.5", "w * 3"))
        if kind == "hold":
            size = c.pick("1", "u", "2")
            lease = c.maybe(0.3, f" lease m[j] ({c.pick('1', '2', 'inf')})")
            return f"hold m[j] (cost(m, {size})) {{ observe hit = cached; {step(0)} run f[j] (cost(f, w)); }} cache (cost(m, u)){lease};"
        if kind == "fork" and depth > 0:
            return f"fork {{ {step(0)} run g (cost(g, {c.duration()})); observe leg = now + x; }}\nset x = x + 1;\n{step(0)}\njoin;"
        if kind == "observe":
            return f"observe seen = {c.pick('work(a)', 'queue(a) + busy(d)', 'work(f[j])', 'j', 'used(m[j])', 'queue(b[j]) + 10 * work(b[j])')};"
        if kind == "route":
            return f"choose j in {n} by ({key});"
        if kind == "copy":
            return (
                "hold src (cost(src, u)) { run g (cost(g, 1)); } cache (cost(src, u)) lease src (inf);\n"
                f"hold dst (cost(dst, u)) {{ transfer on a, d (u, share = {policy}) from src to dst (max(0, u - cached)); run f[j] (cost(f, 1)); }} cache (cost(dst, u));"
            )
        return f"run f[j] (cost(f, {c.pick('w', c.duration())}));"

    server = ["set home = serial - 2 * floor(serial / 2);", "set x = 0;", f"choose j in {n} by ({key});"]
    server += [step(1) for _ in range(c.integer(1, 4))]
    body = "\n".join(server)
    if "fork" in body and "join" not in body:
        server.append("join;")
    if ", share" not in body:
        server.append(f"run a, b[j] (cost(a, b, w), share = {policy});")
    clause, open_arrivals = c.arrivals()
    session = c.pick(
        f"session {{ loop {{ turn; branch with (0.6) {{ tool ({c.duration()}); }} else {{ end; }} }} }}",
        "",
        f"session {{ loop {{ turn; tool ({c.duration()}); }} }}",
    )
    text = 'use "std/share";\n' + block(
        "fn main()",
        f"stage a : ps({caps[0]});",
        f"stage b[{n}] : ps({caps[1]});",
        f"stage d : ps({caps[2]});",
        f"stage f[{n}] : {c.pick('fifo', 'ps(1)', 'delay', 'fifo(2)')};",
        "stage g : delay;",
        block(
            f"pool m[{n}]",
            f"cap {c.integer(2, 8)};",
            c.maybe(0.3, "block 2;"),
            c.pick("", "evict by (size);"),
            c.maybe(0.2, "spill tier via g (size) when (1);"),
        ),
        "pool tier { cap 20; }",
        f"pool src {{ cap {c.integer(8, 20)}; }}",
        f"pool dst {{ cap {c.integer(8, 20)}; }}",
        block(
            "workload",
            clause,
            f"turn {{ set w = {c.duration()}; set u = {c.pick('1', '2', '1 + ~bernoulli(0.5)')}; }}",
            session,
        ),
        block("server", *server),
        c.maybe(0.5, "gauge load = max k in 2 (queue(f[k]) + used(m[k]));"),
        c.maybe(0.3, "gauge carried = queue(a) + busy(d);"),
    )
    arrivals = c.integer(3, 15) if open_arrivals and c.chance(0.15) else None
    return whole(text, c.integer(8, 40), rng, arrivals=arrivals)
