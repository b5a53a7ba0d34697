"""The KV pool: blocks of keys and values, handed out, taken back, copied out and in.

In: requests for blocks. Out: lists of block numbers. Every block is free or held by one owner; `free_blocks` plus the
blocks of all owners is `n_blocks` at every instant. One more block, `scratch`, is nobody's: rows that only pad a batch
write there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

BLOCK = 16
"""Tokens of a block."""


def blocks_for(tokens: int) -> int:
    """Blocks that hold so many tokens."""
    return -(-tokens // BLOCK)


class Copy(NamedTuple):
    """The keys and values of a request outside of the pool, block by block."""

    keys: Floats
    values: Floats

    @property
    def n_blocks(self) -> int:
        return int(self.keys.shape[1])


class Pool:
    """Blocks for `layers` layers of width `width`.

    Attributes:
        keys: shape (layers, n_blocks + 1, width, BLOCK): tokens last, as the product with the queries reads them.
        values: shape (layers, n_blocks + 1, BLOCK, width).
        scratch: the block that padding writes to.
    """

    def __init__(self, n_blocks: int, layers: int, width: int) -> None:
        self.n_blocks, self.scratch = n_blocks, n_blocks
        # Zeros and not garbage: what lies beyond the tokens in a last block is read, too, and then multiplied by 0.
        self.keys = np.zeros((layers, n_blocks + 1, width, BLOCK), dtype=np.float32)
        self.values = np.zeros((layers, n_blocks + 1, BLOCK, width), dtype=np.float32)
        self._free = list(range(n_blocks - 1, -1, -1))

    @property
    def free_blocks(self) -> int:
        return len(self._free)

    def take(self, count: int) -> list[int]:
        """Blocks for an owner; the caller has seen to it that so many are free."""
        assert 0 <= count <= len(self._free)
        taken = self._free[len(self._free) - count :]
        del self._free[len(self._free) - count :]
        return taken

    def give_back(self, blocks: list[int]) -> None:
        """The blocks are free again; the owner's list of them is empty afterwards."""
        self._free.extend(blocks)
        blocks.clear()

    def copy_out(self, blocks: list[int]) -> Copy:
        """A copy of what the blocks hold; they become free."""
        copy = Copy(self.keys[:, blocks], self.values[:, blocks])
        self.give_back(blocks)
        return copy

    def copy_in(self, copy: Copy) -> list[int]:
        """Blocks that hold again what was copied out, bit for bit."""
        blocks = self.take(copy.n_blocks)
        self.keys[:, blocks] = copy.keys
        self.values[:, blocks] = copy.values
        return blocks
