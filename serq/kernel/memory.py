"""Arrays of the kernel: raw C memory when compiled, plain lists otherwise.

The header gives `doubles`, `longs` and `words` (unsigned, 32 bits) as calls of the C allocator, filled with zeros, and
`more_*` to lengthen one of them; here are their uncompiled twins. A list may be lengthened in place, a C array moves,
so callers always write `a = more_doubles(a, old, new)`.
"""

import cython

if not cython.compiled:

    def doubles(n: int) -> list[float]:
        return [0.0] * n

    def longs(n: int) -> list[int]:
        return [0] * n

    def words(n: int) -> list[int]:
        return [0] * n

    def more_doubles(array: list[float], old: int, new: int) -> list[float]:
        array.extend([0.0] * (new - old))
        return array

    def more_longs(array: list[int], old: int, new: int) -> list[int]:
        array.extend([0] * (new - old))
        return array

    def more_words(array: list[int], old: int, new: int) -> list[int]:
        array.extend([0] * (new - old))
        return array

    def release(array: list[float] | list[int]) -> None:
        array.clear()
