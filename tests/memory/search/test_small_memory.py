"""The first notes of a new pet: what names one of them finds it, one character in common does not."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Literal

import pytest

from pet.engine.recall import RECALL_CHARACTERS
from pet.language.tokens import FEW, prior_frequency, tokenize
from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.memory.search.ranking import Candidate, Ranked
from pet.memory.search.recall_selection import SURE, RecallBudget, RecallCandidates, select_recalled
from pet.settings.schema import Settings

TODAY = date(2026, 11, 21)
THRESHOLD = SURE
CHINESE = (
    "我的自行车停在图书馆的地下室7号架。",
    "不喜欢香菜，吃面要多放辣椒。",
    "最近在学吉他，最想弹《晴天》。",
    "妹妹小雨的生日是3月12日。",
    "晚上睡不好，医生建议少喝咖啡。",
)
ENGLISH = (
    "My bicycle stands in the cellar of the library.",
    "Went hiking with Tom on Sunday.",
    "My sister Julia is expecting a baby in March.",
    "The landlord raised the rent to 900 euros.",
)


def index_of(folder: Path, notes: tuple[str, ...], embedder: Literal["best"] | None) -> MemoryIndex:
    entries = "".join(f"\n## [08:0{at}:00] fact\n{note}\n" for at, note in enumerate(notes))
    (folder / "home" / "memory").mkdir(parents=True)
    (folder / "home" / "memory" / "2026-11-20.md").write_text(
        f"# Memory Log: 2026-11-20\n{entries}", encoding="utf-8"
    )
    index = open_index(folder / "home", folder / "cache", embedder=embedder)
    index.refresh()
    return index


def recalled(index: MemoryIndex, question: str) -> list[str]:
    return [hit.snippet for hit in index.search(question, 3, TODAY) if hit.score >= THRESHOLD]


@pytest.mark.parametrize("embedder", ["best", None])
def test_one_character_in_common_recalls_nothing(tmp_path: Path, embedder: Literal["best"] | None) -> None:
    index = index_of(tmp_path, CHINESE, embedder)
    for question in (
        "我的护照放在哪里？",
        "我弟弟在哪里上学？",
        "我上次去日本是什么时候？",
        "晚安",
    ):
        assert recalled(index, question) == [], question
    index.close()


def test_question_about_the_weather_sends_no_note_along(tmp_path: Path) -> None:
    index = index_of(tmp_path, CHINESE, "best")
    given = Settings()
    budget = RecallBudget(lines=given.recall_count, characters=RECALL_CHARACTERS, threshold=given.recall_threshold)
    found = index.recall(60, "今天天气怎么样", TODAY, conversations=True, leave_out=frozenset())
    assert select_recalled(found, budget, lambda _text: False) == []
    index.close()


def test_what_names_a_note_recalls_that_note_alone(tmp_path: Path) -> None:
    chinese = index_of(tmp_path / "zh", CHINESE, "best")
    assert recalled(chinese, "小雨的生日是哪天？") == [CHINESE[3]]
    assert recalled(chinese, "我在学什么乐器？吉他吗") == [CHINESE[2]]
    chinese.close()
    english = index_of(tmp_path / "en", ENGLISH, "best")
    assert recalled(english, "Where do I keep my bicycle?") == [ENGLISH[0]]
    assert recalled(english, "When is Julia's baby due?") == [ENGLISH[2]]
    assert recalled(english, "What is the capital of France?") == []
    english.close()


def test_common_words_are_common_in_a_small_memory_too() -> None:
    assert prior_frequency("在") > prior_frequency("栀")
    assert prior_frequency("今天") > prior_frequency("栀子")
    assert prior_frequency("work") > prior_frequency("gardenia")
    assert FEW * prior_frequency("在") > 1


def test_small_talk_of_the_pet_fills_no_line_of_a_recall() -> None:
    def ranked(number: int, text: str) -> Ranked:
        candidate = Candidate(
            id=number,
            file=1,
            path="memory/2026-03-02.md",
            start_line=number,
            end_line=number,
            day=None,
            due=None,
            text=text,
            tokens=tokenize(text),
        )
        return Ranked(candidate=candidate, score=0.1, matched=frozenset(), odds=-2.0)

    notes = [ranked(1, "Owner: Plays the cello in a quartet"), ranked(2, "Pet: Nice!"), ranked(3, "主人：晚安")]
    budget = RecallBudget(lines=5, characters=800, threshold=0.5)
    hits = select_recalled(RecallCandidates(notes=notes, asks=5.0), budget)
    assert [hit.snippet for hit in hits] == ["Owner: Plays the cello in a quartet"]
