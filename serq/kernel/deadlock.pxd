cimport cython

from serq.kernel.codes cimport *
from serq.kernel.holds cimport fits, selected
from serq.kernel.memory cimport Longs, longs, release
from serq.kernel.state cimport Sim

@cython.locals(marks=Longs, heads=Longs)
cdef void find_deadlock(Sim sim) noexcept nogil
cdef bint _can_be_helped(Sim sim, long agent, Longs marks, Longs heads) noexcept nogil
cdef bint _will_give(Sim sim, long pool, Longs marks) noexcept nogil
cdef bint _is_timed(Sim sim, long entry) noexcept nogil
cdef void _accuse(Sim sim, Longs marks, Longs heads) noexcept nogil
