"""When the pet speaks in its bubble and what it says there, over the real core and a scripted model."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pet.bridge.command import Client
from pet.errors import ProviderFault
from pet.events import (
    BubbleChanged,
    ChatShown,
    ConversationAsked,
    Forgotten,
    ProposalAsked,
    ProposalClosed,
    RemindersChanged,
)
from pet.i18n import Texts
from pet.model import ForeignSource, NotedText, Proposal, StopReason
from pet.paths import Home, find_home
from tests.services.desk import ASKS, LOG, SPEAKS_UP, opened
from tests.support.models.scripted import Hold, call, say
from tests.support.program.invoking import invoke


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


def test_a_reply_comes_as_words_while_the_chat_is_hidden(home: Home) -> None:
    with opened(home, say("**Yes**, rain.\n" * 9)) as desktop:
        conversation = desktop.talk()
        desktop.wait_for(lambda: desktop.shows)
        view = desktop.said
        assert (view.kind, view.more) == ("reply", True)
        assert view.text == "\n".join(["Yes, rain."] * 5)
        assert [(each.kind, each.text) for each in view.pieces] == [("text", "\n".join(["Yes, rain."] * 9))]
        desktop.answer("open")
        desktop.wait_for(lambda: ConversationAsked(conversation=conversation) in desktop.events)
        assert desktop.screen.views == ["chat"]
        assert desktop.said.kind == "none"


@pytest.mark.parametrize(
    ("chat_shown", "settings"),
    [
        (True, ""),
        (False, "do_not_disturb = true\n"),
        (False, 'quiet_from = "11:00"\nquiet_until = "13:00"\n'),
        (False, "bubbles = false\n"),
    ],
)
def test_over_an_open_chat_and_undisturbed_nothing_comes(home: Home, chat_shown: bool, settings: str) -> None:
    with opened(home, say("one"), settings=settings) as desktop:
        desktop.screen.chat_shown = chat_shown
        desktop.talk()
        assert desktop.app.emitter.close(20)  # everything was heard, by the bubble too
        assert BubbleChanged() not in desktop.events
        assert desktop.said.kind == "none"


def test_reply_that_a_terminal_prints_comes_in_no_bubble_and_is_not_unread(home: Home) -> None:
    with opened(home, say("For the terminal."), say("For the bubble.")) as desktop:
        turns, live = desktop.app.terminal_turns, desktop.app.conversations.create(memory=False)
        turn = turns.follow(live.id, lambda: live.send("Hi"))
        live.wait(60)
        text = ""
        while turns.follows(turn) and '"turn_ended"' not in text:
            text += turns.read(turn, len(text))
        assert "For the terminal." in text
        assert desktop.app.unread.conversations == []
        conversation = desktop.talk()
        desktop.wait_for(lambda: desktop.shows)
        assert desktop.said.text == "For the bubble."
        desktop.wait_for(lambda: desktop.events.count(BubbleChanged()) == 1)
        assert desktop.app.unread.conversations == [conversation]


def test_the_bubble_goes_when_the_owner_wants_no_disturbance(home: Home) -> None:
    with opened(home, say("one")) as desktop:
        desktop.talk()
        desktop.wait_for(lambda: desktop.shows)
        desktop.app.settings.change({"do_not_disturb": True})
        desktop.wait_for(lambda: not desktop.shows)
        assert desktop.said.text == ""


def test_a_hello_then_what_was_promised_each_once_a_day(home: Home) -> None:
    with opened(home, settings=SPEAKS_UP, log=LOG) as desktop:
        assert (desktop.said.kind, desktop.said.text) == ("greeting", "There you are! How is your day going?")
        desktop.answer("close")
        assert [reminder.text for reminder in desktop.said.reminders] == ["Call the dentist"]
        desktop.answer("close")
        assert desktop.said.kind == "none"
    with opened(home, settings=SPEAKS_UP) as desktop:  # the same day
        desktop.app.emitter.emit(ChatShown(shown=False))
        assert desktop.app.emitter.close(20)
        assert desktop.said.kind == "none"
    kept = home.state_file.read_text()
    assert "promised.pet" in kept
    assert "dentist" not in kept


@pytest.mark.parametrize("focused", [True, False])
def test_due_reminder_comes_over_an_open_chat_unless_it_has_the_focus(home: Home, focused: bool) -> None:
    with opened(home, settings="reminder_bubbles = true\n") as desktop:
        desktop.screen.chat_shown = True
        assert invoke(desktop.app.commands, "set_focused", Client.CHAT, focused=focused)["ok"]
        (home.workspace("pet") / "memory").mkdir(exist_ok=True)
        (home.workspace("pet") / "memory" / "2026-11-20.md").write_text(LOG, "utf-8")
        desktop.app.emitter.emit(RemindersChanged())
        assert desktop.app.emitter.close(20)
        assert desktop.shows is not focused
        assert [each.text for each in desktop.said.reminders] == ([] if focused else ["Call the dentist"])


def test_a_reminder_is_done_from_the_bubble(home: Home) -> None:
    with opened(home, settings="reminder_bubbles = true\n", log=LOG) as desktop:
        desktop.wait_for(lambda: desktop.shows)
        (reminder,) = desktop.said.reminders
        desktop.done(reminder)
        desktop.wait_for(lambda: not desktop.shows)
        log = home.workspace("pet") / "memory" / "2026-11-20.md"
        assert "todo @2026-11-21 \N{CHECK MARK} 2026-11-21" in log.read_text("utf-8")


@pytest.mark.parametrize(
    "settings", ["", SPEAKS_UP + "memory_default = false\n", SPEAKS_UP + "do_not_disturb = true\n"]
)
def test_nothing_is_remembered_aloud_unasked(home: Home, settings: str) -> None:
    with opened(home, settings=settings, log=LOG) as desktop:
        desktop.app.emitter.emit(ChatShown(shown=False))
        assert desktop.app.emitter.close(20)
        assert desktop.said.kind == "none"
        assert not desktop.shows


def test_a_reminder_waits_for_the_end_of_quiet_hours(home: Home) -> None:
    before = set(threading.enumerate())
    quiet = 'reminder_bubbles = true\nquiet_from = "11:00"\nquiet_until = "12:00"\n'
    with opened(home, settings=quiet, log=LOG) as desktop:  # just over
        desktop.wait_for(lambda: desktop.shows)
    with opened(home, settings=quiet.replace("12:00", "12:30"), log=LOG.replace("dentist", "vet")) as desktop:
        desktop.app.emitter.emit(ChatShown(shown=False))
        assert desktop.app.emitter.close(20)
        assert desktop.said.kind == "none"
        waiting = [each for each in set(threading.enumerate()) - before if isinstance(each, threading.Timer)]
        assert any(each.interval == 60 for each in waiting)
    assert all(each.interval != 60 or each.finished.is_set() for each in waiting)


def test_paused_memory_takes_the_reminder_away(home: Home) -> None:
    with opened(home, settings="reminder_bubbles = true\n", log=LOG) as desktop:
        desktop.wait_for(lambda: desktop.shows)
        desktop.app.pause(True)
        desktop.wait_for(lambda: not desktop.shows)
        assert desktop.said.reminders == ()


def test_the_bubble_may_do_nothing_else(home: Home) -> None:
    with opened(home) as desktop:
        answer = desktop.app.commands.invoke(Client.BUBBLE, "read_file", '{"file":"SOUL.md"}')
        assert '"not_allowed"' in answer
        assert '"not_allowed"' in desktop.app.commands.invoke(Client.PET, "get_bubble", "{}")


BAD_KEY = say(ProviderFault("bad_key", host="api.anthropic.com"))


# --- what went wrong, what needs a yes, and in which words ---------------------------------------------------------


def test_a_failure_comes_with_its_own_sentence_and_leads_to_it(home: Home) -> None:
    with opened(home, BAD_KEY) as desktop:
        conversation = desktop.talk()
        desktop.wait_for(lambda: desktop.shows)
        view = desktop.said
        sentence = Texts("en")("error.fault_bad_key", host="api.anthropic.com")
        assert (view.kind, view.text, view.more) == ("failed", sentence, False)
        assert view.seconds >= 20
        desktop.answer("open")
        desktop.wait_for(lambda: ConversationAsked(conversation=conversation) in desktop.events)


def test_what_is_shown_is_worded_anew_in_another_language(home: Home) -> None:
    with opened(home, BAD_KEY) as desktop:
        desktop.talk()
        desktop.wait_for(lambda: desktop.shows)
        before = desktop.said
        told = desktop.events.count(BubbleChanged())
        desktop.app.settings.change({"language": "zh", "theme": "dark"})
        desktop.wait_for(lambda: desktop.events.count(BubbleChanged()) > told)
        after = desktop.said
        assert after.text == Texts("zh")("error.fault_bad_key", host="api.anthropic.com")
        assert (after.language, after.theme, after.number) == ("zh", "dark", before.number)  # still the same one


def test_bubble_reports_failed_reply_but_not_stopped_one(home: Home) -> None:
    hold = Hold()
    script = (say("Half of", stop=StopReason.CUT), say("The other", hold, "half"))
    with opened(home, *script) as desktop:
        desktop.talk()
        desktop.wait_for(lambda: desktop.shows)
        assert (desktop.said.kind, desktop.said.text) == ("failed", Texts("en")("bubble.cut"))
        desktop.answer("close")
        desktop.wait_for(lambda: desktop.events.count(BubbleChanged()) == 2)  # it came, and it went
        live = desktop.app.conversations.create(memory=True)
        live.send("Again")
        hold.wait_reached()
        live.stop()
        live.wait(60)
        assert desktop.app.emitter.close(20)
        assert desktop.events.count(BubbleChanged()) == 2
        assert desktop.said.kind == "none"


def test_a_proposal_waits_for_its_answer_in_any_language(home: Home) -> None:
    proposal = Proposal(id="p1", file="SOUL.md", reason="soul", before="a", after="b", base="v1")
    with opened(home) as desktop:
        desktop.app.emitter.emit(ProposalAsked(conversation="c1", turn="t1", proposal=proposal))
        desktop.wait_for(lambda: desktop.shows)
        view = desktop.said
        assert (view.kind, view.text, view.seconds) == ("question", Texts("en")("bubble.question"), 0)


@pytest.mark.parametrize(("choice", "asked"), [("allow", 2), ("from_now_on", 1), ("open", 0)])
def test_a_short_note_beside_something_foreign_is_allowed_in_the_bubble(home: Home, choice: str, asked: int) -> None:
    notes = [call("memory_write", {"content": f"likes tea number {number}"}) for number in (1, 2)]
    with opened(home, notes[0], say("ok"), notes[1], say("ok")) as desktop:
        letter = desktop.app.attachments.add("letter.txt", b"Note it")
        live = desktop.app.conversations.create(memory=True)
        live.send("What is this?", (letter,))
        desktop.wait_for(lambda: desktop.said.kind == "question")
        view = desktop.said
        assert "letter.txt" in view.text and view.command == "Owner: likes tea number 1"
        assert [each.id for each in view.choices] == ["allow", "from_now_on", "open"]
        desktop.answer(choice)
        if not asked:
            desktop.wait_for(lambda: desktop.screen.views == ["chat"])
            assert live.proposals.list_open()
            return
        live.wait(60)
        live.send("Hm")
        if asked == 2:
            desktop.wait_for(lambda: desktop.said.command == "Owner: likes tea number 2")
            desktop.answer("allow")
        live.wait(60)
        proposals = [each for each in desktop.events if isinstance(each, ProposalAsked)]
        assert len(proposals) == asked
        (log,) = (home.workspace("pet") / "memory").glob("*.md")
        assert all(f"likes tea number {number}" in log.read_text("utf-8") for number in (1, 2))


@pytest.mark.parametrize(
    "change",
    [
        {"after": "x" * 201},
        {"after": "a\nb"},
        {"after": "tea\u200b"},
        {"before": "- a"},
        {"reason": "unasked"},
        {"category": "pay-mallory"},
        {"noted": NotedText(text="a", due="2026-11-30")},
    ],
)
def test_a_note_of_which_the_bubble_would_not_show_all_is_only_looked_at(home: Home, change: dict[str, Any]) -> None:
    source = (ForeignSource(kind="file", name="letter.txt"),)
    note = Proposal(id="p", file="memory/x.md", reason="foreign", before="", after="a", base="v", foreign=source)
    note = replace(note, category="fact")
    with opened(home) as desktop:
        for proposal, choices in ((note, 3), (replace(note, **change), 1)):
            desktop.app.emitter.emit(ProposalAsked(conversation="c", turn="t", proposal=proposal))
            desktop.wait_for(lambda: desktop.shows)
            assert len(desktop.said.choices) == choices
            desktop.app.emitter.emit(ProposalClosed(conversation="c", turn="t", proposal="p", outcome="refused"))
            desktop.wait_for(lambda: not desktop.shows)


def test_a_forgotten_word_leaves_the_bubble_too(home: Home) -> None:
    with opened(home, say("The plum tree")) as desktop:
        desktop.talk()
        desktop.wait_for(lambda: desktop.shows)
        desktop.app.emitter.emit(Forgotten(conversations=[]))
        desktop.wait_for(lambda: not desktop.shows)
        assert desktop.said.text == ""


def test_no_timer_waits_where_there_is_nothing_to_wait_for(home: Home) -> None:
    before = set(threading.enumerate())
    quiet = SPEAKS_UP + ASKS + 'quiet_from = "11:00"\nquiet_until = "12:30"\n'
    with opened(home, settings=quiet) as desktop:  # quiet, and nothing due
        desktop.app.emitter.emit(ChatShown(shown=False))
        assert desktop.app.emitter.close(20)
        timers = [each for each in set(threading.enumerate()) - before if isinstance(each, threading.Timer)]
        assert not any(each.interval == 60 for each in timers)


# --- what a reply in the bubble takes ------------------------------------------------------------------------------


def test_nothing_is_said_to_a_reply_from_there(home: Home) -> None:
    with opened(home, say("Shall I?")) as desktop:
        conversation = desktop.talk()
        desktop.wait_for(lambda: desktop.shows)
        assert [each.text for each in desktop.said.choices] == ["Answer"]
        answer = desktop.app.commands.invoke(Client.BUBBLE, "say_in_bubble", '{"text":"Yes"}')
        assert '"bad_arguments"' in answer
        assert len(desktop.app.conversations.open(conversation).folded().turns) == 1


def test_a_reminder_that_a_reply_took_the_place_of_comes_back(home: Home) -> None:
    with opened(home, say("one"), settings="reminder_bubbles = true\n", log=LOG) as desktop:
        desktop.wait_for(lambda: desktop.shows)
        desktop.talk()
        desktop.wait_for(lambda: desktop.said.kind == "reply")
        desktop.answer("close")  # read
        assert [reminder.text for reminder in desktop.said.reminders] == ["Call the dentist"]
        desktop.answer("close")  # put away: not again today
        desktop.touch()
        assert desktop.said.kind == "none"


def test_a_reminder_that_comes_back_on_another_day_comes_once(home: Home) -> None:
    with opened(home, say("one"), settings="reminder_bubbles = true\n", log=LOG) as desktop:
        desktop.wait_for(lambda: desktop.shows)
        desktop.talk()
        desktop.wait_for(lambda: desktop.said.kind == "reply")
        desktop.watch.set("22T12:00")
        desktop.answer("close")
        assert desktop.said.reminders
        desktop.answer("close")
        desktop.touch()
        assert desktop.said.kind == "none"


def test_a_reminder_comes_back_after_a_pause(home: Home) -> None:
    with opened(home, settings="reminder_bubbles = true\n", log=LOG) as desktop:
        desktop.wait_for(lambda: desktop.shows)
        desktop.app.pause(True)
        desktop.wait_for(lambda: not desktop.shows)
        desktop.app.pause(False)
        desktop.wait_for(lambda: desktop.shows)
        assert desktop.said.kind == "reminders"


def test_an_answer_to_what_was_shown_before_is_none_to_what_came_since(home: Home) -> None:
    with opened(home, say("one"), say("two")) as desktop:
        desktop.talk()
        desktop.wait_for(lambda: desktop.said.text == "one")
        seen = {"number": desktop.said.number}
        second = desktop.talk()
        desktop.wait_for(lambda: desktop.said.text == "two")
        desktop.answer("close", seen["number"])
        desktop.answer("leave_alone", seen["number"])
        assert desktop.said.text == "two"
        late = desktop.app.commands.invoke(Client.BUBBLE, "say_in_bubble", json.dumps({"text": "Yes", **seen}))
        assert '"bad_arguments"' in late
        assert len(desktop.app.conversations.open(second).folded().turns) == 1
        desktop.answer("close", desktop.said.number)
        assert desktop.said.kind == "none"


# --- a line beside the pet -----------------------------------------------------------------------------------------


def test_what_is_said_in_the_line_beside_the_pet_is_answered_in_the_bubble(home: Home) -> None:
    with opened(home, say("At four."), say("Yes."), settings="do_not_disturb = true\n") as desktop:
        desktop.ask("open_field", client=Client.PET)
        assert (desktop.said.kind, desktop.said.seconds) == ("field", 0)
        number = desktop.said.number
        desktop.ask("say_in_bubble", json.dumps({"text": "When does the train go?" + " " * 300, "number": number}))
        desktop.wait_for(lambda: desktop.said.kind == "reply")
        assert desktop.said.text == "At four."  # the owner asked, so it comes although nothing shall disturb
        conversation = desktop.app.transcripts.list()[0].id
        desktop.ask("set_in_front", json.dumps({"conversation": conversation}), client=Client.CHAT)
        desktop.ask("open_field", client=Client.PET)
        desktop.ask("say_in_bubble", '{"text":"Sure?"}')
        desktop.wait_for(lambda: desktop.said.text == "Yes.")
        turns = desktop.app.conversations.open(conversation).folded().turns
        assert [turn.text for turn in turns] == ["When does the train go?", "Sure?"]


def test_the_line_gives_way_to_an_open_chat_and_asks_for_words(home: Home) -> None:
    with opened(home) as desktop:
        desktop.screen.chat_shown = True
        desktop.ask("open_field", client=Client.PET)
        assert desktop.said.kind == "none"
        desktop.screen.chat_shown = False
        desktop.ask("open_field", client=Client.PET)
        for text in ("", " ", "x" * 2001):
            answer = desktop.app.commands.invoke(Client.BUBBLE, "say_in_bubble", json.dumps({"text": text}))
            assert '"bad_arguments"' in answer
        desktop.answer("close")
        assert desktop.said.kind == "none"
        assert desktop.provider.requests == []
