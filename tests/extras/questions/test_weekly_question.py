"""Questions about lines that have ended, and the one a week about a line that may no longer hold: when they come, and
what answers change."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pet.bridge.command import Client
from pet.i18n import Texts
from pet.model import Author
from pet.paths import Home, find_home
from tests.services.desk import ASKS, Desktop, opened

MARATHON = "- Training for a marathon (2026-03-02)"
PROFILE = f"# About\n\n- Likes tea\n{MARATHON}\n- Lives in Oslo (2026-04-02)\n"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


def knows(home: Home, text: str, name: str = "USER.md") -> Path:
    path = home.workspace("pet") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def all_statements(desktop: Desktop) -> list[dict[str, Any]]:
    reply = json.loads(desktop.app.commands.invoke(Client.CHAT, "list_statements", "{}"))["value"]
    return [each for group in reply["groups"] for each in group["statements"]]


RECHECK = {"yes": "holds", "no_longer": "ended", "never": "no_recheck"}


def answers(desktop: Desktop, answer: str) -> None:
    desktop.answer(RECHECK[answer])


def next_question(desktop: Desktop, days: int) -> str:
    """What is shown after so many days, in which the owner comes every morning and closes what is shown."""
    for _ in range(days):
        desktop.answer("close")
        desktop.watch.time += timedelta(days=1)
        desktop.touch()
        if desktop.said.kind != "none":
            return f"{desktop.said.kind}: {desktop.said.text}"
    return "none"


def test_what_may_have_passed_is_asked_in_words_and_yes_changes_nothing(home: Home) -> None:
    profile = knows(home, PROFILE)
    with opened(home, settings=ASKS) as desktop:
        asked = desktop.said
        assert (asked.kind, asked.text) == (
            "recheck",
            "In March 2026 I noted: “You are training for a marathon”. Still true?",
        )
        answers(desktop, "yes")
        assert desktop.said.kind == "none"
        assert profile.read_text("utf-8") == PROFILE
        assert next_question(desktop, 30) == "none"
        assert desktop.provider.requests == []
    assert "marathon" not in home.state_file.read_text()


def test_no_longer_ends_the_line_with_a_receipt_that_undo_takes_back(home: Home) -> None:
    profile = knows(home, PROFILE)
    with opened(home, settings=ASKS) as desktop:
        answers(desktop, "no_longer")
        ended = f"{MARATHON.removesuffix(' (2026-03-02)')} (until 2026-11-21)"
        assert profile.read_text("utf-8") == PROFILE.replace(MARATHON, ended)
        (shown,) = [each for each in all_statements(desktop) if "marathon" in each["sentence"]]
        assert (shown["sentence"], shown["day"], shown["ended"]) == ("Training for a marathon.", "2026-11-21", True)
        assert (shown["since"], shown["earlier"]) == ("", [])
        assert (desktop.said.kind, desktop.said.text) == ("changed", Texts("en")("memory.changed", file="USER.md"))
        assert desktop.app.store.history("USER.md")[0].author is Author.OWNER
        desktop.answer("undo", desktop.said.number)
        assert desktop.said.kind == "none"
        assert profile.read_text("utf-8") == PROFILE


def test_a_plan_that_names_its_day_held_until_that_day(home: Home) -> None:
    profile = knows(home, "# About\n\n- Planea ir a Roma en mayo de 2026 (2026-03-02)\n")
    with opened(home, settings=ASKS) as desktop:
        answers(desktop, "no_longer")
        assert profile.read_text("utf-8") == "# About\n\n- Planea ir a Roma en mayo de 2026 (hasta 2026-05-31)\n"


def test_of_two_lines_the_older_goes_and_is_the_past_of_the_other(home: Home) -> None:
    both = "# About\n\n- Lives in Oslo (2026-03-02)\n- Lives in Rome (2026-09-01)\n"
    profile = knows(home, both)
    with opened(home, settings=ASKS) as desktop:
        assert "You live in Oslo" in desktop.said.text
        assert "You live in Rome" in desktop.said.text
        answers(desktop, "no_longer")
        assert profile.read_text("utf-8") == "# About\n\n- Lives in Rome (2026-09-01)\n"
        (statement,) = all_statements(desktop)
        assert statement["sentence"] == "You live in Rome."
        assert [each["sentence"] for each in statement["earlier"]] == ["You live in Oslo."]


def test_a_newer_line_of_the_log_takes_the_place_of_the_older_one(home: Home) -> None:
    profile = knows(home, "# About\n\n- Lives in Oslo (2026-03-02)\n")
    log = "# Memory Log: 2026-11-20\n\n## [10:00:00] fact\n\nOwner: Lives in Rome\n"
    with opened(home, settings=ASKS, log=log) as desktop:
        answers(desktop, "no_longer")
        assert profile.read_text("utf-8") == "# About\n\n- Lives in Rome (2026-11-20)\n"


ENDED = "# Memory Log: {day}\n\n## [10:00:00] event\n\nOwner: {note}\n"


def test_a_line_that_a_note_ended_is_offered_first_and_marked_with_the_day(home: Home) -> None:
    profile = knows(home, f"{PROFILE}- Grandma Rosa is 91 and lives with us (2026-04-02)\n")
    with opened(home, settings=ASKS, log=ENDED.format(day="2026-11-20", note="Rosa died this morning")) as desktop:
        assert desktop.said.text == (
            "You told me: “Rosa died this morning”. I still have: “Grandma Rosa is 91 and lives with us”. "
            "Shall I mark that as over?"
        )
        assert [each.text for each in desktop.said.choices][:2] == ["Yes", "Leave it"]
        desktop.answer("ended")
        assert "- Grandma Rosa is 91 and lives with us (until 2026-11-20)\n" in profile.read_text("utf-8")
        desktop.answer("undo", desktop.said.number)
        assert "- Grandma Rosa is 91 and lives with us (2026-04-02)\n" in profile.read_text("utf-8")
        assert (
            next_question(desktop, 1)
            == "recheck: In March 2026 I noted: “You are training for a marathon”. Still true?"
        )


def test_what_is_ended_today_is_offered_today_though_a_question_was_asked(home: Home) -> None:
    profile = knows(home, f"{PROFILE}- Drives a Volvo (2026-04-02)\n")
    with opened(home, settings=ASKS) as desktop:
        assert "marathon" in desktop.said.text
        answers(desktop, "yes")
        knows(home, ENDED.format(day="2026-11-21", note="Sold the Volvo"), "memory/2026-11-21.md")
        desktop.touch()
        assert desktop.said.kind == "none"  # in a moment, not at once
        desktop.watch.set("21T14:00")
        desktop.touch()
        assert "I still have: “You drive a Volvo”" in desktop.said.text
        desktop.answer("holds")
        desktop.watch.set("21T15:00")
        desktop.touch()
        assert desktop.said.kind == "none"
        assert "- Drives a Volvo (2026-04-02)\n" in profile.read_text("utf-8")


def test_one_question_a_week_and_the_first_of_them_once(home: Home) -> None:
    knows(home, f"{PROFILE}- Looking for a flat (2026-05-02)\n")
    with opened(home, settings=ASKS) as desktop:
        assert "marathon" in desktop.said.text
        assert next_question(desktop, 6) == "none"
        assert "flat" in next_question(desktop, 1)
        assert next_question(desktop, 40) == "none"


def test_do_not_ask_leaves_the_line_and_its_topic_alone(home: Home) -> None:
    knows(home, f"{PROFILE}- Training for the city marathon (2026-05-02)\n")
    with opened(home, settings=ASKS) as desktop:
        answers(desktop, "never")
        assert desktop.said.kind == "none"
        assert next_question(desktop, 30) == "none"


@pytest.mark.parametrize(
    "settings",
    [
        "ask_after = false\n",
        ASKS + "memory_default = false\n",
        ASKS + "memory_default = false\nmemory_read_only = true\n",
        ASKS + "do_not_disturb = true\n",
        ASKS + 'quiet_from = "11:00"\nquiet_until = "13:00"\n',
    ],
)
def test_nothing_is_asked_while_memory_is_off_or_read_only_or_the_owner_wants_quiet(
    home: Home, settings: str
) -> None:
    knows(home, PROFILE)
    with opened(home, settings=settings) as desktop:
        desktop.touch()
        assert desktop.said.kind == "none"
    assert "rechecked" not in home.state_file.read_text()


def test_a_pause_takes_the_question_away_and_its_answer_changes_nothing(home: Home) -> None:
    profile = knows(home, PROFILE)
    with opened(home, settings=ASKS) as desktop:
        number = desktop.said.number
        desktop.app.pause(True)
        desktop.wait_for(lambda: not desktop.shows)
        desktop.answer("ended", number)
        assert profile.read_text("utf-8") == PROFILE


def test_a_new_owner_is_not_asked(home: Home) -> None:
    knows(home, PROFILE)
    with opened(home, settings=ASKS, shipped=True) as desktop:
        assert desktop.said.kind in ("greeting", "none")
        desktop.answer("close")
        desktop.watch.set("21T15:00")
        desktop.touch()
        assert desktop.said.kind == "none"


def test_a_line_that_changed_meanwhile_is_left_as_it_is(home: Home) -> None:
    profile = knows(home, PROFILE)
    with opened(home, settings=ASKS) as desktop:
        number = desktop.said.number
        changed = PROFILE.replace("a marathon", "two marathons")
        profile.write_text(changed, encoding="utf-8")
        desktop.answer("ended", number)
        assert profile.read_text("utf-8") == changed
        assert desktop.said.kind == "failed"


def test_a_clock_that_was_set_back_is_harmless(home: Home) -> None:
    knows(home, f"{PROFILE}- Looking for a flat (2026-05-02)\n")
    with opened(home, settings=ASKS) as desktop:
        assert "marathon" in desktop.said.text
        desktop.answer("close")
        desktop.watch.time -= timedelta(days=400)  # before everything was noted
        assert next_question(desktop, 20) == "none"
        desktop.watch.set("21T13:00")
        assert "flat" in next_question(desktop, 30)


def test_a_line_that_the_owner_had_forgotten_is_not_asked_about(home: Home) -> None:
    knows(home, "# About\n\n- Likes tea\n")
    with opened(home, settings=ASKS) as desktop:
        store = desktop.app.store
        store.forgotten.remember("Training for a marathon (2026-03-02)", locks=home.locks)
        knows(home, PROFILE)
        desktop.watch.set("22T12:00")
        desktop.touch()
        assert desktop.said.kind == "none"
