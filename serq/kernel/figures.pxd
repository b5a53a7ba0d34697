cimport cython

from libc.math cimport log

from serq.kernel.memory cimport more_doubles, more_longs
from serq.kernel.numbers cimport floor_of, truncate
from serq.kernel.state cimport Sim

cdef enum:
    N_EDGES = 11

cdef void set_signal(Sim sim, long signal, double value) noexcept nogil
cdef void restart_signals(Sim sim) noexcept nogil
cdef void record_sample(Sim sim, long series, double value, long serial, double turn) noexcept nogil
@cython.locals(number=long, slot=long, mask=long, record=long)
cdef long _bucket(Sim sim, long engine, double x) noexcept nogil
cdef double _edge_in(Sim sim, long number) noexcept nogil
@cython.locals(slot=long, mask=long)
cdef void _grow_buckets(Sim sim) noexcept nogil
cdef void record_gaps(Sim sim, long engine, double x, long count) noexcept nogil
