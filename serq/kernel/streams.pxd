cimport cython
from libc.math cimport NAN as nan, log, sqrt
from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef extern from *:
    const uint64_t LOW_32 "0xFFFFFFFFULL"
    const uint64_t LOW_64 "0xFFFFFFFFFFFFFFFFULL"

cdef enum:
    STREAM_WORDS = 28
    WORKLOAD_STREAM = 1
    SESSION_STREAM = 2
    LEG_STREAM = 3
    STALL_STREAM = 4

@cython.locals(multiplier=uint64_t, increment=uint64_t, state=uint64_t, word=uint32_t, turn=uint32_t, i=int)
cdef void seed_stream(uint32_t* words, Py_ssize_t at, uint64_t seed) noexcept nogil
@cython.locals(i=int)
cdef void copy_stream(uint32_t* words, Py_ssize_t to, Py_ssize_t source) noexcept nogil

@cython.locals(x=Py_ssize_t, i=int, _=int)
cdef void next_block(uint32_t* words, Py_ssize_t at) noexcept nogil
@cython.locals(p=uint32_t, q=uint32_t, r=uint32_t, s=uint32_t)
cdef void quarter_round(uint32_t* words, Py_ssize_t a, Py_ssize_t b, Py_ssize_t c, Py_ssize_t d) noexcept nogil

@cython.locals(golden=uint64_t, first=uint64_t, second=uint64_t)
cpdef uint64_t mix(uint64_t z) noexcept nogil
cpdef uint64_t substream_seed(uint64_t seed, uint64_t serial, uint64_t turn, uint64_t kind) noexcept nogil
@cython.locals(mark=uint64_t)
cpdef uint64_t machine_seed(uint64_t seed) noexcept nogil
@cython.locals(mark=uint64_t)
cpdef uint64_t eviction_seed(uint64_t seed) noexcept nogil
@cython.locals(mark=uint64_t)
cpdef uint64_t trace_seed(uint64_t seed) noexcept nogil

@cython.locals(position=uint32_t)
cdef uint32_t next_u32(uint32_t* words, Py_ssize_t at) noexcept nogil
@cython.locals(low=uint64_t, high=uint64_t)
cdef uint64_t next_u64(uint32_t* words, Py_ssize_t at) noexcept nogil
@cython.locals(multiple=int64_t)
cdef double uniform(uint32_t* words, Py_ssize_t at) noexcept nogil
@cython.locals(product=uint64_t, result=uint32_t, rest=uint64_t, carry=uint64_t)
cdef uint32_t below(uint32_t* words, Py_ssize_t at, uint64_t n) noexcept nogil

cdef double draw_gap(uint32_t* words, Py_ssize_t at, double rate) noexcept nogil
cdef double draw_exp(uint32_t* words, Py_ssize_t at, double mean) noexcept nogil
cdef double draw_uniform(uint32_t* words, Py_ssize_t at, double low, double high) noexcept nogil
@cython.locals(n=int64_t, _=int64_t, stage_mean=double, total=double)
cdef double draw_erlang(uint32_t* words, Py_ssize_t at, double stages, double mean) noexcept nogil
@cython.locals(v=double, p=double)
cdef double draw_h2(uint32_t* words, Py_ssize_t at, double mean, double cv2) noexcept nogil
cdef double draw_bernoulli(uint32_t* words, Py_ssize_t at, double probability) noexcept nogil
