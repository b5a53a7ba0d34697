"""Tests that are known to fail, named in tests/known_failures.txt: they run, and are reported as expected failures."""

from __future__ import annotations

from pathlib import Path

import pytest

KNOWN = [
    line.strip()
    for line in (Path(__file__).parent / "known_failures.txt").read_text().splitlines()
    if line.strip() and not line.startswith("#")
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(item.nodeid.startswith(known) for known in KNOWN):
            item.add_marker(pytest.mark.xfail(reason="known failure, see tests/known_failures.txt", strict=False))
