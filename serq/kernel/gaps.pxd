cimport cython

from serq.kernel.codes cimport *
from serq.kernel.kept cimport keep_gap
from serq.kernel.machine cimport MACHINE_AT, evaluate
from serq.kernel.stages cimport note_engine
from serq.kernel.state cimport Sim

cdef enum:
    SCRATCH_AT = 0

cdef void owe(Sim sim, long agent, long engine, long label, long x) noexcept nogil
cdef double _seconds(Sim sim, long agent, long engine, long label, long x, long kind) noexcept nogil
cdef double take_stalls(Sim sim, long engine, bint planned) noexcept nogil
cdef void keep_draws(Sim sim) noexcept nogil
cdef double without_prefills(Sim sim, long engine, double duration) noexcept nogil
cdef void begin_split(Sim sim, long engine, double kernel, double duration, double stalls, bint empty) noexcept nogil
cdef void rest_clock(Sim sim, long engine) noexcept nogil
cdef void end_split(Sim sim, long engine) noexcept nogil
cdef void glide_split(Sim sim, long engine, double start, double duration, bint begun) noexcept nogil
cdef void move_gap(Sim sim, long agent, long state, long engine) noexcept nogil
cdef void new_gap(Sim sim, long agent, long engine) noexcept nogil
cdef void gap_of_fleet(Sim sim, long agent, long engine) noexcept nogil
cdef double _read_clock(Sim sim, long engine, long label, double until) noexcept nogil
cdef void _note_clock(Sim sim, long agent, long engine) noexcept nogil
cdef void _settle_running(Sim sim, long agent, double until) noexcept nogil
cdef void _add_context(Sim sim, long agent, double length) noexcept nogil
cdef void record_steady(Sim sim, long engine, double gap, long count) noexcept nogil
cdef bint note_apart(Sim sim, long job) noexcept nogil
cdef bint was_apart(Sim sim, long agent, long engine) noexcept nogil
cdef void record_apart(Sim sim, long engine) noexcept nogil
cdef void record_own(Sim sim, long engine, long agent, double gap) noexcept nogil
cdef void record_kernel(Sim sim, long bucket, double total, long count, long above) noexcept nogil
cdef long _record(Sim sim, long engine, double gap, long count) noexcept nogil
