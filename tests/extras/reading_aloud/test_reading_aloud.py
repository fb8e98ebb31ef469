"""Reading aloud over the real core: what is said, by which voice, and what silences it. The speaker is the test's."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from pet.bridge.command import Client
from pet.bridge.dispatch import CommandFailed
from pet.events import (
    ChatShown,
    ConversationClosed,
    Event,
    Forgotten,
    Mood,
    RoundStarted,
    SettingsChanged,
    SilenceAsked,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from pet.extras.reading_aloud.events import AloudChanged
from pet.extras.reading_aloud.reader import ReadAloud
from pet.extras.reading_aloud.speech import ChildSpeaker, SpeechEnd, Voice
from pet.i18n import Language, Texts
from pet.model import TurnEnd, Usage
from pet.paths import Home, find_home
from pet.settings.schema import Settings, changed
from pet.settings.setting import SettingValue
from tests.services.desk import Desktop, Screen, Watch, opened
from tests.support.models.scripted import Scripted, say
from tests.support.program.parts import pet_of

ALWAYS = "read_aloud = true\n"


def wanted(**others: SettingValue) -> Settings:
    """Return settings by which every reply is read."""
    return changed(Settings(), {"read_aloud": True, **others})


class Voiced(ChildSpeaker):
    """A speaker whose sentences end when the test says so."""

    def __init__(self) -> None:
        self.said: list[tuple[str, Language]] = []
        self.options: list[tuple[str, int]] = []
        self.stops = 0
        self.prepared = 0
        self._ended: Callable[[SpeechEnd], None] | None = None

    def prepare(self) -> None:
        self.prepared += 1

    def say(
        self, text: str, language: Language, *, voice: str, speed: int, ended: Callable[[SpeechEnd], None]
    ) -> None:
        self.said.append((text, language))
        self.options.append((voice, speed))
        self._ended = ended

    def stop(self) -> None:
        self.stops += 1
        self.end("stopped")

    def voices(self) -> tuple[Voice, ...] | None:
        return (Voice(language="en", name="Ann"),)

    def close(self) -> None:
        return

    def end(self, how: SpeechEnd = "done") -> None:
        ended, self._ended = self._ended, None
        if ended is not None:
            ended(how)

    def end_all(self) -> list[str]:
        while self._ended is not None:
            self.end()
        return [text for text, _ in self.said]


class Stage:
    """The policy alone, on one thread."""

    def __init__(self, settings: Settings, reply: str = "") -> None:
        self.settings, self.clock, self.voiced = settings, Watch(), Voiced()
        self.clock.set("21T12:00")
        self.mouth: list[bool] = []
        self.events: list[AloudChanged] = []
        self.windows = SimpleNamespace(aside=False)
        pet = pet_of(
            effective=SimpleNamespace(current=lambda: self.settings),
            texts=lambda: Texts("en"),
            clock=self.clock,
            emit=self._emit,
            moods=SimpleNamespace(sound=self.mouth.append),
            windows=self.windows,
        )
        self.aloud = ReadAloud(app=pet, speaker=self.voiced, reply=lambda _conversation, _turn: reply)

    def _emit(self, event: Event) -> None:
        assert isinstance(event, AloudChanged)
        self.events.append(event)

    def start(self, conversation: str = "c", turn: str = "t") -> None:
        started = TurnStarted(
            conversation=conversation, turn=turn, at="", text="", memory=True, supersedes=None, kind="message"
        )
        self.aloud.on_event(started)

    def text(self, text: str, *, round_: int = 1, turn: str = "t") -> None:
        self.aloud.on_event(TextDelta(conversation="c", turn=turn, round=round_, text=text))

    def end(self, end: TurnEnd = TurnEnd.DONE, turn: str = "t") -> None:
        self.aloud.on_event(TurnEnded(conversation="c", turn=turn, end=end, error=None, usage=Usage()))

    @property
    def texts(self) -> list[str]:
        return [text for text, _ in self.voiced.said]


@pytest.fixture
def stage() -> Stage:
    return Stage(wanted())


def test_sentences_are_said_one_after_the_other_while_the_reply_comes(stage: Stage) -> None:
    stage.start()
    assert (stage.voiced.prepared, stage.events) == (1, [])  # nothing is heard yet
    stage.text("Hello there, my owner. How are")
    assert stage.texts == ["Hello there, my owner."]
    assert stage.events == [AloudChanged(conversation="c", turn="t")]
    stage.text(" you? I am well.\n")
    assert len(stage.texts) == 1
    stage.voiced.end()
    assert stage.texts[1:] == ["How are you?"]
    stage.end()
    assert stage.voiced.end_all()[2:] == ["I am well."]
    assert stage.events[-1] == AloudChanged(conversation="", turn="")
    assert stage.mouth[-1] is False
    assert stage.voiced.stops == 1  # of nothing: the last sentence had ended


def test_what_is_skipped_is_named_in_the_language_that_is_read() -> None:
    stage = Stage(Settings(), "看这里。\n```\nx = 1\n```\nDe la casa, el perro.\n| a |\n|---|\n| b |\n")
    stage.aloud.read("c", "t")
    assert stage.voiced.end_all() == ["看这里。", "代码", "De la casa, el perro.", "tabla"]
    assert [language for _, language in stage.voiced.said] == ["zh", "zh", "es", "es"]


def test_voice_and_speed_are_the_owners() -> None:
    stage = Stage(
        changed(Settings(), {"reading_voice_en": "Ann", "reading_voice_zh": "Li", "reading_speed": 150}),
        "Hello.\n\n你好。",
    )
    stage.aloud.read("c", "t")
    stage.voiced.end_all()
    assert stage.voiced.options == [("Ann", 150), ("Li", 150)]


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        wanted(do_not_disturb=True),
        wanted(quiet_from="11:00", quiet_until="13:00"),
    ],
)
def test_nothing_is_read_unasked_as_shipped_and_in_quiet_hours(settings: Settings) -> None:
    stage = Stage(settings, "Asked for.")
    stage.start()
    stage.text("Hello there, my owner. How are you?\n\n")
    stage.end()
    assert (stage.texts, stage.voiced.prepared) == ([], 0)
    stage.aloud.read("c", "t")  # the owner asked
    assert stage.texts == ["Asked for."]


def test_nothing_is_read_unasked_over_a_full_screen(stage: Stage) -> None:
    stage.windows.aside = True
    stage.start()
    stage.text("Hello there, my owner. How are you?\n\n")
    assert stage.texts == []


def stopped(stage: Stage) -> bool:
    """Nothing more is said, whatever comes."""
    count = len(stage.texts)
    stage.text("And more of it. And more.\n\n")
    stage.voiced.end()
    stage.end()
    return len(stage.texts) == count and stage.mouth[-1] is False and not stage.events[-1].turn


@pytest.mark.parametrize(
    "what",
    [
        lambda stage: stage.aloud.on_event(SilenceAsked()),
        lambda stage: stage.aloud.on_event(ConversationClosed(conversation="c")),
        lambda stage: stage.end(TurnEnd.STOPPED),
        lambda stage: stage.end(TurnEnd.FAILED),
        lambda stage: stage.aloud.on_event(ChatShown(shown=False)),
        lambda stage: stage.aloud.on_event(Forgotten(conversations=[])),
        lambda stage: stage.aloud.close(),
    ],
)
def test_stops_at_once(stage: Stage, what: Callable[[Stage], None]) -> None:
    stage.start()
    stage.text("Hello there, my owner. How are you? I ask.\n\n")
    assert stage.texts == ["Hello there, my owner."]
    what(stage)
    assert stage.voiced.stops == 1
    assert stopped(stage)


def test_other_tabs_and_a_shown_chat_do_not_stop_it(stage: Stage) -> None:
    stage.start()
    stage.text("Hello there, my owner. How are you? I ask.\n\n")
    stage.aloud.on_event(ConversationClosed(conversation="other"))
    stage.aloud.on_event(ChatShown(shown=True))
    stage.text("of another turn, and not read. So.\n\n", turn="u")
    assert stage.voiced.end_all() == ["Hello there, my owner.", "How are you?", "I ask."]


def test_of_two_conversations_the_one_spoken_to_last_is_read(stage: Stage) -> None:
    stage.start()
    stage.text("First reply, it goes on. And on.\n\n")
    stage.start("d", "u")
    stage.text("never read. Never.\n\n")
    stage.aloud.on_event(TextDelta(conversation="d", turn="u", round=1, text="Second reply, it is read.\n\n"))
    assert stage.voiced.end_all() == ["First reply, it goes on.", "Second reply, it is read."]
    assert [event.conversation for event in stage.events] == ["c", "", "d"]


def test_quiet_hours_that_begin_stop_it(stage: Stage) -> None:
    stage.start()
    stage.text("Hello there, my owner. How are you? I ask.\n\n")
    stage.settings = wanted(quiet_from="11:00", quiet_until="13:00")
    stage.voiced.end()
    assert stopped(stage)


@pytest.mark.parametrize("settings", [Settings(), wanted(do_not_disturb=True)])
def test_switching_it_off_or_do_not_disturb_on_stops_it(stage: Stage, settings: Settings) -> None:

    stage.start()
    stage.text("Hello there, my owner. How are you? I ask.\n\n")
    stage.settings = settings
    stage.aloud.on_event(SettingsChanged())
    assert stopped(stage)


def test_text_that_turns_out_to_be_thinking_is_not_read_on(stage: Stage) -> None:
    stage.start()
    stage.text("I should think about this. And this.\n\n")
    stage.aloud.on_event(RoundStarted(conversation="c", turn="t", round=1))
    stage.text("The answer, my owner. Yes.\n\n")
    stage.end()
    assert stage.voiced.end_all() == ["I should think about this.", "The answer, my owner.", "Yes."]


@pytest.mark.parametrize("problem", ["no_engine", "no_voice", "failed"])
def test_a_voice_that_fails_is_reported_once_and_not_tried_again_unasked(stage: Stage, problem: SpeechEnd) -> None:
    for turn in "tuv":
        stage.start(turn=turn)
        stage.text("Hello there, my owner. How are you?\n\n", turn=turn)
        stage.voiced.end(problem)
        stage.end(turn=turn)
    errors = [event.error for event in stage.events if event.error]
    assert [(error.code, error.args) for error in errors] == [(f"speech_{problem}", {"language": "English"})]
    assert stage.texts == ["Hello there, my owner."]
    stage.aloud.read("c", "t")  # the owner asks: tried again


def test_ten_thousand_sentences_are_read_in_order_and_dropped_when_it_stops() -> None:
    stage = Stage(Settings(), "\n\n".join(f"Sentence {number} of many." for number in range(10_000)))
    stage.aloud.read("c", "t")
    for _ in range(99):
        stage.voiced.end()
    assert stage.texts == [f"Sentence {number} of many." for number in range(100)]
    stage.aloud.stop()
    assert stage.aloud._now is None


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


@contextmanager
def talking(home: Home, *script: Scripted, settings: str = "") -> Iterator[tuple[Desktop, Voiced]]:
    voiced = Voiced()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pet.extras.reading_aloud.speech.system_speaker", lambda: voiced)
        patch.setattr(Screen, "backend", "qt")
        with opened(home, *script, settings=settings) as desktop:
            yield desktop, voiced


def test_a_reply_is_read_on_request_with_the_mouth_moving(home: Home) -> None:
    with talking(home, say("Hello there, my owner. How are you?")) as (desktop, voiced):
        conversation = desktop.talk()
        turn = desktop.app.conversations.open(conversation).folded().turns[-1].id
        args = json.dumps({"conversation": conversation, "turn": turn})
        desktop.ask("read_aloud", args, client=Client.CHAT)
        desktop.wait_for(lambda: AloudChanged(conversation=conversation, turn=turn) in desktop.events)
        assert desktop.ask("get_skin", client=Client.PET).mood is Mood.TALKING  # type: ignore[attr-defined]
        assert voiced.end_all() == ["Hello there, my owner.", "How are you?"]
        desktop.wait_for(lambda: AloudChanged(conversation="", turn="") in desktop.events)
        assert desktop.ask("get_skin", client=Client.PET).mood is not Mood.TALKING  # type: ignore[attr-defined]


def test_a_temporary_conversation_is_read_and_leaves_nothing(
    home: Home, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    with talking(home, say("The canary-77 sings a song. It does."), settings=ALWAYS) as (desktop, voiced):
        live = desktop.app.conversations.create(memory=False, temporary=True)
        live.send("Hi")
        live.wait(60)
        desktop.wait_for(lambda: voiced.said)
        assert voiced.said[0] == ("The canary-77 sings a song.", "en")
    assert "canary-77" not in caplog.text
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and b"canary-77" in file.read_bytes()]


def test_without_a_speaker_asking_is_refused_in_words(home: Home) -> None:
    with opened(home, say("Hello."), settings=ALWAYS) as desktop:
        conversation = desktop.talk()
        args = json.dumps({"conversation": conversation, "turn": "t"})
        with pytest.raises(CommandFailed) as refused:
            desktop.ask("read_aloud", args, client=Client.CHAT)
        assert refused.value.error_code == "speech_no_engine"
        desktop.ask("hush", client=Client.PET)
        listed = desktop.ask("list_voices", client=Client.CHAT)
        assert listed.voices == []  # type: ignore[attr-defined]
        assert "speech" not in desktop.ask("get_app_state", client=Client.CHAT).abilities  # type: ignore[attr-defined]


def test_the_page_offers_it_where_there_is_a_voice(home: Home) -> None:
    with talking(home) as (desktop, _voiced):
        assert "speech" in desktop.ask("get_app_state", client=Client.CHAT).abilities  # type: ignore[attr-defined]
