"""Fit the map that moves a question's embedding to where its answer is: ``pet/memory/question/question_map.json``.

A contrastive fit on the questions of ``tests/memory/recall_set``: each question has to stand nearer to its fact
than to all other facts and to some everyday notes. What is learned is the difference from leaving the question as it
is, kept small, and then cut to a low rank. What is shipped is fitted to the labelled owners as well; who is judged is
left out.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.memory.daily_log import add_speaker
from pet.memory.index.embedders import Embedder
from tests.memory.recall_set.filler import everyday_notes
from tests.memory.recall_set.workspaces import paraphrases, questions_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

RANK = 16
_TRUST = 150.0  # how strongly a question is left as it is
_STEPS = 50
_STEP = 2e-3
_UNLIKE_THE_NOTE = ("other_words", "other_language")


@dataclass(frozen=True, slots=True)
class Practice:
    """For one embedder. Cosines times ``scale`` differ by about one from note to note."""

    questions: Floats
    notes: Floats
    scale: float


def fit_maps(given: Sequence[Practice], answers: NDArray[np.int64]) -> list[Floats]:
    """For each embedder what is added to the identity, for ``question + question @ it``. They are fitted to their
    sum, as they are asked: each mends what the other misses. ``answers``: the row of each question's fact."""
    import numpy as np

    added = [np.zeros((each.questions.shape[1],) * 2, dtype=np.float32) for each in given]
    mean, square = [np.zeros_like(each) for each in added], [np.zeros_like(each) for each in added]
    rows = np.arange(len(answers))
    for step in range(1, _STEPS + 1):
        odds = np.zeros((len(answers), len(given[0].notes)), dtype=np.float32)
        for each, map_ in zip(given, added, strict=True):
            odds += each.scale * (each.questions + each.questions @ map_) @ each.notes.T
        share = np.exp(odds - odds.max(1, keepdims=True))
        share /= share.sum(1, keepdims=True)
        share[rows, answers] -= 1
        for at, each in enumerate(given):  # Adam
            slope = _TRUST * added[at] + each.scale * each.questions.T @ (share @ each.notes)
            mean[at] = 0.9 * mean[at] + 0.1 * slope
            square[at] = 0.99 * square[at] + 0.01 * slope * slope
            added[at] -= _STEP * (mean[at] / (1 - 0.9**step)) / (np.sqrt(square[at] / (1 - 0.99**step)) + 1e-8)
    return added


def question_maps(embedders: Sequence[Embedder], owners: Sequence[str]) -> dict[str, dict[str, object]]:
    """The content of ``question_map.json``, a row for each embedder, fitted to the paraphrases and to what these
    owners ask."""
    import numpy as np

    facts: dict[str, list[str]] = dict(paraphrases())
    for owner in owners:
        for each in questions_of(owner):
            if each.kind in _UNLIKE_THE_NOTE:
                facts.setdefault(each.fact, []).append(each.message)
    notes = [*facts, *everyday_notes("en", 150, seed=5), *everyday_notes("zh", 100, seed=6)]
    notes = [add_speaker(note, "owner") for note in notes]
    questions = [(question, at) for at, asked in enumerate(facts.values()) for question in asked]
    answers = np.array([at for _, at in questions])
    given = [_embedded(embedder, [question for question, _ in questions], notes) for embedder in embedders]
    maps = fit_maps(given, answers)
    return {
        embedder.model: _row(map_, each, answers) for embedder, map_, each in zip(embedders, maps, given, strict=True)
    }


def _embedded(embedder: Embedder, questions: Sequence[str], notes: Sequence[str]) -> Practice:
    import numpy as np

    asked, noted = np.stack([embedder.embed_question(each) for each in questions]), embedder.embed_entries(notes)
    return Practice(asked, noted, 1 / float((asked @ noted.T).std(1).mean()))


def _row(map_: Floats, given: Practice, answers: NDArray[np.int64]) -> dict[str, object]:
    import numpy as np

    left, sizes, right = np.linalg.svd(map_)
    into, out = left[:, :RANK] * np.sqrt(sizes[:RANK]), right[:RANK].T * np.sqrt(sizes[:RANK])
    moved = given.questions + given.questions @ into @ out.T
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    cosines = moved @ given.notes.T
    cosines[np.arange(len(cosines)), answers] = np.nan  # those it does concern
    return {
        "rank": RANK,
        "mean": round(float(np.nanmean(cosines)), 4),
        "spread": round(float(np.nanstd(cosines, axis=1).mean()), 4),
        "into": _packed(into),
        "out": _packed(out),
    }


def _packed(matrix: Floats) -> str:
    return base64.b64encode(matrix.astype("<f2").tobytes()).decode()
