"""Decide whether a message concerns anything remembered by a network; pure.

It reads the message's embedding; its weights are in ``data/intent.json``, one row for each embedding
model, made by ``python -m lab.fit_search``.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pet.memory import read_data

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pet.memory.search.embedders import Vectors

FILE = "intent.json"


@dataclass(frozen=True, slots=True)
class IntentModel:
    """One hidden layer with ReLU. ``into``: dimensions of the embedding x units."""

    into: NDArray[np.float32]
    shift: NDArray[np.float32]
    out: NDArray[np.float32]
    bias: float

    def log_odds(self, vector: Vectors) -> float:
        """Return the log odds that the message concerns something remembered."""
        return float((vector @ self.into + self.shift).clip(0) @ self.out) + self.bias


def intent_log_odds(model: str, vector: Vectors) -> float | None:
    """Return the log odds that a message concerns something remembered, from its embedding; None if the model has no
    weights."""
    intent = models().get(model)
    return intent.log_odds(vector) if intent is not None and len(intent.into) == len(vector) else None


@lru_cache(maxsize=1)
def models() -> dict[str, IntentModel]:
    """Return the shipped networks by embedding model; read once."""
    return unpacked_models(read_data("search", FILE))


def unpacked_models(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, IntentModel]:
    """Return the models in the rows of ``intent.json``."""
    return {
        model: IntentModel(
            _matrix(row["into"]).reshape(-1, row["units"]),
            _matrix(row["shift"]),
            _matrix(row["out"]),
            float(row["bias"]),
        )
        for model, row in rows.items()
    }


def _matrix(text: str) -> NDArray[np.float32]:
    import numpy as np

    return np.frombuffer(base64.b64decode(text), dtype="<f2").astype(np.float32)
