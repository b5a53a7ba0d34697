"""Logs in `.npz` files: what they may leave out, and what is said of files that hold no log."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from serq.diagnostics import SerqError
from serq.stalls.files import read_log, write_log
from serq.stalls.log import COLUMNS
from tests.unit.stalls.logs import random_log
from tests.unit.stalls.test_refusals import TRUE


def written(path: Path, **changes: Any) -> Path:
    """A true log with these arrays; None leaves one out."""
    arrays = {**TRUE, "wall": 0.05, "config": '{"rung": "r", "seed": 3}'} | changes
    np.savez(path, **{name: np.asarray(array) for name, array in arrays.items() if array is not None})  # type: ignore[arg-type]
    return path


def refusal(path: Path) -> str:
    with pytest.raises(SerqError) as refused:
        read_log(path)
    said = str(refused.value)
    assert "\n" not in said
    assert said.startswith(f"`{path}`: ")
    return said.removeprefix(f"`{path}`: ")


def test_round_trip(tmp_path: Path) -> None:
    """A log that is written is read back as it was."""
    log = random_log(4, config={"rung": "r", "seed": 4, "duration": 20})
    write_log(log, tmp_path / "a.npz")
    again = read_log(tmp_path / "a.npz")
    for table in COLUMNS:
        np.testing.assert_array_equal(getattr(again, table), getattr(log, table))
    assert (again.wall, dict(again.config), again.rung, again.seed, again.duration) == (
        *(log.wall, dict(log.config), "r", 4, 20.0),
    )
    assert [path.name for path in tmp_path.iterdir()] == ["a.npz"]


def test_what_may_be_missing(tmp_path: Path) -> None:
    """Without pauses, evictions, trace, wall and settings a log is a log; numbers may be whole."""
    missing = dict.fromkeys(("gcs", "evictions", "trace", "wall", "config"))
    log = read_log(written(tmp_path / "a.npz", **missing))
    assert (len(log.gcs), len(log.evictions), len(log.trace)) == (0, 0, 0)
    assert (log.wall, log.rung, log.seed, log.duration) == (0.04, None, None, None)
    whole = np.array([(4, 0, 64, 3, 1), (9, 0, 3, 2, 1)], dtype=np.int32)
    log = read_log(written(tmp_path / "b.npz", requests=whole, gcs=np.zeros(0), wall=np.array([0.5])))
    assert log.requests.dtype == np.float64
    assert (log.gcs.shape, log.wall) == ((0, 3), 0.5)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no steps": ({"steps": None}, "there is no array `steps`"),
    "no requests": ({"requests": None}, "there is no array `requests`"),
    "columns": ({"gcs": np.zeros((2, 2))}, "`gcs` has shape (2, 2), not rows of 3 columns (t0, t1, generation)"),
    "words": ({"gcs": np.array([["a", "b", "c"]])}, "`gcs` holds <U1 values, not numbers"),
    "pickles": (
        {"gcs": np.array([[1, 2, None]], dtype=object)},
        "`gcs` cannot be read: Object arrays cannot be loaded when allow_pickle=False",
    ),
    "a row": ({"gcs": [(0.0, 1.0, 0), (2.0, 1.0, 0)]}, "`gcs` row 1: it ends (1.0 s) before it starts (2.0 s)"),
    "wall": ({"wall": np.zeros(2)}, "`wall` is no single number, but float64 of shape (2,)"),
    "no JSON": (
        {"config": "{rung"},
        "`config` is no JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
    ),
    "a list": ({"config": "[\n1]"}, "`config` is JSON, but no object: [ 1]"),
    "a number": ({"config": 3}, "`config` is no single string, but int64 of shape ()"),
    "bytes": ({"config": b"\xff"}, "`config` is not UTF-8 text"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str, tmp_path: Path) -> None:
    """What is said of arrays that make no log."""
    changes, message = REFUSED[name]
    assert refusal(written(tmp_path / "a.npz", **changes)) == message


def test_other_files(tmp_path: Path) -> None:
    """What is said of files that are no logs at all."""
    path = tmp_path / "a.npz"
    assert refusal(path) == "it cannot be read: no such file or directory"
    path.write_bytes(b"")
    assert refusal(path) == "it is no NumPy archive (.npz): File is not a zip file"
    whole = written(tmp_path / "b.npz").read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert refusal(path) == "it is no NumPy archive (.npz): File is not a zip file"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("steps.npy", b"\x93NUMPY\x01\x00v\x00{'descr': '<f8'")
    assert refusal(path).startswith("`steps` cannot be read: ")
    with zipfile.ZipFile(path, "w") as archive:
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (1 << 44, 7)})
        archive.writestr("steps.npy", head.getvalue())
    assert refusal(path) == "`steps` is larger than the memory"
    (tmp_path / "log.txt").write_text("")
    assert refusal(tmp_path / "log.txt") == "a log is a file whose name ends in .npz, .jsonl, .ndjson"
    (tmp_path / "folder.npz").mkdir()
    assert refusal(tmp_path / "folder.npz") == "it cannot be read: is a directory"


def refused_with(path: Path) -> str:
    """What is said of the file; empty if it is taken."""
    try:
        read_log(path)
    except SerqError as error:
        return str(error)
    return ""


def test_damaged_files(tmp_path: Path) -> None:
    """Damage anywhere in a file is refused in one line, or does not show."""
    path = tmp_path / "a.npz"
    write_log(random_log(5), path)
    whole, rng = path.read_bytes(), random.Random(1)
    for _ in range(400):
        damaged = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        path.write_bytes(damaged[: rng.choice((len(damaged), rng.randrange(len(damaged))))])
        said = refused_with(path)
        assert "\n" not in said


def test_writing(tmp_path: Path) -> None:
    """A log that cannot be written leaves what was there."""
    with pytest.raises(SerqError, match=r"cannot write to `.*none/a\.npz`: no such file or directory"):
        write_log(random_log(4), tmp_path / "none" / "a.npz")
    with pytest.raises(SerqError, match="it is a directory"):
        write_log(random_log(4), tmp_path)
