from serq.kernel.memory cimport longs, release
from serq.kernel.numbers cimport floor_of, order
from serq.kernel.state cimport Sim

cdef enum:
    OUTSIDE = -2
    OWN = -1
    NO_HEADER = -2

cdef long chain_count(Sim sim, long chain) noexcept nogil
cdef long chain_space(Sim sim, long chain, long i) noexcept nogil
cdef double chain_key(Sim sim, long chain, long i, long root) noexcept nogil
cdef double chain_length(Sim sim, long chain, long i) noexcept nogil
cdef double node_end(Sim sim, long node) noexcept nogil
cdef bint is_leaf(Sim sim, long node) noexcept nogil
cdef long continuation(Sim sim, long node) noexcept nogil
cdef long _bucket(Sim sim, long up, long space, double key) noexcept nogil
cdef long find(Sim sim, long up, long space, double key) noexcept nogil
cdef void attach(Sim sim, long node, long up) noexcept nogil
cdef void detach(Sim sim, long node) noexcept nogil
cdef void rebuild(Sim sim) noexcept nogil
cdef long end_at(Sim sim, long node, double length) noexcept nogil
cdef double match_chain(Sim sim, long root, long chain, long pool) noexcept nogil
cdef double matched(Sim sim, long agent, long pool) noexcept nogil
