"""An engine in words: its token budget, its schedule, what an iteration takes."""

from __future__ import annotations

from collections.abc import Iterator

from serq.draw.model import Row
from serq.draw.text import Speaker, alike, seconds
from serq.ir import nodes as ir

DECODE_FIRST = ir.Cond(ir.Ctx("Decoding"), ir.Num(0.0), ir.Num(1.0))
NOTHING_PREEMPTED = (
    ir.Binary("Eq", ir.Ctx("Preempted"), ir.Num(0.0)),
    ir.Binary("Eq", ir.Num(0.0), ir.Ctx("Preempted")),
)
NO_LIMIT = ir.Num(0.0)
INDENT = "      "
"""Before what an `if` guards: further in than the rest of a wrapped line."""


def schedule_facts(program: ir.Ir, speaker: Speaker, step: ir.Step, name: str) -> tuple[Row, ...]:
    """What is declared of the engine `name`."""
    return tuple(_Engine(program, speaker, step, name).facts())


class _Engine:
    def __init__(self, program: ir.Ir, speaker: Speaker, step: ir.Step, name: str) -> None:
        self.program = program
        self.speaker = speaker
        self.step = step
        self.name = name

    def facts(self) -> Iterator[Row]:
        step, say = self.step, self.speaker
        budget = say.constant(step.budget, "stage", self.name, "budget")
        yield Row("budget", ("no limit" if budget == "inf" else f"{budget} tokens an iteration",))
        yield Row("schedule", tuple(self.schedule()))
        if not alike(step.chunk, NO_LIMIT):
            yield Row("chunk", (f"at most {say.constant(step.chunk, 'stage', self.name, 'chunk')} tokens",))
        if step.granule is not None:
            yield Row("granule", (f"{say.value(step.granule, 'stage', self.name, 'granule')} tokens",))
        states = program_registers(self.program, self.name)
        if states:
            yield Row("state", tuple([f"{r.name} = {say.expression(ir.Num(r.init))} at first" for r in states]))
        say.batch = True
        yield Row("iteration", (f"takes {seconds(say.constant(step.cost, 'stage', self.name, 'cost'))}",))
        for stall in step.stalls:
            label = self.program.stalls[stall.label]
            yield Row("stall", (f"{label}: {seconds(say.constant(stall.value, 'stage', self.name, 'stall', label))}",))
        say.batch = False

    def schedule(self) -> Iterator[str]:
        step = self.step
        if step.serve is None:
            yield "prefills alone while there are any, else decodes"
            yield "admit, if none was preempted"
        elif step.iteration is None:
            yield self.serve(ir.Serve(None, step.serve), (0,))
            yield "admit, if none was preempted"
        else:
            yield from self.statements(step.iteration, (), "")

    def statements(
        self, statements: tuple[ir.ScheduleStatement, ...], path: tuple[str | int, ...], indent: str
    ) -> Iterator[str]:
        for i, s in enumerate(statements):
            here = (*path, i)
            match s:
                case ir.Serve():
                    yield indent + self.serve(s, here)
                case ir.Admit():
                    yield indent + self.admit(s, here)
                case ir.SetRegister(register, value):
                    yield f"{indent}{self.program.registers[register].name} = {self.at(value, *here, 'value')}"
                case ir.ScheduleBranch(test, then, otherwise):
                    yield f"{indent}if {self.at(test, *here, 'test')}:"
                    yield from self.statements(then, (*here, "then"), indent + INDENT)
                    if otherwise:
                        yield f"{indent}else:"
                        yield from self.statements(otherwise, (*here, "otherwise"), indent + INDENT)

    def at(self, e: ir.Expr, *path: str | int) -> str:
        return self.speaker.at(e, "stage", self.name, "schedule", *path)

    def serve(self, s: ir.Serve, path: tuple[str | int, ...]) -> str:
        if not s.by:
            order = " in order of admission"
        elif alike(s.by, (DECODE_FIRST,)):
            order = ", decodes first"
        else:
            keys = ", ".join(self.at(key, *path, "by", i) for i, key in enumerate(s.by))
            order = f", least ({keys}) first"
        only = "" if s.only is None else f", only if {self.at(s.only, *path, 'only')}"
        return f"serve the running{order}{only}"

    def admit(self, s: ir.Admit, path: tuple[str | int, ...]) -> str:
        gate = ""
        if any(alike(s.gate, test) for test in NOTHING_PREEMPTED):
            gate = ", if none was preempted"
        elif s.gate is not None:
            gate = f", while {self.at(s.gate, *path, 'gate')}"
        only = "" if s.only is None else f"; serve at once only if {self.at(s.only, *path, 'only')}"
        return f"admit{gate}{only}"


def program_registers(program: ir.Ir, engine: str) -> list[ir.Register]:
    """The registers of an engine."""
    return [register for register in program.registers if program.stages[register.stage].name == engine]
