"""From the arrays of a finished run to its recording."""

from array import array
from typing import Any

import cython

from serq.ir.nodes import Claim, Ir
from serq.kernel.recording import (
    ChangePoints,
    ClaimRecord,
    GapBucket,
    GapRecord,
    GapRecords,
    OverCap,
    PoolRecord,
    Recording,
    Samples,
    StageRecord,
)

if not cython.compiled:
    from math import exp

    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.holds import H_COLUMNS, U_COLUMNS, fits, selected
    from serq.kernel.machine import MACHINE_AT, evaluate, round_up
    from serq.kernel.state import Sim

_NAN = float("nan")
_CLIENT = ("ttft", "tpot", "response")

GAP_LABELS = ("kernel", "prefill", "preempt", "recompute", "unserved", "blocked", "away")
"""Names of the parts of a gap, in the order of `codes.L_*`."""


def _average(sim: "Sim", signal: int) -> float:
    """Time average of a signal from the end of the warm-up to now; NaN over no time."""
    span = sim.now - sim.g_start
    area = sim.g_integral[signal] + sim.g_value[signal] * (sim.now - sim.g_last[signal])
    return area / span if span > 0.0 else _NAN


def _samples(sim: "Sim", names: list[str]) -> list[Samples]:
    """Split the log of samples by series."""
    return [_series(sim, name, number) for number, name in enumerate(names)]


def _series(sim: "Sim", name: str, series: int) -> Samples:
    """The samples of one series, in order of time."""
    n = 0
    for i in range(sim.n_samples):
        if sim.s_series[i] == series:
            n += 1
    zeros = bytes(8 * n)
    samples = Samples(name, array("d", zeros), array("d", zeros), array("q", zeros), array("q", zeros))
    if n == 0:
        return samples
    values = samples.values
    times = samples.times
    sessions = samples.sessions
    turns = samples.turns
    at = 0
    for i in range(sim.n_samples):
        if sim.s_series[i] == series:
            values[at] = sim.s_value[i]
            times[at] = sim.s_time[i]
            sessions[at] = sim.s_serial[i]
            turns[at] = sim.s_turn[i]
            at += 1
    return samples


def _quantile(buckets: list[tuple[int, int, float, float]], count: int, q: float) -> float:
    """The q-quantile of bucketed gaps: the middle of its bucket, clamped to the least and greatest seen there."""
    target = q * count
    rank = int(target)
    if rank < target:
        rank += 1
    rank = max(1, min(rank, count))
    for number, n, least, greatest in buckets:
        rank -= n
        if rank <= 0:
            middle = 0.0 if number < -(1 << 39) else exp((number + 0.5) * 0.009950330853168083)
            return min(max(middle, least), greatest)
    return _NAN


def _stage(sim: "Sim", program: Ir, stage: int) -> StageRecord:
    named = program.stages[stage]
    done = sim.st_done[stage]
    span = sim.now - sim.warmup
    figures: dict[str, Any] = dict(
        name=named.name,
        index=named.index,
        mean_number=_average(sim, 1 + 2 * stage),
        utilization=_average(sim, 2 + 2 * stage),
        completed=done,
        throughput=done / span if span > 0.0 else _NAN,
        mean_wait=sim.st_wait[stage] if done > 0 else _NAN,
        mean_service=sim.st_service[stage] if done > 0 else _NAN,
        iterations=0,
        prefill_only=0.0,
        decode_only=0.0,
        mixed=0.0,
        mean_decodes=0.0,
        mean_decode_batch=_NAN,
        mean_decode_step=_NAN,
        mean_itl=_NAN,
        itl_p50=_NAN,
        itl_p99=_NAN,
        idle_with_work=False,
    )
    if sim.st_kind[stage] == K_ENGINE:
        figures.update(_engine(sim, stage))
    return StageRecord(**figures)


