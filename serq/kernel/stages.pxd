cimport cython

from serq.kernel.codes cimport *
from serq.kernel.events cimport push_event
from serq.kernel.figures cimport set_signal
from serq.kernel.machine cimport MACHINE_AT, evaluate
from serq.kernel.memory cimport more_doubles, more_longs
from serq.kernel.state cimport Sim

cdef void make_ready(Sim sim, long agent) noexcept nogil
cdef void free_agent(Sim sim, long agent) noexcept nogil
cdef void _grow_ready(Sim sim) noexcept nogil
cdef long new_job(Sim sim, long stage, long agent, double work) noexcept nogil
cdef void free_job(Sim sim, long job) noexcept nogil
cdef void _grow(Sim sim) noexcept nogil
cdef void link_job(Sim sim, long job) noexcept nogil
cdef void unlink_job(Sim sim, long job) noexcept nogil
cdef void count_jobs(Sim sim, long stage, long change) noexcept nogil
cdef void count_completion(Sim sim, long stage, double wait, double start) noexcept nogil
cdef void _estimate(Sim sim, long stage, double wait, double start, double service) noexcept nogil
cdef void start_job(Sim sim, long stage, long agent, double work) noexcept nogil
cdef void serve_fifo(Sim sim, long stage) noexcept nogil
cdef void mark_changed(Sim sim, long stage) noexcept nogil
cdef void _advance_virtual(Sim sim, long stage) noexcept nogil
cdef void reschedule(Sim sim, long stage) noexcept nogil
cdef void finish_event(Sim sim, long a, long stamp) noexcept nogil
@cython.locals(fifo=bint)
cdef void _finish(Sim sim, long job) noexcept nogil
@cython.locals(served=bint)
cdef void cancel_job(Sim sim, long job) noexcept nogil
@cython.locals(idle=bint)
cdef void note_engine(Sim sim, long engine) noexcept nogil
cdef void _set_due(Sim sim, long stage, bint due) noexcept nogil
