"""What a program means is refused at its place, with its kind and in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from serq.compiler import compile_source
from serq.diagnostics import SerqError
from tests.errors.chunks import Chunk, chunks_of

CHUNKS = [chunk for path in sorted((Path(__file__).parent / "semantics").glob("*.sq")) for chunk in chunks_of(path)]


@pytest.mark.parametrize("chunk", CHUNKS, ids=lambda chunk: chunk.title)
def test_refused_where_marked(chunk: Chunk) -> None:
    """The fault found is the one marked, no other and not elsewhere."""
    with pytest.raises(SerqError) as refusal:
        compile_source(chunk.text, horizon=1.0)
    error = refusal.value
    assert (error.kind, error.line, error.column) == chunk.expected
    assert error.message[0].islower() or error.message[0] in '`"'
    assert not error.message.endswith(".")
