"""Standing facts of old logs come to USER.md: once a day, with a receipt, and never again what the owner undid."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pet.access import MemoryMode
from pet.extras.standing_facts.facts import find_standing_facts, standing_kind
from pet.model import Author
from pet.settings.schema import Settings
from tests.memory.care_desk import CareDesk

PROFILE = "# About you\n\n## Health\n\n- Sleeps badly in summer\n\n## Work\n\n- Baker in York\n"


@pytest.fixture
def care(tmp_path: Path) -> CareDesk:
    desk = CareDesk(tmp_path)
    desk.put("USER.md", PROFILE)
    return desk


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (
            "health",
            [
                "Allergic to hazelnuts",
                "Ben can't eat gluten",
                "Has asthma since childhood",
                "对花生过敏",
                "小雨不吃香菜",
                "血型是O型",
                "Es alérgica a los frutos secos",
                "Mi padre es diabético",
            ],
        ),
        (
            "people",
            [
                "My sister is called Runa",
                "Her boss Ines is from Porto",
                "Mum's birthday is 4 May",
                "我妹妹叫小雨",
                "外婆的生日是三月八日",
                "Mi hermana se llama Runa",
            ],
        ),
        (
            "commitments",
            ["Promised Anna to come to her concert", "答应了小雨教她弹吉他", "Le prometió a Eva un viaje a Lugo"],
        ),
        (
            "",
            [
                "Painted the shed green",
                "Maybe allergic to hazelnuts",
                "Is Ben allergic to nuts?",
                "如果过敏就不去了",
                "Quizás soy alérgico al polen",
                "今天下雨了",
                "I promise you nothing works here",
                "Walked the dog in the park",
            ],
        ),
    ],
)
def test_kinds_in_three_languages(kind: str, texts: list[str]) -> None:
    assert {text: standing_kind(text) for text in texts} == dict.fromkeys(texts, kind)


def test_an_allergy_of_an_old_log_stands_under_its_heading_with_its_day(care: CareDesk) -> None:
    care.note("2026-03-02", "Owner: Allergic to hazelnuts", "Owner: My sister is called Runa")
    (receipt,) = care.keep()
    assert care.text("USER.md") == (
        "# About you\n\n## Health\n\n- Sleeps badly in summer\n- Allergic to hazelnuts (2026-03-02)\n\n"
        "## Work\n\n- Baker in York\n\n## People\n\n- My sister is called Runa (2026-03-02)\n"
    )
    assert (receipt.file, receipt.author) == ("USER.md", Author.PET)
    assert [each.text for each in receipt.noted] == ["Allergic to hazelnuts", "My sister is called Runa"]


def test_what_was_undone_is_not_kept_again(care: CareDesk) -> None:
    care.note("2026-03-02", "Owner: Allergic to hazelnuts")
    (receipt,) = care.keep()
    care.store.undo(receipt, author=Author.OWNER)
    assert care.text("USER.md") == PROFILE
    care.clock.at = care.clock.at.replace(day=22)
    assert care.keep() == []
    assert care.text("USER.md") == PROFILE


def test_it_is_done_once_a_day_and_leaves_todays_log_alone(care: CareDesk) -> None:
    care.note("2026-11-21", "Owner: Allergic to hazelnuts")
    assert care.keep() == []
    care.note("2026-11-20", "Owner: Allergic to walnuts")
    assert care.keep() == []
    care.clock.at = care.clock.at.replace(day=22)
    assert len(care.keep()) == 1
    assert "hazelnuts (2026-11-21)" in care.text("USER.md") and "walnuts (2026-11-20)" in care.text("USER.md")


@pytest.mark.parametrize("stored", ["3", "[]", "[3]", "[null, 4]", '{"a": 1}'])
def test_an_unreadable_day_counts_as_never(care: CareDesk, stored: str) -> None:
    (care.folder / "state.json").write_text(f'{{"standing.pet": {stored}}}', encoding="utf-8")
    care.note("2026-11-20", "Owner: Allergic to walnuts")
    assert len(care.keep()) == 1


def test_what_is_noted_on_two_days_is_kept_and_on_one_day_not(care: CareDesk) -> None:
    care.note("2026-03-02", "Owner: Plays the cello", "Owner: Plays the tuba", category="preference")
    care.note("2026-05-09", "Owner: plays the cello.", category="preference")
    care.keep()
    assert "## Noted more than once\n\n- plays the cello. (2026-05-09)" in care.text("USER.md")
    assert "tuba" not in care.text("USER.md")


def test_of_two_facts_the_newest_is_kept_and_replaces_the_line_it_supersedes(care: CareDesk) -> None:
    care.note("2026-03-02", "Owner: Allergic to hazelnuts")
    care.keep()
    care.note("2026-04-02", "Owner: Allergic to hazelnuts and walnuts")
    care.clock.at = care.clock.at.replace(day=22)
    care.keep()
    assert care.text("USER.md").count("llergic") == 1
    assert "- Allergic to hazelnuts and walnuts (2026-04-02)\n" in care.text("USER.md")


def test_a_line_without_a_day_may_be_the_owners_and_stays(care: CareDesk) -> None:
    care.put("USER.md", "## Health\n- Allergic to hazelnuts\n")
    care.note("2026-04-02", "Owner: Allergic to hazelnuts and walnuts")
    care.keep()
    assert care.text("USER.md").startswith(
        "## Health\n- Allergic to hazelnuts\n- Allergic to hazelnuts and walnuts ("
    )


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Pet: Allergic to cats, as it says", "fact"),
        ("Owner: Ate hazelnuts, allergic reaction in the night", "event"),
        ("Owner: Buy vegan cake", "todo"),
        ("Owner: likes tea", "preference"),
    ],
)
def test_nothing_else_is_kept(care: CareDesk, text: str, category: str) -> None:
    care.note("2026-03-02", text, category=category)
    assert care.keep() == []


def test_known_facts_stay_where_they_are(care: CareDesk) -> None:
    care.put("MEMORY.md", "- Owner: Is allergic to hazelnuts, badly (2026-02-01)\n")
    care.note("2026-03-02", "Owner: Allergic to hazelnuts")
    assert care.keep() == []


@pytest.mark.parametrize("shut", ["off", "read", "pause", "setting"])
def test_nothing_is_read_or_written_without_memory(care: CareDesk, shut: str) -> None:
    care.note("2026-03-02", "Owner: Allergic to hazelnuts")
    if shut == "off":
        care.conversation.switch(False)
    elif shut == "read":
        care.conversation.switch(MemoryMode.READ_ONLY)
    elif shut == "pause":
        care.pet.pause(True)
    settings = replace(Settings(), upkeep=False) if shut == "setting" else Settings()
    assert care.keep(settings=settings) == []
    assert (care.text("USER.md"), care.facts_day.get()) == (PROFILE, ("", ()))


def test_a_forgotten_fact_does_not_come_back(care: CareDesk) -> None:
    care.store.forgotten.remember("Allergic to hazelnuts", locks=care.folder / "locks")
    care.note("2026-03-02", "Owner: Allergic to hazelnuts", "Owner: My sister is called Runa")
    care.keep()
    assert "hazelnuts" not in care.text("USER.md") and "Runa" in care.text("USER.md")


def test_at_most_five_lines_a_day_and_the_rest_later(care: CareDesk) -> None:
    care.note(
        "2026-03-02", *(f"Owner: Allergic to {kind}" for kind in ("nuts", "eggs", "soy", "fish", "milk", "kiwi"))
    )
    care.keep()
    assert care.text("USER.md").count("Allergic") == 5
    care.clock.at = care.clock.at.replace(day=22)
    care.keep()
    assert care.text("USER.md").count("Allergic") == 6


def test_a_full_profile_takes_no_more(care: CareDesk) -> None:
    care.note("2026-03-02", "Owner: Allergic to hazelnuts")
    assert care.keep(settings=Settings(prompt_file_characters=1_000)) != []
    care.clock.at = care.clock.at.replace(day=22)
    care.put("USER.md", PROFILE + "- words\n" * 100)
    care.note("2026-03-03", "Owner: Allergic to walnuts")
    assert care.keep(settings=Settings(prompt_file_characters=1_000)) == []


def test_facts_of_an_unknown_file_name_are_left_out() -> None:
    assert find_standing_facts({"memory/notes.md": "## [10:00:00] fact\n\nAllergic to nuts\n"}, []) == []
