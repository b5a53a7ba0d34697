from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free, realloc
from libc.stdio cimport fputs, stderr
from libc.string cimport memset

cdef extern from "unistd.h" nogil:
    void leave_process "_exit"(int code)

ctypedef double* Doubles
ctypedef long* Longs

ctypedef fused array_t:
    double
    long
    uint32_t

# A run that needs more memory than there is cannot be unwound from inside an event; it ends with a sentence.
cdef inline void* whole(void* array) noexcept nogil:
    if array == NULL:
        fputs("serq: the run needs more memory than there is: it has too many sessions or samples at once\n", stderr)
        leave_process(1)
    return array

cdef inline double* doubles(long n) noexcept nogil:
    return <double*> whole(calloc(n if n > 0 else 1, sizeof(double)))

cdef inline long* longs(long n) noexcept nogil:
    return <long*> whole(calloc(n if n > 0 else 1, sizeof(long)))

cdef inline uint32_t* words(long n) noexcept nogil:
    return <uint32_t*> whole(calloc(n if n > 0 else 1, sizeof(uint32_t)))

cdef inline double* more_doubles(double* array, long old, long new) noexcept nogil:
    array = <double*> whole(realloc(array, new * sizeof(double)))
    memset(array + old, 0, (new - old) * sizeof(double))
    return array

cdef inline long* more_longs(long* array, long old, long new) noexcept nogil:
    array = <long*> whole(realloc(array, new * sizeof(long)))
    memset(array + old, 0, (new - old) * sizeof(long))
    return array

cdef inline uint32_t* more_words(uint32_t* array, long old, long new) noexcept nogil:
    array = <uint32_t*> whole(realloc(array, new * sizeof(uint32_t)))
    memset(array + old, 0, (new - old) * sizeof(uint32_t))
    return array

cdef inline void release(array_t* array) noexcept nogil:
    free(array)
