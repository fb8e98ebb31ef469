"""Fit the map that moves a question's embedding to where its answer is: ``pet/memory/search/data/question_map.json``.

A contrastive fit on the questions of ``tests/memory/search/recall_set``: each question has to be nearer to its fact
than to all other facts and to some everyday notes. The map learns the difference from the unchanged question,
kept small, and is then cut to a low rank. The shipped map is also fitted to the labelled owners, without the judged
one.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pet.memory.search.embedders import Embedder
from pet.memory.store.daily_log import add_speaker
from tests.memory.search.recall_set.filler import everyday_notes
from tests.memory.search.recall_set.other_filler import other_everyday_notes
from tests.memory.search.recall_set.workspaces import paraphrases, questions_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

RANKS = (16, 64)
"""Ranks of a map that reads its own model's embedding, and of one that reads all models'."""
_TRUST = 150.0  # how strongly a question is left as it is
_STEPS = 100
_ASKED_AT_ONCE = 1_024  # questions, of all in turn
_NOTES_AT_ONCE = 1_500  # by chance, besides the answers
_EVERYDAY = 20.0  # notes represented by an everyday one: large memories are mostly made of them
_STEP = 2e-3
_SAMPLED = 5  # one question in five is enough for a mean and a spread
_UNLIKE_THE_NOTE = ("other_words", "other_language")


@dataclass(frozen=True, slots=True)
class Practice:
    """Training data of one embedder. ``read``: the input of its map, one row a question. Cosines times
    ``scale`` differ by about one from note to note.
    """

    questions: Floats
    read: Floats
    notes: Floats
    scale: float


def fit_maps(given: Sequence[Practice], answers: NDArray[np.int64]) -> list[Floats]:
    """Return each embedder's map, for ``question + read @ map``. All are fitted to their sum, as the search uses
    them. ``answers``: the row of each question's fact; facts come before everyday notes."""
    import numpy as np

    added = [np.zeros((each.read.shape[1], each.questions.shape[1]), dtype=np.float32) for each in given]
    mean, square = [np.zeros_like(each) for each in added], [np.zeros_like(each) for each in added]
    everyday = np.arange(len(given[0].notes)) > answers.max()
    stands_for = np.where(everyday, np.log(_EVERYDAY), 0).astype(np.float32)
    chance = np.random.default_rng(1)
    waiting = np.zeros(0, dtype=np.int64)
    for step in range(1, _STEPS + 1):
        if len(waiting) < _ASKED_AT_ONCE:
            waiting = chance.permutation(len(answers))
        asked, waiting = waiting[:_ASKED_AT_ONCE], waiting[_ASKED_AT_ONCE:]
        some = chance.choice(len(everyday), min(_NOTES_AT_ONCE, len(everyday)), replace=False)
        among = np.union1d(some, answers[asked])
        odds = np.tile(stands_for[among], (len(asked), 1))
        for each, map_ in zip(given, added, strict=True):
            moved = each.questions[asked] + each.read[asked] @ map_
            odds += each.scale * moved @ each.notes[among].T
        share = np.exp(odds - odds.max(1, keepdims=True))
        share /= share.sum(1, keepdims=True)
        share[np.arange(len(asked)), np.searchsorted(among, answers[asked])] -= 1
        share *= len(answers) / len(asked)
        rate = _STEP * min(1.0, 2 * (1 - (step - 1) / _STEPS))
        for at, each in enumerate(given):  # Adam
            slope = _TRUST * added[at] + each.scale * each.read[asked].T @ (share @ each.notes[among])
            mean[at] = 0.9 * mean[at] + 0.1 * slope
            square[at] = 0.99 * square[at] + 0.01 * slope * slope
            added[at] -= rate * (mean[at] / (1 - 0.9**step)) / (np.sqrt(square[at] / (1 - 0.99**step)) + 1e-8)
    return added


def question_maps(embedders: Sequence[Embedder], owners: Sequence[str]) -> list[dict[str, object]]:
    """The content of ``question_map.json``, one or two rows for each embedder, fitted to the paraphrases and to what
    these owners ask."""
    import numpy as np

    facts: dict[str, list[str]] = dict(paraphrases())
    for owner in owners:
        for each in questions_of(owner):
            if each.kind in _UNLIKE_THE_NOTE:
                facts.setdefault(each.fact, []).append(each.message)
    notes = [*facts, *everyday_notes("en", 150, seed=5), *everyday_notes("zh", 100, seed=6)]
    notes += other_everyday_notes(1_000)
    notes = [add_speaker(note, "owner") for note in notes]
    questions = [(question, at) for at, asked in enumerate(facts.values()) for question in asked]
    answers = np.array([at for _, at in questions])
    alone = [_embedded(embedder, [question for question, _ in questions], notes) for embedder in embedders]
    models = [embedder.model for embedder in embedders]
    rows = _rows(alone, answers, [[model] for model in models], RANKS[0])
    if len(embedders) > 1:
        orders = [[at, *(other for other in range(len(models)) if other != at)] for at in range(len(models))]
        beside = [
            replace(alone[order[0]], read=np.concatenate([alone[at].questions for at in order], axis=1))
            for order in orders
        ]
        rows += _rows(beside, answers, [[models[at] for at in order] for order in orders], RANKS[1])
    return rows


def _embedded(embedder: Embedder, questions: Sequence[str], notes: Sequence[str]) -> Practice:
    import numpy as np

    asked, noted = np.stack([embedder.embed_question(each) for each in questions]), embedder.embed_entries(notes)
    return Practice(asked, asked, noted, 1 / float((asked[::_SAMPLED] @ noted.T).std(1).mean()))


def _rows(
    given: Sequence[Practice], answers: NDArray[np.int64], reads: Sequence[Sequence[str]], rank: int
) -> list[dict[str, object]]:
    maps = fit_maps(given, answers)
    return [_row(*each, answers, rank) for each in zip(reads, maps, given, strict=True)]


def _row(
    reads: Sequence[str], map_: Floats, given: Practice, answers: NDArray[np.int64], rank: int
) -> dict[str, object]:
    import numpy as np

    left, sizes, right = np.linalg.svd(map_, full_matrices=False)
    into, out = left[:, :rank] * np.sqrt(sizes[:rank]), right[:rank].T * np.sqrt(sizes[:rank])
    moved = (given.questions + given.read @ into @ out.T)[::_SAMPLED]
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    cosines = moved @ given.notes.T
    cosines[np.arange(len(cosines)), answers[::_SAMPLED]] = np.nan  # those it does concern
    return {
        "model": reads[0],
        "reads": list(reads),
        "rank": rank,
        "mean": round(float(np.nanmean(cosines)), 4),
        "spread": round(float(np.nanstd(cosines, axis=1).mean()), 4),
        "into": _packed(into),
        "out": _packed(out),
    }


def _packed(matrix: Floats) -> str:
    return base64.b64encode(matrix.astype("<f2").tobytes()).decode()
