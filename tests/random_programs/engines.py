"""Engines: schedules, budgets, chunk caps, preemption, prefix reuse, several requests a turn."""

from __future__ import annotations

import random

from .holds import evict_option, preempt_option, queue_option
from .program import Choices, Program, block, whole

RUNNING = ["running.count", "running.decoding", "running.kv_decode", "running.kv_prefill"]


def guard(choices: Choices) -> str:
    """A 0-or-1 test that a gate or a branch of a schedule may read."""
    return str(
        choices.pick(
            "running.preempted == 0",
            "running.preempted == 0",
            f"running.count < {choices.integer(1, 4)}",
            f"waiting.admitted < {choices.integer(1, 3)}",
            f"batch.tokens < {choices.integer(2, 20)}",
            f"running.decoding < {choices.integer(1, 4)}",
            f"running.kv_decode < {choices.integer(4, 40)}",
            f"used(kv) < {choices.integer(5, 40)}",
            f"waiting.count > {choices.integer(0, 2)}",
            f"batch.prefilled < {choices.integer(2, 10)} && running.preempted == 0",
            "turnstile > 0",
        )
    )


class EngineProgram:
    """Writes one program around an engine `llm` with slots `reqs` and memory `kv`."""

    def __init__(self, rng: random.Random, prefix: bool) -> None:
        self.choices = c = Choices(rng)
        self.prefix = prefix
        self.block = c.pick(1, 2, 4, 4, 8, 3) if prefix else c.pick(None, 1, 2, 4, 4, 8, 3)
        self.cap = c.integer(12, 80)
        self.longest = max(3, c.pick(self.cap // 3, self.cap // 2, self.cap // 4))
        self.slots = c.pick(1, 2, 3, 4, 8, "inf")
        self.resume = c.chance(0.3)
        self.registers = c.chance(0.3)

    def chunk(self) -> str:
        c = self.choices
        return str(
            c.pick(
                str(c.integer(1, 9)),
                str(c.integer(2, 9)),
                "inf",
                f"running.count > 2 ? {c.integer(1, 4)} : {c.integer(3, 12)}",
                f"max({c.integer(1, 3)}, running.kv_decode / 4)",
                f"max(1, {c.integer(4, 12)} - running.decoding)",
                f"waiting.count > 1 ? inf : {c.integer(2, 6)}",
                "piece",
            )
        )

    def order(self) -> str:
        c = self.choices
        keys = c.some(
            [
                "decoding",
                "-decoding",
                "remaining",
                "-remaining",
                "admission",
                "-admission",
                "cls",
                "-cls",
                "now * decoding",
                "decoding ? running.count : -running.count",
                "running.kv_decode * admission",
                "-K",
                "decoding ? 0 : remaining",
            ],
            1,
            2,
        )
        return str(
            c.pick("", "", "", " admission", " decode first", f" by ({', '.join(keys)})", f" by ({', '.join(keys)})")
        )

    def schedule(self, taking: str) -> str:
        c = self.choices
        cap = self.chunk() if c.chance(0.4) else ""
        each = f" each at most ({cap})" if cap else ""
        let = (
            f"let piece = {c.pick('running.decoding > 1 ? 2 : 6', 'max(1, 8 - running.count)', 'waiting.count > 0 ? 4 : inf')};"
            if "piece" in cap
            else ""
        )
        only = c.pick("decoding", "!decoding", "decoding == 0", "cls > 0", "remaining < 6", "remaining > 2 || decoding")
        gate = c.pick(" while (running.preempted == 0)", " while (running.preempted == 0)", "", f" while ({guard(c)})")
        admit = f"admit waiting{c.maybe(0.1, f' only ({only})')}{gate}{each}{taking};"
        advance = f"advance running{self.order()}{each};"
        shape = c.integer(0, 9)
        if shape <= 3:
            body = [advance, admit]
        elif shape == 4:
            body = [f"exclusive prefill{each};", f"admit waiting while (running.preempted == 0){each}{taking};"]
        elif shape == 5:
            body = [
                f"advance running only (decoding){self.order()}{each};",
                f"advance running only (!decoding){self.order()}{each};",
                admit,
            ]
        elif shape == 6:
            body = [admit, advance]
        elif shape == 7:
            test = guard(c)
            body = [advance, f"branch ({test}) {{ {admit} }}" + c.maybe(0.5, f" else {{ advance running{each}; }}")]
        elif shape == 8:
            body = [
                f"branch ({guard(c)}) {{ advance running only ({only}){self.order()}{each}; }} else {{ {advance} }}",
                admit,
            ]
        else:
            body = [f"advance running only ({only}){each};", admit, advance]
        if self.registers and shape != 4:
            body.insert(
                c.integer(0, 1),
                f"set turnstile = {c.pick('turnstile > 0 ? turnstile - 1 : 2', '1 - turnstile', 'waiting.count > 1', 'turnstile + 1')};",
            )
        text = block("schedule", let, *body)
        if not self.registers:
            text = text.replace("turnstile > 0", "running.count < 3")
        return text

    def budget(self) -> str:
        c = self.choices
        whole_number = str(c.integer(2, 24))
        return str(
            c.pick(
                whole_number,
                whole_number,
                whole_number,
                "inf",
                f"{c.integer(3, 9)} + 2 * running.decoding",
                f"running.kv_decode > {c.integer(4, 30)} ? {c.integer(2, 5)} : {c.integer(6, 20)}",
                f"{c.integer(3, 9)} + floor(~uniform(0, 4))",
                f"waiting.count > 2 ? {c.integer(4, 8)} : {c.integer(8, 20)}",
                c.number(3, 15),
                f"max(2, {c.integer(8, 20)} - running.kv_prefill / 4)",
            )
        )

    def cost(self) -> str:
        c = self.choices
        if c.exact:
            return str(
                c.pick(
                    "1", "1", "0.5", "1 + (batch.decoding > 2)", "batch.tokens > 4 ? 2 : 1", "1 + batch.prefilled / 8"
                )
            )
        return str(
            c.pick(
                "1",
                "0.3",
                "0.1 + 0.01 * batch.tokens",
                "max(hbm(batch.kv_decode + batch.kv_prefill), compute(batch.tokens))",
                "0.2 + 0.003 * batch.attention + 0.01 * batch.decoding",
                "0.1 + 0.01 * running.count + 0.1 * waiting.count",
                "0.05 + ~exp(0.2)",
                "0.1 + 0.001 * used(kv) + 0.01 * queued(reqs)",
                "0.2 + 0.001 * (batch.tokens + 2 * batch.decoding + 4 * batch.prefilled + 8 * batch.kv_decode + 16 * batch.kv_prefill)",
                "0.1 + 0.01 * (now > 5)",
                "compute(batch.tokens) + hbm(batch.kv_decode) + hbm(1)",
            )
        )

    def request(self) -> tuple[str, str]:
        """The request block, and what its admission takes."""
        c = self.choices
        b = self.block or 1
        reads_cache = c.chance(0.75)
        limit = f"max(0, floor((prompt - 1) / {b}) * {b})"
        grows = c.chance(0.9)
        growing = " growing kv" if grows else ""
        lines: list[str] = []
        if self.prefix:
            own = c.pick("serial : inf", "serial : inf", "serial : 20", "")
            shared = c.pick("key : 8", "key : 8, 5 : 4", "3 : 6", "key : 5", "2 : 4, key : 8", "key : shared")
            lines.append(f"prefix ({shared}{', ' if own else ''}{own});")
        binding = c.chance(0.6)
        if binding:
            lines.append(f"set hitmax = {limit};")
            lines.append(f"at admission {{ reused = min(cachedin(kv), hitmax); {c.maybe(0.2, 'room = free(kv);')} }}")
        lines.append(f"set c = {f'min(cached, {limit})' if reads_cache else '0'};")
        if c.chance(0.5):
            lines.append("branch (computed == 0) { observe first = cached; } else { observe again = computed; }")
        if c.chance(0.2):
            lines.append(f"tool on side ({c.duration()});")
        if self.resume:
            lines.append(f"prefill (max(0, max(prompt, computed) - c)){growing};")
            rest = "decode (max(0, output - 1 - max(0, computed - prompt)))"
        else:
            lines.append(f"prefill (max(0, prompt - c)){growing};")
            rest = f"decode ({c.pick('output - 1', 'output - 1', 'output')})"
        if c.chance(0.1):
            lines.append(f"tool on side ({c.duration()});")
        lines.append(f"{rest}{growing};")
        if c.chance(0.1):
            lines.append(f"prefill (2){growing};\ndecode (2){growing};")
        if c.chance(0.85) or reads_cache or self.prefix or binding:
            lines.append(
                f"cache ({c.pick('prompt + output', 'prompt + output', 'prompt', '1000', '0', 'prompt + output - 1')});"
            )
        first = "reused + budget_left(llm)" if binding else "budget_left(llm)"
        if not grows:
            units = "prompt + output"
        else:
            units = c.pick(
                f"min(prompt, {first})",
                f"min(prompt, {first})",
                "prompt",
                "0",
                "1",
                f"min(prompt, {c.integer(2, 8)})",
                "prompt + output",
            )
        reserve = c.pick(
            "",
            "",
            " reserve (prompt)",
            " reserve (prompt)",
            " reserve (prompt + output)",
            f" reserve ({c.integer(1, 9)})",
        )
        takes = ["reqs (1)", f"kv ({units}){reserve}"]
        if c.chance(0.15):
            takes.reverse()
        parameters = "prompt, output, key, shared" if self.prefix else "prompt, output"
        return block(f"request ({parameters})", *lines), " taking " + ", ".join(takes)

    def program(self, rng: random.Random) -> Program:
        c = self.choices
        request, taking = self.request()
        attributes = ["cls", "K"]
        admitted = c.chance(0.15)
        call = "llm (prompt, o, key, sl);" if self.prefix else "llm (prompt, o);"
        server = ["set prompt = K + n;", call]
        if c.chance(0.1):
            server.append("llm (n, 3, 1, 4);" if self.prefix else "llm (n, 3);")
        if c.chance(0.1):
            server.append(f"tool on side ({c.duration()});")
        clause, open_arrivals = c.arrivals()
        follow = c.pick(
            f"branch with ({c.pick('0.5', '0.8', '0.9')}) {{ tool ({c.duration()}); }} else {{ end; }}",
            f"tool ({c.duration()});",
            "branch (K > 20) { end; } else { tool (1); }",
        )
        context = c.pick("set K = prompt + o;", "set K = min(prompt + o, 12);", "set K = 0;", "set K = prompt;")
        session = c.pick(
            f"session {{ loop {{ turn; {context} {follow} }} }}", f"session {{ turn; {context} tool (1); turn; }}", ""
        )
        memory = block(
            f"pool kv on {'llm.gpu' if admitted else 'gpu'}",
            f"block {self.block};" if self.block else "",
            evict_option(c, attributes),
            c.pick("", preempt_option(c, attributes), preempt_option(c, attributes), "preempt lifo;", "preempt lifo;"),
            queue_option(c, attributes, "kv") if taking.startswith(" taking kv") else "",
            c.maybe(0.15, "reserve held;"),
        )
        text = block(
            "fn main()",
            f"stage side : {c.pick('delay', 'fifo')};",
            block("device gpu", "compute (t) = 0.02 * t;", "hbm (k) = 0.1 + 0.001 * k;", f"kv cap {self.cap};"),
            "" if admitted else memory,
            block(
                "engine llm on gpu",
                f"reqs cap {self.slots};",
                f"tokens cap {self.budget()};",
                c.maybe(0.1, f"granule {c.pick('2', '3', '4', 'inf', '1.5')};"),
                f"state turnstile = {c.integer(0, 2)};" if self.registers else "",
                request,
                self.schedule(taking),
                f"execute ({self.cost()});",
            ),
            memory if admitted else "",
            block("pool reqs on llm", queue_option(c, attributes, "kv")),
            block(
                "workload",
                clause,
                f"init {{ set K = 0; set cls = floor(~uniform(0, 3)); {'set key = floor(~uniform(0, 2)); set sl = ~bernoulli(0.5) ? 4 : 9;' if self.prefix else ''} }}",
                block("turn", f"set n = {c.size(1, self.longest)};", f"set o = {c.size(1, c.pick(4, 8, 15))};"),
                session,
            ),
            block("server", *server),
            *[
                f"gauge g{i} = {c.pick('used(kv)', 'queue(llm)', 'queued(reqs)', 'holders(kv)', 'free(kv)')};"
                for i in range(c.integer(0, 1))
            ],
            c.maybe(
                0.1,
                f"claim steady : every iteration of llm ({c.pick('tokens > 0', 'tokens <= demand', 'residents < 3', 'served + arrived > 10', 'kv_decode >= 0')});",
            ),
            c.maybe(
                0.1,
                f"claim some_many : some iteration of llm ({c.pick('decoders > 2', 'prefilled > 4', 'kv_prefill > 20', 'attention > 50', 'demand > 20')});",
            ),
        )
        arrivals = c.integer(3, 15) if open_arrivals and c.chance(0.1) else None
        return whole(text, c.integer(15, 120), rng, arrivals=arrivals)


def engine_program(rng: random.Random) -> Program:
    return EngineProgram(rng, prefix=False).program(rng)


def prefix_engine_program(rng: random.Random) -> Program:
    return EngineProgram(rng, prefix=True).program(rng)
