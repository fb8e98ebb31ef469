"""Fit the weights of the memory search and of recall to the labelled questions, and judge them on owners left out.

``python -m lab.fit_search [--write]`` embeds some thousand short texts with every embedder that is installed,
fifteen minutes on two cores. It prints how an owner's questions do with a map that was fitted to the paraphrases
alone, and weights and intent that were fitted to the other three. With ``--write`` it stores, fitted to all
four, in ``pet/memory/search/data``: ``question_map.json`` (moves a question to where its answer is),
``weights.json`` (ranking, and when to recall) and ``intent.json`` (does a message concern something remembered;
one small network for each embedder).

The weights too are fitted to what that first map says: of the questions it was fitted to a map says too much.

The ranking is a listwise logistic regression with a Gaussian prior, ``PRIOR``. Signs that the labelled notes don't
vary (who speaks, words of time, named days) keep the prior's weight.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from lab.fit.intents import fit_intent, packed_models
from lab.fit.question_maps import question_maps
from pet.memory.search import embedders as embedder_module
from pet.memory.search import ranking
from pet.memory.search.embedders import (
    INTENT_FILE,
    MAP_FILE,
    Embedder,
    IntentModel,
    load_embedders,
    one_thread,
    unpacked_maps,
)
from pet.memory.search.memory_index import MemoryIndex, _Request
from pet.memory.search.ranking import RecallWeights, Weights
from tests.memory.search.recall_set.hands import carefully, carelessly
from tests.memory.search.recall_set.workspaces import (
    OWNERS,
    TODAY,
    asks_for_memory,
    asks_for_nothing,
    gate_messages,
    memories,
    paraphrases,
    questions_of,
    small_talk,
    write_logs,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pet.memory.search.embedders import Vectors

    Floats = NDArray[np.float64]

DATA = Path(__file__).parents[1] / "pet" / "memory" / "search" / "data"
SIZES = (20, 300)
PRIOR = Weights(
    nothing=9.0, few=1.4, few_cjk=2.0,
    words=2.8, cover=1.4, cover_own=0.0, whole=2.0, singles=0.6, around=1.3, near=1.05, near_cjk=0.5, near_around=1.3,
    speaker=1.7, pet_says=0.5, question=-1.1, time_word=0.9, length=0.9, on_day=4.8, lately=1.5,
)  # fmt: skip
"""Weights suggested by public conversation sets (docs/decisions/0020-memory-search.md)."""
SEARCH = replace(PRIOR, nothing=11.5)
"""Weights of a search, which covers conversations too. Those of recall are fitted, starting from ``PRIOR``."""
WORDS_ONLY = Weights(
    nothing=7.0, few=1.2, few_cjk=1.2,
    words=6.6, cover=2.0, cover_own=1.5, whole=0.0, singles=2.5, around=1.7, near=0.0, near_cjk=0.0, near_around=0.0,
    speaker=1.7, pet_says=0.5, question=-1.1, time_word=0.9, length=0.9, on_day=4.8, lately=1.5,
)  # fmt: skip
_SPREAD = {  # of the prior; signs that are not named are not fitted
    "words": 2.0, "cover": 1.2, "cover_own": 1.2, "whole": 2.0, "singles": 1.2, "around": 1.2, "near": 0.6,
    "near_cjk": 0.8, "near_around": 0.6, "length": 1.2,
}  # fmt: skip
_FITTED = tuple(_SPREAD)
_TRUST = 60.0  # how many questions the prior counts for
_BEST, _WEAK = 1.2, 0.3
"""Weights of the best entry's odds beside the message's own, above and below 0. Left free, a weak best entry
counts against a message more than it should: the labelled owners' questions are nearer to their notes than what
owners type (docs/decisions/0042-question-map.md)."""
_NAMED = 2.0
"""Log odds for a message that names a thing or person of the best notes. Chosen on 16 owners: of messages that touch
a note .95 instead of .86 pass, and .021 instead of .017 of those that concern nothing."""
_LENIENT = 1.2
"""Added to the odds that anything is recalled, as a missed note costs more than one too many. Chosen on half of the
owners with messages that touch; on the others one of 44 is held back instead of three, and of the messages that
concern nothing .01 more pass."""
_FALSE_ALARMS = 0.035
"""Accepted share of false alarms: messages left out of the fit that ask for nothing and yet trigger recall. A third
of them were chosen to be mistaken."""
_PLAIN = 10
"""Messages that a question in the note's own words counts for: such questions are few, and look like questions of
general knowledge."""

_NOTHING_YET = RecallWeights(asks=0.0, best=0.0, weak=0.0, named=0.0, bias=0.0)


@dataclass(frozen=True, slots=True)
class Asked:
    """One message asked of one memory: the signs of each candidate, which of them answers (None: none does)."""

    owner: str
    size: int
    kind: str
    message: str
    signs: Floats
    fixed: Floats  # what the signs that are not fitted add
    right: int | None
    discount: float  # from the best: what small memories and messages that name little take away
    asks: dict[str, Floats]


class EmbedsOnce:
    """An embedder with a cache: the same messages and notes are embedded again and again."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.model, self.mean, self.spread = embedder.name, embedder.model, embedder.mean, embedder.spread
        self._embedder = embedder
        self.questions: dict[str, Vectors] = {}
        self.entries: dict[str, Vectors] = {}

    def embed_question(self, text: str) -> Vectors:
        if text not in self.questions:
            self.questions[text] = self._embedder.embed_question(text)
        return self.questions[text]

    def embed_entries(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        if new := [text for text in dict.fromkeys(texts) if text not in self.entries]:
            self.entries.update(zip(new, self._embedder.embed_entries(new), strict=True))
        return np.stack([self.entries[text] for text in texts])


def record(embedders: Sequence[Embedder], sizes: Sequence[int] = SIZES) -> Iterator[Asked]:
    """Put every labelled message to every memory."""
    for owner in OWNERS:
        for size in sizes:
            for number, notes in enumerate(memories(owner, size)):
                with tempfile.TemporaryDirectory() as folder:
                    workspace = Path(folder, "pet")
                    write_logs(workspace, notes)
                    index = MemoryIndex(workspace, Path(folder, "index.sqlite"), embedders)
                    index.refresh()
                    yield from _record(index, embedders, owner, size, notes, for_nothing=number == 0)
                    index.close()
                print(f"{owner}, {len(notes)} notes", file=sys.stderr)


def _record(
    index: MemoryIndex,
    embedders: Sequence[Embedder],
    owner: str,
    size: int,
    notes: Sequence[str],
    *,
    for_nothing: bool,
) -> Iterator[Asked]:
    messages: list[tuple[str, str, str]] = [
        (each.kind, each.message, each.fact) for each in questions_of(owner) if each.fact in notes
    ]
    messages += [("nothing", message, "") for message in _asks_for_nothing(owner)] if for_nothing else []
    for kind, message, fact in messages:
        seen = _Seen()
        with patch("pet.memory.search.query_execution.rank", seen.rank):
            index._find(_Request(message, 1, TODAY, 0.0, False, (), recall=True), embedders)
        vectors = {each.model: each.embed_question(message) for each in embedders}
        yield seen.asked(owner, size, kind, message, fact, vectors)


class _Seen:
    """Replacement of the ranking that records its arguments."""

    def __init__(self) -> None:
        self._found: list[tuple[ranking.Candidate, dict[str, float], frozenset[str]]] = []
        self._discount = 0.0

    def rank(self, question: Any, wanted: Any, around: Any, rarity: Any, mean: Any, z: Any, **more: Any) -> Any:
        self._found = ranking.signs_of(question, wanted, around, rarity, mean, z)
        self._discount = ranking.discount(PRIOR, question, rarity, rarest=more["rarest"], count=more["count"])
        return ranking.rank(question, wanted, around, rarity, mean, z, **more)

    def asked(self, owner: str, size: int, kind: str, message: str, fact: str, vectors: dict[str, Any]) -> Asked:
        import numpy as np

        weights = asdict(PRIOR)
        fixed = [sum(weights[name] * value for name, value in signs.items() if name not in _SPREAD)
                 for _, signs, _ in self._found]  # fmt: skip
        signs = [[signs[name] for name in _FITTED] for _, signs, _ in self._found]
        right = next((at for at, each in enumerate(self._found) if fact and fact in each[0].text), None)
        return Asked(
            owner, size, kind, message, np.array(signs).reshape(-1, len(_FITTED)), np.array(fixed), right,
            self._discount, {model: np.asarray(vector, dtype=float) for model, vector in vectors.items()},
        )  # fmt: skip


def _asks_for_nothing(owner: str) -> list[str]:
    """They are dealt out to the owners in turn: what an owner is left out for is left out with it."""
    others = [message for message, asks in gate_messages() if not asks]
    messages = list(dict.fromkeys([*asks_for_nothing(), *small_talk(), *others]))[
        list(OWNERS).index(owner) :: len(OWNERS)
    ]
    return list(dict.fromkeys(typed for each in messages for typed in (carefully(each), carelessly(each))))


def fit_ranking(asked: Sequence[Asked]) -> Floats:
    """The weights of ``_FITTED``; none but that of "question" below 0."""
    import numpy as np

    prior = np.array([getattr(PRIOR, name) for name in _FITTED])
    spread = np.array([_SPREAD[name] for name in _FITTED])
    held = np.zeros(len(prior), dtype=bool)  # at 0
    weights = prior
    for _ in prior:
        weights = _newton(asked, np.where(held, 0.0, prior), np.where(held, 1e-3, spread))
        if not (below := (weights < 0) & ~held).any():
            break
        held |= below
    return np.where(held, 0.0, weights)


def _newton(asked: Sequence[Asked], prior: Floats, spread: Floats) -> Floats:
    import numpy as np

    weights, trust = prior.copy(), _TRUST / spread**2
    for _ in range(25):
        slope, curve = trust * (weights - prior), np.diag(trust)
        for each in asked:
            if each.right is None:
                continue
            times = 2.0 if each.kind == "other_words" else 1.0
            odds = each.signs @ weights + each.fixed
            share = np.exp(odds - odds.max())
            share /= share.sum()
            mean = share @ each.signs
            slope = slope + times * (mean - each.signs[each.right])
            curve = curve + times * ((each.signs * share[:, None]).T @ each.signs - np.outer(mean, mean))
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if abs(step).max() < 1e-4:
            break
    return weights


def fit_nothing(asked: Sequence[Asked], weights: Floats) -> float:
    """The odds of there being no answer at which the shares of likelihood are most likely."""
    import numpy as np

    best = (float("-inf"), 0.0)
    for nothing in np.arange(0.0, 20.0, 0.25):
        total = 0.0
        for each in asked:
            odds = each.signs @ weights + each.fixed
            all_ = np.append(odds, nothing + each.discount)
            right = all_[-1] if each.kind == "nothing" or each.right is None else odds[each.right]
            times = len(OWNERS) if each.kind == "nothing" else 1  # each was put to one owner's memory only
            total += times * (right - all_.max() - np.log(np.exp(all_ - all_.max()).sum()))
        best = max(best, (total, float(nothing)))
    return best[1]


def fit_logistic(signs: Floats, yes: Floats, trust: float) -> Floats:
    """A logistic regression in which both answers count for as much; the last column of ``signs`` is 1."""
    import numpy as np

    weights, times = np.zeros(signs.shape[1]), np.where(yes > 0, 0.5 / yes.mean(), 0.5 / (1 - yes.mean()))
    shrunk = np.full(signs.shape[1], trust)
    for _ in range(40):
        likely = 1 / (1 + np.exp(-np.clip(signs @ weights, -30, 30)))
        slope = signs.T @ (times * (likely - yes)) + shrunk * weights
        curve = (signs * (times * likely * (1 - likely))[:, None]).T @ signs + np.diag(shrunk)
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if abs(step).max() < 1e-5:
            break
    return weights


@dataclass(frozen=True, slots=True)
class Fitted:
    ranking: Floats
    nothing: float
    intent: dict[str, IntentModel]
    recall: RecallWeights

    def evidence(self, each: Asked) -> list[float]:
        """Return the inputs of the decision whether anything is recalled."""
        import numpy as np

        odds = each.signs @ self.ranking + each.fixed
        best = float(odds.max()) - each.discount - self.nothing if len(odds) else -9.0
        asks = [self.intent[model].log_odds(vector.astype(np.float32)) for model, vector in each.asks.items()]
        return [sum(asks) / len(asks), best]

    def recalls(self, each: Asked) -> bool:
        asks, best = self.evidence(each)
        return self.recall.odds(asks, best) > 0


def fit(
    asked: Sequence[Asked], extra: Sequence[dict[str, Floats]], *, folds: Sequence[Sequence[Asked]] = ()
) -> Fitted:
    """``extra``: vectors of more messages that concern something remembered. ``folds``: parts of ``asked``; what
    weighs intent against evidence sees only intents of models that were not fitted to the message."""
    import numpy as np

    weights = fit_ranking(asked)
    nothing = fit_nothing(asked, weights)
    rows: list[list[float]] = []
    yes: list[bool] = []
    for fold in folds or [asked]:
        left = {each.message for each in fold}
        others = [each for each in asked if each.message not in left] if folds else asked
        part = Fitted(weights, nothing, _intents(others, extra), _NOTHING_YET)
        rows += [part.evidence(each) for each in fold]
        yes += [each.kind != "nothing" for each in fold]
    return Fitted(weights, nothing, _intents(asked, extra), fit_gate(np.array(rows), np.array(yes)))


def fit_gate(rows: Floats, yes: NDArray[np.bool_]) -> RecallWeights:
    """When anything is recalled. ``rows``: as ``Fitted.evidence``; ``yes``: whether the message wants it."""
    import numpy as np

    score = rows[:, 0] + _BEST * np.maximum(rows[:, 1], 0) + _WEAK * np.minimum(rows[:, 1], 0)
    slope = float(fit_logistic(np.stack([score, np.ones(len(score))], axis=1), yes.astype(float), 0.01)[0])
    threshold = float(np.quantile(score[~yes], 1 - _FALSE_ALARMS))
    return RecallWeights(
        asks=slope, best=slope * _BEST, weak=slope * _WEAK, named=_NAMED, bias=_LENIENT - slope * threshold
    )


def _intents(asked: Sequence[Asked], extra: Sequence[dict[str, Floats]]) -> dict[str, IntentModel]:
    once = {each.message: each for each in asked}.values()
    messages = [each for each in once for _ in range(_PLAIN if each.kind == "plain" else 1)]
    return {
        model: fit_intent(
            [*(each.asks[model] for each in messages), *(vectors[model] for vectors in extra)],
            [*(each.kind != "nothing" for each in messages), *(True for _ in extra)],
        )
        for model in next(iter(messages)).asks
    }


def in_folds(asked: Sequence[Asked]) -> list[list[Asked]]:
    return [[each for each in asked if each.owner == owner] for owner in OWNERS]


def judge(asked: Sequence[Asked], extra: Sequence[dict[str, Floats]]) -> None:
    """Print how often the right note is among the first five, and how often anything is recalled, by owners left
    out."""
    import numpy as np

    ranks: dict[tuple[int, str], list[int]] = {}
    recalled: dict[tuple[int, str], list[bool]] = {}
    folds = in_folds(asked)
    for number, fold in enumerate(folds):
        seen = {each.message for each in fold}  # two owners may ask the same of different notes
        rest = [
            [each for each in other if each.message not in seen] for at, other in enumerate(folds) if at != number
        ]
        fitted = fit([each for other in rest for each in other], extra, folds=rest)
        for each in fold:
            key = each.size, each.kind
            recalled.setdefault(key, []).append(fitted.recalls(each))
            if each.kind != "nothing":
                odds = each.signs @ fitted.ranking + each.fixed
                ranks.setdefault(key, []).append(
                    999 if each.right is None else int((odds > odds[each.right] + 1e-9).sum())
                )
    print("| notes | message | n | first | first five | first ten | recalls | recalled |\n" + "|---" * 8 + "|")
    for size, kind in sorted(recalled):
        at, gone = np.array(ranks.get((size, kind), [])), np.array(recalled[size, kind])
        first = [f"{(at < count).mean():.3f}" if len(at) else "" for count in (1, 5, 10)]
        sent = f"{((at < 5) & gone).mean():.3f}" if len(at) else ""
        print(f"| {size} | {kind} | {len(gone)} | {' | '.join(first)} | {gone.mean():.3f} | {sent} |")


def store(fitted: Fitted) -> None:
    weights = {name: round(float(value), 2) for name, value in zip(_FITTED, fitted.ranking, strict=True)}
    for_message = replace(PRIOR, **weights, nothing=fitted.nothing)
    recall = {name: round(value, 3) for name, value in asdict(fitted.recall).items()}
    content = {
        "words_only": asdict(WORDS_ONLY),
        "with_vectors": asdict(SEARCH),
        "for_message": asdict(for_message),
        "recall": recall,
    }
    (DATA / "weights.json").write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    (DATA / INTENT_FILE).write_text(json.dumps(packed_models(fitted.intent), indent=2) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="store the weights in the package")
    write = parser.parse_args().write
    one_thread()
    run([EmbedsOnce(embedder) for embedder in load_embedders()], write=write)


def run(embedders: Sequence[Embedder], *, write: bool) -> None:
    import numpy as np

    with patch.object(embedder_module, "read_maps", return_value=unpacked_maps(question_maps(embedders, ()))):
        asked = list(record(embedders))
    messages = [
        *asks_for_memory(),
        *(question for _, questions in paraphrases(indirect=True) for question in questions),
        *(message for message, asks in gate_messages() if asks),
    ]
    messages = list(dict.fromkeys([*messages, *(carelessly(each) for each in messages)]))
    extra = [
        {each.model: np.asarray(each.embed_question(message), dtype=float) for each in embedders}
        for message in messages
    ]
    judge(asked, extra)
    if write:
        store(fit(asked, extra, folds=in_folds(asked)))
        maps = question_maps(embedders, tuple(OWNERS))
        (DATA / MAP_FILE).write_text(json.dumps(maps, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
