cimport cython

from serq.kernel.cache cimport remove_node, take_snapshot
from serq.kernel.codes cimport *
from serq.kernel.events cimport push_event
from serq.kernel.figures cimport record_sample, set_signal
from serq.kernel.flows cimport start_flow
from serq.kernel.growth cimport grow, stall, try_pools, withdraw
from serq.kernel.gaps cimport owe
from serq.kernel.holds cimport (
    amount, close_hold, computed, count_holder, end_lease, forget_positions, holds_pool, innermost, join_queue, lease_of, leave_hold,
    reach_hold, release_entry,
)
from serq.kernel.machine cimport agent_stream, evaluate, own_node, resolve
from serq.kernel.memory cimport more_doubles, more_longs, more_words
from serq.kernel.numbers cimport floor_of, truncate
from serq.kernel.prefix cimport drop_chains, leave_header
from serq.kernel.runs cimport join_run
from serq.kernel.stages cimport free_agent, make_ready, start_job
from serq.kernel.state cimport Sim
from serq.kernel.tree cimport NO_HEADER
from serq.kernel.streams cimport (
    LEG_STREAM, SESSION_STREAM, WORKLOAD_STREAM, below, copy_stream, seed_stream, substream_seed,
)

cdef enum:
    TRACE_AT = 84
    R_COLUMNS = 11

cdef long new_agent(Sim sim) noexcept nogil
cdef void _grow(Sim sim) noexcept nogil
cdef void create_session(Sim sim) noexcept nogil
cdef void _judge(Sim sim, long agent) noexcept nogil
cdef void _run_block(Sim sim, long agent, long pc) noexcept nogil
cdef void _observe(Sim sim, long agent, long observe, double value) noexcept nogil
cdef void _aggregate(Sim sim, long observe, double value) noexcept nogil
cdef void end_agent(Sim sim, long agent) noexcept nogil
@cython.locals(gone=bint)
cdef void refuse(Sim sim, long agent) noexcept nogil
cdef void _leave(Sim sim, long agent) noexcept nogil
cdef void _disown_all(Sim sim, long root) noexcept nogil
@cython.locals(held=bint)
cdef void _hand_over(Sim sim, long leg, long root) noexcept nogil
cdef void open_turn(Sim sim, long agent) noexcept nogil
cdef void confirm_first(Sim sim, long root) noexcept nogil
cdef void close_turn(Sim sim, long agent) noexcept nogil
cdef void run_ready(Sim sim) noexcept nogil
cdef void run_agent(Sim sim, long agent) noexcept nogil
cdef void _start_run(Sim sim, long agent, long run) noexcept nogil
cdef bint _grow_statement(Sim sim, long agent, long at) noexcept nogil
cdef void _load(Sim sim, long agent, long at) noexcept nogil
cdef void _release(Sim sim, long agent, long pool) noexcept nogil
@cython.locals(less=bint, decided=bint)
cdef void _choose(Sim sim, long agent, long at) noexcept nogil
cdef void _fork(Sim sim, long agent, long pc) noexcept nogil
