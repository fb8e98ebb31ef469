"""Hellos through the day and questions after what is remembered: when, how often, and when not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pet.bridge.command import Client
from pet.bridge.commands.conversations import ConversationView
from pet.events import BubbleChanged, ChatShown, ConversationAsked
from pet.i18n import Texts
from pet.memory.store.forget_plan import EntryAt
from pet.paths import Home, find_home
from pet.services.proactive_limits import ProactiveLog
from tests.services.desk import ASKS, EXAM, YESTERDAY, Desktop, opened
from tests.support.models.scripted import say

T = Texts("en")
DAILY = 'greetings = "daily"\n'
TWICE = 'greetings = "twice"\n'


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


def says(desktop: Desktop) -> str:
    return desktop.said.kind


def greeted(desktop: Desktop) -> bool:
    kind = says(desktop)
    desktop.answer("close")
    return kind == "greeting"


# --- hellos --------------------------------------------------------------------------------------------------------


def test_midnight_says_nothing_and_the_first_touch_of_the_new_day_is_greeted(home: Home) -> None:
    with opened(home, settings=DAILY, at="20T23:50") as desktop:
        assert greeted(desktop)
        desktop.watch.set("21T00:20")
        assert says(desktop) == "none"  # nobody is there
        desktop.touch()
        assert desktop.said.text in {T(f"bubble.greeting_night_{number}") for number in range(1, 5)}
        assert greeted(desktop)
        desktop.watch.set("21T09:00")
        desktop.touch()
        assert says(desktop) == "none"  # once a day


def test_no_greeting_comes_before_the_first_start_is_over(home: Home) -> None:
    with opened(home, settings=DAILY, at="21T23:50", welcome=1) as desktop:
        assert says(desktop) == "none"  # the program started
        desktop.touch()
        assert says(desktop) == "none"
        desktop.ask("save_welcome", '{"step": 0}', client=Client.CHAT)
        desktop.touch()
        assert greeted(desktop)


def test_morning_and_evening_if_the_owner_likes_it(home: Home) -> None:
    with opened(home, settings=TWICE, at="21T08:00") as desktop:
        assert greeted(desktop)
        seen = []
        for clock in ("21T11:00", "21T17:30", "21T22:00", "22T00:30", "22T06:00", "22T18:00"):
            desktop.watch.set(clock)
            desktop.touch()
            seen.append(greeted(desktop))
        assert seen == [False, True, False, False, True, True]


def test_after_quiet_hours_it_waits_for_its_owner(home: Home) -> None:
    quiet = DAILY + 'quiet_from = "22:00"\nquiet_until = "08:00"\n'
    with opened(home, settings=quiet, at="21T07:00") as desktop:
        desktop.touch()
        assert says(desktop) == "none"
        desktop.watch.set("21T08:00")
        assert says(desktop) == "none"  # their end alone is no reason
        desktop.touch()
        assert greeted(desktop)


def test_who_opens_the_chat_first_is_greeted_when_it_is_put_away_unless_they_talked(home: Home) -> None:
    quiet = DAILY + 'quiet_from = "06:00"\nquiet_until = "07:00"\n'
    for said, expected in ((False, True), (True, False)):
        place = find_home(home.data.parent / str(said))
        with opened(place, say("Yes"), settings=quiet, at="21T06:30") as desktop:
            desktop.watch.set("21T08:00")
            desktop.screen.chat_shown = True
            desktop.app.emitter.emit(ChatShown(shown=True))
            if said:
                desktop.talk()
            desktop.screen.chat_shown = False
            desktop.app.emitter.emit(ChatShown(shown=False))
            assert desktop.app.emitter.close(20)
            assert greeted(desktop) is expected


@pytest.mark.parametrize(
    "settings", ["", DAILY + "do_not_disturb = true\n", DAILY + "memory_default = false\n", "greetings = false\n"]
)
def test_no_hello_for_who_does_not_want_one(home: Home, settings: str) -> None:
    with opened(home, settings=settings) as desktop:
        desktop.touch()
        assert says(desktop) == "none"


def test_paused_memory_says_no_hello_and_what_was_a_switch_still_counts(home: Home) -> None:
    with opened(home, settings="greetings = true\n" + DAILY.replace("greetings", "# greetings")) as desktop:
        assert greeted(desktop)
        desktop.watch.set("22T09:00")
        desktop.app.pause(True)
        desktop.touch()
        assert says(desktop) == "none"
        desktop.app.pause(False)
        desktop.touch()
        assert greeted(desktop)


# --- questions -----------------------------------------------------------------------------------------------------


def test_it_asks_how_it_went_and_never_twice(home: Home) -> None:
    with opened(home, settings=ASKS, log=EXAM) as desktop:
        view = desktop.said
        assert view.kind == "asking"
        assert "the statistics exam was today" in view.text
        assert "Owner" not in view.text
        desktop.answer("close")  # not now
        desktop.watch.set("22T12:00")
        desktop.touch()
        assert says(desktop) == "none"
    kept = home.state_file.read_text()
    assert "asked.pet" in kept
    assert "exam" not in kept


def test_one_question_a_day_is_asked(home: Home) -> None:
    log = EXAM + "\n## [09:00:00] event\n\nFirst guitar lesson with Tom\n\n## [10:00:00] event\n\nMoved house\n"
    with opened(home, settings=ASKS, log=log) as desktop:
        assert says(desktop) == "asking"
        desktop.answer("close")
        desktop.touch()
        assert says(desktop) == "none"
        desktop.watch.set("21T15:00")
        desktop.touch()
        assert says(desktop) == "none"  # once is enough for today
        desktop.watch.set("22T09:00")
        desktop.touch()
        assert "guitar" in desktop.said.text


def test_do_not_ask_leaves_all_that_is_noted_about_it_alone(home: Home) -> None:
    log = EXAM + "\n## [09:00:00] todo\n\nLook at the statistics exam again\n\n## [10:00:00] person\n\nAnna moved\n"
    with opened(home, settings=ASKS, log=log) as desktop:
        assert "exam" in desktop.said.text
        desktop.answer("leave_alone")
        assert not desktop.shows
        desktop.watch.set("22T12:00")
        desktop.touch()
        assert "Anna moved" in desktop.said.text  # not the todo, which is about the same
    assert "statist" not in home.state_file.read_text()


@pytest.mark.parametrize("button", ["close", "leave_alone"])
def test_a_double_click_refuses_one_question(home: Home, monkeypatch: pytest.MonkeyPatch, button: str) -> None:
    with opened(home, settings=ASKS, log=EXAM) as desktop:
        number = desktop.said.number
        refused: list[bool] = []

        def answered(_log: ProactiveLog, *, welcome: bool) -> None:
            refused.append(welcome)
            if len(refused) == 1:
                desktop.answer(button, number)  # the second click, while the first is being written down

        monkeypatch.setattr(ProactiveLog, "answered", answered)
        desktop.answer(button, number)
        assert refused == [False]


def test_tell_opens_a_conversation_that_begins_with_the_question(home: Home) -> None:
    with opened(home, say("Well done!"), say("I see."), settings=ASKS, log=EXAM) as desktop:
        question = desktop.said.text
        desktop.answer("open")
        desktop.wait_for(lambda: any(isinstance(each, ConversationAsked) for each in desktop.events))
        asked = next(each for each in desktop.events if isinstance(each, ConversationAsked))
        live = desktop.app.conversations.open(asked.conversation)
        assert live.gate.switched_on
        assert live.opening == question
        assert not live.transcript.stored  # nothing was said, nothing is kept
        live.send("It went well!")
        live.wait(60)
        assert question in sent(desktop, 0)
        live.set_memory(False)
        live.send("And now?")
        live.wait(60)
        assert "statistics" not in sent(desktop, 1)
        assert live.folded().opening == question  # for the owner it stays
        assert live.folded().title == "It went well"


def test_asked_with_memory_off_the_model_hears_nothing_of_the_question(home: Home) -> None:
    with opened(home, say("Tell me."), settings=ASKS, log=EXAM) as desktop:
        desktop.answer("open")
        live = desktop.app.conversations.live()[-1]
        live.set_memory(False)
        live.send("It went well!")
        live.wait(60)
        assert "statistics" not in sent(desktop, 0)
        assert live.opening


def test_what_was_asked_and_is_forgotten_since_is_gone_from_the_conversation(home: Home) -> None:
    with opened(home, say("Fine."), settings=ASKS, log=EXAM) as desktop:
        desktop.answer("open")
        live = desktop.app.conversations.live()[-1]
        live.send("It went well!")
        live.wait(60)
        desktop.app.forgetting.forget(desktop.app.forgetting.find("statistics exam"))
        assert live.opening == ""
        transcripts = home.workspace("pet") / "conversations"
        assert "statistics" not in "".join(each.read_text("utf-8") for each in transcripts.glob("*.jsonl"))


@pytest.mark.parametrize("wish", ["the entry", "I hope it went well"])
def test_a_question_goes_with_the_note_it_came_from_also_where_it_quotes_only_a_part(home: Home, wish: str) -> None:
    with opened(home, say("Fine."), say("Ah."), settings=ASKS, log=EXAM) as desktop:
        forgetting, transcripts = desktop.app.forgetting, home.workspace("pet") / "conversations"
        name = next(each for each in desktop.app.store.names() if each.startswith("memory/"))
        desktop.answer("open")
        live = desktop.app.conversations.live()[-1]
        live.send("It was fine!")
        live.wait(60)
        assert "statistics" in "".join(each.read_text("utf-8") for each in transcripts.glob("*.jsonl"))
        entry = EntryAt(file=name, start_line=1, end_line=99)
        forgetting.forget(forgetting.find(entry if wish == "the entry" else wish))
        assert live.opening == ""
        assert "statistics" not in "".join(each.read_text("utf-8") for each in transcripts.glob("*.jsonl"))
        live.send("Anything else?")
        live.wait(60)
        assert "statistics" not in sent(desktop, 1)


def test_a_question_that_waits_for_its_answer_is_not_sent_once_its_note_is_forgotten(home: Home) -> None:
    with opened(home, say("Fine."), settings=ASKS, log=EXAM) as desktop:
        name = next(each for each in desktop.app.store.names() if each.startswith("memory/"))
        desktop.answer("open")
        live = desktop.app.conversations.live()[-1]
        entry = EntryAt(file=name, start_line=1, end_line=99)
        desktop.app.forgetting.forget(desktop.app.forgetting.find(entry))
        assert live.opening == ""
        live.send("What did you want?")
        live.wait(60)
        assert "statistics" not in sent(desktop, 0)


def test_a_new_conversation_has_no_opening(home: Home) -> None:
    with opened(home) as desktop:
        view = desktop.ask("new_conversation", client=Client.CHAT)
        assert isinstance(view, ConversationView)
        assert view.opening == ""


def forgets(desktop: Desktop) -> None:
    desktop.app.store.forgotten.remember("statistics exam", locks=desktop.app.home.locks)


def pauses(desktop: Desktop) -> None:
    desktop.app.pause(True)


def nothing(_desktop: Desktop) -> None:
    return


@pytest.mark.parametrize(
    ("settings", "before"),
    [
        ("", nothing),
        (ASKS + "memory_default = false\n", nothing),
        (ASKS, pauses),
        (ASKS, forgets),
        (ASKS + "do_not_disturb = true\n", nothing),
        (ASKS + 'quiet_from = "05:00"\nquiet_until = "22:00"\n', nothing),
    ],
)
def test_it_does_not_ask(home: Home, settings: str, before: Callable[[Desktop], None]) -> None:
    quiet_first = settings if "quiet" in settings else settings + 'quiet_from = "06:00"\nquiet_until = "07:00"\n'
    with opened(home, settings=quiet_first, log=EXAM, at="21T06:30") as desktop:
        before(desktop)
        told = desktop.events.count(BubbleChanged())
        desktop.watch.set("21T12:00")
        desktop.touch()
        assert says(desktop) == "none"
        assert desktop.app.emitter.close(20)
        assert desktop.events.count(BubbleChanged()) == told


def test_a_question_goes_when_the_owner_switches_it_off(home: Home) -> None:
    with opened(home, settings=ASKS, log=EXAM) as desktop:
        assert says(desktop) == "asking"
        desktop.app.settings.change({"ask_after": False})
        desktop.wait_for(lambda: not desktop.shows)
        assert desktop.said.text == ""


def test_only_the_pet_may_say_that_it_was_touched(home: Home) -> None:
    with opened(home, log=YESTERDAY) as desktop:
        for client, name in (
            (Client.CHAT, "touched"),
            (Client.PET, "answer_bubble"),
            (Client.SOCKET, "answer_bubble"),
        ):
            assert '"not_allowed"' in desktop.app.commands.invoke(client, name, "{}")


def sent(desktop: Desktop, number: int) -> str:
    """All of a request that a model would read."""
    request = desktop.provider.requests[number]
    return repr(request)
