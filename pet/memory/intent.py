"""Decide whether a message concerns anything remembered: small talk by its phrases, others by a network; pure.

The network reads the message's embedding; its weights are in ``data/intent.json``, one row for each embedding
model, made by ``python -m benchmarks.fit_search``.
"""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pet.memory import read_data
from pet.memory.normalization import to_simplified

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pet.memory.embedders import Vectors

_LONGEST = 60  # characters

_PARTICLES = frozenset("呀啊哦噢喔呢吧嘛啦哈哟了~")


def is_small_talk(message: str) -> bool:
    """Return whether the message consists of such phrases, or of no words at all."""
    if len(message) > 2 * _LONGEST:
        return False
    text = to_simplified(unicodedata.normalize("NFKC", message)).casefold().replace("\u2019", "'").strip()
    if len(text) > _LONGEST:
        return False
    words = _WORDS.findall(_ACCENTS.sub("", unicodedata.normalize("NFD", text)))
    return all(_is_made_of(run, phrases) for run, phrases in _runs(words))


def _runs(words: Sequence[str]) -> list[tuple[Sequence[str], frozenset[tuple[str, ...]]]]:
    """Return the message as runs of one script with its phrases: words of letters, or single characters."""
    edges = [0, *(at for at, (a, b) in enumerate(pairwise(words), 1) if a.isascii() != b.isascii()), len(words)]
    return [(words[a:b], _LATIN if words[a].isascii() else _ZH) for a, b in pairwise(edges) if a < b]


def _is_made_of(run: Sequence[str], phrases: frozenset[tuple[str, ...]]) -> bool:
    reached = [True] + [False] * len(run)
    for end in range(1, len(run) + 1):
        begins = range(max(0, end - _MOST_WORDS), end)
        particle = end > 1 and run[end - 1] in _PARTICLES and reached[end - 1]
        reached[end] = particle or any(reached[begin] and tuple(run[begin:end]) in phrases for begin in begins)
    return reached[-1]


_WORDS = re.compile(r"[a-z0-9']+|[^\W_]")
_ACCENTS = re.compile("[\u0300-\u036f]")  # Spanish phrases are listed without
_LATIN = frozenset(
    tuple(phrase.split())
    for language in ("en", "es")
    for phrase in re.split(r"[|\n]", read_data(f"small_talk_{language}.txt"))
    if phrase
)
_ZH = frozenset(tuple(phrase) for phrase in read_data("small_talk_zh.txt").split())
_MOST_WORDS = max(map(len, _LATIN | _ZH))


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
    return unpacked_models(json.loads(read_data(FILE)))


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