def _engine(sim: "Sim", stage: int) -> dict[str, object]:
    first = sim.engine_signals + 4 * sim.eg_number[stage]
    decoded = sim.eg_decode_iterations[stage]
    gaps = sim.eg_gaps[stage]
    buckets = []
    for record in range(sim.n_buckets):
        if sim.b_engine[record] == stage and sim.b_count[record] > 0:
            buckets.append((sim.b_number[record], sim.b_count[record], sim.b_least[record], sim.b_greatest[record]))
    buckets.sort()
    step_sum = sim.eg_step_sum[stage] + sim.eg_step[stage] * sim.eg_step_count[stage]
    idle = sim.eg_busy[stage] == 0 and (sim.st_jobs[stage] > 0 or sim.eg_waiting[stage] > 0)
    return dict(
        iterations=sim.eg_iterations[stage],
        prefill_only=_average(sim, first),
        decode_only=_average(sim, first + 1),
        mixed=_average(sim, first + 2),
        mean_decodes=_average(sim, first + 3),
        mean_decode_batch=float(sim.eg_decode_total[stage]) / decoded if decoded > 0 else _NAN,
        mean_decode_step=step_sum / decoded if decoded > 0 else _NAN,
        mean_itl=sim.eg_gap_sum[stage] / gaps if gaps > 0 else _NAN,
        itl_p50=_quantile(buckets, gaps, 0.5) if gaps > 0 else _NAN,
        itl_p99=_quantile(buckets, gaps, 0.99) if gaps > 0 else _NAN,
        idle_with_work=bool(idle and sim.eg_starved[stage]),
    )


def _over_cap(sim: "Sim", program: Ir) -> dict[int, OverCap]:
    """Pools of which some queue's head asks more than their capacity, by pool; of several queues the first counts."""
    result: dict[int, OverCap] = {}
    for pool in range(sim.n_pools):
        if sim.p_waiting[pool] == 0:
            continue
        agent = selected(sim, pool)
        fits(sim, agent)
        row = sim.a_waiting[agent] * H_COLUMNS
        for i in range(sim.holds[row + 1]):
            held = (sim.holds[row] + i) * U_COLUMNS
            asked = sim.a_pools[agent * sim.max_held + i]
            need = evaluate(sim, agent, sim.held[held + 3], MACHINE_AT)
            if sim.held[held + 4] >= 0:
                need = max(need, evaluate(sim, agent, sim.held[held + 4], MACHINE_AT))
            if asked not in result and round_up(sim, asked, need) > sim.p_cap[asked]:
                named = program.pools[pool]
                name = named.name if named.index is None else f"{named.name}[{named.index}]"
                result[asked] = OverCap(name, need)
    return result


def _growing_stalled(sim: "Sim", pool: int) -> bool:
    """Whether every holder of a pool waits to grow in it."""
    if sim.p_growers[pool] == 0:
        return False
    entry = sim.p_entry_first[pool]
    while entry >= 0:
        growing = sim.a_growing[sim.e_agent[entry]]
        if growing < 0 or sim.e_pool[growing] != pool:
            return False
        entry = sim.e_after[entry]
    return True


def _pool(sim: "Sim", program: Ir, pool: int, over: dict[int, OverCap]) -> PoolRecord:
    named = program.pools[pool]
    first = sim.pool_signals + 4 * pool
    return PoolRecord(
        name=named.name,
        index=named.index,
        mean_used=_average(sim, first),
        mean_cached=_average(sim, first + 1),
        mean_queue=_average(sim, first + 2),
        mean_holders=_average(sim, first + 3),
        mean_wait=sim.p_wait[pool] if sim.p_waits[pool] > 0 else _NAN,
        admissions=sim.p_admissions[pool],
        evicted_entries=sim.p_evicted[pool],
        evicted_units=sim.p_evicted_units[pool],
        preemptions=sim.p_preemptions[pool],
        spills=sim.p_spills[pool],
        rejected=sim.p_rejected[pool],
        stuck=sim.p_stuck[pool],
        over_cap=over.get(pool),
        growing_at_end=sim.p_growers[pool],
        growing_stalled=_growing_stalled(sim, pool),
    )


def _aggregates(sim: "Sim") -> None:
    """Fill total, count, largest, smallest and the sum of ascending prefix sums of each observation."""
    series: list[list[float]] = [[] for _ in range(sim.n_observes)]
    for i in range(sim.n_all):
        series[sim.all_series[i]].append(sim.all_value[i])
    for observe in range(sim.n_observes):
        values = series[observe]
        total = 0.0
        for value in values:
            total += value
        prefix = 0.0
        prefixes = 0.0
        for value in sorted(values):
            prefix += value
            prefixes += prefix
        sim.aggregates[5 * observe] = total
        sim.aggregates[5 * observe + 1] = len(values)
        sim.aggregates[5 * observe + 2] = max(values) if values else _NAN
        sim.aggregates[5 * observe + 3] = min(values) if values else _NAN
        sim.aggregates[5 * observe + 4] = prefixes


