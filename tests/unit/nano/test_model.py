"""The transformer: however a token is computed, it is the same."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from serq.nano.model import LAYERS, WIDTH, Model, Row, Tokens
from serq.nano.pool import Pool, blocks_for


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(max_positions=400)


def prompt(length: int, seed: int = 0) -> list[int]:
    return np.random.default_rng([length, seed]).integers(0, 4096, length).tolist()


def prefilled(model: Model, pool: Pool, length: int, chunks: int = 1) -> Row:
    """A request whose prompt has been worked on, all but its last token, which the next decode takes."""
    tokens, blocks = prompt(length), pool.take(blocks_for(length))
    ends = np.unique(np.linspace(0, length - 1, chunks + 1).astype(int)).tolist()
    for start, end in pairwise(ends):
        model.prefill(pool, tokens[start:end], start, blocks)
    return Row(tokens[-1], length - 1, blocks)


def same(one: Tokens, other: Tokens) -> None:
    np.testing.assert_array_equal(one.token, other.token)
    np.testing.assert_array_equal(np.sort(one.candidates), np.sort(other.candidates))
    np.testing.assert_allclose(np.sort(one.scores), np.sort(other.scores), rtol=1e-4, atol=1e-4)


LENGTHS = (2, 15, 16, 17, 33, 130, 257)
"""Prompts that end inside, at and after the end of a block and of a tile."""


@pytest.mark.parametrize("size", [7, 8, 16])
def test_padded_and_alone(model: Model, size: int) -> None:
    """A padded batch gives each request what it gets alone."""
    pool = Pool(100, LAYERS, WIDTH)
    rows = [prefilled(model, pool, length) for length in LENGTHS]
    same(model.decode(pool, rows, size), model.decode_alone(pool, rows))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("chunks", [1, 2, 5])
def test_decode_and_prefill(model: Model, length: int, chunks: int) -> None:
    """Working on a prompt in chunks and decoding its last token gives what working on all of it at once gives."""
    pool = Pool(100, LAYERS, WIDTH)
    pool.take(3)  # so that blocks are not numbered from 0
    row = prefilled(model, pool, length, chunks)
    whole = model.best(model.prefill(pool, prompt(length), 0, pool.take(blocks_for(length))))
    same(model.decode(pool, [row], 1), whole)


def test_own_blocks_only(model: Model) -> None:
    """What other requests and padding hold changes nothing, nor does what lies beyond a request's tokens."""
    pool = Pool(100, LAYERS, WIDTH)
    row = prefilled(model, pool, 33)
    alone = model.decode(pool, [row], 1)
    others = np.setdiff1d(np.arange(101), row.blocks)
    pool.keys[:, others] = pool.values[:, others] = 1e3
    pool.keys[:, row.blocks[-1], :, 1:] = pool.values[:, row.blocks[-1], 1:] = 1e3
    neighbour = Row(7, 20, pool.take(2))
    same(Tokens(*(part[:1] for part in model.decode(pool, [row, neighbour], 4))), alone)


def test_tokens_depend_on_all_before(model: Model) -> None:
    """The first token of a prompt decides what comes long after it."""
    pool = Pool(100, LAYERS, WIDTH)
    row = prefilled(model, pool, 50)
    before = model.decode(pool, [row], 1)
    model.prefill(pool, [*prompt(50)[:1], *prompt(50, 1)[1:-1]], 0, row.blocks)
    after = model.decode(pool, [row], 1)
    assert np.abs(before.scores - after.scores).max() > 1e-3
