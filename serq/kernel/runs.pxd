from serq.kernel.codes cimport *
from serq.kernel.figures cimport set_signal
from serq.kernel.gaps cimport gap_of_fleet, move_gap, was_apart
from serq.kernel.machine cimport allocated_in
from serq.kernel.numbers cimport floor_of, truncate
from serq.kernel.stages cimport new_job, note_engine
from serq.kernel.state cimport Sim

cdef enum:
    FINISH_SLOTS = 1024

cdef long join_run(Sim sim, long engine, long agent, long mode, double work, long entry) noexcept nogil
cdef bint _earlier(Sim sim, long job, long other) noexcept nogil
cdef void _insert(Sim sim, long job, long after) noexcept nogil
cdef void leave_run(Sim sim, long job) noexcept nogil
cdef void count_running(Sim sim, long engine, long job, long change) noexcept nogil
cdef void memory_changed(Sim sim, long agent, long pool, double units) noexcept nogil
cdef void _join_loose(Sim sim, long job) noexcept nogil
cdef void _leave_loose(Sim sim, long job) noexcept nogil
cdef void sync_run(Sim sim, long job) noexcept nogil
cdef bint is_steady(Sim sim, long job) noexcept nogil
cdef bint may_join_fleet(Sim sim, long job) noexcept nogil
cdef void join_fleet(Sim sim, long job) noexcept nogil
cdef void _plan_growth(Sim sim, long job) noexcept nogil
cdef void leave_fleet(Sim sim, long job) noexcept nogil
cdef void dissolve_fleet(Sim sim, long engine) noexcept nogil
