"""Entries as sentences about the owner: rewritten where a rule is sure, as written elsewhere, each in its group."""

from __future__ import annotations

import pytest

from pet.i18n import Language
from pet.language.labels import told_name
from pet.memory.store.about_owner import (
    LONGEST,
    Group,
    differing_part,
    grouped,
    replaced,
    statements,
    with_told_name,
)
from pet.memory.store.digest import noted_entries
from pet.paths import assets_folder

DAY = "memory/2026-03-02.md"


def log(*entries: tuple[str, str]) -> str:
    return "# Memory Log: 2026-03-02\n" + "".join(f"\n## [10:00:00] {head}\n\n{text}\n" for head, text in entries)


def one(text: str, category: str = "fact") -> tuple[Group, str]:
    (statement,) = statements(DAY, log((category, text)))
    return statement.group, statement.sentence


@pytest.mark.parametrize(
    ("text", "group", "sentence"),
    [
        ("Owner: User's dog is called Otto", "people", "Your dog is called Otto."),
        ("Owner: User's name is Alex", "you", "Your name is Alex."),
        ("The user's sister is called Runa", "people", "Your sister is called Runa."),
        ("Owner: Likes tea", "likes", "You like tea."),
        ("Owner: The user doesn't like tea", "likes", "You don't like tea."),
        ("Owner: Allergic to hazelnuts", "health", "You are allergic to hazelnuts."),
        ("Owner: Works at B as a baker", "places", "You work at B as a baker."),
        (
            "Owner: I'm moving to Oslo and my cat comes with me",
            "people",
            "You're moving to Oslo and your cat comes with you.",
        ),
        ("Never eats olives", "health", "You never eat olives."),
        ("Loves jazz and goes to concerts", "likes", "You love jazz and go to concerts."),
        ("Often watches films and falls asleep", "you", "You often watch films and fall asleep."),
        ("Usually gets up at six", "you", "You usually get up at six."),
        ("Plays chess but never wins or loses", "you", "You play chess but never win or lose."),
        ("Is vegetarian and doesn't drink", "health", "You are vegetarian and don't drink."),
        ("Has a sister who lives in Rome", "places", "You have a sister who lives in Rome."),
        ("Eats meals and snacks", "you", "You eat meals and snacks."),
        ("Owner: My sister is called Runa", "people", "Your sister is called Runa."),
        ("Owner: Sister Mira plays the viola", "people", "Sister Mira plays the viola."),
        ("Owner: Friend of long walks", "you", "Friend of long walks."),
        ("主人：在港口诊所当护士", "places", "在港口诊所当护士。"),
        ("Owner: Wants to learn the cello", "plans", "You want to learn the cello."),
        ("主人：喜欢喝乌龙茶", "likes", "你喜欢喝乌龙茶。"),
        ("主人：用户的名字是小雨", "you", "你的名字是小雨。"),
        ("主人：我妹妹叫小雨", "people", "你妹妹叫小雨。"),
        ("主人：对花生过敏", "health", "你对花生过敏。"),
        ("Dueño: Me gusta el té", "likes", "Te gusta el té."),
        ("El usuario se llama Alex", "you", "Te llamas Alex."),
        ("Dueña: Mi hermana se llama Eva", "people", "Tu hermana se llama Eva."),
        ("Dueña: Alérgica a las nueces", "health", "Eres alérgica a las nueces."),
        ("Dueño: Casado con Ana", "you", "Estás casado con Ana."),
    ],
)
def test_an_entry_becomes_what_one_would_say(text: str, group: Group, sentence: str) -> None:
    assert one(text) == (group, sentence)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Owner: Likes tea with her sister", "Likes tea with her sister."),
        ("Owner: I promise you a song", "I promise you a song."),
        ("Owner: Likes runs and walks", "Likes runs and walks."),
        ("Owner: Has a brother who eats meat and goes fishing", "Has a brother who eats meat and goes fishing."),
        ("Owner: Never mind the rain", "Never mind the rain."),
        ("Owner: The shed is green", "The shed is green."),
        ("Pet: I like rain", "Pet: I like rain."),
        ("主人：我们约好了周日见", "我们约好了周日见。"),
        ("主人：喜欢他做的饭", "喜欢他做的饭。"),
        ("Dueño: Mi hermana me quiere", "Mi hermana me quiere."),
        ("Dueño: Casado con su trabajo", "Casado con su trabajo."),
        ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"),
    ],
)
def test_an_entry_that_no_rule_is_sure_of_stays_as_written(text: str, sentence: str) -> None:
    assert one(text)[1] == sentence


def test_the_profile_is_told_by_its_headings_and_fields() -> None:
    profile = (
        "# About my person\n\n## Name\n\n- Alex\n\n## What to call them\n\n-\n\n## Preferences\n\n- Likes: rain\n"
        "- Answers: short\n\n## Health\n\n- Sleeps badly in summer (2026-03-02)\n\n## 名字\n\n- 小雨\n"
    )
    told = [(each.group, each.sentence) for each in statements("USER.md", profile)]
    assert told == [
        ("you", "Your name is Alex."),
        ("likes", "You like rain."),
        ("likes", "Answers: short."),
        ("health", "You sleep badly in summer."),
        ("you", "你叫小雨。"),
    ]
    assert str(statements("USER.md", profile)[3].day) == "2026-03-02"


