"""What a run says: estimates over its samples, in immutable records.

In: what a run leaves (serq.kernel.recording). Out: a `Report` (serq.results.report) and its JSON (serq.results.json).
NumPy is imported only when samples are asked for.
"""
