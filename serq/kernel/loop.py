"""The event loop: what happens first at one instant is decided here (docs/semantics/time.md tells it).

`settle` brings an instant to rest after each event: ready agents run and pools admit until nothing changes, then, if no
other event is due at this very instant, idle engines plan iterations and shared stages reschedule, in order of
declaration. Then the clock moves to the next event.
"""

import cython

if not cython.compiled:
    from serq.kernel.checks import verify
    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.deadlock import find_deadlock
    from serq.kernel.engine import attempt, darken, end_iteration, glide
    from serq.kernel.events import next_time, pop_event, push_event
    from serq.kernel.figures import restart_signals
    from serq.kernel.flows import flow_event, reschedule_flows
    from serq.kernel.growth import try_pools
    from serq.kernel.holds import end_lease
    from serq.kernel.machine import evaluate
    from serq.kernel.memory import more_doubles, more_longs
    from serq.kernel.numbers import order
    from serq.kernel.sessions import create_session, run_ready
    from serq.kernel.stages import finish_event, reschedule
    from serq.kernel.state import Sim
    from serq.kernel.streams import draw_gap

    ARRIVAL_AT = 0


def settle(sim: "Sim") -> None:
    """Bring the instant to rest."""
    while not sim.fault:
        while not sim.fault:
            run_ready(sim)
            try_pools(sim)
            if sim.ready_first == sim.ready_last:
                break
        if sim.n_candidates > 0 or sim.n_changed > 0:
            _visit_stages(sim)
        if sim.fl_changed:
            reschedule_flows(sim)
        if sim.ready_first == sim.ready_last:
            break
    if sim.n_dim > 0 and next_time(sim) > sim.now:
        while sim.n_dim > 0:
            sim.n_dim -= 1
            engine = sim.dim[sim.n_dim]
            sim.eg_dim[engine] = 0
            if sim.eg_busy[engine] == 0 and sim.eg_lit[engine] != 0:
                darken(sim, engine)


def _visit_stages(sim: "Sim") -> None:
    """Let idle engines with work attempt an iteration, and shared stages whose jobs changed reschedule, in order."""
    quiet = next_time(sim) > sim.now
    word = _next_word(sim, 0)
    while word >= 0:
        bit = 0
        while bit < 32 and (sim.due[word] >> bit) != 0 and not sim.fault:
            # Read anew each time: an earlier engine's newcomers may call a later one at this instant.
            if (sim.due[word] >> bit) & 1:
                stage = 32 * word + bit
                if sim.st_kind[stage] != K_ENGINE:
                    reschedule(sim, stage)
                elif quiet and sim.eg_candidate[stage]:
                    attempt(sim, stage)
            bit += 1
        word = -1 if sim.fault else _next_word(sim, word + 1)


def _next_word(sim: "Sim", word: int) -> int:
    """The first word of the bit set `due`, from `word` on, in which a bit is set; -1 without."""
    while word < sim.due_words:
        rest = sim.due_of[word >> 5] >> (word & 31)
        if rest == 0:
            word = (word | 31) + 1
        else:
            while not rest & 1:
                rest >>= 1
                word += 1
            return word
    return -1


def _handle(sim: "Sim", event: int) -> None:
    kind = sim.ev_kind[event]
    a = sim.ev_a[event]
    b = sim.ev_b[event]
    if kind == E_ITERATION:
        end_iteration(sim, a)
    elif kind == E_FINISH:
        finish_event(sim, a, b)
    elif kind == E_ARRIVAL:
        if sim.arrivals_limit == 0 or sim.arrivals < sim.arrivals_limit - 1:
            _schedule_arrival(sim)
        create_session(sim)
    elif kind == E_WARM:
        sim.warm = 1
        restart_signals(sim)
    elif kind == E_LEASE:
        if sim.e_stamp[a] == b:
            end_lease(sim, a)
            try_pools(sim)
    else:
        flow_event(sim, a, b)


