"""A transformer with random weights, in NumPy on one thread.

In: tokens and the blocks that hold what came before them. Out: the next token of each request, with its best
candidates; keys and values are written to the pool.

A decode runs in one of two ways. `decode` is one call for a whole batch, padded to a given size: what a captured graph
of that size does. `decode_alone` calls it for one request after the other: what is left of an engine that launches
each kernel anew. They agree up to rounding.

The attention of a decode works on blocks, not on requests: the blocks of all requests stand in one row, each is
multiplied with the query of its owner, and sums over the blocks of an owner are segments of the row. Nothing is padded
to the longest context, and nothing loops over requests. Queries are spread out so that one product serves all heads:
row h of (heads, width) holds the query of head h in its own columns and zeros elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from serq.nano.pool import BLOCK, Pool, blocks_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.intp]

LAYERS, WIDTH, HEADS, FEED_FORWARD, VOCABULARY = 2, 128, 4, 512, 4096
HEAD = WIDTH // HEADS
CANDIDATES = 5
"""Best candidates that are kept of each token."""

TILE = 128
"""Rows of a prefill whose attention is computed at a time; 128 rows by 2048 columns stay in the cache."""

GATHERED = 32
"""Blocks that are gathered at a time: a quarter of a megabyte of keys stays in the cache until it is multiplied."""

MODEL_SEED = 11
SCALE = np.float32(HEAD**-0.5)


class Layer(NamedTuple):
    qkv: Floats
    out: Floats
    up: Floats
    down: Floats


class Tokens(NamedTuple):
    """What a forward pass made, a row a request.

    Attributes:
        token: the most likely token, shape (n,).
        candidates: the most likely tokens, in any order; shape (n, CANDIDATES).
        scores: their logits.
    """

    token: Ints
    candidates: Ints
    scores: Floats


class Row(NamedTuple):
    """A request in a decode: its last token, where that stands, and its blocks, which have room for it."""

    token: int
    position: int
    blocks: list[int]


class Model:
    """Weights, for contexts of up to `max_positions` tokens, and working memory."""

    def __init__(self, max_positions: int, seed: int = MODEL_SEED) -> None:
        rng = np.random.default_rng(seed)

        def weights(rows: int, columns: int) -> Floats:
            drawn: Floats = (rng.standard_normal((rows, columns)) / np.sqrt(rows)).astype(np.float32)
            return drawn

        self.embedding = rng.standard_normal((VOCABULARY, WIDTH)).astype(np.float32)
        self.position = rng.standard_normal((max_positions, WIDTH)).astype(np.float32)
        self.head = np.ascontiguousarray(self.embedding.T)
        self.layers = [
            Layer(
                weights(WIDTH, 3 * WIDTH),
                weights(WIDTH, WIDTH),
                weights(WIDTH, FEED_FORWARD),
                weights(FEED_FORWARD, WIDTH),
            )
            for _ in range(LAYERS)
        ]
        self.no_future = np.triu(np.full((TILE, TILE), -np.inf, dtype=np.float32), 1)
        self.beyond = np.triu(np.full((BLOCK, BLOCK), -np.inf, dtype=np.float32), 1)
        # Made once: memory that the system hands out anew for every call costs more than the copies into it.
        self.keys = np.empty((GATHERED, WIDTH, BLOCK), dtype=np.float32)
        self.values = np.empty((GATHERED, BLOCK, WIDTH), dtype=np.float32)
        self.mixed = np.empty((GATHERED, HEADS, WIDTH), dtype=np.float32)
        self.spread: dict[int, Floats] = {}

    def decode(self, pool: Pool, rows: Sequence[Row], size: int) -> Tokens:
        """One token for each of the rows, in one call padded to `size` rows."""
        n, padding = len(rows), size - len(rows)
        flat = [block for row in rows for block in row.blocks] + [pool.scratch] * padding
        counts = np.array([len(row.blocks) for row in rows] + [1] * padding)
        position = np.array([row.position for row in rows] + [0] * padding)
        token = np.array([row.token for row in rows] + [0] * padding)
        blocks = np.array(flat)
        last = np.cumsum(counts) - 1
        first = last - counts + 1
        owner = np.repeat(np.arange(size), counts)
        offset = position % BLOCK
        x = self.embedding[token] + self.position[position]
        for number, layer in enumerate(self.layers):
            qkv = normal(x) @ layer.qkv
            q, k, v = qkv[:, :WIDTH], qkv[:, WIDTH : 2 * WIDTH], qkv[:, 2 * WIDTH :]
            pool.keys[number][blocks[last], :, offset] = k
            pool.values[number][blocks[last], offset] = v
            scores = self.products(pool.keys[number], blocks, self.spread_out(q)[owner])
            scores[last] += self.beyond[offset][:, np.newaxis]
            greatest = np.maximum.reduceat(scores.max(axis=2), first, axis=0)
            scores -= greatest[owner][:, :, np.newaxis]
            np.exp(scores, out=scores)
            total = np.add.reduceat(scores.sum(axis=2), first, axis=0)
            own = np.add.reduceat(self.mixtures(pool.values[number], blocks, scores), first, axis=0)
            own /= total[:, :, np.newaxis]
            x = feed_forward(x + own.reshape(size, WIDTH) @ layer.out, layer)
        return self.best(x[:n])

    def products(self, keys: Floats, blocks: Ints, queries: Floats) -> Floats:
        """Of each block's keys with the queries of its owner, shape (n, HEADS, WIDTH): (n, HEADS, BLOCK)."""
        result = np.empty((len(blocks), HEADS, BLOCK), dtype=np.float32)
        for part in parts(len(blocks)):
            some = blocks[part]
            gathered = np.take(keys, some, axis=0, out=self.keys[: len(some)], mode="clip")
            np.matmul(queries[part], gathered, out=result[part])
        return result

    def mixtures(self, values: Floats, blocks: Ints, scores: Floats) -> Floats:
        """Of each block's values with weights of shape (n, HEADS, BLOCK): (n, HEADS, HEAD)."""
        result = np.empty((len(blocks), HEADS, HEAD), dtype=np.float32)
        for part in parts(len(blocks)):
            some = blocks[part]
            gathered = np.take(values, some, axis=0, out=self.values[: len(some)], mode="clip")
            result[part] = own_columns(np.matmul(scores[part], gathered, out=self.mixed[: len(some)]))
        return result

    def decode_alone(self, pool: Pool, rows: Sequence[Row]) -> Tokens:
        """One token for each of the rows, one call after the other."""
        made = [self.decode(pool, (row,), 1) for row in rows]
        return Tokens(*(np.concatenate(parts) for parts in zip(*made, strict=True)))

    def prefill(self, pool: Pool, tokens: Sequence[int], start: int, blocks: Sequence[int]) -> Floats:
        """Work on a chunk of a prompt.

        Args:
            start: position of the chunk's first token; everything before it has been worked on.
            blocks: of the request; at least those for the chunk.

        Returns:
            The state of the chunk's last token, shape (1, WIDTH): `best` makes a token of it.
        """
        n, end = len(tokens), start + len(tokens)
        position = np.arange(start, end)
        held = np.array(blocks[: blocks_for(end)])
        at, offset = held[position // BLOCK], position % BLOCK
        x = self.embedding[np.array(tokens)] + self.position[position]
        for number, layer in enumerate(self.layers):
            qkv = normal(x) @ layer.qkv
            q, k, v = qkv[:, :WIDTH], qkv[:, WIDTH : 2 * WIDTH], qkv[:, 2 * WIDTH :]
            pool.keys[number][at, :, offset] = k
            pool.values[number][at, offset] = v
            keys = pool.keys[number][held].transpose(1, 0, 2).reshape(WIDTH, -1)
            values = pool.values[number][held].reshape(-1, WIDTH)
            own = np.empty((n, WIDTH), dtype=np.float32)
            for top in range(0, n, TILE):
                rows = slice(top, min(top + TILE, n))
                self.attend(q[rows], keys, values, start + top, own[rows])
            x = feed_forward(x + own @ layer.out, layer)
        state: Floats = x[-1:]
        return state

    def attend(self, q: Floats, keys: Floats, values: Floats, start: int, own: Floats) -> None:
        """Attention of consecutive rows, the first at position `start`, to everything up to themselves."""
        n, end = len(q), start + len(q)
        for head in range(HEADS):
            columns = slice(head * HEAD, (head + 1) * HEAD)
            scores = (q[:, columns] * SCALE) @ keys[columns, :end]
            scores[:, start:] += self.no_future[:n, :n]
            scores -= scores.max(axis=1, keepdims=True)
            np.exp(scores, out=scores)
            np.divide(scores @ values[:end, columns], scores.sum(axis=1, keepdims=True), out=own[:, columns])

    def best(self, x: Floats) -> Tokens:
        """The tokens that states of shape (n, WIDTH) make most likely."""
        logits = normal(x) @ self.head
        candidates = np.argpartition(logits, -CANDIDATES, axis=1)[:, -CANDIDATES:]
        row = np.arange(len(x))
        scores = logits[row[:, np.newaxis], candidates]
        token = candidates[row, scores.argmax(axis=1)]
        return Tokens(token, candidates, scores)

    def spread_out(self, q: Floats) -> Floats:
        """Queries of shape (n, WIDTH) with a row for each head, in memory that the next call of this size reuses."""
        spread = self.spread.get(len(q))
        if spread is None:
            spread = self.spread[len(q)] = np.zeros((len(q), HEADS, WIDTH), dtype=np.float32)
        np.multiply(q.reshape(-1, HEADS, HEAD), SCALE, out=own_columns(spread))
        return spread


def parts(n: int) -> Iterator[slice]:
    """Consecutive slices of `GATHERED` rows at most."""
    return (slice(start, min(start + GATHERED, n)) for start in range(0, n, GATHERED))


def own_columns(x: Floats) -> Floats:
    """Of rows by head with all columns, shape (n, HEADS, WIDTH), those of the head itself; a view."""
    view: Floats = np.einsum("nhhd->nhd", x.reshape(len(x), HEADS, HEADS, HEAD))
    return view


def normal(x: Floats) -> Floats:
    """Rows with a mean square of 1."""
    square: Floats = np.einsum("nd,nd->n", x, x)
    square /= WIDTH
    square += 1e-6
    scaled: Floats = np.divide(x, np.sqrt(square)[:, np.newaxis], dtype=np.float32)
    return scaled


def feed_forward(x: Floats, layer: Layer) -> Floats:
    hidden: Floats = np.matmul(normal(x), layer.up)
    np.maximum(hidden, 0, out=hidden)
    result: Floats = np.matmul(hidden, layer.down)
    result += x
    return result
