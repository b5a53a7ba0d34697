"""`serq lsp` where its optional part is not installed."""

from __future__ import annotations

import pytest

import serq.cli.lsp
from serq.cli.main import status


def test_not_installed(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """One sentence says how to get it, and the exit code is 1."""
    monkeypatch.setattr(serq.cli.lsp, "find_spec", lambda name: None)
    monkeypatch.setattr("serq.cli.output.silence", lambda: 1)
    assert status(["lsp"]) == 1
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err == ("serq: the language server needs a part that is not installed: pip install 'serq[lsp]'\n")
