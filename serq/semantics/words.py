"""The words of the language, by what they may not be used for, as far as the parser does not need them."""

from __future__ import annotations

from serq.ir.nodes import BUILT_IN_ATTRIBUTES
from serq.syntax.words import FUNCTIONS

SUPPLIED = frozenset(
    """inf now size age last waiting present waited decoding admission remaining residents decoders kv_decode
    kv_prefill tokens prefilled attention demand served arrived self running batch position preempted
    admitted""".split()
)
"""Names that the language supplies in expressions: no declaration may take one."""

BUILT_IN = frozenset(BUILT_IN_ATTRIBUTES)
"""The attributes that every session has."""

RETIRED = frozenset("admit keep where".split())
"""Words of older programs, which would mislead as names."""

QUEUE_WORDS = frozenset("decode link prefill tool transfer".split())
"""What may not name a queue."""

LIBRARY_WORDS = {"std/args": "args", "std/kvt": "kvt", "std/share": "share"}
"""The names that a library takes when it is in use."""

STALL_LABELS = frozenset("kernel prefill preempt recompute unserved blocked away residual clean".split())
"""Labels that reports give to the parts of a gap themselves: no stall may take one."""

NUMERIC_FUNCTIONS = frozenset("min max abs floor ceil sqrt exp ln".split())
"""Functions of numbers."""

AGGREGATES = frozenset("total count largest smallest prefix_total".split())
"""Functions of an observation, for claims at the end."""

LIVE_FUNCTIONS = FUNCTIONS - NUMERIC_FUNCTIONS - AGGREGATES - {"blocksize"}
"""Functions of pools and stages, whose values change while statements run."""