def _claim(sim: "Sim", claim: Claim, number: int) -> ClaimRecord:
    kind = ("every_iteration", "some_iteration", "at_end")[sim.claims[4 * number]]
    scope = sim.claim_scope[number]
    if scope >= 0:
        note = f"session {scope} fails `given`"
        return ClaimRecord(claim.name, kind, "out_of_scope", 0, 0, None, note)
    if kind == "at_end":
        if sim.live > 0:
            note = f"{sim.live} sessions live at the end"
            return ClaimRecord(claim.name, kind, "not_evaluated", 0, 0, None, note)
        holds = evaluate(sim, -1, sim.claims[4 * number + 3], MACHINE_AT) != 0.0
        return ClaimRecord(
            claim.name, kind, "holds" if holds else "fails", 1, 0 if holds else 1, None if holds else sim.now, None
        )
    failures = sim.claim_failures[number]
    first = sim.claim_first[number] if sim.claim_first[number] >= 0.0 else None
    if kind == "every_iteration":
        result = "fails" if failures > 0 else "holds"
    else:
        result = "not_witnessed" if first is None else "witnessed"
    return ClaimRecord(claim.name, kind, result, sim.claim_checked[number], failures, first, None)


def _deadlock_pool(sim: "Sim", program: Ir) -> tuple[str, int] | None:
    if sim.deadlocked == 0:
        return None
    return program.pools[sim.deadlock_pool].name, sim.p_holders[sim.deadlock_pool]


def recording_of(sim: "Sim", program: Ir) -> Recording:
    """The recording of a run that has ended."""
    samples = _samples(sim, [*program.observes, *_CLIENT])
    points = [ChangePoints(gauge.name, array("d"), array("d")) for gauge in program.gauges]
    for i in range(sim.n_points):
        one = points[sim.pt_gauge[i]]
        one.times.append(sim.pt_time[i])
        one.values.append(sim.pt_value[i])
    if sim.n_claims > 0:
        _aggregates(sim)
    over = _over_cap(sim, program)
    return Recording(
        end=sim.now,
        events=sim.events,
        arrivals=sim.arrivals,
        ended=sim.ended,
        turns=sim.turns,
        mean_live=_average(sim, 0),
        live=sim.live,
        observes=tuple(samples[: sim.n_observes]),
        client=tuple(samples[sim.n_observes :]),
        gauges=tuple(points),
        claims=tuple([_claim(sim, claim, number) for number, claim in enumerate(program.claims)]),
        stages=tuple([_stage(sim, program, stage) for stage in range(sim.n_stages)]),
        pools=tuple([_pool(sim, program, pool, over) for pool in range(sim.n_pools)]),
        deadlocked=sim.deadlocked,
        deadlock_pool=_deadlock_pool(sim, program),
        gaps=_gaps(sim, program) if sim.split else None,
    )


def _gaps(sim: "Sim", program: Ir) -> GapRecords:
    labels = (*GAP_LABELS, *program.stalls)
    engines = [stage for stage in range(sim.n_stages) if sim.st_kind[stage] == K_ENGINE]
    buckets: dict[int, list[GapBucket]] = {stage: [] for stage in engines}
    for record in range(sim.n_buckets):
        if sim.b_count[record] > 0:
            buckets[sim.b_engine[record]].append(_gap_bucket(sim, record))
    records = []
    for stage in engines:
        named = program.stages[stage]
        context = tuple([sim.context[stage * sim.n_labels + label] for label in range(sim.n_labels)])
        records.append(GapRecord(named.name, named.index, tuple(sorted(buckets[stage])), context))
    return GapRecords(labels, tuple(records), sim.split_error)


def _gap_bucket(sim: "Sim", record: int) -> GapBucket:
    base = record * sim.n_labels
    return GapBucket(
        number=sim.b_number[record],
        count=sim.b_count[record],
        least=sim.b_least[record],
        greatest=sim.b_greatest[record],
        total=sim.b_sum[record],
        parts=tuple([sim.b_parts[base + label] for label in range(sim.n_labels)]),
        causes=tuple([sim.b_cause[base + label] for label in range(sim.n_labels)]),
        edge=sim.b_edge[record],
        above=tuple([sim.b_above[base + label] for label in range(sim.n_labels)]),
    )
