"""Where the tail of the inter-token latency comes from: every gap between tokens taken apart by cause.

In: a log that an engine recorded (a file, or arrays). Out: figures, tables, pictures, and the gaps themselves.

    log = serq.stalls.read_log("run.npz")
    parts = serq.stalls.partition(log)          # every gap, seconds by label
    run = serq.stalls.measure(log, parts)       # the figures of the run
    print(run.stalls.p99, run.stalls.tail_share)

docs/stalls/measuring.md says what to record, docs/stalls/log.md in which form.
"""
