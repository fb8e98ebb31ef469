"""Tune the shipped intent networks with further messages: ``python -m lab.fit.tune_intent [--write]``.

A full fit (`lab.fit_search`) embeds some forty thousand texts. This one starts from the networks in
``pet/memory/search/data/intent.json`` and keeps what they say of a sample of the messages they were fitted to, while
it learns the labelled ones of ``gate_messages``. It prints how many of those pass, before and after; also for a
fourth that was left out.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lab.fit.intents import packed_models
from lab.fit_search import DATA, EmbedsOnce
from pet.memory.search.embedders import INTENT_FILE, IntentModel, intent_models, load_embedders, one_thread
from tests.memory.search.recall_set.workspaces import asks_for_memory, gate_messages, paraphrases, small_talk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_STEPS = 100
_STEP = 1e-3
_LEFT_OUT = 0.2  # of the units at each step
_KEPT = (450, 100, 250, 250)  # messages: of small talk, of wishes, of questions, of messages that touch a fact


def kept_messages() -> list[str]:
    """Return a sample of the messages that the shipped networks were fitted to; the same in every run."""
    chance = random.Random(5)
    talk = small_talk()
    chance.shuffle(talk)
    asked = [question for _, questions in paraphrases() for question in questions]
    chance.shuffle(asked)
    known = frozenset(asked)
    touching = [each for _, questions in paraphrases(indirect=True) for each in questions if each not in known]
    chance.shuffle(touching)
    some = (talk, asks_for_memory(), asked, touching)
    return [message for messages, count in zip(some, _KEPT, strict=True) for message in messages[:count]]


def tune(model: IntentModel, new: Floats, yes: Sequence[bool], kept: Floats) -> IntentModel:
    """Return the network after ``_STEPS`` of Adam; what is learned counts for half of what is kept."""
    import numpy as np

    given = np.concatenate([new, kept])
    size = np.float32(given.std())
    signs = given / size
    before = np.array([model.log_odds(each) for each in kept], dtype=np.float32)
    wanted = np.concatenate([np.array(yes, dtype=np.float32), 1 / (1 + np.exp(-before))])
    answers = np.array(yes)
    share = np.where(answers, 1 / max(1, answers.sum()), 1 / max(1, (~answers).sum())) * len(kept) / 4
    times = np.concatenate([share, np.ones(len(kept))]).astype(np.float32)
    times /= times.sum()
    fitted = [model.into * size, model.shift.copy(), model.out.copy(), np.array([model.bias], dtype=np.float32)]
    average, square = [np.zeros_like(each) for each in fitted], [np.zeros_like(each) for each in fitted]
    chance = np.random.default_rng(1)
    for step in range(1, _STEPS + 1):
        into, shift, out, bias = fitted
        units = signs @ into + shift
        left = ((units > 0) * (chance.random(units.shape) >= _LEFT_OUT) / (1 - _LEFT_OUT)).astype(np.float32)
        passed = units * left
        off = (1 / (1 + np.exp(-(passed @ out + bias))) - wanted) * times
        back = np.outer(off, out) * left
        for at, slope in enumerate((signs.T @ back, back.sum(0), passed.T @ off, off.sum(keepdims=True))):
            average[at] = 0.9 * average[at] + 0.1 * slope
            square[at] = 0.99 * square[at] + 0.01 * slope * slope
            moved = average[at] / (1 - 0.9**step) / (np.sqrt(square[at] / (1 - 0.99**step)) + 1e-8)
            fitted[at] = fitted[at] - np.float32(_STEP) * moved.astype(np.float32)
    return IntentModel((fitted[0] / size).astype(np.float32), fitted[1], fitted[2], float(fitted[3][0]))


def _passing(models: Mapping[str, IntentModel], vectors: Mapping[str, Floats], yes: Sequence[bool]) -> str:
    means = [sum(models[name].log_odds(vectors[name][at]) for name in models) / len(models) for at in range(len(yes))]
    asked = [odds > 0 for odds, each in zip(means, yes, strict=True) if each]
    others = [odds > 0 for odds, each in zip(means, yes, strict=True) if not each]
    return f"{sum(asked)} of {len(asked)} that ask, {sum(others)} of {len(others)} that don't"


def main() -> None:
    import numpy as np

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="store the networks in the package")
    write = parser.parse_args().write
    one_thread()
    embedders = [EmbedsOnce(each) for each in load_embedders()]
    messages, yes = zip(*gate_messages(), strict=True)
    new = {each.model: np.stack([each.embed_question(message) for message in messages]) for each in embedders}
    kept = {each.model: np.stack([each.embed_question(message) for message in kept_messages()]) for each in embedders}
    shipped = {each.model: intent_models()[each.model] for each in embedders}
    print("before:", _passing(shipped, new, yes))
    rest = [at for at in range(len(yes)) if at % 4]
    some = {
        name: tune(model, new[name][rest], [yes[at] for at in rest], kept[name]) for name, model in shipped.items()
    }
    print("left out, before:", _passing(shipped, {name: rows[::4] for name, rows in new.items()}, yes[::4]))
    print("left out, after:", _passing(some, {name: rows[::4] for name, rows in new.items()}, yes[::4]))
    tuned = {name: tune(model, new[name], yes, kept[name]) for name, model in shipped.items()}
    print("after:", _passing(tuned, new, yes))
    if write:
        (DATA / INTENT_FILE).write_text(json.dumps(packed_models(tuned), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
