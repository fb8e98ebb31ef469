"""The child process that speaks: Qt's mock engine, and children that hang, end or talk nonsense."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from pet.extra import child_command
from pet.extras.reading_aloud.speech import ChildSpeaker, SpeechEnd
from tests.support.waiting import wait_for

MOCK = {**os.environ, "PET_SPEECH_ENGINE": "mock"}


class Timers:
    """One-shot timers that expire when the test says so."""

    def __init__(self) -> None:
        self.live: list[Timers.One] = []

    class One:
        def __init__(self, work: Callable[[], None]) -> None:
            self.work, self.on = work, False

        def start(self) -> None:
            self.on = True

        def cancel(self) -> None:
            self.on = False

    def make(self, _seconds: float, work: Callable[[], None]) -> Any:
        self.live.append(self.One(work))
        return self.live[-1]

    @property
    def running(self) -> list[Timers.One]:
        return [each for each in self.live if each.on]

    def expire(self) -> None:
        for each in self.running:
            each.on = False
            each.work()


class Owner:
    def __init__(self, script: str | None = None, environ: Mapping[str, str] = MOCK) -> None:
        self.timers = Timers()

        def made() -> list[str]:
            return child_command("reading_aloud") if script is None else [sys.executable, "-c", script]

        self.speaker = ChildSpeaker(made, environ, self.timers.make)
        self.ends: list[SpeechEnd] = []
        self.changed = threading.Condition()

    def say(self, text: str = "Hello there.", language: Any = "en", voice: str = "") -> None:
        self.speaker.say(text, language, voice=voice, speed=100, ended=self._ended)

    def _ended(self, end: SpeechEnd) -> None:
        with self.changed:
            self.ends.append(end)
            self.changed.notify_all()

    def wait(self, *ends: SpeechEnd) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.ends) >= len(ends), 60)
        assert self.ends == [*ends]

    @property
    def has_child(self) -> bool:
        return self.speaker._child is not None

    @property
    def child(self) -> Any:
        return self.speaker._child


@pytest.fixture
def owner() -> Iterator[Owner]:
    made = Owner()
    yield made
    made.speaker.close()


def test_nothing_is_started_before_the_first_sentence_and_the_child_ends_when_idle(owner: Owner) -> None:
    assert not owner.has_child
    owner.say()
    owner.wait("done")
    child = owner.child.process
    owner.say("And more.")
    owner.wait("done", "done")
    assert owner.child.process is child
    owner.timers.expire()
    wait_for("the end of the child", lambda: child.poll() is not None)
    assert not owner.has_child
    assert owner.timers.running == []


def test_voices_of_our_languages_are_listed(owner: Owner) -> None:
    voices = owner.speaker.voices()
    assert voices is not None
    assert {each.language for each in voices} == {"en"}
    assert "Anne" in [each.name for each in voices]


def test_a_language_without_a_voice_is_said_and_another_still_works(owner: Owner) -> None:
    owner.say("你好。", "zh")
    owner.wait("no_voice")
    owner.say(voice="gone")
    owner.wait("no_voice", "done")


def test_stop_ends_a_sentence_at_once(owner: Owner) -> None:
    owner.say("word " * 2_000)
    wait_for("the start", lambda: owner.has_child and owner.child.ready.is_set())
    owner.speaker.stop()
    owner.wait("stopped")
    owner.say()
    owner.wait("stopped", "done")


def test_without_an_engine_it_says_so() -> None:
    owner = Owner(environ={**MOCK, "PET_SPEECH_ENGINE": "none such"})
    assert owner.speaker.voices() is None
    owner.say()
    owner.wait("no_engine")
    owner.speaker.close()


READY = 'import sys; print(\'{"voices": [["en", "A"]], "failed": false}\', flush=True); '


@pytest.mark.parametrize(
    ("script", "end"),
    [
        ("import sys; sys.exit(3)", "no_engine"),
        (READY + "sys.stdin.readline(); sys.exit(3)", "failed"),
        (READY + "sys.stdin.readline(); print('nonsense', flush=True); sys.stdin.read()", "failed"),
        ('print(\'{"voices": [], "failed": true}\', flush=True); input()', "no_engine"),
    ],
)
def test_a_child_that_ends_or_talks_nonsense_fails_the_sentence(script: str, end: SpeechEnd) -> None:
    owner = Owner(script)
    owner.say()
    owner.wait(end)
    wait_for("no child", lambda: not owner.has_child)
    owner.speaker.close()


@pytest.mark.parametrize("script", ["import sys; sys.stdin.read()", READY + "sys.stdin.read(); sys.stdin.read()"])
def test_a_voice_that_hangs_is_given_up(script: str) -> None:
    owner = Owner(script)
    owner.say()
    child = owner.child.process
    if script.startswith(READY):
        wait_for("the start", lambda: owner.speaker._current is not None and owner.speaker._current.sent)
    owner.timers.expire()
    owner.wait("failed")
    wait_for("the end of the child", lambda: child.poll() is not None)
    owner.speaker.close()


def test_a_program_that_is_not_there_is_no_engine() -> None:
    speaker = ChildSpeaker(lambda: ["/nowhere/at/all"], MOCK)
    ends: list[SpeechEnd] = []
    speaker.say("Hello.", "en", voice="", speed=100, ended=ends.append)
    assert ends == ["no_engine"]
    assert speaker.voices() is None