@pytest.mark.parametrize(
    ("heading", "group"),
    [("关于主人", "you"), ("关于主人\n\n## 语言", "you"), ("个人信息", "you"), ("关于主人\n\n## 身边的人", "people")],
)
def test_the_chinese_word_for_the_owner_is_none_for_people(heading: str, group: Group) -> None:
    (statement,) = statements("USER.md", f"# {heading}\n\n- 会说粤语\n")
    assert statement.group == group


def test_in_memory_md_the_first_person_is_the_pet() -> None:
    (told,) = statements("MEMORY.md", "# Memory\n\n## Promises\n\n- I promised Alex a song\n")
    assert (told.group, told.sentence) == ("plans", "I promised Alex a song.")


def test_reminders_are_plans_until_they_are_done() -> None:
    told = statements(DAY, log(("todo @2026-03-05", "Owner: Buy milk"), ("todo @2026-03-05 ✓ 2026-03-05", "Buy tea")))
    assert [(each.group, each.sentence) for each in told] == [("plans", "Buy milk."), ("lately", "Buy tea.")]


def test_a_fact_is_told_once_core_files_first_then_the_newest() -> None:
    core = statements("USER.md", "# About\n\n- Likes tea\n")
    old = statements("memory/2026-01-02.md", log(("preference", "Owner: Likes rain")))
    new = statements(DAY, log(("preference", "Owner: likes TEA."), ("preference", "Owner: Likes rain")))
    told = grouped([*core, *old, *new])["likes"]
    assert [(each.file, each.sentence) for each in told] == [("USER.md", "You like tea."), (DAY, "You like rain.")]
    assert [each.sentence for each in grouped([*core, *new], "RAIN like")["likes"]] == ["You like rain."]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("ida", ["Ida's bike is red."]),
        ("fri", ["Choir on Friday."]),
        ("red", ["Ida's bike is red."]),
        ("晚", ["我家楼下夜市每晚开。"]),
        ("market3", ["我家market3."]),
    ],
)
def test_words_are_found_at_beginnings_of_words(words: str, wanted: list[str]) -> None:
    notes = statements("MEMORY.md", "- Ida's bike is red\n- Choir on Friday\n- 我家楼下夜市每晚开\n- 我家market3\n")
    assert [each.sentence for group in grouped(notes, words).values() for each in group] == wanted


def test_a_long_entry_is_cut_and_an_odd_one_breaks_nothing() -> None:
    for text in ("x" * 400_000, "a " * 200_000, "我" * 10_000, "-", "Owner:", "\u202e", "# ## -"):
        for each in statements("USER.md", text):
            assert 0 < len(each.sentence) <= LONGEST + 1


@pytest.mark.parametrize(
    ("file", "text", "after"),
    [
        ("USER.md", "# A\n\n- [ ] Likes tea\n  and rain\n- b\n", "# A\n\n- [ ] Likes coffee\n- b\n"),
        (DAY, log(("fact", "Likes tea")), log(("fact", "Likes coffee"))),
    ],
)
def test_a_correction_replaces_the_entry_and_nothing_else(file: str, text: str, after: str) -> None:
    told = statements(file, text)[0]
    assert replaced(text, told, "Likes coffee\n") == after
    with pytest.raises(ValueError, match=file):
        replaced(after, told, "Likes milk")


def test_a_correction_in_a_log_begins_no_other_entry() -> None:
    text = log(("fact", "Likes tea"))
    after = replaced(text, statements(DAY, text)[0], "x\n## [11:00:00] fact\ny")
    assert len(statements(DAY, after)) == 1


@pytest.mark.parametrize(
    ("new", "old", "part"),
    [
        ("You work at Bolt.", "You work at Acme.", "Acme"),
        ("Your sister is called Eva.", "Your sister is called Runa.", "Runa"),
        ("You get up at 7 on weekdays.", "You get up at 6 on weekdays.", "6"),
        ("你住在上海。", "你住在北京。", "北京"),
        ("Vives en Vigo.", "Vives en Lugo.", "Lugo"),
        ("You skate.", "You ski.", "You ski"),
        ("You work.", "You work at Acme.", "You work at Acme"),
        ("It rains.", "It rains.", "It rains"),
        ("", "", ""),
    ],
)
def test_of_an_earlier_sentence_only_what_differs_is_shown(new: str, old: str, part: str) -> None:
    assert differing_part(new, old) == part


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("My name is Anna", "Anna"),
        ("Hi! My name's Ana María.", "Ana María"),
        ("我叫小林", "小林"),
        ("Me llamo Iñaki", "Iñaki"),
        ("My name is on the list", ""),
        ("My name is Anna and I like tea", ""),
        ("我叫小林，你呢？", ""),
        ("His name is Otto", ""),
    ],
)
def test_a_name_is_told_by_nothing_else(message: str, name: str) -> None:
    assert told_name(message) == name


@pytest.mark.parametrize(
    ("language", "sentence"), [("en", "Your name is Anna."), ("zh", "你叫Anna."), ("es", "Te llamas Anna.")]
)
def test_the_name_goes_to_its_empty_place_and_its_receipt_is_a_sentence(language: Language, sentence: str) -> None:
    profile = (assets_folder() / "templates" / language / "profile.md").read_text("utf-8")
    named = with_told_name(profile, "Anna")
    assert [each.text for each in noted_entries("USER.md", profile, named)] == [sentence]
    assert with_told_name(named, "Ben") == named
    assert with_told_name("- **Name:** -\n- Likes: tea\n", "Anna") == "- **Name:** Anna\n- Likes: tea\n"
