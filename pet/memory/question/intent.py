"""Whether a message asks for, or touches, something that may be remembered: a linear model over its embedding; pure.

The weights are in ``intent.json``, one row for each embedding model by its id, made by
``python -m benchmarks.fit_search``. A model without a row has no opinion.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pet.memory.index.embedders import Vectors

FILE = "intent.json"


@dataclass(frozen=True, slots=True)
class IntentModel:
    """``weights`` has one number for each dimension of the embedding."""

    weights: NDArray[np.float32]
    bias: float

    def log_odds(self, vector: Vectors) -> float:
        """Positive where the message more likely concerns something remembered than not."""
        return float(self.weights @ vector) + self.bias


def log_odds(model: str, vector: Vectors) -> float | None:
    """What the model's embedding of a message says; None where no weights were fitted for it."""
    known = _models().get(model)
    return known.log_odds(vector) if known is not None and len(known.weights) == len(vector) else None


@lru_cache(maxsize=1)
def _models() -> dict[str, IntentModel]:
    import numpy as np

    read = json.loads((files("pet.memory.question") / FILE).read_text(encoding="utf-8"))
    return {
        model: IntentModel(
            np.frombuffer(base64.b64decode(row["weights"]), dtype="<f2").astype(np.float32), float(row["bias"])
        )
        for model, row in read.items()
    }
