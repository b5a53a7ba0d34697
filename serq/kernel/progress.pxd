cdef class Progress:
    cdef public double now
    cdef public long events
    cdef public long stop
