from serq.kernel.codes cimport *
from serq.kernel.numbers cimport ceil_of, divide, exponential, floor_of, logarithm, power, root, truncate
from serq.kernel.tree cimport matched
from serq.kernel.state cimport Sim
from serq.kernel.streams cimport draw_bernoulli, draw_erlang, draw_exp, draw_h2, draw_uniform

cdef enum:
    MACHINE_AT = 28

cdef double round_up(Sim sim, long pool, double x) noexcept nogil
cdef double round_down(Sim sim, long pool, double x) noexcept nogil
cdef long own_node(Sim sim, long agent, long pool) noexcept nogil
cdef double cached_in(Sim sim, long agent, long pool) noexcept nogil
cdef double allocated_in(Sim sim, long agent, long pool) noexcept nogil
cdef double remaining_of(Sim sim, long job) noexcept nogil
cdef double position_of(Sim sim, long job) noexcept nogil
cdef double work_at(Sim sim, long stage) noexcept nogil
cdef bint flow_uses(Sim sim, long flow, long stage) noexcept nogil
cdef double budget_left(Sim sim, long agent, long engine) noexcept nogil
cdef double chunk_cap(Sim sim, long engine) noexcept nogil
cdef void set_running_context(Sim sim, long engine) noexcept nogil
cdef void refresh_memory(Sim sim, long engine) noexcept nogil
cdef double aggregate(Sim sim, long kind, long observe) noexcept nogil
cdef double evaluate(Sim sim, long agent, long x, long stream) noexcept nogil
cdef double attribute(Sim sim, long agent, long slot) noexcept nogil
cdef long member(Sim sim, double index, long base, long count) noexcept nogil
cdef long resolve(Sim sim, long agent, long base, long count, long x) noexcept nogil
cdef long agent_stream(long agent) noexcept nogil
cdef double arrival_estimate(Sim sim, long stage) noexcept nogil
cdef double load_estimate(Sim sim, long stage) noexcept nogil
cdef double price(Sim sim, long stage, double before, double work) noexcept nogil
cdef double reading(Sim sim, long agent, long op, long place) noexcept nogil
