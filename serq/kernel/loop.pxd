cimport cython

from serq.kernel.checks cimport verify
from serq.kernel.codes cimport *
from serq.kernel.deadlock cimport find_deadlock
from serq.kernel.engine cimport attempt, darken, end_iteration, glide
from serq.kernel.events cimport next_time, pop_event, push_event
from serq.kernel.figures cimport restart_signals
from serq.kernel.flows cimport flow_event, reschedule_flows
from serq.kernel.growth cimport try_pools
from serq.kernel.holds cimport end_lease
from serq.kernel.machine cimport evaluate
from serq.kernel.memory cimport more_doubles, more_longs
from serq.kernel.numbers cimport order
from serq.kernel.sessions cimport create_session, run_ready
from serq.kernel.stages cimport finish_event, reschedule
from serq.kernel.state cimport Sim
from serq.kernel.streams cimport draw_gap

cdef enum:
    ARRIVAL_AT = 0

cdef void settle(Sim sim) noexcept nogil
@cython.locals(quiet=bint)
cdef void _visit_stages(Sim sim) noexcept nogil
cdef long _next_word(Sim sim, long word) noexcept nogil
cdef void _handle(Sim sim, long event) noexcept nogil
cdef void _schedule_arrival(Sim sim) noexcept nogil
cdef void read_gauges(Sim sim) noexcept nogil
cdef void begin(Sim sim) noexcept nogil
cdef void simulate_events(Sim sim) noexcept nogil
cdef void finish(Sim sim) noexcept nogil
