"""Moves the embedding of a question to where the notes that answer it are; pure.

A note and a question about it share the subject and differ in form: "I am allergic to walnuts", "Which nuts must I
stay away from?". ``question_map.json`` has for each embedding model, by its id, a linear map of low rank, fitted to
labelled questions by ``python -m benchmarks.fit_search``. A model without one keeps its vectors. Notes are embedded
as ever.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pet.memory.index.embedders import Vectors

FILE = "question_map.json"


@dataclass(frozen=True, slots=True)
class QuestionMap:
    """``question + (question @ into) @ out``, brought to length 1. ``into``: dimensions x rank; ``out``: rank x
    dimensions. ``mean`` and ``spread``: of the cosine between a moved question and notes it does not concern."""

    into: NDArray[np.float32]
    out: NDArray[np.float32]
    mean: float
    spread: float

    def moved(self, vector: Vectors) -> Vectors:
        import numpy as np

        moved = vector + (vector @ self.into) @ self.out
        length = max(float(np.linalg.norm(moved)), 1e-9)
        return (moved / length).astype(np.float32)


def find_map(model: str, dimensions: int) -> QuestionMap | None:
    """That of the model; None where none was fitted for it."""
    known = read_maps().get(model)
    return known if known is not None and len(known.into) == dimensions else None


@lru_cache(maxsize=1)
def read_maps() -> dict[str, QuestionMap]:
    return unpacked(json.loads((files("pet.memory.question") / FILE).read_text(encoding="utf-8")))


def unpacked(rows: dict[str, Any]) -> dict[str, QuestionMap]:
    """The maps of the rows of ``question_map.json``."""
    import numpy as np

    def matrix(text: str, rank: int) -> NDArray[np.float32]:
        return np.frombuffer(base64.b64decode(text), dtype="<f2").astype(np.float32).reshape(-1, rank)

    return {
        model: QuestionMap(
            matrix(row["into"], row["rank"]),
            np.ascontiguousarray(matrix(row["out"], row["rank"]).T),
            float(row["mean"]),
            float(row["spread"]),
        )
        for model, row in rows.items()
    }
