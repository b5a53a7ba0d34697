"""Plain pools held by sessions: nested and joint holds, growth, caching, leases, spilling, shared prefixes."""

from __future__ import annotations

import random

from .program import Choices, Program, block, whole


def evict_option(choices: Choices, attributes: list[str]) -> str:
    keys = choices.some(
        [
            "size",
            "-size",
            "age",
            "-age",
            "last",
            "waiting",
            "now - last",
            "~uniform(0, 1)" if choices.chance(0.1) else "1",
            *attributes,
            *[f"-{a}" for a in attributes],
        ],
        1,
        2,
    )
    return str(choices.pick("", "evict lru;", f"evict by ({', '.join(keys)});", f"evict by ({', '.join(keys)});"))


def queue_option(choices: Choices, attributes: list[str], pool: str, slot: bool = False) -> str:
    options = [
        "waited",
        "-waited",
        *attributes,
        *[f"-{a}" for a in attributes],
        f"-cachedin({pool})",
        "floor(waited / 2)",
    ]
    keys = choices.some(options, 1, 2)
    return str(choices.pick("", "queue fifo;", f"queue by ({', '.join(keys)});"))


def preempt_option(choices: Choices, attributes: list[str]) -> str:
    keys = choices.some(
        [
            "admission",
            "-admission",
            "decoding",
            "-decoding",
            "position",
            "-position",
            *attributes,
            *[f"-{a}" for a in attributes],
        ],
        1,
        2,
    )
    requeue = choices.pick("", " requeue head", " requeue tail")
    return str(choices.pick("preempt lifo;", f"preempt by ({', '.join(keys)}){requeue};"))