def _schedule_arrival(sim: "Sim") -> None:
    """Draw the next gap and schedule the arrival after it."""
    if sim.arrival == 1:
        gap = draw_gap(sim.streams, ARRIVAL_AT, sim.arrival_rate)
    else:
        gap = evaluate(sim, -1, sim.arrival_gap, ARRIVAL_AT)
        if not (gap > 0.0 and gap < sim.infinity):
            sim.fault = F_GAP
            sim.fault_value = gap
            return
    push_event(sim, sim.now + gap, E_ARRIVAL, 0, 0)


def read_gauges(sim: "Sim") -> None:
    """Note the gauges whose value differs from their last one."""
    for gauge in range(sim.n_gauges):
        value = evaluate(sim, -1, sim.gauges[gauge], 28)
        if sim.gauge_read[gauge] and order(value) == order(sim.gauge_value[gauge]):
            continue
        sim.gauge_read[gauge] = 1
        sim.gauge_value[gauge] = value
        at = sim.n_points
        if at == sim.point_room:
            sim.pt_gauge = more_longs(sim.pt_gauge, at, 2 * at)
            sim.pt_time = more_doubles(sim.pt_time, at, 2 * at)
            sim.pt_value = more_doubles(sim.pt_value, at, 2 * at)
            sim.point_room = 2 * at
        sim.pt_gauge[at] = gauge
        sim.pt_time[at] = sim.now
        sim.pt_value[at] = value
        sim.n_points = at + 1


def begin(sim: "Sim") -> None:
    """Schedule the end of the warm-up and the first arrival, or create the sessions of time 0; settle."""
    sim.now = 0.0
    if sim.warmup > 0.0:
        push_event(sim, sim.warmup, E_WARM, 0, 0)
    else:
        sim.warm = 1
    if sim.arrival == 1:
        push_event(sim, 0.0, E_ARRIVAL, 0, 0)
    elif sim.arrival == 2:
        _schedule_arrival(sim)
    elif sim.arrival >= 3:
        count = sim.arrival_count
        for _ in range(count):
            create_session(sim)
    settle(sim)


def simulate_events(sim: "Sim") -> None:
    """Take events in order until the horizon, or until the last of a given number of sessions has ended.

    Where every gap is kept, it comes back before that to have them taken (`sim.drain`), and is called again.
    """
    checked = sim.checked
    beat = 0
    while sim.heap_size > 0 and not sim.fault and not sim.drain:
        if sim.arrivals_limit > 0 and sim.arrivals >= sim.arrivals_limit and sim.live == 0:
            break
        time = next_time(sim)
        if time > sim.horizon:
            break
        if time > sim.now and sim.n_gauges > 0:
            read_gauges(sim)
        sim.now = time
        sim.registers[NOW] = time
        sim.events += 1
        glided = glide(sim) if sim.forward and sim.ev_kind[sim.heap[0]] == E_ITERATION else 0
        if glided == 0:
            _handle(sim, pop_event(sim))
        if glided != 1:
            settle(sim)
        if checked:
            verify(sim)
        beat += 1
        if (beat & 4095) == 0:
            sim.progress.now = sim.now
            sim.progress.events = sim.events
            if sim.progress.stop:
                sim.fault = F_STOPPED
    if sim.progress.stop and not sim.fault:
        sim.fault = F_STOPPED


def finish(sim: "Sim") -> None:
    """The last reading of the gauges, the tests of the arrivals limit, the end of time."""
    read_gauges(sim)
    if sim.live > 0:
        find_deadlock(sim)
    if sim.fault:
        return
    if sim.arrivals_limit > 0:
        if sim.arrivals < sim.arrivals_limit:
            sim.fault = F_ARRIVALS_MISSING
        elif sim.live > 0:
            sim.fault = F_ARRIVALS_LIVE
        elif sim.now <= sim.warmup:
            sim.fault = F_ARRIVALS_WARMUP
    else:
        sim.now = sim.horizon
        sim.registers[NOW] = sim.now
