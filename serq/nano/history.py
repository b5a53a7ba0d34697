"""What is kept of every token: its time, and the candidates that it was chosen from.

In: the tokens of an iteration. Out: nothing; this is what an engine holds for answers with log-probabilities. As
objects, each token adds seven that Python's collector walks over from then on; as rows of arrays, none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from serq.nano.model import Tokens

CHUNK = 1 << 15
"""Rows of an array: another one is begun when it is full, since a larger copy would stall the engine."""


class Candidate:
    """A token that might have come, its logit, and its rank."""

    __slots__ = ("logit", "rank", "token")

    def __init__(self, token: int, logit: float, rank: int) -> None:
        self.token, self.logit, self.rank = token, logit, rank


class TokenRecord:
    """A token of a request, with its best candidates by token."""

    __slots__ = ("candidates", "time", "token")

    def __init__(self, token: int, time: float, candidates: dict[int, Candidate]) -> None:
        self.token, self.time, self.candidates = token, time, candidates


class ObjectHistory:
    """A `TokenRecord` a token, by request."""

    def __init__(self) -> None:
        self.records: dict[int, list[TokenRecord]] = {}
        self.n_tokens = 0

    def add(self, requests: Sequence[int], made: Tokens, time: float) -> None:
        """Keep a token of each of the requests, the rows of `made`."""
        rows = zip(requests, made.token.tolist(), made.candidates.tolist(), made.scores.tolist(), strict=True)
        for request, token, candidates, scores in rows:
            ranked = {c: Candidate(c, s, rank) for rank, (c, s) in enumerate(zip(candidates, scores, strict=True))}
            self.records.setdefault(request, []).append(TokenRecord(token, time, ranked))
        self.n_tokens += len(requests)


class CompactHistory:
    """A row a token, in the order in which they were made."""

    def __init__(self, candidates: int) -> None:
        self.row = np.dtype(
            [
                ("request", np.int64),
                ("time", np.float64),
                ("token", np.int32),
                ("candidates", np.int32, (candidates,)),
                ("scores", np.float32, (candidates,)),
            ]
        )
        self.chunks: list[NDArray[np.void]] = []
        self.filled = CHUNK
        self.n_tokens = 0

    def add(self, requests: Sequence[int], made: Tokens, time: float) -> None:
        """Keep a token of each of the requests, the rows of `made`."""
        if self.filled + len(requests) > CHUNK:
            self.chunks.append(np.empty(CHUNK, dtype=self.row))
            self.filled = 0
        rows = self.chunks[-1][self.filled : self.filled + len(requests)]
        rows["request"], rows["time"], rows["token"] = requests, time, made.token
        rows["candidates"], rows["scores"] = made.candidates, made.scores
        self.filled += len(requests)
        self.n_tokens += len(requests)


History = ObjectHistory | CompactHistory
