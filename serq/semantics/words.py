"""The words of the language, by what they may not be used for.

No word is reserved by the parser, but some names would be misread: see chapter "names" of the language reference.
"""

from __future__ import annotations

from serq.ir.nodes import BUILT_IN_ATTRIBUTES

SUPPLIED = frozenset(
    """inf now size age last waiting present waited decoding admission remaining residents decoders kv_decode
    kv_prefill tokens prefilled attention demand served arrived self running batch position preempted admitted""".split()
)
"""Names that the language supplies in expressions: no declaration may take one."""

BUILT_IN = frozenset(BUILT_IN_ATTRIBUTES)
"""The attributes that every session has."""

FUNCTIONS = frozenset(
    """min max abs floor ceil sqrt exp ln used free cachedin holders queued allocated queue busy work budget_left
    blocksize price est_lambda est_rho est_wait total count largest smallest prefix_total""".split()
)
"""The functions, but for `cost`."""

DISTRIBUTIONS = frozenset("exp det uniform erlang h2 bernoulli".split())

WORDS = frozenset(
    """Cost Size admission admit advance arrivals arrive at batch bernoulli block branch budget by cache cap choose
    chunk claim closed cost decode def delay device drop each else end engine every evict exclusive execute fifo
    first fits fn fork from gauge given granule grow growing head held hidden hold horizon in init iteration join
    latency lease let lifo link load loop lru mark memory most nic none observe of on only ordered poisson pool
    preempt prefill prefix ps queue release renewal request requeue reserve reuse run schedule seed serve server
    session set some spill stage state step sum tail taking to tool trace transfer turn use via warmup when
    while with workload""".split()
)
"""The words of the language."""

RETIRED = frozenset("admit keep where".split())
"""Words of older programs, which would mislead as names."""

QUEUE_WORDS = frozenset("decode link prefill tool transfer".split())
"""What may not name a queue."""

LIBRARY_WORDS = {"std/args": "args", "std/kvt": "kvt", "std/share": "share"}
"""The names that a library takes when it is in use."""

NOT_A_DEFINITION = WORDS | FUNCTIONS | DISTRIBUTIONS
"""Words that would change their meaning if a definition, its parameter or a time resource took them."""

NUMERIC_FUNCTIONS = frozenset("min max abs floor ceil sqrt exp ln".split())
"""Functions of numbers."""

AGGREGATES = frozenset("total count largest smallest prefix_total".split())
"""Functions of an observation, for claims at the end."""

LIVE_FUNCTIONS = FUNCTIONS - NUMERIC_FUNCTIONS - AGGREGATES - {"blocksize"}
"""Functions of pools and stages, whose values change while statements run."""
