cimport cython

from libc.math cimport log1p
from libc.stdint cimport uint32_t, uint64_t

from serq.kernel.codes cimport *
from serq.kernel.progress cimport Progress
from serq.kernel.memory cimport Doubles, Longs, doubles, longs, more_doubles, more_longs, release, words
from serq.kernel.streams cimport (
    STALL_STREAM, STREAM_WORDS, eviction_seed, machine_seed, seed_stream, substream_seed, trace_seed,
)

cdef long* _filled(long n, long value) noexcept nogil
cdef long* _chain(long n) noexcept nogil
cdef long* _ints(list values) except NULL
cdef double* _floats(list values) except NULL

cdef class Sim:
    cdef Progress progress
    cdef uint64_t seed
    cdef uint32_t *streams
    cdef Doubles ch_key, ch_length, n_key, n_begin, e_fragment, corpus, preset_value
    cdef Longs corpus_first, preset_count, preset_first, preset_slot
    cdef Doubles a_growth, a_queued_at, a_ready_at, aggregates, all_value, attrs, b_greatest, b_least
    cdef Doubles best_keys, choose_keys, claim_first, e_alloc, e_pos, e_reserved, e_shared, eg_gap_sum
    cdef Doubles eg_granule, eg_kv_decode, eg_kv_fleet, eg_kv_prefill, eg_last_end, eg_step, eg_step_sum
    cdef Doubles eg_tokens, engine_registers, ev_time, g_integral, g_last, g_value, gauge_value, j_joined
    cdef Doubles j_rate, j_started, j_tag, j_tokens, j_work, m_pos, n_attrs, n_last, n_size, need_reserve
    cdef Doubles need_units, p_block, p_cached, p_cap, p_evicted_units, p_outstanding, p_used, p_wait
    cdef Doubles pt_time, pt_value, registers, s_time, s_value, saved_registers, st_bandwidth, st_carried
    cdef Doubles st_free, st_rate, st_service, st_updated, st_virtual, st_wait, token_time, token_turn
    cdef Doubles trial_keys, turn_first_time, turn_start
    cdef Longs a_admission, a_chain, a_corpus, a_doomed, a_entry, a_forks, a_grower_next, a_growing, a_hold
    cdef Longs a_job, a_leg, a_legs, a_marked, a_memory, a_next, a_node, a_pc, a_pools, a_previous
    cdef Longs a_queue, a_ready_count, a_root, a_serial, a_state, a_stuck, a_turns, a_waiting, admits
    cdef Longs all_series, also, b_count, b_engine, b_number, bucket_table, claim_checked, claim_failures
    cdef Longs claim_scope, claims, code, dim, due, e_after, e_agent, e_before, e_chain, e_hold, e_lease
    cdef Longs e_next, e_pin, e_pool, e_sibling, e_stamp, e_statement, eg_batch_first, eg_batch_last
    cdef Longs eg_block, eg_bucket, eg_budget, eg_busy, eg_candidate, eg_chunk, eg_cost, eg_cursor
    cdef Longs eg_cursor_visit, eg_decode_first, eg_decode_iterations, eg_decode_total, eg_decoding, eg_dim
    cdef Longs eg_exact, eg_fast, eg_fleet, eg_gaps, eg_iterations, eg_lit, eg_loose_first, eg_loose_last
    cdef Longs eg_memory, eg_number, eg_plain, eg_register_count, eg_register_first, eg_ring, eg_served
    cdef Longs eg_stale, eg_starved, eg_step_count, eg_ticks, eg_waiting, ev_a, ev_b, ev_kind, ev_next
    cdef Longs ev_sequence, f_next, f_stage, finish_ring, gauge_read, gauges, h_chain, h_first, h_grown
    cdef Longs h_outer, h_pc, h_statement, heap, held, holds, j_agent, j_also, j_batch, j_batch_next
    cdef Longs j_due, j_entry, j_finish, j_fleet, j_loose_next, j_loose_previous, j_mode, j_next, j_previous
    cdef Longs j_ring_next, j_ring_previous, j_seen, j_stage, j_stalled, j_stamp, j_tick, keys, m_next
    cdef Longs m_pool, n_after, n_before, n_dead, n_owned, n_owner, n_pool, n_release, n_serial
    cdef Longs a_birth, est_count, ready_agent, ready_birth
    cdef Longs eg_last_fleet, due_of
    cdef Doubles eg_last_kv, eg_last_cost
    cdef uint32_t *stall_streams
    cdef Longs sc_first, sc_label, sc_x, removed, b_cause, ga_state, ga_engine, ga_again, ga_apart
    cdef Doubles owed, eg_owed, taken, it_parts, it_start, it_lasts, clock, clock_time, context, ga_mark, ga_parts
    cdef Doubles ga_clock, b_parts, b_sum, b_edge, gap_edges, gap_parts, steady_parts, k_time, k_gap, k_parts
    cdef Longs b_above, k_session, k_turn, k_engine, k_cause
    cdef double split_error
    cdef long split, n_stalls, n_labels, keep, keep_room, n_kept, drain, steady_cause
    cdef Doubles j_total, j_base
    cdef Doubles est_start, est_gap, est_service, est_waited
    cdef Longs n_listed, n_pins, n_taken, n_space, n_up, n_end, n_link, end_cont, end_kids, tree_bucket, pn_next, pn_node
    cdef Longs ch_refs, ch_count, ch_space, e_reader, e_slot, p_tree, p_evict_draws, p_free_row
    cdef Longs p_admissions, p_engine, p_entry_first, p_entry_last, p_evict_first, p_evict_keys, p_evicted
    cdef Longs p_grower_first, p_grower_last, p_growers, p_held, p_holders, p_memory_of, p_newest, p_oldest
    cdef Longs p_preempt, p_preempt_first, p_preempt_keys, p_preemptions, p_queue_first, p_queue_key
    cdef Longs p_queue_keys, p_queue_last, p_rejected, p_spill_to, p_spill_via, p_spill_when, p_spill_work
    cdef Longs p_spills, p_stuck, p_tail, p_tier, p_waiting, p_waits, pt_gauge, ring, runs, s_serial
    cdef Longs s_series, s_turn, schedule, segments, sort_job, sort_key, sort_order, sort_spare, sort_stamp
    cdef Longs st_admits, st_capacity, st_changed, st_done, st_exclusive, st_first, st_flow, st_jobs
    cdef Longs st_kind, st_last, st_n_admits, st_next, st_open, st_schedule, st_servers, st_serving
    cdef Longs st_stamp, st_waiting, statements, token_decoded, token_preempted, token_seen
    cdef Longs token_stage, turn_first, turn_open, turn_tokens, x_reads, x_result, x_start
    cdef double arrival_rate, births_at, empty_at, fault_value, fl_updated, g_start, horizon, infinity, log_ratio
    cdef double now, plan_chunk, plan_left, plan_other, plan_prefilled, plan_whole, warmup
    cdef long deadlocked, deadlock_pool, estimates
    cdef long chain_room, ch_free, pin_room, pn_free, nodes_used, tree_buckets
    cdef long a_free, admissions, agent_room, all_room, arrival, arrival_count, arrival_gap, arrivals
    cdef long arrivals_limit, births, bucket_room, bucket_slots, checked, deaths, due_words
    cdef long e_free, empty_plans, ended, engine_signals, entry_room, ev_count, ev_free, ev_room, events, f_free
    cdef long fault, fault_agent, fault_count, fl_changed, fl_first, fl_last, fl_stamp, forward, h_free, has_prefix
    cdef long heap_size, hold_room, init_block, j_free, job_room, judge_given, link_room, live, live_entries
    cdef long live_jobs, live_nodes, m_free, max_held, max_keys, max_segments, memory_room, misfit, misfit_held
    cdef long n_all, n_buckets, n_candidates, n_changed, n_claims, n_corpus, n_dim, n_engines, n_gauges
    cdef long n_growers, n_observes, n_points, n_pools, n_samples, n_signals, n_stages, n_waiting, node_room
    cdef long out_of_scope, plan_admitted, plan_preempted, plan_refused, planning, point_room, pool_signals, preset
    cdef long ready_first, ready_last, ready_room, releases, sample_room
    cdef long snapshot, snapshots, sort_room, spilling, stamps, start, trace_ordered, turn_block, turns, visits
    cdef long warm, width
    cdef int _load_program(self, object tables) except -1
    cdef int _make_agents(self, long n) except -1
    cdef int _make_holds(self, long n) except -1
    cdef int _make_cache(self, long n) except -1
    cdef int _make_jobs(self, long n) except -1
    cdef int _make_events(self, long n) except -1
    cdef int _make_pools(self, object tables) except -1
    cdef int _make_stages(self, object tables) except -1
    cdef int _make_engines(self, object tables, long n) except -1
    cdef long _describe_engine(self, long stage, long slots) except -1
    cdef int _make_figures(self, object tables) except -1
    cdef int _make_stalls(self, object tables) except -1
