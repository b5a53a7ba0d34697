from serq.kernel.codes cimport *
from serq.kernel.events cimport push_event
from serq.kernel.figures cimport set_signal
from serq.kernel.machine cimport MACHINE_AT, agent_stream, evaluate, flow_uses, resolve
from serq.kernel.memory cimport more_longs
from serq.kernel.stages cimport count_completion, free_job, make_ready, new_job
from serq.kernel.state cimport Sim

cdef enum:
    R_COLUMNS = 11

cdef void start_flow(Sim sim, long agent, long stage, long run) noexcept nogil
cdef long _link(Sim sim, long stage, long after) noexcept nogil
cdef void _unlink_chain(Sim sim, long at) noexcept nogil
cdef void _count(Sim sim, long job, long change) noexcept nogil
cdef void advance_flows(Sim sim) noexcept nogil
cdef void reschedule_flows(Sim sim) noexcept nogil
cdef void _share(Sim sim) noexcept nogil
cdef void flow_event(Sim sim, long job, long stamp) noexcept nogil
cdef void cancel_flow(Sim sim, long job) noexcept nogil
