"""Quality of recall on the labelled questions: what the shipped weights reach must not get worse unnoticed."""

from __future__ import annotations

import statistics
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest

from pet.i18n import Texts
from pet.memory.search.embedders import Embedder, load_embedders
from pet.memory.search.memory_index import open_index
from pet.memory.search.recall_selection import SURE, Hit
from pet.model import UsedMemory
from pet.prompt.context import recall_context
from pet.settings.schema import Settings
from tests.memory.gated import recalled
from tests.memory.search.recall_set.workspaces import (
    FINAL,
    HELD_OUT,
    JUDGED,
    NEW,
    OWNERS,
    TODAY,
    UNSEEN,
    asks_for_nothing,
    facts_of,
    memories,
    paraphrases,
    questions_of,
    small_talk,
    write_logs,
)

LEAST: dict[
    tuple[Embedder | Literal["best"] | None, int], dict[str, float]
] = {  # the share of questions whose note goes along, by memory, kind of question and embedders
    ("best", 20): {"plain": 0.97, "other_words": 0.95, "other_language": 0.97},
    (load_embedders()[-1], 300): {"plain": 0.97, "other_words": 0.80, "other_language": 0.97},
    (None, 20): {"plain": 0.85},
}
EVERY = 3
GIVEN = Settings()


def test_the_set_is_large_enough() -> None:
    questions = [each for owner in OWNERS for each in questions_of(owner) if each.kind != "touches"]
    assert len(questions) >= 600 and len({each.message for each in questions}) >= 600
    assert len(asks_for_nothing()) >= 100 and all(len(facts_of(owner)) >= 35 for owner in OWNERS)


def test_what_is_judged_is_seen_by_no_fit_of_the_others() -> None:
    owners = [*OWNERS, HELD_OUT, *UNSEEN, *JUDGED, *FINAL, *NEW]
    facts = {owner: set(facts_of(owner)) for owner in owners}
    asked = {owner: {each.message for each in questions_of(owner)} for owner in owners}
    for owner in owners:
        others = [other for other in owners if other != owner]
        assert not any(facts[owner] & facts[other] for other in others)
        for size in (20, 300):
            notes = set().union(*memories(owner, size))
            assert not any(notes & facts[other] for other in others)
    for fact, questions in paraphrases(indirect=True):
        assert not any(fact in facts[owner] or asked[owner].intersection(questions) for owner in owners), fact
    for owner in (HELD_OUT, UNSEEN[0], JUDGED[0], FINAL[0], NEW[0]):
        assert not set(small_talk()).intersection(asks_for_nothing(owner))


@pytest.mark.parametrize(
    ("embedder", "size"), [pytest.param(*each, marks=pytest.mark.nightly if each[1] == 300 else ()) for each in LEAST]
)
@pytest.mark.parametrize("owner", ["owner_en_carpenter", "owner_zh_designer"])
def test_the_right_note_goes_along_and_nothing_with_small_talk(
    tmp_path: Path, owner: str, embedder: Embedder | Literal["best"] | None, size: int
) -> None:
    notes = memories(owner, size)[0]
    write_logs(tmp_path / "pet", notes)
    asked = [each for each in questions_of(owner) if each.fact in notes][:: 1 if size == 20 else EVERY]
    with closing(open_index(tmp_path / "pet", tmp_path / "cache", embedder=embedder)) as index:
        index.refresh()
        found = [(each, recalled(index, each.message, TODAY)) for each in asked]
        nothing = asks_for_nothing()[:: 2 * EVERY]
        small = [message for message in nothing if recalled(index, message, TODAY)]
    for kind, least in LEAST[embedder, size].items():
        right = [any(each.fact in hit.snippet for hit in hits) for each, hits in found if each.kind == kind]
        assert statistics.fmean(right) >= least, kind
    assert statistics.fmean(len(_sent(hits)) for _, hits in found) <= 450
    assert len(small) <= 0.03 * len(nothing), small


def _sent(hits: list[Hit]) -> str:
    used = [
        UsedMemory(
            path=hit.path,
            start_line=hit.start_line,
            end_line=hit.end_line,
            source=hit.source.value,
            snippet=hit.snippet,
            sure=hit.score >= SURE,
        )
        for hit in hits
    ]
    return recall_context(used, Texts("en")).text if used else ""
