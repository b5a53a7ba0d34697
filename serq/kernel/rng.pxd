from libc.stdint cimport uint32_t

from serq.kernel.streams cimport (
    STREAM_WORDS, draw_bernoulli, draw_erlang, draw_exp, draw_h2, draw_uniform, next_u32 as word, next_u64 as two_words, seed_stream, uniform,
)

cdef class Rng:
    cdef uint32_t words[STREAM_WORDS]
