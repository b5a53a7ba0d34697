from serq.kernel.codes cimport *
from serq.kernel.kept cimport take_kept
from serq.kernel.loop cimport begin, finish, simulate_events
from serq.kernel.state cimport Sim

cdef int _give_sessions(Sim sim, object program, object trace) except -1
