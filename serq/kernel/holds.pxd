cimport cython

from serq.kernel.cache cimport (
    add_used, consume_node, free_consumed, keep_fragment, make_room, new_node, next_release, pool_signal, remove_node,
)
from serq.kernel.codes cimport *
from serq.kernel.events cimport push_event
from serq.kernel.figures cimport set_signal
from serq.kernel.gaps cimport move_gap
from serq.kernel.machine cimport agent_stream, evaluate, own_node, resolve, round_down, round_up
from serq.kernel.memory cimport more_doubles, more_longs
from serq.kernel.numbers cimport order
from serq.kernel.prefix cimport (
    end_pins, keep_chain, leave_chain, leave_header, overlap, read_chain, take_chain, use_chain,
)
from serq.kernel.runs cimport memory_changed
from serq.kernel.stages cimport free_agent, make_ready, note_engine
from serq.kernel.state cimport Sim

cdef enum:
    H_COLUMNS = 11
    U_COLUMNS = 7
    NO_HEADER = -2

cdef void _grow_entries(Sim sim) noexcept nogil
cdef void _grow_holds(Sim sim) noexcept nogil
cdef double amount(Sim sim, long agent, long x) noexcept nogil
cdef bint reach_hold(Sim sim, long agent, long statement) noexcept nogil
cdef void join_queue(Sim sim, long agent, long statement, bint front) noexcept nogil
cdef void leave_queue(Sim sim, long agent) noexcept nogil
cdef void _count_waiting(Sim sim, long pool, long change) noexcept nogil
@cython.locals(less=bint, undecided=bint)
cdef long selected(Sim sim, long pool) noexcept nogil
cdef bint fits(Sim sim, long agent) noexcept nogil
@cython.locals(caches=bint)
cdef void admit_hold(Sim sim, long agent) noexcept nogil
cdef double _consume(Sim sim, long agent, long entry, double reuse) noexcept nogil
cdef long _new_hold(Sim sim, long agent, long statement) noexcept nogil
@cython.locals(first=bint)
cdef long _new_entry(Sim sim, long agent, long hold, long pool) noexcept nogil
cdef bint holds_pool(Sim sim, long agent, long pool) noexcept nogil
cdef void count_holder(Sim sim, long pool, long change) noexcept nogil
cdef long innermost(Sim sim, long agent, long pool) noexcept nogil
cdef long lease_of(Sim sim, long agent, long pool) noexcept nogil
cdef double computed(Sim sim, long entry) noexcept nogil
cdef void release_entry(Sim sim, long entry, double position) noexcept nogil
cdef void _detach(Sim sim, long entry) noexcept nogil
cdef void _unlist(Sim sim, long entry) noexcept nogil
cdef void _list_behind(Sim sim, long entry, long other) noexcept nogil
cdef void _end_reading(Sim sim, long leg) noexcept nogil
cdef void leave_hold(Sim sim, long entry) noexcept nogil
cdef void close_hold(Sim sim, long agent, long how) noexcept nogil
cdef void _begin_lease(Sim sim, long agent, long entry, long row) noexcept nogil
cdef void end_lease(Sim sim, long entry) noexcept nogil
cdef void forget_positions(Sim sim, long agent, long hold) noexcept nogil
cdef void admit_settling(Sim sim, long pool) noexcept nogil
