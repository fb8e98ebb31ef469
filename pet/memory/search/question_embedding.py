"""Reading of a question's embedding: whether it concerns anything remembered, and where its answers are; pure.

``data/intent.json`` has a network for each embedding model, for the first. A note and a question about it share the
subject and differ in form: "I am allergic to walnuts", "Which nuts must I stay away from?". So ``question_map.json``
has linear maps of low rank that move a question to its answers: one reads the model's own embedding, the other one
also another model's. Notes keep their vectors. Made by ``python -m lab.fit_search``.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pet.memory import read_data

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pet.memory.search.embedders import Vectors

INTENT_FILE, MAP_FILE = "intent.json", "question_map.json"


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
    intent = intent_models().get(model)
    return intent.log_odds(vector) if intent is not None and len(intent.into) == len(vector) else None


@lru_cache(maxsize=1)
def intent_models() -> dict[str, IntentModel]:
    """Return the shipped networks by embedding model; read once."""
    return unpacked_models(read_data("search", INTENT_FILE))


def unpacked_models(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, IntentModel]:
    """Return the models in the rows of ``intent.json``."""
    return {
        model: IntentModel(
            _numbers(row["into"]).reshape(-1, row["units"]),
            _numbers(row["shift"]),
            _numbers(row["out"]),
            float(row["bias"]),
        )
        for model, row in rows.items()
    }


@dataclass(frozen=True, slots=True)
class QuestionMap:
    """``question + (inputs @ into) @ out``, normalised, for the embedding of ``model``.

    ``reads``: models of the concatenated inputs. ``into``: input dimensions x rank; ``out``: rank x dimensions of
    ``model``. ``mean`` and ``spread``: of the cosine between a moved question and unrelated notes.
    """

    model: str
    reads: tuple[str, ...]
    into: NDArray[np.float32]
    out: NDArray[np.float32]
    mean: float
    spread: float

    def fits(self, vectors: Mapping[str, Vectors]) -> bool:
        """Return whether all inputs are there, with the right dimensions."""
        read = sum(len(vectors[model]) for model in self.reads if model in vectors)
        return self.model in vectors and set(self.reads) <= vectors.keys() and read == len(self.into)

    def moved(self, vectors: Mapping[str, Vectors]) -> Vectors:
        """Return the question as a unit vector ``(d,) float32``. ``vectors``: by model, such that ``fits`` is
        true."""
        import numpy as np

        read = np.concatenate([vectors[model] for model in self.reads])
        moved = vectors[self.model] + (read @ self.into) @ self.out
        length = max(float(np.linalg.norm(moved)), 1e-9)
        return (moved / length).astype(np.float32)


def find_map(model: str, vectors: Mapping[str, Vectors]) -> QuestionMap | None:
    """Return the map for a model that reads most of these embeddings, by model; None if none fits."""
    fitting = [each for each in read_maps() if each.model == model and each.fits(vectors)]
    return max(fitting, key=lambda each: len(each.reads), default=None)


@lru_cache(maxsize=1)
def read_maps() -> Sequence[QuestionMap]:
    """Return the shipped maps; read once."""
    return unpacked_maps(read_data("search", MAP_FILE))


def unpacked_maps(rows: Sequence[Mapping[str, Any]]) -> Sequence[QuestionMap]:
    """Return the maps in the rows of ``question_map.json``."""
    import numpy as np

    return tuple(
        QuestionMap(
            row["model"],
            tuple(row["reads"]),
            _numbers(row["into"]).reshape(-1, row["rank"]),
            np.ascontiguousarray(_numbers(row["out"]).reshape(-1, row["rank"]).T),
            float(row["mean"]),
            float(row["spread"]),
        )
        for row in rows
    )


def _numbers(text: str) -> NDArray[np.float32]:
    import numpy as np

    return np.frombuffer(base64.b64decode(text), dtype="<f2").astype(np.float32)
