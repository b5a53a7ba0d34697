"""The tokenizer: byte-pair encoding, trained in this process when the engine starts.

In: text. Out: token numbers below `VOCABULARY`. Training is a function of the corpus alone.
"""

from __future__ import annotations

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from serq.nano.model import VOCABULARY
from serq.nano.workload import corpus

TRAINING_CHARACTERS = 300_000


def train() -> Tokenizer:
    """A byte-level BPE tokenizer of `VOCABULARY` entries at most."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    text = corpus()[:TRAINING_CHARACTERS]
    tokenizer.train_from_iterator(text.splitlines(keepends=True), trainer)
    return tokenizer


def encode(tokenizer: Tokenizer, text: str, limit: int) -> list[int]:
    """The first `limit` tokens of a text. All of it is tokenized first, as servers do: that is what takes the time."""
    tokens: list[int] = tokenizer.encode(text).ids
    return tokens[:limit]
