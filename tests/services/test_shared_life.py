"""What of the life together shows in the pet: greetings, the note in its paws, its clothes, and when nothing does."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pet.bridge.command import Client
from pet.events import DayChanged, LifeChanged
from pet.i18n import Texts
from pet.paths import Home, find_home
from tests.services.desk import ASKS, EXAM, LOG, Desktop, opened

T = Texts("en")
DAILY = 'greetings = "daily"\n'
REMINDS = "reminder_bubbles = true\n"
PROFILE = "# Owner\n\n- Name: Lin Wu\n- What to call them: Lin\n- Birthday: 21 November 1990\n"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


def knows(home: Home, text: str, name: str = "USER.md") -> None:
    path = home.workspace("pet") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def met(home: Home, day: str, talks: int = 0) -> None:
    home.state_file.parent.mkdir(parents=True, exist_ok=True)
    home.state_file.write_text(json.dumps({"welcome": 0, "met.pet": [day], "talks.pet": [str(talks)]}))


def life(desktop: Desktop) -> dict[str, Any]:
    reply = json.loads(desktop.app.commands.invoke(Client.PET, "get_skin", "{}"))["value"]
    drawn: dict[str, Any] = reply["life"]
    return drawn


def reasons(desktop: Desktop) -> list[str]:
    reply = json.loads(desktop.app.commands.invoke(Client.CHAT, "list_life", "{}"))["value"]
    return [each["text"] for each in reply["reasons"]]


# --- greetings -----------------------------------------------------------------------------------------------------


def test_after_a_week_the_days_first_greeting_has_the_owners_name(home: Home) -> None:
    knows(home, PROFILE.replace("21 Nov", "3 May"))
    met(home, "2026-11-15")
    with opened(home, settings=DAILY, at="21T12:00") as desktop:
        assert "Lin" not in desktop.said.text
        desktop.answer("close")
        desktop.watch.set("22T12:00")
        desktop.touch()
        assert desktop.said.text in {T(f"bubble.named_day_{number}", name="Lin") for number in (1, 2)}
        assert T("life.why_name", what="Lin") in reasons(desktop)


def test_the_greeting_brings_up_what_is_welcome_with_its_day(home: Home) -> None:
    knows(home, "# Owner\n\n- Name: Lin\n")
    with opened(home, settings=DAILY + ASKS, log=EXAM) as desktop:
        said = desktop.said
        assert said.kind == "asking"
        assert said.text.startswith("Hello, Lin! Yesterday came to my mind. ")
        assert "the statistics exam was today" in said.text
        desktop.answer("close")
        desktop.touch()
        assert desktop.said.kind == "none"


def test_without_questions_the_greeting_brings_nothing_up(home: Home) -> None:
    knows(home, "# Owner\n\n- Name: Lin\n- Wedding anniversary: 21 November\n")
    with opened(home, settings=DAILY, log=EXAM) as desktop:
        assert "exam" not in desktop.said.text
        assert "anniversary" not in desktop.said.text


def test_a_birthday_is_greeted_with_a_hat_and_said_why(home: Home) -> None:
    knows(home, PROFILE)
    with opened(home, settings=DAILY) as desktop:
        assert desktop.said.text == T("bubble.occasion_birthday", name="Lin")
        assert life(desktop)["wears"] == "party"
        assert T("life.why_birthday") in reasons(desktop)
        desktop.watch.set("22T12:00")
        assert life(desktop)["wears"] == ""


@pytest.mark.parametrize(
    ("profile", "logs", "expected"),
    [
        ("- Ana's birthday is on 21 November", {}, "I know what day it is: “Ana's birthday is on 21 November”."),
        (
            "- Wedding anniversary: 21 November 2015",
            {},
            "I know what day it is: “Wedding anniversary: 21 November 2015”.",
        ),
        ("- Mother died 21 November 2019, her birthday", {}, ""),
        (
            "",
            {"2025-11-21": "event\n\nOwner: moved into the new flat."},
            "A year ago today I noted: “moved into the new flat”.",
        ),
        ("", {"2023-11-21": "event\n\nOwner: the funeral was today."}, ""),
    ],
)
def test_anniversaries_are_marked_and_grief_is_left_alone(
    home: Home, profile: str, logs: dict[str, str], expected: str
) -> None:
    knows(home, f"# Owner\n\n{profile}\n")
    for day, entry in logs.items():
        knows(home, f"# Memory Log: {day}\n\n## [08:00:00] {entry}\n", f"memory/{day}.md")
    with opened(home, settings=DAILY + ASKS) as desktop:
        text = desktop.said.text
        assert text == expected if expected else text in {T(f"bubble.greeting_day_{each}") for each in range(1, 5)}


@pytest.mark.parametrize(
    ("met_on", "key", "count"),
    [
        ("2025-11-21", "together_years_one", 1),
        ("2023-11-21", "together_years", 3),
        ("2026-08-13", "together_days", 100),
        ("2025-11-22", "", 0),
    ],
)
def test_the_day_you_met_is_greeted_with_a_hat(home: Home, met_on: str, key: str, count: int) -> None:
    met(home, met_on)
    with opened(home, settings=DAILY) as desktop:
        text = desktop.said.text
        worn = life(desktop)["wears"]
        if not key:
            assert (worn, "met" in text) == ("", False)
            return
        assert (text, worn) == (T(f"bubble.occasion_{key}", count=count), "party")
        assert T(f"life.why_{key.removesuffix('_one')}", count=count) in reasons(desktop)


def test_a_pet_that_came_from_elsewhere_met_its_owner_with_its_first_log(home: Home) -> None:
    met(home, "2026-11-20")
    knows(home, "# Memory Log: 2025-11-21\n\n## [10:00:00] event\n\nOwner: Saw a whale\n", "memory/2025-11-21.md")
    with opened(home, settings=DAILY) as desktop:
        page = json.loads(desktop.app.commands.invoke(Client.CHAT, "list_our_days", "{}"))["value"]
        assert (page["since"], len(page["kept"])) == ("2025-11-21", 12)


def test_the_day_you_met_is_not_marked_while_memory_is_off(home: Home) -> None:
    met(home, "2025-11-21")
    with opened(home, settings=DAILY + "memory_default = false\n") as desktop:
        assert life(desktop)["wears"] == ""
        assert "met" not in desktop.said.text


# --- the note in its paws ------------------------------------------------------------------------------------------


def test_a_due_reminder_is_held_until_the_owner_takes_it(home: Home) -> None:
    with opened(home, settings=REMINDS, log=LOG) as desktop:
        assert life(desktop)["holds"]
        assert T("life.why_holds") in reasons(desktop)
        desktop.screen.chat_shown = True  # another window takes the bubble's place: nobody took the note
        assert life(desktop)["holds"]
        desktop.screen.chat_shown = False
        desktop.answer("close")
        assert not life(desktop)["holds"]
        desktop.wait_for(lambda: any(isinstance(each, LifeChanged) for each in desktop.events))


def test_a_click_takes_the_note_also_in_quiet_hours(home: Home) -> None:
    quiet = REMINDS + 'quiet_from = "00:00"\nquiet_until = "23:59"\n'
    with opened(home, settings=quiet, log=LOG) as desktop:
        assert desktop.said.kind == "none"
        assert life(desktop)["holds"]
        desktop.ask("take_held", client=Client.PET)
        shown = desktop.said
        assert shown.kind == "reminders"
        (reminder,) = shown.reminders
        desktop.done(reminder)
        assert not life(desktop)["holds"]


# --- weather, days and ways ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "weather"),
    [
        ("event\n\nOwner: my grandfather died this morning.", "near"),
        ("event\n\nOwner: I passed the driving test!", "bright"),
        ("event\n\nOwner: I hope I passed the exam.", ""),
        ("event\n\nOwner: watered the plants.", ""),
        ("event\n\n主人：今天面试没通过，心情一般。", ""),
        ("event\n\n主人：我考上研究生了！", "bright"),
        ("event\n\nUsuario: hoy ingresaron a mi padre en el hospital.", "near"),
        ("event\n\nUsuario: aprobé el examen de conducir.", "bright"),
    ],
)
def test_the_weather_of_the_talks_is_in_its_mood(home: Home, entry: str, weather: str) -> None:
    log = f"# Memory Log: 2026-11-20\n\n## [08:00:00] {entry}\n"
    with opened(home, log=log) as desktop:
        assert life(desktop)["weather"] == weather
        desktop.watch.set("23T12:00")
        assert life(desktop)["weather"] == ""


def test_ways_come_with_days_and_talks_and_never_go(home: Home) -> None:
    met(home, "2026-09-01", talks=30)
    with opened(home) as desktop:
        assert life(desktop)["ways"] == ["nod", "lean", "dance", "treasure"]
        assert desktop.app.proactive.together(2).talks == 30


def test_a_holiday_is_worn_from_the_calendar_alone(home: Home) -> None:
    with opened(home, settings="memory_default = false\n") as desktop:
        assert life(desktop)["wears"] == ""
        desktop.watch.time = datetime.fromisoformat("2026-12-25T09:00:00+01:00")
        assert life(desktop) == {"holds": False, "wears": "cap", "weather": "", "ways": [], "keeps": ""}
        assert reasons(desktop) == [T("life.why_day_christmas")]
        before = len(desktop.events)
        desktop.watch.time = datetime.fromisoformat("2026-12-27T00:00:01+01:00")
        desktop.app.emitter.emit(DayChanged())
        desktop.wait_for(lambda: any(isinstance(each, LifeChanged) for each in desktop.events[before:]))


# --- goodbye -------------------------------------------------------------------------------------------------------


def test_goodbye_has_the_name_where_words_are_welcome(home: Home) -> None:
    knows(home, PROFILE.replace("21 Nov", "3 May"))
    with opened(home, settings=DAILY) as desktop:
        desktop.answer("close")
        desktop.ask("say_goodbye", client=Client.PET)
        assert desktop.said.text == "Bye, Lin! See you soon."
        desktop.answer("close")
        desktop.app.pause(True)
        desktop.ask("say_goodbye", client=Client.PET)
        assert desktop.said.kind == "none"


# --- what memory's switches mean -----------------------------------------------------------------------------------


def _paused(desktop: Desktop) -> None:
    desktop.app.pause(True)


def _off(desktop: Desktop) -> None:
    desktop.app.settings.change({"memory_default": False})


@pytest.mark.parametrize("switch", [_paused, _off])
def test_what_was_read_before_shows_no_longer_while_memory_is_off(
    home: Home, switch: Callable[[Desktop], None]
) -> None:
    knows(home, PROFILE)
    met(home, "2026-01-01", talks=90)
    log = "# Memory Log: 2026-11-20\n\n## [08:00:00] event\n\nOwner: I passed the exam.\n" + LOG.split("\n\n", 1)[1]
    with opened(home, settings=REMINDS, log=log) as desktop:
        everything = life(desktop)
        assert everything["holds"]
        assert everything["wears"] == "party"
        assert everything["weather"] == "bright"
        assert len(everything["ways"]) == 5
        switch(desktop)
        assert life(desktop) == {"holds": False, "wears": "", "weather": "", "ways": [], "keeps": ""}
        assert reasons(desktop) == []
