"""Configurations beside each other: a program's arguments changed rung by rung, several seeds each.

`plan` says what is to be run, from a TOML file or a command line; `running` runs it. The tables are those of measured
ladders (serq.stalls.ladder).
"""
