"""The catalogue is consistent, and its texts are in both languages."""

from __future__ import annotations

import re

import pytest

from pet.extras.local_models.catalogue import BY_ID, CATALOGUE, CatalogueEntry, recommended, sources
from pet.extras.local_models.machine import Machine
from pet.i18n import LANGUAGES, Texts


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.id)
def test_entry_names_exact_bytes(entry: CatalogueEntry) -> None:
    assert re.fullmatch(r"[0-9a-f]{64}", entry.sha256)
    assert re.fullmatch(r"[0-9a-f]{40}", entry.revision)
    assert re.fullmatch(r"[A-Za-z0-9._-]+\.gguf", entry.file)
    assert 500_000_000 < entry.size < 10_000_000_000
    assert entry.size < entry.memory
    for language in LANGUAGES:
        assert Texts(language)(f"local_model.about.{entry.id}")
        for source in sources(entry, language=language):
            assert source.startswith("https://") and source.endswith(entry.file)


def test_entries_differ() -> None:
    for name in ("id", "name", "file", "sha256"):
        assert len({getattr(entry, name) for entry in CATALOGUE}) == len(CATALOGUE)


def test_sources_follow_language_and_mirror() -> None:
    entry = next(each for each in CATALOGUE if each.modelscope)
    assert "modelscope.cn" in sources(entry, language="zh")[0]
    assert "huggingface.co" in sources(entry, language="en")[0]
    assert sources(entry, language="zh", endpoint="https://mirror.example/")[0].startswith("https://mirror.example/")


@pytest.mark.parametrize(
    ("gigabytes", "id_"),
    [(2, ""), (3, ""), (4.3, "qwen3-1.7b"), (6, "qwen3-1.7b"), (8, "qwen3-4b"), (32, "qwen3-4b")],
)
def test_recommendation_and_check_are_one_rule(gigabytes: float, id_: str) -> None:
    machine = Machine(memory=int(gigabytes * 1e9), free_memory=0, cores=4)
    assert recommended(lambda need: not machine.fits(need)) == id_


@pytest.mark.parametrize(
    ("gigabytes", "id_"), [(2, ""), (4.3, "qwen3.5-2b"), (6, "granite-4.1-3b"), (32, "granite-4.1-3b")]
)
def test_spanish_owner_is_recommended_a_model_that_speaks_spanish(gigabytes: float, id_: str) -> None:
    machine = Machine(memory=int(gigabytes * 1e9), free_memory=0, cores=4)
    assert recommended(lambda need: not machine.fits(need), "es") == id_
    assert not id_ or "es" in BY_ID[id_].languages


def test_entry_that_nobody_tried_says_so() -> None:
    untried = [entry.id for entry in CATALOGUE if not entry.tried]
    assert untried == ["qwen3.5-2b", "qwen3.5-4b", "gemma-4-e2b", "gemma-4-e4b"]
    for id_ in untried:
        assert "Untested" in Texts("en")(f"local_model.about.{id_}")


def test_memory_in_use_by_other_programs_is_distinguished() -> None:
    machine = Machine(memory=16_000_000_000, free_memory=3_000_000_000, cores=4)
    assert machine.fits(1_000_000_000) == ""
    assert machine.fits(2_500_000_000) == "memory_now"
    assert machine.fits(9_000_000_000) == "memory"
    assert machine.threads == 3
