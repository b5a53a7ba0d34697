"""Reports for people: the figures of a run as tables, and remarks on what a reader must know.

In: a `Report` (serq.results.report). Out: text. `tables` says which figures stand where and in how many decimals;
`text` sets them in plain characters and `rich_tables` for a terminal; `remarks` says what the figures do not.
"""
