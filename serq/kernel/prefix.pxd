cimport cython

from serq.kernel.cache cimport (
    add_cached, add_used, consume_node, free_consumed, keep_fragment, new_node, next_release, remove_node, split_node, touch_with,
)
from serq.kernel.codes cimport *
from serq.kernel.machine cimport agent_stream, evaluate, round_down, round_up
from serq.kernel.memory cimport more_doubles, more_longs
from serq.kernel.state cimport Sim
from serq.kernel.tree cimport (
    attach, chain_count, chain_key, chain_length, chain_space, continuation, end_at, find, is_leaf, match_chain,
    node_end,
)

cdef enum:
    H_COLUMNS = 11
    S_COLUMNS = 3
    OWN = -1
    NO_HEADER = -2

cdef long _new_chain(Sim sim) noexcept nogil
cdef long use_chain(Sim sim, long chain) noexcept nogil
cdef void leave_chain(Sim sim, long chain) noexcept nogil
cdef void leave_header(Sim sim, long agent) noexcept nogil
cdef void read_chain(Sim sim, long agent, long statement) noexcept nogil
cdef double _hit(Sim sim, long agent, long chain, long pool, double units, double reuse, bint bounded) noexcept nogil
cdef double overlap(Sim sim, long agent, long pool, double units) noexcept nogil
@cython.locals(whole=bint)
cdef double take_chain(Sim sim, long agent, long entry, double units, double reuse) noexcept nogil
cdef void _take_own(Sim sim, long entry, long node, double units, bint whole) noexcept nogil
cdef void _pin(Sim sim, long entry, long node) noexcept nogil
cdef void unpin(Sim sim, long entry) noexcept nogil
cdef void keep_chain(Sim sim, long agent, long entry, double keep) noexcept nogil
cdef long _shorten(Sim sim, long first, double units, double length) noexcept nogil
cdef void drop_chains(Sim sim, long agent, long pool) noexcept nogil
cdef void end_pins(Sim sim, long entry) noexcept nogil
