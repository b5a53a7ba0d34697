"""Files of gaps: CSV or Parquet by the name's suffix, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from serq.stalls.export import FORMATS, Add
from serq.stalls.files import whole_file


@contextmanager
def opened(path: str) -> Iterator[Add]:
    """What adds rows to a file, which takes its place at the end.

    Raises:
        SerqError: it cannot be written, or its format needs a package that is not installed.
    """
    with whole_file(path) as file, FORMATS[os.path.splitext(path)[1].lower()](file) as add:
        yield add
