cimport cython

from serq.kernel.cache cimport add_used, make_room
from serq.kernel.codes cimport *
from serq.kernel.flows cimport cancel_flow
from serq.kernel.gaps cimport move_gap
from serq.kernel.holds cimport (
    admit_settling, close_hold, end_lease, innermost, join_queue, leave_queue, lease_of, reach_hold,
)
from serq.kernel.machine cimport agent_stream, evaluate, round_up
from serq.kernel.memory cimport more_doubles, more_longs
from serq.kernel.numbers cimport order
from serq.kernel.runs cimport leave_fleet, leave_run, memory_changed, sync_run
from serq.kernel.stages cimport cancel_job, free_job, make_ready
from serq.kernel.state cimport Sim

cdef bint room_for(Sim sim, long entry, double need) noexcept nogil
cdef void enlarge(Sim sim, long entry, double need) noexcept nogil
cdef long grow(Sim sim, long agent, long entry, double units) noexcept nogil
cdef void stall(Sim sim, long agent, long entry, double units) noexcept nogil
cdef void stop_growing(Sim sim, long agent) noexcept nogil
cdef void retry_growers(Sim sim, long pool) noexcept nogil
cdef void try_pools(Sim sim) noexcept nogil
@cython.locals(lifo=bint, decoding=bint)
cdef long _victim(Sim sim, long pool) noexcept nogil
cdef bint _is_first(Sim sim, long entry) noexcept nogil
@cython.locals(less=bint, undecided=bint)
cdef bint _less(Sim sim, long pool, long agent, long entry, long place, bint decoding, bint first) noexcept nogil
cdef long _victim_lease(Sim sim, long pool, long grower) noexcept nogil
cdef void preempt(Sim sim, long agent, long pool) noexcept nogil
cdef void reject(Sim sim, long agent) noexcept nogil
cdef void withdraw(Sim sim, long agent) noexcept nogil
cdef void unschedule(Sim sim, long job) noexcept nogil
cdef void _remember(Sim sim, long agent, long pool, double position) noexcept nogil
