cimport cython

from serq.kernel.cache cimport add_used, make_room
from serq.kernel.codes cimport *
from serq.kernel.events cimport move_first, next_time, pop_event, push_event, second_time
from serq.kernel.figures cimport record_gaps, set_signal
from serq.kernel.gaps cimport (
    begin_split, end_split, glide_split, keep_draws, new_gap, note_apart, record_apart, record_kernel, record_own,
    record_steady, rest_clock, take_stalls, without_prefills,
)
from serq.kernel.growth cimport grow, stall
from serq.kernel.holds cimport H_COLUMNS, admit_hold, fits, selected
from serq.kernel.kept cimport keep_gap
from serq.kernel.machine cimport (
    MACHINE_AT, allocated_in, chunk_cap, evaluate, position_of, remaining_of, round_up, set_running_context,
)
from serq.kernel.memory cimport more_longs
from serq.kernel.numbers cimport floor_of, order, truncate
from serq.kernel.runs cimport (
    FINISH_SLOTS, dissolve_fleet, is_steady, join_fleet, leave_fleet, leave_run, may_join_fleet,
)
from serq.kernel.sessions cimport confirm_first, run_agent, run_ready
from serq.kernel.stages cimport count_completion, free_job, make_ready, note_engine
from serq.kernel.state cimport Sim

cdef void attempt(Sim sim, long engine) noexcept nogil
cdef void _begin_plan(Sim sim, long engine) noexcept nogil
cdef double _left(Sim sim) noexcept nogil
cdef void _run_schedule(Sim sim, long engine, long pc) noexcept nogil
cdef bint _is_empty(Sim sim, long engine) noexcept nogil
cdef void _set_schedule_context(Sim sim, long engine) noexcept nogil
@cython.locals(decode=bint)
cdef long _serve(Sim sim, long engine, long job) noexcept nogil
cdef void _adopt(Sim sim, long engine) noexcept nogil
cdef void _take_finishing(Sim sim, long engine) noexcept nogil
cdef double _fleet_need(Sim sim, long engine, long tick) noexcept nogil
cdef void _grow_fleet(Sim sim, long engine, long tick, double need) noexcept nogil
cdef bint _fast_possible(Sim sim, long engine) noexcept nogil
cdef void _serve_fast(Sim sim, long engine) noexcept nogil
cdef void _advance(Sim sim, long engine, long only, long key, long n_keys, long still) noexcept nogil
@cython.locals(less=bint, undecided=bint)
cdef long _pick(Sim sim, long engine, long key, long n_keys, long visit) noexcept nogil
cdef void _advance_sorted(Sim sim, long engine, long only, long key, long n_keys, long visit) noexcept nogil
@cython.locals(left=bint)
cdef void _merge_sort(Sim sim, long n, long n_keys) noexcept nogil
cdef bint _key_less(Sim sim, long a, long b, long n_keys) noexcept nogil
cdef void _set_job_context(Sim sim, long engine, long job, long place) noexcept nogil
cdef double _read_job(Sim sim, long engine, long job, long x) noexcept nogil
cdef void _admit(Sim sim, long engine, long only, long gate) noexcept nogil
cdef bint _gate(Sim sim, long engine, long gate) noexcept nogil
cdef long _head(Sim sim, long engine) noexcept nogil
cdef long _enter(Sim sim, long agent) noexcept nogil
@cython.locals(fit=bint)
cdef void _exclusive(Sim sim, long engine, long start) noexcept nogil
cdef void _keep_only(Sim sim, long engine, long job) noexcept nogil
cdef void _recount(Sim sim, long engine, double budget) noexcept nogil
@cython.locals(empty=bint, owes=bint, planned=bint, prefills=bint)
cdef void _finish_plan(Sim sim, long engine) noexcept nogil
cdef long _set_batch_context(Sim sim, long engine) noexcept nogil
cdef void _start_iteration(Sim sim, long engine, double duration, long decodes, bint prefills) noexcept nogil
cdef void darken(Sim sim, long engine) noexcept nogil
@cython.locals(holds=bint)
cdef void _read_claims(Sim sim, long engine) noexcept nogil
cdef void end_iteration(Sim sim, long engine) noexcept nogil
cdef void _go_idle(Sim sim, long engine) noexcept nogil
@cython.locals(decode=bint)
cdef void _credit(Sim sim, long engine) noexcept nogil
@cython.locals(same=bint, preempted=bint)
cdef void _emit(Sim sim, long engine, long job, bint decode) noexcept nogil
cdef void _complete(Sim sim, long engine) noexcept nogil
@cython.locals(fit=bint)
cdef long _waiters_blocked(Sim sim, long engine) noexcept nogil
cdef bint fast_forward(Sim sim, long engine) noexcept nogil
cdef long glide(Sim sim) noexcept nogil
cdef bint _is_alone(Sim sim, long engine) noexcept nogil
@cython.locals(fresh=bint, lasting=bint, stale=bint, run_count=long, run_above=long)
cdef double _stretch(Sim sim, long engine, double limit) noexcept nogil
cdef void _count_stretch(Sim sim, long engine, long iterations, long fleet) noexcept nogil
