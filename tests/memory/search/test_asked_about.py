"""Messages that ask to be told about somebody, a thing or the owner, and what of the notes goes along with them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest

from pet.language.asking import find_subject, statements_of
from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.memory.search.recall_selection import Hit
from tests.memory.gated import recalled
from tests.memory.search.recall_set.filler import everyday_notes
from tests.memory.search.recall_set.workspaces import TODAY, read_lines, small_talk, write_logs
from tests.memory.talks import Talk

OTHER_NOTES = {"en": 130, "zh": 130, "es": 60}
PEOPLE = {"en": 6, "zh": 6, "es": 3}
PHRASINGS = 12
LEAST = 68 / 72

Kind = Literal["ask", "more"]


@pytest.fixture(scope="module", params=["en", "zh", "es"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def index(language: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryIndex]:
    folder = tmp_path_factory.mktemp(language)
    notes = [each["note"] for each in read_lines(f"asked_about_{language}") if "note" in each]
    notes += everyday_notes("zh" if language == "zh" else "en", OTHER_NOTES[language], seed=5)
    random.Random(language).shuffle(notes)
    write_logs(folder / "pet", notes)
    with closing(open_index(folder / "pet", folder / "cache")) as opened:
        opened.refresh()
        yield opened


def notes_of(language: str) -> dict[str, list[str]]:
    """The notes about each person, and about the owner."""
    notes: dict[str, list[str]] = {}
    for each in read_lines(f"asked_about_{language}"):
        if "note" in each:
            notes.setdefault(each["who"], []).append(each["note"])
    return notes


def phrasings(language: str, kind: str) -> list[str]:
    return [each["phrasing"] for each in read_lines(f"asked_about_{language}") if each.get("kind") == kind]


def is_among(notes: list[str], hits: list[Hit]) -> bool:
    return any(note in hit.snippet for note in notes for hit in hits)


@pytest.mark.parametrize("kind", ["ask", "more"])
def test_asking_about_somebody_in_the_notes_brings_a_line(index: MemoryIndex, language: str, kind: Kind) -> None:
    people = {who: notes for who, notes in notes_of(language).items() if who}
    asked = [(each.format(who), notes) for each in phrasings(language, kind) for who, notes in people.items()]
    assert len(people) == PEOPLE[language] and (kind == "more" or len(asked) == PHRASINGS * len(people))
    missed = [message for message, notes in asked if not is_among(notes, recalled(index, message, TODAY))]
    assert len(asked) - len(missed) >= LEAST * len(asked), missed


def test_asking_about_the_owner_brings_what_is_known_of_the_owner(index: MemoryIndex, language: str) -> None:
    own = notes_of(language)[""]
    missed = [each for each in phrasings(language, "me") if not is_among(own, recalled(index, each, TODAY))]
    assert missed == []


def test_asking_about_the_owners_things_brings_their_lines(index: MemoryIndex, language: str) -> None:
    for each in read_lines(f"asked_about_{language}"):
        if each.get("kind") == "thing":
            hits = recalled(index, each["phrasing"], TODAY)
            assert any(each["right"] in hit.snippet for hit in hits), each["phrasing"]


def test_only_lines_about_that_person_go_along(tmp_path: Path) -> None:
    write_logs(tmp_path / "pet", ["Femi can't stand coriander", "Morag grows leeks", "Lunch was late again"])
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        hits = recalled(index, "Tell me about Femi", TODAY)
    assert [hit.snippet for hit in hits] == ["Owner: Femi can't stand coriander"]


def test_a_thing_of_the_notes_alone_brings_its_line(tmp_path: Path) -> None:
    write_logs(tmp_path / "pet", ["The greenhouse frame comes from Egersund", "Morag grows leeks", "Lunch was late"])
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        assert "greenhouse" in recalled(index, "greenhouse", TODAY)[0].snippet
        assert recalled(index, "submarine", TODAY) == []


def test_somebody_who_was_only_spoken_of_is_known_too(tmp_path: Path) -> None:
    (tmp_path / "pet").mkdir()
    talk = Talk(tmp_path / "pet")
    talk.turn("Zosia moved to Gdansk for her studies.", "How brave.")
    talk.turn("Tell me about Zosia", "I know little of her.")
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        hits = recalled(index, "What do you know about Zosia?", TODAY)
    assert [hit.snippet for hit in hits] == ["Owner: Zosia moved to Gdansk for her studies."]


def test_a_newer_line_in_other_words_stays_before_the_older_one(tmp_path: Path) -> None:
    others = [f"Lunch with Ben, soup number {number}" for number in range(8)]
    older, newer = "My landlord is Mr Brandt", "Mr Brandt sold the house, it belongs to the Okafors now"
    write_logs(tmp_path / "pet", [older, *others, newer])
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        hits = recalled(index, "Who is my landlord?", TODAY)
    assert [hit.snippet.removeprefix("Owner: ") for hit in hits][:2] == [newer, older]


@pytest.mark.parametrize(
    "message",
    [
        "Tell me about black holes",
        "Tell me about yourself",
        "Tell me a story",
        "Describe a sunset",
        "Who was Ada Lovelace?",
        "How is the weather?",
        "Is it raining?",
        "介绍一下黑洞",
        "今天天气怎么样",
        "我知道了",
        "讲个笑话",
        "Háblame de los agujeros negros",
    ],
)
def test_asking_about_what_is_not_in_the_notes_brings_nothing(tmp_path: Path, message: str) -> None:
    notes = [
        "It rained all day",
        "The weather was fine in Rome",
        "Read the kids a story",
        "昨天天气很好",
        "黑板擦丢了",
    ]
    write_logs(tmp_path / "pet", [*notes, "Femi can't stand coriander"])
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        assert recalled(index, message, TODAY) == []


def test_little_of_small_talk_asks_about_anything() -> None:
    subjects = [subject for message in small_talk() if (subject := find_subject(message)) is not None]
    assert sum(not subject.named for subject in subjects) < 0.02 * len(small_talk())
    assert not any(subject.owner for subject in subjects)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I'm allergic to walnuts. What can I bake?", "I'm allergic to walnuts."),
        ("which nuts are cheap", ""),
        ("Where is my bike", ""),
        ("Tell me about Femi.", ""),
        ("Remind me to call Morag.", "Remind me to call Morag."),
        (
            "Dr. Okafor is my dentist, and failover.sh my script.",
            "Dr. Okafor is my dentist, and failover.sh my script.",
        ),
        ("我对虾过敏。能吃什么？", "我对虾过敏。"),
        ("我能吃什么", ""),
        ("医生说不管什么海鲜我都不能吃，怕过敏", "医生说不管什么海鲜我都不能吃，怕过敏"),
        ("Soy celíaca. ¿Qué puedo comer?", "Soy celíaca."),
        ("qué puedo comer", ""),
        ("👍", "👍"),
        ("?!", ""),
    ],
)
def test_questions_and_requests_are_no_statements(text: str, told: str) -> None:
    assert statements_of(text) == told
