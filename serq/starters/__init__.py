"""Commented programs to start from: an engine as it is set up by default, and clients for it.

`starter` is the door. `engines` and `workloads` hold the parts of the text; this room knows no other, and what it
writes is a program like any other.
"""

from serq.starters.engines import ENGINES
from serq.starters.program import Starter, next_commands, starter
from serq.starters.workloads import WORKLOADS

__all__ = ["ENGINES", "WORKLOADS", "Starter", "next_commands", "starter"]
