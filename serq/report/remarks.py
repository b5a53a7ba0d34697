"""Remarks: what a reader of the figures must know, and the figures alone do not say.

In: a `Report`. Out: `Remark`s, each with what happened, where, how many, and what to do. `CHECKS` is their order;
`FAULTS` lists the kinds that make a run fail under `--strict`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from serq.report.tables import fixed, member, plain
from serq.results.estimators import MIN_SAMPLES_FOR_INTERVAL

if TYPE_CHECKING:
    from serq.results.report import Claim, Observe, Report

WIDE_INTERVAL = 0.1
"""Half-width over mean from which an interval says too little."""

FAULTS = (
    "stuck",
    "rejected",
    "over-cap",
    "growth-stalled",
    "deadlock",
    "idle-with-work",
    "no-turn-finished",
    "claim",
)
"""Kinds of remarks for which `--strict` makes a run fail: the system as modelled did not serve what it was given.

The other kinds (`never-executed`, `few-samples`, `wide-interval`) tell how far figures can be trusted.
"""


class Remark(NamedTuple):
    """One remark.

    Attributes:
        kind: what it is about; one of `FAULTS`, or a kind that is no fault.
        message: what happened, where and how many.
        advice: what to do about it.
    """

    kind: str
    message: str
    advice: str

    @property
    def is_fault(self) -> bool:
        return self.kind in FAULTS

    @property
    def line(self) -> str:
        """The remark as it is printed."""
        return f"{'fault' if self.is_fault else 'note'}: {self.message}; {self.advice}"


def remarks(report: Report) -> list[Remark]:
    """All remarks on a report, in the order of `CHECKS`; none if there is nothing to be told."""
    return [remark for check in CHECKS for remark in check(report)]


def stuck(report: Report) -> Iterator[Remark]:
    for pool in report.pools:
        if pool.stuck:
            yield Remark(
                "stuck",
                f"pool {member(pool)}: {amount(pool.stuck, 'session')} stuck, preempted again before passing the "
                "position of the preemption before",
                "give it more capacity, or admit fewer requests at a time",
            )


def rejected(report: Report) -> Iterator[Remark]:
    for pool in report.pools:
        if pool.rejected:
            yield Remark(
                "rejected",
                f"pool {member(pool)}: {amount(pool.rejected, 'session')} rejected, each having asked for more than "
                "the capacity",
                "raise `cap`, or keep requests shorter",
            )


def over_cap(report: Report) -> Iterator[Remark]:
    for pool in report.pools:
        if pool.over_cap is not None:
            queue, need = pool.over_cap
            yield Remark(
                "over-cap",
                f"pool {member(pool)}: at the end the head of the queue of {queue} asks for {plain(need)} units, more "
                "than the capacity, and blocks those behind it",
                "raise `cap`, or ask for less at admission",
            )


def growth_stalled(report: Report) -> Iterator[Remark]:
    for pool in report.pools:
        if pool.growing_stalled:
            yield Remark(
                "growth-stalled",
                f"pool {member(pool)}: at the end all its holders, {pool.growing_at_end} in number, wait for it to "
                "grow, and none gives way",
                "give it a `preempt` rule, or hold back units with `reserve`",
            )


def idle_with_work(report: Report) -> Iterator[Remark]:
    for stage in report.stages:
        if stage.idle_with_work:
            yield Remark(
                "idle-with-work",
                f"engine {member(stage)}: idle at the end although requests are running or waiting, because its "
                "schedule serves none of them",
                "look at its `schedule`, its `tokens cap` and what an admission takes",
            )


def deadlock(report: Report) -> Iterator[Remark]:
    if report.deadlock_pool is not None:
        pool, holders = report.deadlock_pool
        yield Remark(
            "deadlock",
            f"pool `{pool}`: deadlock, {amount(report.deadlocked, 'session')} would wait for ever, among them all that "
            f"hold it ({holders})",
            "take pools in one order everywhere, or let `preempt` break the circle",
        )


def no_turn_finished(report: Report) -> Iterator[Remark]:
    if report.client["response"].count == 0 and report.arrivals > 0:
        yield Remark(
            "no-turn-finished",
            f"client: no turn finished after the warm-up, {report.turns} begun, {amount(report.arrivals, 'session')} "
            "arrived",
            "look for what the turns wait for, or lengthen `--horizon`",
        )


def failed_claims(report: Report) -> Iterator[Remark]:
    for claim in report.claims.values():
        if claim.result in ("fails", "not_witnessed"):
            yield Remark("claim", claim_message(claim), "the model does not do what it claims")


def claim_message(claim: Claim) -> str:
    if claim.result == "not_witnessed":
        return f"claim {claim.name}: not witnessed in {amount(claim.checked, 'iteration')}"
    if claim.kind == "at_end":
        return f"claim {claim.name}: fails at the end of the run"
    first = "" if claim.first is None else f", first at {plain(claim.first)}"
    return f"claim {claim.name}: fails in {claim.failures} of {amount(claim.checked, 'iteration')}{first}"


def never_executed(report: Report) -> Iterator[Remark]:
    names = [observe.name for observe in report.observes.values() if observe.count == 0]
    if names:
        yield Remark(
            "never-executed",
            f"observe {', '.join(names)}: never executed{' after the warm-up' if report.warmup > 0.0 else ''}",
            "look at the branches that lead there, or lengthen `--horizon`",
        )


def few_samples(report: Report) -> Iterator[Remark]:
    few = [f"{o.name} ({o.count})" for o in sampled(report) if 0 < o.count < MIN_SAMPLES_FOR_INTERVAL]
    if few:
        yield Remark(
            "few-samples",
            f"{', '.join(few)}: fewer than {MIN_SAMPLES_FOR_INTERVAL} samples, so no interval",
            "lengthen `--horizon`",
        )


def wide_interval(report: Report) -> Iterator[Remark]:
    figures = [(o.name, o.mean, o.ci) for o in sampled(report)]
    figures += [(g.name, g.mean, g.ci) for g in report.gauges.values()]
    wide = [
        f"{name} (±{percent(ci, mean)})"
        for name, mean, ci in figures
        if isfinite(ci) and ci > WIDE_INTERVAL * abs(mean)
    ]
    if wide:
        yield Remark(
            "wide-interval",
            f"{', '.join(wide)}: interval wider than {percent(WIDE_INTERVAL, 1.0)} of the mean",
            "lengthen `--horizon`",
        )


CHECKS: tuple[Callable[[Report], Iterator[Remark]], ...] = (
    stuck,
    rejected,
    over_cap,
    growth_stalled,
    deadlock,
    idle_with_work,
    no_turn_finished,
    failed_claims,
    never_executed,
    few_samples,
    wide_interval,
)
"""Everything that is looked for, in the order in which it is told."""


def sampled(report: Report) -> list[Observe]:
    """Observations and client figures."""
    return [*report.observes.values(), *report.client.values()]


def amount(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def percent(part: float, whole: float) -> str:
    """`part` as a share of `whole`, in percent without decimals."""
    return f"{fixed(100.0 * part / abs(whole), 0) if whole else 'inf'} %"
