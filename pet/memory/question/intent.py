"""Whether a message asks for, or touches, something that may be remembered: a small network over its embedding; pure.

The weights are in ``intent.json``, one row for each embedding model by its id, made by
``python -m benchmarks.fit_search``. A model without a row has no opinion.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pet.memory.index.embedders import Vectors

FILE = "intent.json"


@dataclass(frozen=True, slots=True)
class IntentModel:
    """One layer of units that add what lies above 0. ``into``: dimensions of the embedding x units."""

    into: NDArray[np.float32]
    shift: NDArray[np.float32]
    out: NDArray[np.float32]
    bias: float

    def log_odds(self, vector: Vectors) -> float:
        """Positive where the message more likely concerns something remembered than not."""
        return float((vector @ self.into + self.shift).clip(0) @ self.out) + self.bias


def log_odds(model: str, vector: Vectors) -> float | None:
    """What the model's embedding of a message says; None where no weights were fitted for it."""
    known = _models().get(model)
    return known.log_odds(vector) if known is not None and len(known.into) == len(vector) else None


@lru_cache(maxsize=1)
def _models() -> dict[str, IntentModel]:
    return unpacked_models(json.loads((files("pet.memory") / "data" / FILE).read_text(encoding="utf-8")))


def unpacked_models(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, IntentModel]:
    """The models of the rows of ``intent.json``."""
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
