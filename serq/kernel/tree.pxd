from serq.kernel.state cimport Sim

cdef double matched(Sim sim, long agent, long pool) noexcept nogil
