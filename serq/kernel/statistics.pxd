cimport cython
from cpython.array cimport array
from libc.math cimport INFINITY as inf, sqrt

from serq.kernel.memory cimport longs, release
from serq.kernel.numbers cimport order

cdef inline double* numbers_of(array values) except? NULL:
    if values.typecode != "d":
        raise TypeError("an array of doubles is wanted")
    return values.data.as_doubles

@cython.locals(x="double *", n=Py_ssize_t, i=Py_ssize_t, mean=double, m2=double, distance=double)
cpdef tuple welford(array values)

@cython.locals(
    x="double *", size=Py_ssize_t, i=Py_ssize_t, first=Py_ssize_t,
    total=double, grand_mean=double, squares=double, distance=double,
)
cpdef double batch_half_width(array values) except? -1.0

@cython.locals(
    t="double *", v="double *", area="double *", n=Py_ssize_t, i=Py_ssize_t, last=Py_ssize_t, window=Py_ssize_t,
    width=double, window_end=double, total=double, least=double, greatest=double, begin=double, stop=double, value=double,
)
cpdef tuple window_integrals(array times, array values, double start, double end, array areas)

@cython.locals(x="double *", n=Py_ssize_t, i=Py_ssize_t, keys="long *", key=long)
cpdef double quantile_rank(array values, Py_ssize_t k) except? -1.0

@cython.locals(counts="long *", shift=int, flip=long, digit=long, i=Py_ssize_t, kept=Py_ssize_t)
cdef long select_key(long* keys, Py_ssize_t n, Py_ssize_t k) noexcept nogil
