"""Outcomes that no command line can bring about at will."""

from __future__ import annotations

import pytest

import serq.cli.check
import serq.cli.output
from serq.cli.main import status


def test_a_kernel_that_is_not_compiled_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--version` says that runs are slow where the kernel could not be compiled."""
    monkeypatch.setattr(serq.cli.output, "EXTENSION_SUFFIXES", [".none"])
    assert status(["--version"]) == 0
    assert "not compiled" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (
            RuntimeError("lost count"),
            1,
            "internal error, a fault of serq and not of the program: RuntimeError: lost count",
        ),
        (MemoryError(), 1, "out of memory"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_anything_else_is_one_sentence(
    error: BaseException, code: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A fault of serq, too little memory and Ctrl-C end without a traceback."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(serq.cli.check, "load_program", fail)
    monkeypatch.setattr(serq.cli.output, "silence", lambda: 1)
    monkeypatch.delenv("SERQ_TRACEBACK", raising=False)
    assert status(["check", "x.sq"]) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"serq: {words}\n")


def test_the_traceback_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """With SERQ_TRACEBACK set a fault of serq keeps its traceback, to be reported."""

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("lost count")

    monkeypatch.setattr(serq.cli.check, "load_program", fail)
    monkeypatch.setenv("SERQ_TRACEBACK", "1")
    with pytest.raises(RuntimeError, match="lost count"):
        status(["check", "x.sq"])
