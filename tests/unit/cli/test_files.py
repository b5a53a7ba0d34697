"""Files that commands write."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from serq.cli.files import write_file
from serq.diagnostics import SerqError


def test_whole_and_alone(tmp_path: Path) -> None:
    """The file holds what was written, whatever was there before, and nothing is left beside it."""
    out = tmp_path / "out"
    for content in ("a longer text", b"\x00\xff", "é"):
        write_file(str(out), content)
        assert out.read_bytes() == (content if isinstance(content, bytes) else content.encode())
    assert os.listdir(tmp_path) == ["out"]


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to("there/file")
    write_file(str(link), "text")
    assert link.is_symlink()
    assert (tmp_path / "there" / "file").read_text() == "text"


def test_a_pipe_stays_one(tmp_path: Path) -> None:
    """What is no file is written to and not replaced: else a device such as /dev/null would be."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_file(str(pipe), "text")
    reader.join()
    assert read == ["text"]
    assert pipe.is_fifo()


def test_what_cannot_be(tmp_path: Path) -> None:
    """One sentence says which file and why; nothing is written."""
    (tmp_path / "file").write_text("before")
    (tmp_path / "loop").symlink_to("loop")
    for name, why in {
        "": "directory",
        "none/file": "no such file or directory",
        "file/file": "not a directory",
        "nul\0": "null",
        "loop": "symbolic links",
    }.items():
        with pytest.raises(SerqError, match="cannot write to") as refused:
            write_file(str(tmp_path / name), "text")
        assert why in refused.value.diagnostic.message
        assert refused.value.diagnostic.message.count("cannot write") == 1
    assert sorted(os.listdir(tmp_path)) == ["file", "loop"]
    assert (tmp_path / "file").read_text() == "before"


def test_what_was_there_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills up while a file is written leaves what was there before, and nothing else."""
    (tmp_path / "file").write_text("before")
    written = Path.write_bytes

    def full(place: Path, data: bytes) -> int:
        written(place, data[:2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(SerqError, match="no space left"):
        write_file(str(tmp_path / "file"), "after")
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "before"
