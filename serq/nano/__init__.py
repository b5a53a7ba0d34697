"""A small continuous-batching engine in which every cause of a stall is real, to measure and to take apart.

In: a rung (which remedies are on), a seed, a duration and an arrival rate. Out: the log of one run (serq.stalls).

The engine serves a transformer with random weights on the CPU. Its words mean nothing; its time is real: it batches,
pads, prefills in chunks, runs out of blocks, copies KV out and in, tokenizes on its loop, and keeps objects that
Python's collector walks over. docs/stalls/nano.md describes it.

`rungs` and `workload` say what is run, `model`, `pool`, `scheduler` and `engine` run it, `recording` keeps what
happened, `process` is the process of its own that a run gets, since NumPy reads the number of its threads when it is
imported. This room reads the clock: it measures.
"""
