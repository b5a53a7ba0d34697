"""Faults of a run in words: one table from the kernel's codes to sentences."""

from __future__ import annotations

from serq.diagnostics import Diagnostic
from serq.ir.nodes import Ir
from serq.kernel import codes as c

_LAWS = {
    1: "the units used in pool {place} are not those of its holders",
    2: "the units cached in pool {place} are not those of its entries",
    3: "the holders of pool {place} are miscounted",
    4: "the queue of pool {place} is miscounted",
    5: "the jobs of stage {place} are miscounted",
    6: "the decodes of stage {place} are miscounted",
    7: "a run of stage {place} is out of step with its session",
    8: "rows were lost (kind {place})",
}


def _number(value: float) -> str:
    return f"{value:.15g}"


def describe_fault(
    program: Ir, fault: int, now: float, value: float, count: int, agent: int, arrivals: int, live: int
) -> Diagnostic:
    """The diagnostic of a fault.

    Args:
        fault: `codes.F_*`.
        now: simulated time at which the run stopped.
        value, count, agent: what the fault is about; see the table.
        arrivals, live: sessions that have arrived, and that are live.
    """
    at = f"at time {_number(now)}"
    wanted = program.arrivals or 0
    message, hint = {
        c.F_GUARD: (
            f"the test of a `branch` or `while` is {_number(value)} {at}, not 0 or 1",
            "compare: x != 0",
        ),
        c.F_INDEX: (f"index {_number(value)} names none of the {count} members of a family {at}", None),
        c.F_AMOUNT: (f"an amount is {_number(value)} {at}; it must not be negative or NaN", "bound it: max(0, x)"),
        c.F_CHOOSE: (
            f"`choose` has {_number(value)} candidates {at}; that must be a whole number from 0",
            None,
        ),
        c.F_GAP: (f"a gap between arrivals is {_number(value)} {at}; it must be positive and finite", None),
        c.F_LOAD: (
            f"`load` goes beyond what the hold has allocated in pool `{_pool(program, value)}` {at}",
            "grow the hold first",
        ),
        c.F_GROW: (
            f"a session grows pool `{_pool(program, value)}` {at}, which it neither holds nor leases",
            None,
        ),
        c.F_MEMBER: (f"two indices of one hold name the same member of a pool family {at}", None),
        c.F_ACTIVATIONS: (
            f"session {agent} was made ready more than 1000 times {at}: it goes round without time passing",
            "let every pass through its loop take time",
        ),
        c.F_COST: (
            f"`execute` of engine `{_stage(program, agent)}` gives {_number(value)} seconds for {count} tokens {at}",
            "add a constant part to the cost, and bound it from below: max(0.001, x)",
        ),
        c.F_GATE: (f"a guard of a schedule is {_number(value)} {at}; it must be 0 or 1", "compare: x != 0"),
        c.F_INSTANT: (
            f"more than a million sessions were created {at}: each ends at once and `closed` replaces it",
            "let every session take time",
        ),
        c.F_STATEMENTS: (f"session {agent} executed ten million statements {at} without waiting for anything", None),
        c.F_LEGS: (f"a session ended {at} while a leg that it forked still runs", "put `join;` before the end"),
        c.F_JOIN_CYCLE: (
            f"the run ends in a deadlock: session {agent} waits at `join;` for legs that never end"
            + (
                f", since pool `{_pool(program, value)}` is full and those that hold it wait as well ({count})"
                if value >= 0
                else ""
            ),
            "a leg must not need what its session holds at `join;`",
        ),
        c.F_LENGTH: (
            f"a prefix has the key or length {_number(value)} {at}; neither may be NaN, no length negative",
            None,
        ),
        c.F_ARRIVALS_MISSING: (
            f"{arrivals} of the {wanted} sessions asked for have arrived by the horizon",
            "raise the horizon",
        ),
        c.F_ARRIVALS_LIVE: (f"{live} of the {wanted} sessions are still live at the horizon", "raise the horizon"),
        c.F_ARRIVALS_WARMUP: ("the last session ended before the warm-up did", "shorten the warm-up"),
        c.F_LIVELOCK: (
            f"the run makes no progress {at}: requests are admitted and preempted again and again without a token",
            "admit only while nothing was preempted: while (running.preempted == 0)",
        ),
        c.F_STALL: (
            f"stall `{_stall(program, count)}` of engine `{_stage(program, agent)}` is {_number(value)} seconds {at}",
            "a stall must be finite and not negative: max(0, x)",
        ),
        c.F_INVARIANT: (f"internal error {at}: {_law(value, agent)}", "please report it"),
    }[fault]
    return Diagnostic("run", message, hint=hint)


def _law(number: float, place: int) -> str:
    return _LAWS[int(number)].format(place=place) if number in _LAWS else ""


def _pool(program: Ir, number: float) -> str:
    return program.pools[int(number)].name if 0 <= number < len(program.pools) else ""


def _stall(program: Ir, label: int) -> str:
    return program.stalls[label] if 0 <= label < len(program.stalls) else ""


def _stage(program: Ir, number: int) -> str:
    return program.stages[number].name if 0 <= number < len(program.stages) else ""
