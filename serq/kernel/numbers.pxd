from libc.math cimport ceil, exp, floor, log, pow, sqrt
from libc.string cimport memcpy

cdef inline long truncate(double x) noexcept nogil:
    return <long> x if -9e18 < x < 9e18 else 0

cdef inline double divide(double a, double b) noexcept nogil:
    return a / b

cdef inline double power(double a, double b) noexcept nogil:
    return pow(a, b)

cdef inline double floor_of(double x) noexcept nogil:
    return floor(x)

cdef inline double ceil_of(double x) noexcept nogil:
    return ceil(x)

cdef inline double root(double x) noexcept nogil:
    return sqrt(x)

cdef inline double exponential(double x) noexcept nogil:
    return exp(x)

cdef inline double logarithm(double x) noexcept nogil:
    return log(x)

cdef inline long order(double x) noexcept nogil:
    cdef long bits
    memcpy(&bits, &x, 8)
    return bits if bits >= 0 else bits ^ <long> 0x7FFFFFFFFFFFFFFF
