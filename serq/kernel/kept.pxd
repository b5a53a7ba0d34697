cimport cython

from serq.kernel.memory cimport more_doubles, more_longs
from serq.kernel.numbers cimport truncate
from serq.kernel.state cimport Sim

cdef enum:
    ROWS = 65536

cdef void keep_gap(Sim sim, long engine, long agent, double gap, long cause, bint steady) noexcept nogil
cdef void _grow(Sim sim) noexcept nogil
cdef object take_kept(Sim sim)
