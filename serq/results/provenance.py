"""Where figures come from: everything that is needed to run a program again and get the same figures."""

from __future__ import annotations

from typing import NamedTuple


class Provenance(NamedTuple):
    """What a run was made of.

    Attributes:
        serq_version: version of the package that ran it.
        source: text of the program, or of the intermediate representation it was read from.
        arguments: program arguments supplied, name and number or constant expression, in the order given.
        definitions: replaced `def` bodies, name and text.
        trace: path of the trace that replaced the program's, or None.
        seed: seed of the run.
        horizon: simulated seconds.
        warmup: simulated seconds left out of the figures.
        arrivals: number of sessions asked for, or None.
    """

    serq_version: str
    source: str
    arguments: tuple[tuple[str, float | str], ...]
    definitions: tuple[tuple[str, str], ...]
    trace: str | None
    seed: int
    horizon: float
    warmup: float
    arrivals: int | None

    @property
    def source_digest(self) -> str:
        """SHA-256 of the source text in UTF-8, in hexadecimal."""
        # Here because few ask for it, and the import takes 3 ms of every start.
        from hashlib import sha256

        return sha256(self.source.encode()).hexdigest()
