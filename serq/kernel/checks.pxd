from serq.kernel.codes cimport *
from serq.kernel.machine cimport allocated_in, position_of, remaining_of
from serq.kernel.state cimport Sim

cdef bint _near(double a, double b) noexcept nogil
cdef void _fail(Sim sim, long law, long place) noexcept nogil
cdef void verify(Sim sim) noexcept nogil
cdef void _verify_run(Sim sim, long engine, long job) noexcept nogil
