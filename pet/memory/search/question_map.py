"""Move the embedding of a question to where the notes that answer it are; pure.

A note and a question about it share the subject and differ in form: "I am allergic to walnuts", "Which nuts must I
stay away from?". ``data/question_map.json`` has linear maps of low rank for each embedding model, fitted by ``python
-m lab.fit_search``: one reads the model's own embedding of the question, the other one also another model's.
Notes keep their vectors.
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

FILE = "question_map.json"


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
    return unpacked(read_data("search", FILE))


def unpacked(rows: Sequence[Mapping[str, Any]]) -> Sequence[QuestionMap]:
    """Return the maps in the rows of ``question_map.json``."""
    import numpy as np

    def matrix(text: str, rank: int) -> NDArray[np.float32]:
        return np.frombuffer(base64.b64decode(text), dtype="<f2").astype(np.float32).reshape(-1, rank)

    return tuple(
        QuestionMap(
            row["model"],
            tuple(row["reads"]),
            matrix(row["into"], row["rank"]),
            np.ascontiguousarray(matrix(row["out"], row["rank"]).T),
            float(row["mean"]),
            float(row["spread"]),
        )
        for row in rows
    )
