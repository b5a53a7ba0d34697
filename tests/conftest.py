"""Settings of every test process."""

from __future__ import annotations

import os

# Read when NumPy is imported. A second thread for products of small matrices waits, spinning, for its turn on a core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
