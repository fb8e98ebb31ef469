"""Use never wears a memory out: recall and search of noted facts after many conversations about them."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from pet.language.tokens import tokenize
from pet.memory.search.embedders import Embedder, load_embedders
from pet.memory.search.memory_index import open_index
from pet.memory.search.ranking import Candidate
from pet.memory.search.recall_selection import Hit, HitSource, content_tokens, without_echoes
from tests.memory.gated import gated, recalled
from tests.memory.search.recall_set.conversations import write_conversations
from tests.memory.search.recall_set.workspaces import TODAY, Labelled, facts_of, memories, questions_of, write_logs
from tests.memory.talks import Talk
from tests.support.examples import examples

QUICK = load_embedders()[-1]


def places(hits: list[Hit]) -> list[tuple[str, int]]:
    return [(hit.path, hit.start_line) for hit in hits if hit.source is not HitSource.CONVERSATION]


@pytest.mark.parametrize("embedder", [QUICK, None])
@pytest.mark.parametrize("owner", ["owner_en_nurse", "owner_zh_designer"])
def test_recall_and_search_of_notes_are_the_same_after_many_conversations(
    tmp_path: Path, owner: str, embedder: Embedder | None
) -> None:
    workspace = tmp_path / "pet"
    notes = memories(owner, 20)[0]
    write_logs(workspace, notes)
    questions = [each for each in questions_of(owner) if each.fact in notes]
    asked = questions[::4]
    with closing(open_index(workspace, tmp_path / "cache", embedder=embedder)) as index:
        index.refresh()
        fresh = {each.message: places(recalled(index, each.message, TODAY)) for each in asked}
        found = {each.message: places(gated(index).search(each.message, 6, TODAY)) for each in asked}
        write_conversations(workspace, questions, examples(50))
        index.refresh()
        for each in asked:
            assert places(recalled(index, each.message, TODAY))[: len(fresh[each.message])] == fresh[each.message]
            after = gated(index).search(each.message, 6, TODAY)
            assert places(after)[:6] == found[each.message]
            assert all(hit.source is not HitSource.CONVERSATION for hit in after[: len(found[each.message])])


def test_a_fact_that_was_only_said_is_recalled_and_questions_are_not(tmp_path: Path) -> None:
    workspace = tmp_path / "pet"
    write_logs(workspace, facts_of("owner_en_nurse")[20:30])
    said = Labelled("", "plain", "What is the name of my parrot?", "My parrot is called Montezuma")
    write_conversations(workspace, [said], 3)
    with closing(open_index(workspace, tmp_path / "cache", embedder=None)) as index:
        hits = recalled(index, "How is my parrot Montezuma called?", TODAY)
    assert any("Montezuma" in hit.snippet and hit.source is HitSource.CONVERSATION for hit in hits)
    assert not any(hit.snippet.endswith("?") for hit in hits)
    assert sum("Montezuma" in hit.snippet for hit in hits) <= 2


SAID = (
    ("The spare key hangs behind the piano.", "Where is the spare key?"),
    ("My sister Ilse is getting married in May.", "When is my sister getting married?"),
    ("我对花生过敏，吃了会喘不过气。", "花生酱我能吃吗"),
    ("Mi hermana Lucía vive en Gijón.", "¿Dónde vive mi hermana?"),
    ("I work nights at the bakery.", "When do I work?"),
)


@pytest.mark.parametrize("embedder", [QUICK, None], ids=["vectors", "words"])
def test_questions_asked_before_change_nothing_of_what_is_recalled(tmp_path: Path, embedder: Embedder | None) -> None:
    workspace = tmp_path / "pet"
    workspace.mkdir()
    for said, _ in SAID:
        Talk(workspace).turn(said, "I see.")
    with closing(open_index(workspace, tmp_path / "cache", embedder=embedder)) as index:
        index.refresh()
        fresh = {question: recalled(index, question, TODAY) for _, question in SAID}
        for _, question in SAID * 20:
            Talk(workspace).turn(question, "Let me think about that.")
        index.refresh()
        assert {question: recalled(index, question, TODAY) for _, question in SAID} == fresh
    assert all(said in fresh[question][0].snippet for said, question in SAID)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (1, 2))])
def test_what_is_recalled_is_the_same_in_whichever_order_it_was_indexed(tmp_path: Path, seed: int) -> None:
    at_once, one_by_one = tmp_path / "at once", tmp_path / "one by one"
    notes = memories("owner_en_nurse", examples(30))[0]
    write_logs(at_once, notes)
    questions = [each for each in questions_of("owner_en_nurse") if each.fact in notes]
    write_conversations(at_once, questions, 20)
    files = [each.relative_to(at_once) for each in at_once.rglob("*.*")]
    random.Random(seed).shuffle(files)
    with (
        closing(open_index(at_once, tmp_path / "cache", embedder=QUICK)) as whole,
        closing(open_index(one_by_one, tmp_path / "cache", embedder=QUICK)) as grown,
    ):
        for number, file in enumerate(files):
            target = one_by_one / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("Nothing yet.\n" if number % 5 == 0 else "", encoding="utf-8")
            shutil.copyfile(at_once / file, target)
            if number % 8 == 0:
                grown.refresh()
        whole.refresh()
        grown.refresh()
        for each in questions:
            assert recalled(grown, each.message, TODAY) == recalled(whole, each.message, TODAY), each.message


def test_a_note_and_what_was_said_of_it_go_along_once(tmp_path: Path) -> None:
    workspace = tmp_path / "pet"
    fact = "The spare key is under the blue flower pot by the shed"
    write_logs(workspace, [fact, *facts_of("owner_en_nurse")[20:30]])
    write_conversations(workspace, [Labelled("", "plain", "Where is the spare key?", fact)], 20)
    with closing(open_index(workspace, tmp_path / "cache", embedder=None)) as index:
        hits = recalled(index, "Where is the spare key?", TODAY)
    assert [hit.source for hit in hits if "flower pot" in hit.snippet] == [HitSource.LOG]


@pytest.mark.parametrize(
    ("note", "question"),
    [
        ("I prefer emails to phone calls", "Do I prefer emails or phone calls?"),
        ("我对芒果过敏", "我对芒果过敏吗？"),
    ],
)
def test_a_note_in_the_very_words_of_the_question_is_recalled(tmp_path: Path, note: str, question: str) -> None:
    workspace = tmp_path / "pet"
    write_logs(workspace, [note, *facts_of("owner_en_nurse")[20:30]])
    with closing(open_index(workspace, tmp_path / "cache", embedder=None)) as index:
        assert any(note in hit.snippet for hit in recalled(index, question, TODAY))


def test_pasted_text_is_gone_through_once_for_its_echoes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for each entry that may be one: the index is held meanwhile."""
    gone_through: list[int] = []
    telling = content_tokens

    def counted(words: Iterable[str]) -> frozenset[str]:
        listed = list(words)
        gone_through.append(len(listed))
        return telling(listed)

    monkeypatch.setattr("pet.memory.search.recall_selection.content_tokens", counted)
    pasted = " ".join(f"word{number}" for number in range(2_000))
    entries = [candidate(number, "an ibex climbs") for number in range(20)] + [candidate(20, pasted)]
    assert [each.id for each in without_echoes(entries, pasted)] == list(range(20))
    assert gone_through.count(2_000) == 2  # the message's own, and the echo's


def candidate(number: int, text: str) -> Candidate:
    return Candidate(
        id=number, file=1, path="x", start_line=1, end_line=1, day=None, due=None, text=text, tokens=tokenize(text)
    )
