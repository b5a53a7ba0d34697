"""Logs in NumPy's `.npz`: one array a table, `wall` and `config` beside them.

In: an open file. Out: a checked `Log`; or back. Nothing in a file is executed: arrays of objects, which NumPy would
unpickle, are refused.
"""

from __future__ import annotations

import json
import zipfile
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from serq.stalls.checking import checked
from serq.stalls.log import COLUMNS, REQUIRED, Log, log_of, one_line, refuse, settings, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]


def read_npz(file: IO[bytes], name: str) -> Log:
    """The log in an open file.

    Raises:
        SerqError: it is no `.npz`, an array is missing or unreadable, or the log cannot be true.
    """
    arrays = read_arrays(file, name)
    for array in REQUIRED:
        if array not in arrays:
            refuse(name, f"there is no array `{array}`")
    tables = {array: table(name, array, arrays.get(array, ())) for array in COLUMNS}
    wall = read_wall(arrays, name) if "wall" in arrays else None
    return checked(log_of(tables, wall, settings(name, read_config(arrays, name)), name))


def read_arrays(file: IO[bytes], name: str) -> Arrays:
    """The arrays that make up a log; others are left alone."""
    arrays: Arrays = {}
    array = None
    try:
        with zipfile.ZipFile(file) as archive:
            members = set(archive.namelist())
            for array in (*COLUMNS, "wall", "config"):
                if f"{array}.npy" in members:
                    with archive.open(f"{array}.npy") as member:
                        arrays[array] = np.lib.format.read_array(member, allow_pickle=False)
    except MemoryError:
        refuse(name, f"`{array}` is larger than the memory")
    except Exception as error:
        # Whatever zipfile, its decompressors and NumPy's header reader raise over a file that is not what it says.
        what = "it is no NumPy archive (.npz)" if array is None else f"`{array}` cannot be read"
        refuse(name, f"{what}: {one_line(str(error)) or type(error).__name__}")
    return arrays


def read_wall(arrays: Arrays, name: str) -> float:
    wall = arrays["wall"]
    if wall.size != 1 or wall.dtype.kind not in "iuf":
        refuse(name, f"`wall` is no single number, but {wall.dtype} of shape {wall.shape}")
    return float(wall.reshape(())[()])


def read_config(arrays: Arrays, name: str) -> str:
    """The text of `config`; an empty object where there is none."""
    config = arrays.get("config")
    if config is None:
        return "{}"
    if config.size != 1 or config.dtype.kind not in "US":
        refuse(name, f"`config` is no single string, but {config.dtype} of shape {config.shape}")
    text = config.reshape(())[()]
    try:
        return text.decode() if isinstance(text, bytes) else str(text)
    except UnicodeDecodeError:
        refuse(name, "`config` is not UTF-8 text")


def write_npz(log: Log, file: IO[bytes]) -> None:
    """Write a log, compressed, so that `read_npz` gives it back (but for its name and the names of requests)."""
    tables = {array: getattr(log, array) for array in COLUMNS}
    np.savez_compressed(file, **tables, wall=np.float64(log.wall), config=np.array(json.dumps(dict(log.config))))
