cimport cython

from libc.math cimport exp

from serq.kernel.codes cimport *
from serq.kernel.holds cimport H_COLUMNS, U_COLUMNS, fits, selected
from serq.kernel.machine cimport MACHINE_AT, evaluate, round_up
from serq.kernel.state cimport Sim

cdef double _average(Sim sim, long signal)
cdef list _samples(Sim sim, list names)
@cython.locals(
    values="double[::1]", times="double[::1]", sessions="long long[::1]", turns="long long[::1]", n=long, at=long, i=long
)
cdef object _series(Sim sim, object name, long series)
cdef object _stage(Sim sim, object program, long stage)
cdef dict _engine(Sim sim, long stage)
cdef dict _over_cap(Sim sim, object program)
cdef bint _growing_stalled(Sim sim, long pool)
cdef object _pool(Sim sim, object program, long pool, dict over)
cdef int _aggregates(Sim sim) except -1
cdef object _claim(Sim sim, object claim, long number)
cdef object _gaps(Sim sim, object program)
cdef object _gap_bucket(Sim sim, long record)
cpdef object recording_of(Sim sim, object program)
cdef object _deadlock_pool(Sim sim, object program)
