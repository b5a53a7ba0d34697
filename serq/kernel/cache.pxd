cimport cython

from serq.kernel.codes cimport *
from serq.kernel.figures cimport set_signal
from serq.kernel.machine cimport evaluate, own_node
from serq.kernel.memory cimport more_doubles, more_longs
from serq.kernel.numbers cimport order
from serq.kernel.stages cimport start_job
from serq.kernel.state cimport Sim
from serq.kernel.tree cimport attach, detach, is_leaf, rebuild

cdef enum:
    EVICTION_AT = 56
    OUTSIDE = -2

cdef long pool_signal(Sim sim, long pool, long which) noexcept nogil
cdef void add_used(Sim sim, long pool, double units) noexcept nogil
cdef void add_cached(Sim sim, long pool, double units) noexcept nogil
cdef long next_release(Sim sim) noexcept nogil
cdef long _new_row(Sim sim, long pool) noexcept nogil
cdef void free_row(Sim sim, long pool, long node) noexcept nogil
cdef long new_node(Sim sim, long pool, long agent, double size, long number) noexcept nogil
cdef void _own(Sim sim, long node, long root) noexcept nogil
cdef void _grow(Sim sim) noexcept nogil
cdef void take_snapshot(Sim sim, long node, long agent) noexcept nogil
cdef void _append(Sim sim, long node) noexcept nogil
cdef void _unlink(Sim sim, long node) noexcept nogil
cdef void _renew(Sim sim, long node, long number) noexcept nogil
cdef void touch_with(Sim sim, long node, long agent, long number) noexcept nogil
cdef void disown(Sim sim, long node) noexcept nogil
cdef void remove_node(Sim sim, long node) noexcept nogil
cdef void _take_out(Sim sim, long node) noexcept nogil
cdef void consume_node(Sim sim, long entry, long node, double units) noexcept nogil
cdef void _die(Sim sim, long node) noexcept nogil
cdef void _number_death(Sim sim, long node) noexcept nogil
cdef void free_consumed(Sim sim, long entry) noexcept nogil
cdef void _insert_after(Sim sim, long node, long other) noexcept nogil
cdef void split_node(Sim sim, long node, double at) noexcept nogil
cdef void keep_fragment(Sim sim, long node, double size) noexcept nogil
cdef long _set_context(Sim sim, long node, double size) noexcept nogil
cdef bint _evictable(Sim sim, long node) noexcept nogil
cdef long victim_node(Sim sim, long pool) noexcept nogil
cdef long _oldest(Sim sim, long pool) noexcept nogil
@cython.locals(less=bint, undecided=bint)
cdef long _better(Sim sim, long pool, long node, long best) noexcept nogil
@cython.locals(steady=bint)
cdef void make_room(Sim sim, long pool, double units) noexcept nogil
cdef bint evict_step(Sim sim, long pool, long node) noexcept nogil
cdef void _spill(Sim sim, long pool, long node, double units) noexcept nogil
cdef long _twin(Sim sim, long tier, long node) noexcept nogil
