"""The kernel: a typed program in, a recording out. It knows no syntax and prints nothing."""

from serq.kernel.progress import Progress
from serq.kernel.simulate import Interrupted, simulate

__all__ = ["Interrupted", "Progress", "simulate"]
