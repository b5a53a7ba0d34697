from serq.kernel.state cimport Sim

cdef void read_chain(Sim sim, long agent, long statement) noexcept nogil
cdef double overlap(Sim sim, long agent, long pool, double units) noexcept nogil
cdef double take_chain(Sim sim, long agent, long entry, double units, double reuse) noexcept nogil
cdef void unpin(Sim sim, long entry) noexcept nogil
cdef void keep_chain(Sim sim, long agent, long entry, double keep) noexcept nogil
cdef void drop_chains(Sim sim, long agent, long pool) noexcept nogil