class HoldProgram:
    """Writes one program whose sessions hold pools P0, P1, ... ."""

    def __init__(self, rng: random.Random) -> None:
        self.choices = c = Choices(rng)
        self.pools = [f"P{i}" for i in range(c.integer(1, 3))]
        self.blocks = {p: c.pick(None, 2, 3, 4, "0.5") for p in self.pools}
        self.caps = {p: c.pick(c.integer(4, 24), c.integer(3, 12)) for p in self.pools}
        self.observations = 0

    def observe(self, value: str) -> str:
        self.observations += 1
        return f"observe o{self.observations} = {value};"

    def reading(self) -> str:
        p = self.choices.pick(*self.pools)
        return str(
            self.choices.pick(
                f"used({p})",
                f"free({p})",
                f"cachedin({p})",
                f"holders({p})",
                f"queued({p})",
                f"allocated({p})",
                "now",
                "x",
                f"used({p}) + 100 * queued({p}) + 10000 * cachedin({p})",
            )
        )

    def amount(self, pool: str) -> str:
        c = self.choices
        cap = self.caps[pool]
        return str(
            c.pick(
                str(c.integer(0, max(1, cap // 2))),
                "u",
                "u",
                "min(u, 3)",
                c.number(1, max(1, cap // 2)),
                "1",
                f"min(u, free({pool}))" if c.chance(0.2) else "u / 2",
            )
        )

    def step(self) -> str:
        c = self.choices
        return str(
            c.pick(
                f"run s (cost(s, {c.duration()}));",
                f"run q (cost(q, {c.duration()}));",
                f"run s (cost(s, {c.duration()}));",
            )
        )

    def inside(self, around: list[str], depth: int, cached: bool) -> str:
        """One statement in the body of a hold of the pools `around`."""
        c = self.choices
        p = c.pick(*around)
        kind = c.pick(
            "run", "run", "run", "grow", "grow", "release", "observe", "hold", "branch", "load", "set", "drop"
        )
        if kind == "grow":
            return f"grow {p} (cost({p}, {c.pick('1', '2', 'u / 2', str(c.integer(1, 4)))}));\n{self.step()}"
        if kind == "load":
            return (
                f"load {p} (cost({p}, min(1, allocated({p}) - computed) > 0 ? 0.5 : 0));"
                if c.chance(0.1)
                else f"load {p} (cost({p}, 0));"
            )
        if kind == "release":
            return f"release {p};" if c.chance(0.5) else self.step()
        if kind == "observe":
            return self.observe(c.pick(self.reading(), "cached" if cached else "now", "computed"))
        if kind == "hold" and depth > 0:
            return self.hold(depth - 1)
        if kind == "branch":
            return f"branch with (0.5) {{ {self.inside(around, 0, cached)} }} else {{ {self.step()} }}"
        if kind == "set":
            return f"set x = {c.pick('x + 1', 'u', 'cached' if cached else 'now')};"
        if kind == "drop":
            return f"drop {c.pick(*self.pools)};"
        return self.step()

    def hold(self, depth: int) -> str:
        c = self.choices
        pools = c.some(self.pools, 1, 2)
        held = []
        for p in pools:
            reserve = c.maybe(0.25, f" reserve (cost({p}, {self.amount(p)}))")
            held.append(f"{p} (cost({p}, {self.amount(p)})){reserve}")
        cached = c.chance(0.65)
        joint = ", ".join(pools)
        reuse = ""
        if cached and c.chance(0.3):
            reuse = f" reuse (cost({joint}, {c.pick('2', '3', 'u / 2', '0', 'u')}))"
        body = [self.step()] + [self.inside(pools, depth, cached) for _ in range(c.integer(0, 3))]
        c.rng.shuffle(body)
        cache = f" cache (cost({joint}, {c.pick('u', '100', '4', 'u + 2', '3')}))" if cached else ""
        lease = ""
        after = ""
        if c.chance(0.25):
            p = c.pick(*pools)
            lease = f" lease {p} ({c.pick('1', '2', 'inf', '0', '0.5', '3')})"
            after = "\n" + c.pick(self.step(), "")
        joined = ", ".join(held)
        return block(f"hold {joined}{reuse}", *body) + f"{cache}{lease};{after}"

    def pool(self, name: str, index: int, server: str) -> str:
        c = self.choices
        size = self.blocks[name]
        spill = ""
        later = self.pools[index + 1 :]
        if later and c.chance(0.3):
            spill = f"spill {c.pick(*later)} via w ({c.pick('size', '1', 'size / 2')}) when ({c.pick('1', 'size > 1', 'age > 1', 'u > 3')});"
        if f"lease {name} (" in server and c.chance(0.4):  # refused where no hold leases the pool
            preempt = f"preempt leases by ({c.pick('admission', '-admission', 'u', '1')});"
        else:
            preempt = c.pick("", preempt_option(c, ["u", "x"]))
            if "decoding" in preempt:
                preempt = preempt.replace("-decoding", "u").replace("decoding", "u")
        return block(
            f"pool {name}",
            f"cap {self.caps[name]};",
            f"block {size};" if size else "",
            evict_option(c, ["u", "x"]),
            preempt,
            queue_option(c, ["u", "x"], name),
            c.maybe(0.15, "reserve held;"),
            spill,
        )

    def program(self, rng: random.Random) -> Program:
        c = self.choices
        server = []
        for _ in range(c.integer(1, 3)):
            server.append(c.pick(self.hold(1), self.hold(1), self.hold(2), self.step(), self.observe(self.reading())))
        if not any("hold" in line for line in server):
            server.append(self.hold(1))
        clause, open_arrivals = c.arrivals()
        session = c.pick(
            f"session {{ loop {{ turn; branch with ({c.pick('0.5', '0.8')}) {{ tool ({c.duration()}); }} else {{ end; }} }} }}",
            f"session {{ turn; tool ({c.duration()}); turn; }}",
            f"session {{ loop {{ turn; tool ({c.duration()}); }} }}",
            "",
        )
        text = block(
            "fn main()",
            *[self.pool(p, i, "\n".join(server)) for i, p in enumerate(self.pools)],
            f"stage s : {c.pick('delay', 'delay', 'ps(2)')};",
            f"stage q : {c.pick('fifo', 'fifo(2)')};",
            "stage w : fifo;",
            block(
                "workload",
                clause,
                "init { set v = serial; }",
                f"turn {{ set u = {c.size(1, max(2, min(self.caps.values()) // 2 + 1))}; }}",
                session,
            ),
            block("server", "set x = v;", *server),
            *[
                f"gauge g{i} = {c.pick('used', 'free', 'holders', 'queued')}({c.pick(*self.pools)});"
                for i in range(c.integer(0, 1))
            ],
        )
        arrivals = c.integer(3, 15) if open_arrivals and c.chance(0.1) else None
        return whole(text, c.integer(10, 50), rng, arrivals=arrivals)


def hold_program(rng: random.Random) -> Program:
    return HoldProgram(rng).program(rng)


def chain(choices: Choices) -> str:
    """A prefix: shared segments, then perhaps the session's own."""
    segments = []
    for _ in range(choices.integer(1, 3)):
        key = choices.pick("7", "9", "a", "b", "serial - 2 * floor(serial / 2)", "a + 1")
        segments.append(f"{key} : {choices.pick('4', '8', '3', 'l', 'm', '6', '2.5', '0')}")
    own = choices.pick("", "serial : inf", "serial : 100", "serial : 5")
    return ", ".join(segments + ([own] if own else []))


def prefix_program(rng: random.Random) -> Program:
    """Sessions that hold one or two pools under shared prefixes, and plainly."""
    c = Choices(rng)
    pools = ["P"] if c.chance(0.75) else ["P", "R"]
    cap = c.integer(8, 60)
    declared = [
        block(
            f"pool {p}",
            f"cap {cap};",
            f"block {c.pick('1', '2', '4', '8', '3', '4')};" if p == "P" or c.chance(0.7) else "",
            c.pick("", "", "evict lru;", "evict by (size);", "evict by (u, -size);", "evict by (-last);"),
            c.pick("", "", "queue by (-cachedin(P));", "queue by (u);"),
            c.maybe(0.15, "reserve held;"),
            c.pick("", "", "preempt lifo;", "preempt by (position);"),
        )
        for p in pools
    ]
    statements = []
    for i in range(c.integer(1, 4)):
        kind = c.pick("prefix", "prefix", "prefix", "plain", "drop", "tool", "nested")
        if kind == "drop":
            statements.append("drop P;")
            continue
        if kind == "tool":
            statements.append(f"run s (cost(s, {c.duration()}));")
            continue
        names = pools if c.chance(0.5) else ["P"]
        units = c.pick("u", "u", "8", "u + 3", str(c.integer(1, max(2, cap // 2))))
        held = ", ".join(
            f"{p} (cost({p}, {units}))" + c.maybe(0.2, f" reserve (cost({p}, u + {c.integer(0, 6)}))") for p in names
        )
        header = f"hold {held}"
        if kind != "plain":
            header += f" prefix ({chain(c)})"
        joint = ", ".join(names)
        if c.chance(0.25):
            header += f" reuse (cost({joint}, {c.pick('4', '6', 'u / 2', '8')}))"
        body = [f"observe h{i} = cached;", f"run s (cost(s, {c.duration()}));"]
        body += c.some(
            [
                f"observe c{i} = cachedin(P);",
                f"observe a{i} = allocated(P) + 1000 * used(P);",
                f"grow P (cost(P, {c.integer(1, 6)}));",
                "release P;",
                f"hold P (cost(P, 2)) {{ run s (cost(s, 1)); observe n{i} = cachedin(P); }} cache (cost(P, 2));",
            ],
            0,
            2,
        )
        lease = c.maybe(0.15, f" lease P ({c.pick('1', '2', 'inf')})")
        statements.append(block(header, *body) + f" cache (cost({joint}, {c.pick('u', '100', 'u + 4', '10')})){lease};")
    if not any("prefix" in s for s in statements):
        statements.append(
            f"hold P (cost(P, u)) prefix ({chain(c)}) {{ observe hh = cached; run s (cost(s, {c.duration()})); }} cache (cost(P, u));"
        )
    clause, _ = c.arrivals()
    session = c.pick(
        f"session {{ loop {{ turn; branch with (0.8) {{ tool ({c.duration()}); }} else {{ end; }} }} }}",
        f"session {{ turn; tool ({c.duration()}); turn; tool ({c.duration()}); turn; }}",
    )
    text = block(
        "fn main()",
        *declared,
        f"stage s : {c.pick('delay', 'delay', 'fifo(2)')};",
        block(
            "workload",
            clause,
            f"init {{ set a = floor(~uniform(0, {c.integer(1, 4)})); }}",
            block(
                "turn",
                f"set u = {c.size(1, max(3, cap // 3))};",
                f"set l = {c.size(1, 9)};",
                "set m = ~bernoulli(0.5) ? 4 : 8;",
                "set b = floor(~uniform(0, 2));",
            ),
            session,
        ),
        block("server", *statements),
    )
    return whole(text, c.integer(10, 60), rng)
