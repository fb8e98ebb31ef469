"""The pet's small voice: only counts of a text reach its page, and only when a sound is welcome."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.bridge.command import Client
from pet.bridge.commands.desktop import MayHum
from pet.events import BubbleChanged, Event, PetBabbles, TextDelta
from pet.paths import Home, find_home
from pet.services.bubble_text import BubbleView
from pet.services.small_voice import MOST_SYLLABLES, SmallVoice, rhythm
from pet.settings.schema import Settings
from tests.services.desk import Screen, Watch, opened
from tests.support.models.scripted import say

ON = "pet_sounds = true\n"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


class Clock(Watch):
    """Its seconds pass when the test says so."""

    seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds


class Noisy(Screen):
    """A desktop on which something may play; counts how often it is asked."""

    plays = False
    asked = 0

    def sound_plays(self) -> bool:
        self.asked += 1
        return self.plays


class Stage:
    def __init__(self, settings: Settings, bubble: BubbleView | None = None) -> None:
        self.settings, self.paused, self.hushed, self.screen, self.clock = settings, False, False, Noisy(), Clock()
        self.clock.set("21T12:00")
        self.sung: list[list[int]] = []
        self.voice = SmallVoice(
            settings=lambda: self.settings,
            paused=lambda: self.paused,
            hushed=lambda: self.hushed,
            windows=self.screen,
            clock=self.clock,
            emit=self._emit,
            bubble=lambda: cast(BubbleView, bubble),
        )

    def _emit(self, event: Event) -> None:
        assert isinstance(event, PetBabbles)
        self.sung.append(event.phrases)

    def stream(self, text: str, after: float = 20.0) -> None:
        self.clock.seconds += after
        self.voice.on_event(TextDelta(conversation="c", turn="t", round=1, text=text))


@given(st.text(max_size=300))
def test_texts_of_one_shape_have_one_rhythm(text: str) -> None:
    counts = rhythm(text)
    assert all(1 <= count <= MOST_SYLLABLES for count in counts)
    assert rhythm(re.sub("[a-z]", "x", text)) == counts


def test_syllables_by_length_in_two_scripts() -> None:
    assert rhythm("Hi! 你好吗？ 3.") == [1, 3, 1]
    assert rhythm("…—!!") == []
    assert rhythm("a" * 1_000_000) == [MOST_SYLLABLES]


def test_phrases_are_sung_as_they_are_whole_and_no_faster_than_they_last() -> None:
    stage = Stage(Settings(pet_sounds=True))
    stage.stream("Well, hel")
    stage.stream("lo there.", after=2)
    stage.stream(" And, so, on, and, on.", after=0.1)
    stage.stream(" The end.", after=2)
    assert stage.sung == [[2], [4], [2]]


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(pet_sounds=True, do_not_disturb=True),
        Settings(pet_sounds=True, quiet_from="11:00", quiet_until="13:00"),
    ],
)
def test_silent_as_shipped_and_in_quiet_hours(settings: Settings) -> None:
    stage = Stage(settings)
    stage.stream("Hello.")
    assert (stage.sung, stage.screen.asked) == ([], 0)


def test_silent_while_paused_and_over_a_full_screen() -> None:
    stage = Stage(Settings(pet_sounds=True))
    stage.paused = True
    stage.stream("Hello.")
    stage.paused, stage.hushed = False, True  # a reply is read aloud
    stage.stream("Hello.")
    stage.hushed, stage.screen.aside = False, True
    stage.stream("Hello.")
    assert (stage.sung, stage.screen.asked) == ([], 0)


def test_the_system_is_asked_once_before_it_speaks() -> None:
    stage = Stage(Settings(pet_sounds=True))
    stage.screen.plays = True
    for _ in range(4):
        stage.stream("Hello.", after=2)
    assert (stage.sung, stage.screen.asked) == ([], 1)
    stage.screen.plays = False
    stage.stream("Hello.", after=10)
    stage.stream("Hello.", after=2)
    assert (stage.sung, stage.screen.asked) == ([[2], [2]], 2)
    stage.settings = Settings(pet_sounds=True, do_not_disturb=True)
    stage.stream("Hello.", after=2)  # also in the middle of a reply
    assert len(stage.sung) == 2


def test_a_reply_is_sung_on_the_desktop(home: Home) -> None:
    with opened(home, say("Well, hello there. How are you?"), settings=ON) as desktop:
        desktop.talk()
        desktop.wait_for(lambda: [each for each in desktop.events if isinstance(each, PetBabbles)])


def test_a_bubble_is_sung_once_and_a_reply_in_it_not_again() -> None:
    for kind, sung in (("greeting", [[4, 3]]), ("reply", [])):
        shown = SimpleNamespace(number=3, kind=kind, text="Hello there, how are you?")
        stage = Stage(Settings(pet_sounds=True), cast(BubbleView, shown))
        for _ in range(2):
            stage.voice.on_event(BubbleChanged())
        assert stage.sung == sung


def test_it_hums_where_it_may(home: Home) -> None:
    with opened(home, settings=ON) as desktop:
        assert desktop.ask("may_hum", client=Client.PET) == MayHum(may=True)
        desktop.screen.aside = True
        assert desktop.ask("may_hum", client=Client.PET) == MayHum(may=False)
    with opened(home) as desktop:
        assert desktop.ask("may_hum", client=Client.PET) == MayHum(may=False)
