"""When the pet speaks in its bubble and what it says there, over the real core and a scripted model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest

from pet.bridge.api import BubbleView, Client
from pet.bridge.windows import NoWindows, View
from pet.bridge.wire import open_envelope
from pet.compose import App, compose
from pet.events import BubbleChanged, ChatShown, ConversationAsked, Event
from pet.paths import Home, find_home
from pet.providers.scripted import Scripted, ScriptedProvider, say

NOON = datetime.fromisoformat("2026-11-21T12:00:00+01:00")
LOG = "# Memory Log: 2026-11-20\n\n## [08:00:00] todo @2026-11-21\nCall the dentist\n"
SPEAKS_UP = "promise_bubbles = true\ngreetings = true\n"


class Noon:
    def now(self) -> datetime:
        return NOON

    def monotonic(self) -> float:
        return 0.0


class Screen(NoWindows):
    """Nothing is drawn; what was asked for is known."""

    def __init__(self) -> None:
        self.chat_shown = False
        self.bubble = False
        self.views: list[View] = []

    def show_bubble(self) -> None:
        self.bubble = True

    def hide_bubble(self) -> None:
        self.bubble = False

    def show_view(self, view: View) -> None:
        self.views.append(view)


class Desktop:
    def __init__(self, home: Home, *script: Scripted) -> None:
        self.screen = Screen()
        self.events: list[Event] = []
        self._told = threading.Condition()
        self.app: App = compose(
            home,
            environ={},
            clock=Noon(),
            provider=ScriptedProvider(*script),
            windows=self.screen,
            look_up_seconds=30,
        )
        self.app.emitter.add_callback(self._hear)

    def _hear(self, _seq: int, event: Event) -> None:
        with self._told:
            self.events.append(event)
            self._told.notify_all()

    def wait_for(self, holds: Callable[[], object]) -> None:
        """Looked at after each event; what makes the bubble change tells one."""
        with self._told:
            assert self._told.wait_for(holds, 20)

    def ask(self, name: str, args: str = "{}", client: Client = Client.BUBBLE) -> object:
        from pet.bridge.api import COMMANDS

        row = next(row for row in COMMANDS if row.name == name)
        reply: object = open_envelope(row.reply, self.app.commands.invoke(client, name, args))
        return reply

    @property
    def said(self) -> BubbleView:
        view = self.ask("get_bubble")
        assert isinstance(view, BubbleView)
        return view

    def talk(self, text: str = "Hi") -> str:
        live = self.app.conversations.create(memory=True)
        live.send(text)
        live.wait(20)
        return live.id


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


@contextmanager
def opened(home: Home, *script: Scripted, settings: str = "", log: str = "") -> Iterator[Desktop]:
    home.settings_file.parent.mkdir(parents=True, exist_ok=True)
    home.settings_file.write_text('language = "en"\n' + settings)
    if log:
        folder = home.workspace("pet") / "memory"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "2026-11-20.md").write_text(log)
    desktop = Desktop(home, *script)
    try:
        yield desktop
    finally:
        desktop.app.close()


def test_a_reply_comes_as_words_while_the_chat_is_hidden(home: Home) -> None:
    with opened(home, say("**Yes**, rain.\n" * 9)) as desktop:
        conversation = desktop.talk()
        desktop.wait_for(lambda: desktop.screen.bubble)
        view = desktop.said
        assert (view.kind, view.more) == ("reply", True)
        assert view.text == "\n".join(["Yes, rain."] * 5)
        desktop.ask("open_bubble")
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


def test_the_bubble_goes_when_the_owner_wants_no_disturbance(home: Home) -> None:
    with opened(home, say("one")) as desktop:
        desktop.talk()
        desktop.wait_for(lambda: desktop.screen.bubble)
        desktop.app.settings.change({"do_not_disturb": True})
        desktop.wait_for(lambda: not desktop.screen.bubble)
        assert desktop.said.text == ""


def test_a_hello_then_what_was_promised_each_once_a_day(home: Home) -> None:
    with opened(home, settings=SPEAKS_UP, log=LOG) as desktop:
        assert (desktop.said.kind, desktop.said.text) == ("greeting", "Hello! Nice to see you.")
        desktop.ask("close_bubble")
        assert [promise.text for promise in desktop.said.promises] == ["Call the dentist"]
        desktop.ask("close_bubble")
        assert desktop.said.kind == "none"
    with opened(home, settings=SPEAKS_UP) as desktop:  # the same day
        desktop.app.emitter.emit(ChatShown(shown=False))
        assert desktop.app.emitter.close(20)
        assert desktop.said.kind == "none"
    kept = home.state_file.read_text()
    assert "promised.pet" in kept
    assert "dentist" not in kept


def test_a_promise_is_done_from_the_bubble(home: Home) -> None:
    with opened(home, settings="promise_bubbles = true\n", log=LOG) as desktop:
        desktop.wait_for(lambda: desktop.screen.bubble)
        args = '{"file":"memory/2026-11-20.md","line":3,"text":"Call the dentist","answer":"done","until":null}'
        desktop.ask("answer_promise", args)
        desktop.wait_for(lambda: not desktop.screen.bubble)
        log = home.workspace("pet") / "memory" / "2026-11-20.md"
        assert "todo @2026-11-21 \N{CHECK MARK} 2026-11-21" in log.read_text()


@pytest.mark.parametrize(
    "settings", ["", SPEAKS_UP + "memory_default = false\n", SPEAKS_UP + "do_not_disturb = true\n"]
)
def test_nothing_is_remembered_aloud_unasked(home: Home, settings: str) -> None:
    with opened(home, settings=settings, log=LOG) as desktop:
        desktop.app.emitter.emit(ChatShown(shown=False))
        assert desktop.app.emitter.close(20)
        assert desktop.said.kind == "none"
        assert not desktop.screen.bubble


def test_a_promise_waits_for_the_end_of_quiet_hours(home: Home) -> None:
    quiet = 'promise_bubbles = true\nquiet_from = "11:00"\nquiet_until = "12:00"\n'
    with opened(home, settings=quiet, log=LOG) as desktop:  # just over
        desktop.wait_for(lambda: desktop.screen.bubble)
    with opened(home, settings=quiet.replace("12:00", "12:30"), log=LOG.replace("dentist", "vet")) as desktop:
        desktop.app.emitter.emit(ChatShown(shown=False))
        assert desktop.app.emitter.close(20)
        assert desktop.said.kind == "none"
        waiting = [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]
        assert any(thread.interval == 1801 for thread in waiting)
    assert all(thread.interval != 1801 or thread.finished.is_set() for thread in waiting)


def test_a_paused_brain_takes_the_promise_away(home: Home) -> None:
    with opened(home, settings="promise_bubbles = true\n", log=LOG) as desktop:
        desktop.wait_for(lambda: desktop.screen.bubble)
        desktop.app.pause(True)
        desktop.wait_for(lambda: not desktop.screen.bubble)
        assert desktop.said.promises == []


def test_the_bubble_may_do_nothing_else(home: Home) -> None:
    with opened(home) as desktop:
        answer = desktop.app.commands.invoke(Client.BUBBLE, "read_file", '{"file":"SOUL.md"}')
        assert '"not_allowed"' in answer
        assert '"not_allowed"' in desktop.app.commands.invoke(Client.PET, "get_bubble", "{}")
