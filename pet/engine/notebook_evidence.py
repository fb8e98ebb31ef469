"""Evidence besides a small model's answer: which kind of message it is, and which line it may replace. Pure.

Both are read from a quick embedder's vectors and from words, with the weights in
``pet/memory/data/message_kinds.json``, made by ``python -m lab.fit.message_kinds``.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from pet.engine.notebook_lines import is_labelled, naming_words
from pet.language.normalization import to_simplified
from pet.memory import read_data

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

KINDS = ("fact", "change", "wish", "forget", "soul", "asks", "chat", "joke", "hypothesis", "quote")
STATEMENTS = frozenset({"fact", "change"})
ASSERTS_NOTHING = frozenset({"asks", "chat", "joke", "hypothesis", "quote"})
FILE = "message_kinds.json"
BUCKETS = 2_048  # of word sequences
MEANING, WORDS = 8.0, 5.0
"""Lengths of the two parts of a message's features."""
_LONGEST = 400  # characters examined of a message
_PIECES = re.compile(r"[^\W_\u3400-\u9fff]+(?:'[^\W_]+)?|[\u3400-\u9fff]|[?!\"\u201c\u201d\u300c\u300d:,]")
_SAME_MARK = str.maketrans("\u2019\uff1f\uff01\uff1a\uff0c\u201c\u201d\u300c\u300d", '\'?!:,""""')


@dataclass(frozen=True, slots=True)
class Evidence:
    """Probabilities of a message's kinds, and of each line that it is replaced, by place."""

    kinds: Mapping[str, float]
    replaced: tuple[float, ...] = ()

    def chance_of(self, *kinds: str) -> float:
        return sum(self.kinds[kind] for kind in kinds)

    def of_all_lines(self, places: Sequence[int], count: int) -> Evidence:
        """Return the evidence with a probability for each of ``count`` lines, of which the ones at ``places`` were
        weighed."""
        if not self.replaced:
            return self
        chances = dict(zip(places, self.replaced, strict=True))
        return Evidence(self.kinds, tuple(chances.get(place, 0.0) for place in range(count)))


NO_EVIDENCE = Evidence(dict.fromkeys(KINDS, 0.0))


@cache
def _weights() -> tuple[int, Floats, Floats, Floats]:
    """Return the embedder's dimensions, the weights and biases of the kinds, and the weights of a line's features."""
    import numpy as np

    stored = json.loads(read_data(FILE))
    of_kinds = np.frombuffer(base64.b64decode(stored["kinds"]), dtype="<f2").astype(np.float32)
    biases = np.array(stored["biases"], dtype=np.float32)
    return stored["dimensions"], of_kinds.reshape(-1, len(KINDS)), biases, np.array(stored["line"], dtype=np.float32)


def word_features(message: str) -> Floats:
    """Return the message's sequences of one to three words, hashed, as a unit vector ``(BUCKETS,) float32``."""
    import numpy as np

    text = to_simplified(message[:_LONGEST].translate(_SAME_MARK)).lower()
    pieces = ["^", *("0" if each.isdigit() else each for each in _PIECES.findall(text)), "$"]
    sequences = {" ".join(pieces[at : at + n]) for n in (1, 2, 3) for at in range(len(pieces) - n + 1)}
    features = np.zeros(BUCKETS, dtype=np.float32)
    for each in sequences:
        features[zlib.crc32(each.encode()) % BUCKETS] += 1
    return features / np.float32(np.linalg.norm(features))


def message_features(message: str, vector: Floats) -> Floats:
    """Return what the kinds are read from. ``vector``: the message's embedding."""
    import numpy as np

    meaning = vector / max(float(np.linalg.norm(vector)), 1e-9)
    return np.concatenate([meaning * MEANING, word_features(message) * WORDS]).astype(np.float32)


def line_features(message: str, lines: Sequence[str], vectors: Floats, evidence: Evidence) -> Floats:
    """Return a row for each line. ``lines`` without mark, owner and date; ``vectors``: of the message, then of the
    lines."""
    import numpy as np

    units = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    near = units[1:] @ units[0]
    apart = (near - np.median(near)) / (near.std() + 0.02) / 3
    words, of_lines = naming_words(message), [naming_words(line) for line in lines]
    often = Counter(word for each in of_lines for word in each)
    changes = float(np.log((evidence.kinds["change"] + 0.01) / (evidence.kinds["fact"] + 0.01))) / 3
    rows = []
    for place, (line, own) in enumerate(zip(lines, of_lines, strict=True)):
        shared = own & words
        rare, share = sum(1 / often[word] for word in shared), len(shared) / max(1, len(own))
        signs = [near[place], apart[place], float(place == near.argmax()), rare, share, float(bool(shared))]
        rows.append(
            [*signs, float(is_labelled(line)), changes, apart[place] * changes, rare * changes, share * changes, 1.0]
        )
    return np.array(rows, dtype=np.float32)


def weigh(message: str, lines: Sequence[str], vectors: Floats | None) -> Evidence:
    """Return what the weights make of a message and the lines it may replace; ``NO_EVIDENCE`` without vectors or for
    ones of another embedder. ``vectors``: of the message, then of the lines; without lines, only kinds are read."""
    import numpy as np

    dimensions, of_kinds, biases, of_lines = _weights()
    if vectors is None or vectors.shape[1] != dimensions or len(vectors) <= len(lines):
        return NO_EVIDENCE
    odds = message_features(message, vectors[0]) @ of_kinds + biases
    shares = np.exp(odds - odds.max())
    kinds = Evidence(dict(zip(KINDS, map(float, shares / shares.sum()), strict=True)))
    if not lines:
        return kinds
    replaced = 1 / (1 + np.exp(-(line_features(message, lines, vectors, kinds) @ of_lines)))
    return Evidence(kinds.kinds, tuple(map(float, replaced)))
