"""The state of a run: every array and counter of the simulation, in one object that the rooms share.

Arrays are parallel, one family a prefix:

    a_ token_ turn_   agents: sessions and their legs; attributes in `attrs`, streams in `streams`
    h_ e_ m_          hold records, their entries (one a pool), remembered places of preemption
    n_                cache entries
    j_ f_             jobs, the further stages of flows
    ev_               events; `heap` orders them
    p_ st_ eg_        pools, stages, engines (by stage number)
    g_ s_ b_ pt_      signals, samples, buckets of inter-token gaps, change points of gauges
    ga_ k_            what an agent's gap consists of so far, gaps kept as rows

Rows that come and go are chained into free lists. Nothing here behaves; sizes only grow.
"""

import cython

from serq.kernel.progress import Progress
from serq.kernel.recording import GAP_EDGES, KEPT_AT_ONCE
from serq.kernel.tables import Tables

if not cython.compiled:
    from math import log1p

    from serq.kernel.codes import *  # noqa: F403
    from serq.kernel.memory import doubles, longs, more_doubles, more_longs, release, words
    from serq.kernel.streams import (
        STALL_STREAM,
        STREAM_WORDS,
        eviction_seed,
        machine_seed,
        seed_stream,
        substream_seed,
        trace_seed,
    )

    # The numbers of state.pxd: the compiled class has them from the start, as zeros.
    _COUNTERS = (
        "a_free admissions agent_room all_room arrival arrival_count arrival_gap arrivals arrivals_limit births "
        "bucket_room bucket_slots checked deaths due_words e_free empty_plans ended engine_signals entry_room "
        "drain ev_count ev_free ev_room events f_free fault fault_agent fault_count fl_changed fl_first fl_last "
        "fl_stamp forward h_free has_prefix heap_size hold_room init_block j_free job_room judge_given keep "
        "keep_room link_room n_kept deadlocked deadlock_pool estimates chain_room ch_free pin_room pn_free "
        "nodes_used tree_buckets live live_entries live_jobs live_nodes m_free max_held max_keys max_segments "
        "memory_room misfit misfit_held n_all n_buckets n_candidates n_changed n_claims n_corpus n_dim n_engines "
        "n_gauges n_growers n_observes n_points n_pools n_samples n_signals n_stages n_waiting node_room "
        "out_of_scope plan_admitted plan_preempted plan_refused planning point_room pool_signals preset "
        "ready_first ready_last n_labels n_stalls ready_room releases sample_room snapshot snapshots sort_room "
        "spilling split stamps start steady_cause trace_ordered turn_block turns visits warm width "
    )
    _AMOUNTS = (
        "arrival_rate births_at empty_at fault_value fl_updated g_start horizon infinity log_ratio now plan_chunk "
        "plan_left plan_other plan_prefilled plan_whole split_error warmup "
    )


def _filled(n: int, value: int) -> list[int]:
    array = longs(n)
    for i in range(n):
        array[i] = value
    return array


def _chain(n: int) -> list[int]:
    """A free list over n rows."""
    array = longs(n)
    for i in range(n):
        array[i] = i + 1 if i + 1 < n else -1
    return array


def _ints(values: list[int]) -> list[int]:
    array = longs(len(values))
    for i in range(len(values)):
        array[i] = values[i]
    return array


def _floats(values: list[float]) -> list[float]:
    array = doubles(len(values))
    for i in range(len(values)):
        array[i] = values[i]
    return array


