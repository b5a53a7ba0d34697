"""The ladder: settings of the engine, one remedy more on each rung.

In: the name of a rung. Out: its `Settings`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

BASELINE = "baseline"


class Settings(NamedTuple):
    """What the engine can be told. The defaults are the rung `baseline`.

    Attributes:
        max_requests: requests in the batch at most.
        token_budget: tokens that an iteration works on at most, decodes first.
        captured_sizes: batch sizes with a captured graph; a batch is padded to the next.
        n_blocks: KV blocks of `BLOCK` tokens.
        max_prompt: tokens after which a prompt is cut off.
        watermark: share of the blocks that stay free when a request is admitted.
        slack_blocks: blocks that must be free beyond its own for an evicted request to come back.
        long_lived: objects that the process holds besides what it serves.
        freeze: collect after start-up, and leave what is alive then out of later collections.
        compact_history: what is kept of each token is a row of an array, not a handful of objects.
        off_loop: prompts are tokenized by another process.
    """

    max_requests: int = 48
    token_budget: int = 2048
    captured_sizes: tuple[int, ...] = (1, 2, 4, 8, 16, 24, 32)
    n_blocks: int = 1000
    max_prompt: int = 2048
    watermark: float = 0.0
    slack_blocks: int = 8
    long_lived: int = 400_000
    freeze: bool = False
    compact_history: bool = False
    off_loop: bool = False


STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    (BASELINE, {}),
    ("+gc.freeze", {"freeze": True}),
    ("+compact history", {"compact_history": True}),
    ("+graphs to 48", {"captured_sizes": (1, 2, 4, 8, 16, 24, 32, 40, 48)}),
    ("+budget 256", {"token_budget": 256}),
    ("+tokenize off-loop", {"off_loop": True}),
    ("+admit watermark", {"watermark": 0.1}),
)
"""Rungs from the bottom up, and what each changes; it keeps the changes of those before it."""

RUNGS = tuple(name for name, _ in STEPS)


def settings_of(rung: str) -> Settings:
    """The settings of a rung of `RUNGS`."""
    settings = Settings()
    for _, change in STEPS[: RUNGS.index(rung) + 1]:
        settings = settings._replace(**change)
    return settings


def slug(rung: str) -> str:
    """The rung in the name of a file, and as one types it: `admit-watermark`."""
    return rung.lower().lstrip("+").replace(" ", "-").replace(".", "-")


def find_rung(text: str) -> str | None:
    """The rung that a user means, with or without its plus, blanks or hyphens between its words; None if none."""
    return next((name for name in RUNGS if slug(name) == slug(text.strip())), None)
