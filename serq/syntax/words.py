"""The words that mean something in some place of a program, by their spelling.

No word is reserved by the parser. These lists are for names that would mislead, and for messages.
"""

from __future__ import annotations

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

NOT_A_DEFINITION = WORDS | FUNCTIONS | DISTRIBUTIONS
"""Words that would change their meaning if a definition, its parameter or a time resource took them."""
