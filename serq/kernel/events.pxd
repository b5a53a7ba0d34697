from serq.kernel.memory cimport more_doubles, more_longs
from serq.kernel.state cimport Sim

cdef void _grow(Sim sim) noexcept nogil
cdef bint _before(Sim sim, long left, long right) noexcept nogil
cdef void push_event(Sim sim, double time, long kind, long a, long b) noexcept nogil
cdef long pop_event(Sim sim) noexcept nogil
cdef double next_time(Sim sim) noexcept nogil
cdef void move_first(Sim sim, double time) noexcept nogil
cdef void _sift_down(Sim sim, long event) noexcept nogil
cdef double second_time(Sim sim) noexcept nogil