class Sim:
    """A run that has not begun; `loop` moves it.

    Args:
        tables: the program.
        seed: of all random streams, 0 to 2^64 - 1.
        horizon, warmup: simulated seconds.
        arrivals: sessions after which the run ends; 0: no limit.
        progress: read by other threads while the run goes on.
    """

    def __init__(
        self, tables: Tables, seed: int, horizon: float, warmup: float, arrivals: int, progress: Progress
    ) -> None:
        if not cython.compiled:
            for name in _COUNTERS.split():
                setattr(self, name, 0)
            for name in _AMOUNTS.split():
                setattr(self, name, 0.0)
        self.progress = progress
        self.infinity = float("inf")
        self.log_ratio = log1p(0.01)
        self.seed = seed
        self.horizon = horizon
        self.warmup = warmup
        self.arrivals_limit = arrivals
        self.forward = 1
        self.planning = -1
        self.snapshot = -1
        self.births_at = -1.0
        self.empty_at = -1.0
        self._load_program(tables)
        self._make_agents(16)
        self._make_holds(16)
        self._make_cache(16)
        self._make_jobs(16)
        self._make_events(16)
        self._make_pools(tables)
        self._make_stages(tables)
        self._make_figures(tables)
        self._make_stalls(tables)
        seed_stream(self.streams, 0, seed)
        seed_stream(self.streams, 28, machine_seed(seed))
        seed_stream(self.streams, 56, eviction_seed(seed))
        seed_stream(self.streams, 84, trace_seed(seed))

    def set_corpus(self, firsts: list[int], values: list[float], ordered: bool) -> None:
        """Give sessions the turns of a trace: `firsts` has the first row of each corpus session and the number of rows,
        `values` four numbers a row (new, out, think, forced)."""
        self.corpus_first = _ints(firsts)
        self.corpus = _floats(values)
        self.n_corpus = len(firsts) - 1
        self.trace_ordered = ordered

    def set_presets(self, counts: list[int], slots: list[int], values: list[float]) -> None:
        """Give the sessions of time 0 attributes: how many each, their slots and values in order."""
        firsts = []
        total = 0
        for count in counts:
            firsts.append(total)
            total += count
        self.preset = 1
        self.preset_first = _ints(firsts)
        self.preset_count = _ints(counts)
        self.preset_slot = _ints(slots)
        self.preset_value = _floats(values)

    def _load_program(self, tables: Tables) -> None:
        self.code = _ints(tables.code)
        self.registers = _floats(tables.registers)
        self.x_start = _ints(tables.x_start)
        self.x_result = _ints(tables.x_result)
        self.x_reads = _ints(tables.x_reads)
        self.statements = _ints(tables.statements)
        self.holds = _ints(tables.holds)
        self.held = _ints(tables.held)
        self.segments = _ints(tables.segments)
        self.runs = _ints(tables.runs)
        self.also = _ints(tables.also)
        self.keys = _ints(tables.keys)
        self.schedule = _ints(tables.schedule)
        self.gauges = _ints(tables.gauges)
        self.claims = _ints(tables.claims)
        self.engine_registers = _floats(tables.engine_registers)
        self.saved_registers = doubles(len(tables.engine_registers))
        self.start = tables.start
        self.init_block = tables.init
        self.turn_block = tables.turn
        self.width = tables.n_attrs
        self.n_observes = tables.n_observes
        self.arrival = tables.arrival
        self.arrival_count = tables.arrival_count
        self.arrival_rate = tables.arrival_rate
        self.arrival_gap = tables.arrival_gap
        self.snapshots = tables.snapshots
        self.has_prefix = tables.has_prefix
        self.estimates = tables.estimates
        self.max_held = max([1] + tables.holds[1::11])
        self.max_segments = max([1] + tables.holds[3::11])
        self.need_units = doubles(self.max_held)
        self.need_reserve = doubles(self.max_held)
        self.max_keys = max(1, len(tables.keys))
        self.best_keys = doubles(self.max_keys)
        self.trial_keys = doubles(self.max_keys)
        self.choose_keys = doubles(self.max_keys)

    def _make_agents(self, n: int) -> None:
        self.agent_room = n
        self.a_free = 0
        self.ready_first = 0
        self.ready_last = 0
        self.ready_room = 64
        self.ready_agent = longs(64)
        self.ready_birth = longs(64)
        self.a_next = _chain(n)
        self.a_state = longs(n)
        self.a_pc = longs(n)
        self.a_serial = longs(n)
        self.a_turns = longs(n)
        self.a_root = longs(n)
        self.a_leg = longs(n)
        self.a_legs = longs(n)
        self.a_forks = longs(n)
        self.a_hold = longs(n)
        self.a_entry = longs(n)
        self.a_node = longs(n)
        self.a_job = longs(n)
        self.a_queue = longs(n)
        self.a_waiting = longs(n)
        self.a_previous = longs(n)
        self.a_marked = longs(n)
        self.a_growing = longs(n)
        self.a_grower_next = longs(n)
        self.a_memory = longs(n)
        self.a_chain = longs(n)
        self.a_admission = longs(n)
        self.a_stuck = longs(n)
        self.a_doomed = longs(n)
        self.a_ready_count = longs(n)
        self.a_birth = longs(n)
        self.a_corpus = longs(n)
        self.a_pools = longs(n * self.max_held)
        self.a_ready_at = doubles(n)
        self.a_queued_at = doubles(n)
        self.a_growth = doubles(n)
        self.token_seen = longs(n)
        self.token_decoded = longs(n)
        self.token_preempted = longs(n)
        self.token_stage = longs(n)
        self.token_time = doubles(n)
        self.token_turn = doubles(n)
        self.turn_open = longs(n)
        self.turn_first = longs(n)
        self.turn_tokens = longs(n)
        self.turn_start = doubles(n)
        self.turn_first_time = doubles(n)
        self.attrs = doubles(n * self.width)
        self.streams = words(112 + 56 * n)

    def _make_holds(self, n: int) -> None:
        self.hold_room = n
        self.h_free = 0
        self.h_outer = _chain(n)
        self.h_statement = longs(n)
        self.h_pc = longs(n)
        self.h_grown = longs(n)
        self.h_first = longs(n)
        self.h_chain = longs(n)
        self.entry_room = n
        self.e_free = 0
        self.e_next = _chain(n)
        self.e_pool = longs(n)
        self.e_agent = longs(n)
        self.e_hold = longs(n)
        self.e_statement = longs(n)
        self.e_alloc = doubles(n)
        self.e_pos = doubles(n)
        self.e_reserved = doubles(n)
        self.e_shared = doubles(n)
        self.e_fragment = doubles(n)
        self.e_sibling = longs(n)
        self.e_before = longs(n)
        self.e_after = longs(n)
        self.e_lease = longs(n)
        self.e_stamp = _filled(n, -1)
        self.e_chain = longs(n)
        self.e_pin = longs(n)
        self.e_slot = longs(n)
        self.e_reader = longs(n)
        self.memory_room = n
        self.m_free = 0
        self.m_next = _chain(n)
        self.m_pool = longs(n)
        self.m_pos = doubles(n)

    def _make_cache(self, n: int) -> None:
        self.node_room = n
        self.n_owned = longs(n)
        self.n_pool = longs(n)
        self.n_size = doubles(n)
        self.n_last = doubles(n)
        self.n_release = longs(n)
        self.n_dead = longs(n)
        self.n_owner = longs(n)
        self.n_serial = longs(n)
        self.n_before = longs(n)
        self.n_after = longs(n)
        self.n_listed = longs(n)
        self.n_attrs = doubles(n * self.width)
        # The prefix tree.
        self.n_pins = longs(n)
        self.n_taken = longs(n)
        self.n_space = longs(n)
        self.n_key = doubles(n)
        self.n_begin = doubles(n)
        self.n_up = longs(n)
        self.n_end = longs(n)
        for i in range(n):
            self.n_end[i] = i
        self.n_link = longs(n)
        self.end_cont = _filled(n, -1)
        self.end_kids = longs(n)
        self.tree_buckets = 4 * n
        self.tree_bucket = _filled(4 * n, -1)
        self.pin_room = n
        self.pn_free = 0
        self.pn_next = _chain(n)
        self.pn_node = longs(n)
        self.chain_room = n
        self.ch_free = 0
        self.ch_refs = _chain(n)
        self.ch_count = longs(n)
        self.ch_space = longs(n * self.max_segments)
        self.ch_key = doubles(n * self.max_segments)
        self.ch_length = doubles(n * self.max_segments)

    def _make_jobs(self, n: int) -> None:
        self.job_room = n
        self.j_free = 0
        self.j_next = _chain(n)
        self.j_previous = longs(n)
        self.j_stage = longs(n)
        self.j_agent = longs(n)
        self.j_mode = longs(n)
        self.j_work = doubles(n)
        self.j_total = doubles(n)
        self.j_base = doubles(n)
        self.j_joined = doubles(n)
        self.j_started = doubles(n)
        self.j_tag = doubles(n)
        self.j_rate = doubles(n)
        self.j_tokens = doubles(n)
        self.j_stamp = _filled(n, -1)
        self.j_loose_previous = longs(n)
        self.j_loose_next = longs(n)
        self.j_ring_previous = longs(n)
        self.j_ring_next = longs(n)
        self.j_due = longs(n)
        self.j_finish = longs(n)
        self.j_tick = longs(n)
        self.j_fleet = longs(n)
        self.j_entry = longs(n)
        self.j_seen = longs(n)
        self.j_batch = longs(n)
        self.j_batch_next = longs(n)
        self.j_stalled = longs(n)
        self.j_also = longs(n)
        self.link_room = n
        self.f_free = 0
        self.f_next = _chain(n)
        self.f_stage = longs(n)
        self.fl_first = -1
        self.fl_last = -1
        self.sort_room = n
        self.sort_job = longs(n)
        self.sort_stamp = longs(n)
        self.sort_order = longs(n)
        self.sort_spare = longs(n)
        self.sort_key = longs(n * self.max_keys)

    def _make_events(self, n: int) -> None:
        self.ev_room = n
        self.ev_free = 0
        self.ev_next = _chain(n)
        self.ev_time = doubles(n)
        self.ev_sequence = longs(n)
        self.ev_kind = longs(n)
        self.ev_a = longs(n)
        self.ev_b = longs(n)
        self.heap = longs(n)

    def _make_pools(self, tables: Tables) -> None:
        n = len(tables.pool_cap)
        rows = tables.pools
        self.n_pools = n
        self.p_cap = _floats(tables.pool_cap)
        self.p_block = _floats(tables.pool_block)
        self.p_evict_first = _ints(rows[0::16])
        self.p_evict_keys = _ints(rows[1::16])
        self.p_preempt = _ints(rows[2::16])
        self.p_preempt_first = _ints(rows[3::16])
        self.p_preempt_keys = _ints(rows[4::16])
        self.p_tail = _ints(rows[5::16])
        self.p_queue_key = _ints(rows[6::16])
        self.p_queue_keys = _ints(rows[7::16])
        self.p_spill_to = _ints(rows[9::16])
        self.p_spill_via = _ints(rows[10::16])
        self.p_spill_work = _ints(rows[11::16])
        self.p_spill_when = _ints(rows[12::16])
        self.p_engine = _ints(rows[13::16])
        self.p_held = _ints(rows[14::16])
        self.p_tier = longs(n)
        for pool in range(n):
            if self.p_spill_to[pool] >= 0:
                self.p_tier[self.p_spill_to[pool]] = 1
        self.p_tree = longs(n)
        self.p_evict_draws = longs(n)
        for pool in range(n):
            if self.has_prefix and self.p_block[pool] > 0.0 and self.p_spill_to[pool] < 0 and not self.p_tier[pool]:
                self.p_tree[pool] = 1
            for i in range(self.p_evict_keys[pool]):
                if self.x_reads[self.keys[self.p_evict_first[pool] + i]] & READS_DRAW:
                    self.p_evict_draws[pool] = 1
        self.p_free_row = _filled(n, -1)
        self.p_memory_of = _filled(n, -1)
        self.p_used = doubles(n)
        self.p_cached = doubles(n)
        self.p_outstanding = doubles(n)
        self.p_oldest = _filled(n, -1)
        self.p_newest = _filled(n, -1)
        self.p_entry_first = _filled(n, -1)
        self.p_entry_last = _filled(n, -1)
        self.p_queue_first = _filled(n, -1)
        self.p_queue_last = _filled(n, -1)
        self.p_waiting = longs(n)
        self.p_grower_first = _filled(n, -1)
        self.p_grower_last = _filled(n, -1)
        self.p_growers = longs(n)
        self.p_holders = longs(n)
        self.p_wait = doubles(n)
        self.p_waits = longs(n)
        self.p_admissions = longs(n)
        self.p_evicted = longs(n)
        self.p_evicted_units = doubles(n)
        self.p_preemptions = longs(n)
        self.p_spills = longs(n)
        self.p_rejected = longs(n)
        self.p_stuck = longs(n)

    def _make_stages(self, tables: Tables) -> None:
        rows = tables.stages
        n = len(rows) // 11
        self.n_stages = n
        self.admits = _ints(tables.admits)
        self.st_kind = _ints(rows[0::11])
        self.st_servers = _ints(rows[1::11])
        self.st_capacity = _ints(rows[1::11])
        self.st_schedule = _ints(rows[5::11])
        self.st_exclusive = _ints(rows[6::11])
        self.st_admits = _ints(rows[8::11])
        self.st_n_admits = _ints(rows[9::11])
        self.st_flow = _ints(tables.stage_flow)
        self.st_bandwidth = _floats(tables.stage_bandwidth)
        self.st_first = _filled(n, -1)
        self.st_last = _filled(n, -1)
        self.st_waiting = _filled(n, -1)
        self.st_next = _filled(n, -1)
        self.st_jobs = longs(n)
        self.st_serving = longs(n)
        self.st_changed = longs(n)
        self.est_count = longs(n)
        self.est_start = doubles(n)
        self.est_gap = doubles(n)
        self.est_service = doubles(n)
        self.est_waited = doubles(n)
        self.st_stamp = longs(n)
        self.st_open = longs(n)
        self.st_virtual = doubles(n)
        self.st_rate = doubles(n)
        self.st_updated = doubles(n)
        self.st_free = doubles(n)
        self.st_carried = doubles(n)
        self.st_done = longs(n)
        self.st_wait = doubles(n)
        self.st_service = doubles(n)
        self.due_words = (n + 31) // 32
        self.due = longs(self.due_words)
        self.due_of = longs((self.due_words + 31) // 32)
        self.dim = longs(n)
        self._make_engines(tables, n)

    def _make_engines(self, tables: Tables, n: int) -> None:
        rows = tables.stages
        self.eg_budget = _ints(rows[1::11])
        self.eg_cost = _ints(rows[2::11])
        self.eg_chunk = _ints(rows[3::11])
        self.eg_memory = _ints(rows[4::11])
        self.eg_fast = _ints(rows[7::11])
        self.eg_decode_first = _ints(rows[10::11])
        self.eg_granule = _floats(tables.stage_granule)
        self.eg_register_first = _ints(tables.register_first)
        self.eg_register_count = _ints(tables.register_count)
        self.eg_number = longs(n)
        self.eg_exact = longs(n)
        self.eg_plain = longs(n)
        self.eg_block = longs(n)
        self.eg_ring = longs(n)
        self.n_engines = 0
        slots = 0
        for stage in range(n):
            if self.st_kind[stage] == K_ENGINE:
                self.eg_number[stage] = self.n_engines
                self.n_engines += 1
                slots = self._describe_engine(stage, slots)
        self.ring = _filled(slots, -1)
        self.finish_ring = _filled(1024 * n if self.n_engines > 0 else 0, -1)
        self.eg_busy = longs(n)
        self.eg_candidate = longs(n)
        self.eg_dim = longs(n)
        self.eg_served = longs(n)
        self.eg_starved = longs(n)
        self.eg_waiting = longs(n)
        self.eg_decoding = longs(n)
        self.eg_fleet = longs(n)
        self.eg_ticks = longs(n)
        self.eg_stale = _filled(n, 1)
        self.eg_kv_decode = doubles(n)
        self.eg_kv_prefill = doubles(n)
        self.eg_kv_fleet = doubles(n)
        self.eg_loose_first = _filled(n, -1)
        self.eg_loose_last = _filled(n, -1)
        self.eg_batch_first = _filled(n, -1)
        self.eg_batch_last = _filled(n, -1)
        self.eg_cursor = longs(n)
        self.eg_cursor_visit = longs(n)
        self.eg_lit = longs(n)
        self.eg_last_end = doubles(n)
        self.eg_last_fleet = _filled(n, -1)
        self.eg_last_kv = doubles(n)
        self.eg_last_cost = doubles(n)
        self.eg_iterations = longs(n)
        self.eg_decode_iterations = longs(n)
        self.eg_decode_total = longs(n)
        self.eg_step = doubles(n)
        self.eg_step_count = longs(n)
        self.eg_step_sum = doubles(n)
        self.eg_tokens = doubles(n)
        self.eg_bucket = _filled(n, -1)
        self.eg_gaps = longs(n)
        self.eg_gap_sum = doubles(n)
        for stage in range(n):
            self.eg_last_end[stage] = -1.0

    def _describe_engine(self, stage: int, slots: int) -> int:
        """What an engine's clauses allow: exact totals, a ring of blocks, fast-forward. The next free ring slot."""
        memory = self.eg_memory[stage]
        self.eg_exact[stage] = 1
        plain = 1
        if memory >= 0:
            self.p_memory_of[memory] = stage
            block = self.p_block[memory]
            whole = 1.0 <= block <= 65536.0 and block == int(block)
            self.eg_exact[stage] = 1 if whole else 0
            if whole:
                self.eg_block[stage] = int(block)
                self.eg_ring[stage] = slots
                slots += int(block)
            if self.p_spill_to[memory] >= 0:
                plain = 0
        if self.x_reads[self.eg_budget[stage]] != 0:
            plain = 0
        if self.eg_chunk[stage] >= 0 and self.x_reads[self.eg_chunk[stage]] & READS_DRAW:
            plain = 0
        if self.x_reads[self.eg_cost[stage]] & READS_DRAW:
            plain = 0
        self.eg_plain[stage] = plain
        return slots

    def _make_figures(self, tables: Tables) -> None:
        self.engine_signals = 1 + 2 * self.n_stages
        self.pool_signals = self.engine_signals + 4 * self.n_engines
        self.n_signals = self.pool_signals + 4 * self.n_pools
        self.g_value = doubles(self.n_signals)
        self.g_last = doubles(self.n_signals)
        self.g_integral = doubles(self.n_signals)
        self.sample_room = 256
        self.s_series = longs(256)
        self.s_serial = longs(256)
        self.s_turn = longs(256)
        self.s_value = doubles(256)
        self.s_time = doubles(256)
        self.bucket_room = 64
        self.b_engine = longs(64)
        self.b_number = longs(64)
        self.b_count = longs(64)
        self.b_least = doubles(64)
        self.b_greatest = doubles(64)
        self.bucket_slots = 256
        self.bucket_table = longs(256)
        self.n_gauges = len(tables.gauges)
        self.gauge_read = longs(self.n_gauges)
        self.gauge_value = doubles(self.n_gauges)
        self.point_room = 64
        self.pt_gauge = longs(64)
        self.pt_time = doubles(64)
        self.pt_value = doubles(64)
        self.n_claims = len(tables.claims) // 4
        self.claim_checked = longs(self.n_claims)
        self.claim_failures = longs(self.n_claims)
        self.claim_first = doubles(self.n_claims)
        self.claim_scope = _filled(self.n_claims, -1)
        for claim in range(self.n_claims):
            self.claim_first[claim] = -1.0
            if self.claims[4 * claim + 2] >= 0:
                self.judge_given = 1
        self.out_of_scope = -1
        self.all_room = 64
        self.all_series = longs(64)
        self.all_value = doubles(64)
        self.aggregates = doubles(5 * self.n_observes)
        if self.n_gauges > 0 or self.n_claims > 0:
            self.forward = 0

    def _make_stalls(self, tables: Tables) -> None:
        """The declared stalls; what dividing gaps needs is made only when it is asked for."""
        n = self.n_stages
        self.n_stalls = tables.n_stalls
        self.n_labels = L_STALLS + self.n_stalls
        self.sc_first = _ints(tables.stall_first)
        self.sc_label = _ints(tables.stalls[0::2])
        self.sc_x = _ints(tables.stalls[1::2])
        self.eg_owed = doubles(n)
        self.owed = doubles(n * self.n_stalls)
        self.taken = doubles(self.n_stalls)
        self.removed = longs(self.n_labels)
        self.it_start = doubles(n)
        self.it_lasts = doubles(n)
        self.clock_time = doubles(n)
        self.gap_parts = doubles(self.n_labels)
        self.it_parts = doubles(1)
        self.clock = doubles(1)
        self.context = doubles(1)
        self.ga_parts = doubles(1)
        self.ga_clock = doubles(1)
        self.ga_mark = doubles(1)
        self.ga_state = longs(1)
        self.ga_engine = longs(1)
        self.ga_again = longs(1)
        self.ga_apart = longs(1)
        self.steady_parts = doubles(self.n_labels)
        self.gap_edges = _floats(list(GAP_EDGES))
        self.b_parts = doubles(1)
        self.b_cause = longs(1)
        self.b_above = longs(1)
        self.b_sum = doubles(1)
        self.b_edge = doubles(1)
        self.k_time = doubles(1)
        self.k_gap = doubles(1)
        self.k_parts = doubles(1)
        self.k_session = longs(1)
        self.k_turn = longs(1)
        self.k_engine = longs(1)
        self.k_cause = longs(1)
        # The first stream is for reading `execute` a second time; each stall of an engine has one, each of a request.
        self.stall_streams = words(STREAM_WORDS * (1 + 2 * n * self.n_stalls))
        for stage in range(n):
            for label in range(self.n_stalls):
                for kind in range(2):
                    at = STREAM_WORDS * (1 + 2 * (stage * self.n_stalls + label) + kind)
                    mark = tables.stall_marks[label]
                    seed_stream(self.stall_streams, at, substream_seed(self.seed, stage, mark, STALL_STREAM + kind))
            if tables.stalled[stage]:
                self.eg_plain[stage] = 0

    def divide_gaps(self, removed: list[int]) -> None:
        """Have every inter-token gap divided by cause; the time of the `removed` labels is left out of iterations."""
        self.split = 1
        n = self.n_labels
        self.it_parts = more_doubles(self.it_parts, 0, self.n_stages * n)
        self.clock = more_doubles(self.clock, 0, self.n_stages * n)
        self.context = more_doubles(self.context, 0, self.n_stages * n)
        self.ga_parts = more_doubles(self.ga_parts, 0, self.agent_room * n)
        self.ga_clock = more_doubles(self.ga_clock, 0, self.agent_room * n)
        self.ga_mark = more_doubles(self.ga_mark, 0, self.agent_room)
        self.ga_state = more_longs(self.ga_state, 0, self.agent_room)
        self.ga_engine = more_longs(self.ga_engine, 0, self.agent_room)
        self.ga_again = more_longs(self.ga_again, 0, self.agent_room)
        self.ga_apart = more_longs(self.ga_apart, 0, self.agent_room)
        self.b_parts = more_doubles(self.b_parts, 0, self.bucket_room * n)
        self.b_cause = more_longs(self.b_cause, 0, self.bucket_room * n)
        self.b_above = more_longs(self.b_above, 0, self.bucket_room * n)
        self.b_sum = more_doubles(self.b_sum, 0, self.bucket_room)
        self.b_edge = more_doubles(self.b_edge, 0, self.bucket_room)
        for label in removed:
            self.removed[label] = 1

    def keep_gaps(self) -> None:
        """Have every divided gap kept as a row, for `kept` to give out."""
        self.keep = 1
        self.keep_room = 2 * KEPT_AT_ONCE
        self.k_time = more_doubles(self.k_time, 0, self.keep_room)
        self.k_gap = more_doubles(self.k_gap, 0, self.keep_room)
        self.k_parts = more_doubles(self.k_parts, 0, self.keep_room * self.n_labels)
        self.k_session = more_longs(self.k_session, 0, self.keep_room)
        self.k_turn = more_longs(self.k_turn, 0, self.keep_room)
        self.k_engine = more_longs(self.k_engine, 0, self.keep_room)
        self.k_cause = more_longs(self.k_cause, 0, self.keep_room)

    def __dealloc__(self) -> None:
        """Give the C arrays back; a list of Python's needs no such care. A test compares this list with the header."""
        release(self.a_admission)
        release(self.a_chain)
        release(self.a_corpus)
        release(self.a_doomed)
        release(self.a_entry)
        release(self.a_forks)
        release(self.a_grower_next)
        release(self.a_growing)
        release(self.a_growth)
        release(self.a_hold)
        release(self.a_job)
        release(self.a_leg)
        release(self.a_legs)
        release(self.a_marked)
        release(self.a_memory)
        release(self.a_next)
        release(self.a_node)
        release(self.a_pc)
        release(self.a_pools)
        release(self.a_previous)
        release(self.a_queue)
        release(self.a_queued_at)
        release(self.a_ready_at)
        release(self.a_ready_count)
        release(self.a_birth)
        release(self.ready_agent)
        release(self.ready_birth)
        release(self.a_root)
        release(self.a_serial)
        release(self.a_state)
        release(self.a_stuck)
        release(self.a_turns)
        release(self.a_waiting)
        release(self.admits)
        release(self.aggregates)
        release(self.all_series)
        release(self.all_value)
        release(self.also)
        release(self.attrs)
        release(self.b_count)
        release(self.b_engine)
        release(self.b_greatest)
        release(self.b_above)
        release(self.b_edge)
        release(self.b_least)
        release(self.b_number)
        release(self.best_keys)
        release(self.bucket_table)
        release(self.ch_count)
        release(self.ch_key)
        release(self.ch_length)
        release(self.ch_refs)
        release(self.ch_space)
        release(self.choose_keys)
        release(self.claim_checked)
        release(self.claim_failures)
        release(self.claim_first)
        release(self.claim_scope)
        release(self.claims)
        release(self.code)
        release(self.corpus)
        release(self.corpus_first)
        release(self.dim)
        release(self.due)
        release(self.due_of)
        release(self.e_after)
        release(self.e_agent)
        release(self.e_alloc)
        release(self.e_before)
        release(self.e_chain)
        release(self.e_fragment)
        release(self.e_hold)
        release(self.e_lease)
        release(self.e_next)
        release(self.e_pin)
        release(self.e_pool)
        release(self.e_pos)
        release(self.e_reserved)
        release(self.e_shared)
        release(self.e_sibling)
        release(self.e_slot)
        release(self.e_reader)
        release(self.e_stamp)
        release(self.e_statement)
        release(self.eg_batch_first)
        release(self.eg_batch_last)
        release(self.eg_block)
        release(self.eg_bucket)
        release(self.eg_budget)
        release(self.eg_busy)
        release(self.eg_candidate)
        release(self.eg_chunk)
        release(self.eg_cost)
        release(self.eg_cursor)
        release(self.eg_cursor_visit)
        release(self.eg_decode_first)
        release(self.eg_decode_iterations)
        release(self.eg_decode_total)
        release(self.eg_decoding)
        release(self.eg_dim)
        release(self.eg_exact)
        release(self.eg_fast)
        release(self.eg_fleet)
        release(self.eg_gap_sum)
        release(self.eg_gaps)
        release(self.eg_granule)
        release(self.eg_iterations)
        release(self.eg_kv_decode)
        release(self.eg_kv_fleet)
        release(self.eg_kv_prefill)
        release(self.eg_last_end)
        release(self.eg_last_fleet)
        release(self.eg_last_kv)
        release(self.eg_last_cost)
        release(self.eg_lit)
        release(self.eg_loose_first)
        release(self.eg_loose_last)
        release(self.eg_memory)
        release(self.eg_number)
        release(self.eg_plain)
        release(self.eg_register_count)
        release(self.eg_register_first)
        release(self.eg_ring)
        release(self.eg_served)
        release(self.eg_stale)
        release(self.eg_starved)
        release(self.eg_step)
        release(self.eg_step_count)
        release(self.eg_step_sum)
        release(self.eg_ticks)
        release(self.eg_tokens)
        release(self.eg_waiting)
        release(self.end_cont)
        release(self.end_kids)
        release(self.engine_registers)
        release(self.est_count)
        release(self.est_gap)
        release(self.est_service)
        release(self.est_start)
        release(self.est_waited)
        release(self.ev_a)
        release(self.ev_b)
        release(self.ev_kind)
        release(self.ev_next)
        release(self.ev_sequence)
        release(self.ev_time)
        release(self.f_next)
        release(self.f_stage)
        release(self.finish_ring)
        release(self.g_integral)
        release(self.g_last)
        release(self.g_value)
        release(self.gauge_read)
        release(self.gauge_value)
        release(self.gauges)
        release(self.h_chain)
        release(self.h_first)
        release(self.h_grown)
        release(self.h_outer)
        release(self.h_pc)
        release(self.h_statement)
        release(self.heap)
        release(self.held)
        release(self.holds)
        release(self.j_agent)
        release(self.j_also)
        release(self.j_batch)
        release(self.j_batch_next)
        release(self.j_due)
        release(self.j_entry)
        release(self.j_finish)
        release(self.j_fleet)
        release(self.j_joined)
        release(self.j_loose_next)
        release(self.j_loose_previous)
        release(self.j_mode)
        release(self.j_next)
        release(self.j_previous)
        release(self.j_rate)
        release(self.j_ring_next)
        release(self.j_ring_previous)
        release(self.j_seen)
        release(self.j_stage)
        release(self.j_stalled)
        release(self.j_stamp)
        release(self.j_started)
        release(self.j_tag)
        release(self.j_tick)
        release(self.j_tokens)
        release(self.j_work)
        release(self.j_total)
        release(self.j_base)
        release(self.keys)
        release(self.m_next)
        release(self.m_pool)
        release(self.m_pos)
        release(self.n_after)
        release(self.n_attrs)
        release(self.n_before)
        release(self.n_begin)
        release(self.n_taken)
        release(self.n_dead)
        release(self.n_end)
        release(self.n_key)
        release(self.n_last)
        release(self.n_link)
        release(self.n_listed)
        release(self.n_owned)
        release(self.n_owner)
        release(self.n_pins)
        release(self.n_pool)
        release(self.n_release)
        release(self.n_serial)
        release(self.n_size)
        release(self.n_space)
        release(self.n_up)
        release(self.need_reserve)
        release(self.need_units)
        release(self.p_admissions)
        release(self.p_block)
        release(self.p_cached)
        release(self.p_cap)
        release(self.p_engine)
        release(self.p_entry_first)
        release(self.p_entry_last)
        release(self.p_evict_draws)
        release(self.p_evict_first)
        release(self.p_evict_keys)
        release(self.p_evicted)
        release(self.p_evicted_units)
        release(self.p_free_row)
        release(self.p_grower_first)
        release(self.p_grower_last)
        release(self.p_growers)
        release(self.p_held)
        release(self.p_holders)
        release(self.p_memory_of)
        release(self.p_newest)
        release(self.p_oldest)
        release(self.p_outstanding)
        release(self.p_preempt)
        release(self.p_preempt_first)
        release(self.p_preempt_keys)
        release(self.p_preemptions)
        release(self.p_queue_first)
        release(self.p_queue_key)
        release(self.p_queue_keys)
        release(self.p_queue_last)
        release(self.p_rejected)
        release(self.p_spill_to)
        release(self.p_spill_via)
        release(self.p_spill_when)
        release(self.p_spill_work)
        release(self.p_spills)
        release(self.p_stuck)
        release(self.p_tail)
        release(self.p_tier)
        release(self.p_tree)
        release(self.p_used)
        release(self.p_wait)
        release(self.p_waiting)
        release(self.p_waits)
        release(self.pn_next)
        release(self.pn_node)
        release(self.preset_count)
        release(self.preset_first)
        release(self.preset_slot)
        release(self.preset_value)
        release(self.pt_gauge)
        release(self.pt_time)
        release(self.pt_value)
        release(self.registers)
        release(self.ring)
        release(self.runs)
        release(self.s_serial)
        release(self.s_series)
        release(self.s_time)
        release(self.s_turn)
        release(self.s_value)
        release(self.saved_registers)
        release(self.schedule)
        release(self.segments)
        release(self.sort_job)
        release(self.sort_key)
        release(self.sort_order)
        release(self.sort_spare)
        release(self.sort_stamp)
        release(self.st_admits)
        release(self.st_bandwidth)
        release(self.st_capacity)
        release(self.st_carried)
        release(self.st_changed)
        release(self.st_done)
        release(self.st_exclusive)
        release(self.st_first)
        release(self.st_flow)
        release(self.st_free)
        release(self.st_jobs)
        release(self.st_kind)
        release(self.st_last)
        release(self.st_n_admits)
        release(self.st_next)
        release(self.st_open)
        release(self.st_rate)
        release(self.st_schedule)
        release(self.st_servers)
        release(self.st_service)
        release(self.st_serving)
        release(self.st_stamp)
        release(self.st_updated)
        release(self.st_virtual)
        release(self.st_wait)
        release(self.st_waiting)
        release(self.statements)
        release(self.streams)
        release(self.stall_streams)
        release(self.sc_first)
        release(self.sc_label)
        release(self.sc_x)
        release(self.removed)
        release(self.b_cause)
        release(self.ga_state)
        release(self.ga_engine)
        release(self.ga_again)
        release(self.ga_apart)
        release(self.owed)
        release(self.eg_owed)
        release(self.taken)
        release(self.it_parts)
        release(self.it_start)
        release(self.it_lasts)
        release(self.clock)
        release(self.clock_time)
        release(self.context)
        release(self.ga_mark)
        release(self.ga_parts)
        release(self.ga_clock)
        release(self.b_parts)
        release(self.b_sum)
        release(self.gap_edges)
        release(self.gap_parts)
        release(self.steady_parts)
        release(self.k_time)
        release(self.k_gap)
        release(self.k_parts)
        release(self.k_session)
        release(self.k_turn)
        release(self.k_engine)
        release(self.k_cause)
        release(self.token_decoded)
        release(self.token_preempted)
        release(self.token_seen)
        release(self.token_stage)
        release(self.token_time)
        release(self.token_turn)
        release(self.tree_bucket)
        release(self.trial_keys)
        release(self.turn_first)
        release(self.turn_first_time)
        release(self.turn_open)
        release(self.turn_start)
        release(self.turn_tokens)
        release(self.x_reads)
        release(self.x_result)
        release(self.x_start)
