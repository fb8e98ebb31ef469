"""``pet remind``: times and series listed, done, put off; and what is due said in a terminal chat."""

from __future__ import annotations

import pytest

from tests.cli.conftest import PetCommand
from tests.cli.test_chat import SOUL, Console, say

LOG = "memory/2026-11-20.md"
SERIES = "# Memory Log: 2026-11-20\n\n## [08:00:00] todo (every day at 00:00) @2026-11-16\n\nOwner: Water the ferns\n"


def test_reminders_are_listed_done_and_put_off(pet: PetCommand) -> None:
    pet.write(LOG, SERIES + "\n## [08:00:00] todo (at 15:00) @2099-03-01\n\nOwner: 买票\n")
    listed = pet("remind")
    assert listed.code == 0
    first, second = listed.out.splitlines()
    assert first.startswith("!  1  on 16 Nov") and first.endswith(" at 00:00 (every day): Water the ferns")
    assert second == "   2  on 1 Mar 2099 at 15:00: 买票"
    later = pet("remind", "later", "1", "in two days at nine")
    assert (later.code, later.out.splitlines()[0]) == (0, "Put off: Water the ferns")
    assert "(every day at 00:00, this time at 09:00) @" in pet.read(LOG)
    done = pet("remind", "done", "1")
    assert (done.code, done.out.splitlines()[0]) == (0, "Done: Water the ferns")
    assert "todo (every day at 00:00) @" in pet.read(LOG)
    due = pet("remind", "--json").json
    assert [each["text"] for each in due["coming"]] == ["Owner: Water the ferns", "Owner: 买票"]


def test_a_reminder_is_added_in_one_sentence_or_two_texts(pet: PetCommand) -> None:
    ended = pet("remind", "add", "2070-03-01T15:00 call Anna")
    assert (ended.code, ended.out) == (0, "▌ I'll remind you on 1 Mar 2070 at 15:00: call Anna\n")
    assert pet("remind", "add", "2070年3月2日九点", "买票").code == 0
    assert pet("remind", "--json").json["coming"][1]["text"] == "买票"
    refused = pet("remind", "add", "给妈妈打电话", LANG="zh_CN.UTF-8")
    assert refused.code == 1 and "看不出“给妈妈打电话”要在什么时候" in refused.err
    assert "not a time in the future" in pet("remind", "add", "call Anna", "1999-01-01").err
    listed = pet("chat", typed="/remind add 2070-03-03 rest\n/undo\n/remind\n").out
    assert "Undone: rest" in listed
    assert [row[6:] for row in listed.splitlines()[-2:]] == [
        "on 1 Mar 2070 at 15:00: call Anna",
        "on 2 Mar 2070 at 09:00: 买票",
    ]


@pytest.mark.parametrize(("locale", "said"), [("en_GB.UTF-8", "5 Jun 2070"), ("en_US.UTF-8", "6 May 2070")])
def test_a_date_in_digits_is_said_back_in_words(pet: PetCommand, locale: str, said: str) -> None:
    added = pet("remind", "add", "dentist on 5/6/2070 at 9", LANG=locale, LC_TIME=locale)
    assert (added.code, added.out) == (0, f"▌ I'll remind you on {said} at 09:00: dentist\n")


@pytest.mark.parametrize(("order", "said"), [("day_first", "5 Jun 2070"), ("month_first", "6 May 2070")])
def test_a_setting_says_what_a_date_in_digits_means(pet: PetCommand, order: str, said: str) -> None:
    refused = pet("remind", "add", "dentist on 5/6/2070 at 9", LANG="C.UTF-8")
    assert refused.code == 1
    assert pet("settings", "date_order", order).code == 0
    added = pet("remind", "add", "dentist on 5/6/2070 at 9", LANG="C.UTF-8")
    assert (added.code, added.out) == (0, f"▌ I'll remind you on {said} at 09:00: dentist\n")


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("renew visa in March at 9", "en_GB.UTF-8", "understand all of the time"),
        ("每天8点和20点吃药", "zh_CN.UTF-8", "没有全看懂"),
        ("renovar el visado en marzo a las 9", "es_ES.UTF-8", "del todo el momento"),
    ],
)
def test_a_moment_that_is_understood_in_part_is_refused_with_what_to_say(
    pet: PetCommand, text: str, language: str, words: str
) -> None:
    ended = pet("remind", "add", text, LANG=language)
    assert ended.code == 1 and text in ended.err and words in ended.err
    assert pet("remind", "--json").json["coming"] == []


def test_words_with_a_date_in_them_are_taken_apart_from_their_moment(pet: PetCommand) -> None:
    assert pet("remind", "add", "renew visa in March", "2070-03-01T09:00").code == 0
    assert pet("remind", "--json").json["coming"][0]["text"] == "renew visa in March"


def test_an_unknown_number_and_a_time_that_is_none_change_nothing(pet: PetCommand) -> None:
    pet.write(LOG, SERIES)
    for words, said in (
        (("done", "2"), "There is no reminder 2"),
        (("done", "x"), "There is no reminder x"),
        (("later", "1", "soon"), "“soon” is not a time in the future"),
        (("later", "1", "1900-01-01"), "“1900-01-01” is not a time in the future"),
    ):
        ended = pet("remind", *words)
        assert ended.code == 1
        assert said in ended.err
    assert pet("remind", "later", "1").code == 2
    assert pet("remind", "sing").code == 2
    assert pet.read(LOG) == SERIES


def test_the_terminal_chat_says_what_is_due_and_takes_the_answer(pet: PetCommand) -> None:
    pet.write("SOUL.md", SOUL)
    pet.write(LOG, SERIES)
    console = Console(pet.line("chat"), pet.environment())
    try:
        greeted = console.expect("[memory on] > ")
        assert "You asked me to remind you:" in greeted
        assert "on 16 Nov" in greeted and " at 00:00 (every day): Water the ferns" in greeted
        say(console, "/remind done 1", "at 00:00 (every day): Water the ferns")
        assert "@2026-11-16" not in pet.read(LOG)
        say(console, "/undo", "Water the ferns")
        assert "@2026-11-16" in pet.read(LOG)
        console.type("/remind later 1")
        console.expect("/remind later N WHEN")
    finally:
        console.close()


def test_the_terminal_chat_says_nothing_while_memory_is_paused(pet: PetCommand) -> None:
    pet.write("SOUL.md", SOUL)
    pet.write(LOG, SERIES)
    assert pet("pause").code == 0
    console = Console(pet.line("chat"), pet.environment())
    try:
        assert "remind you" not in console.expect("] > ")
    finally:
        console.close()
