"""The real core with a scripted model, a screen on which nothing is drawn, and a watch that the test sets."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property

from pet.app import Pet
from pet.bridge.command import Client
from pet.bridge.dispatch import open_envelope
from pet.events import Event
from pet.extras.heartbeat.heartbeat import Heartbeat
from pet.paths import Home
from pet.services.desktop_port import Area, DesktopPort, Selection, System, Taken, View
from pet.services.offers.bubble_content import BubbleContent, FieldContent, ReminderRow
from tests.support.models.scripted import Scripted, ScriptedProvider
from tests.support.program.silence import silent
from ui.bindings import COMMANDS

LOG = "# Memory Log: 2026-11-20\n\n## [08:00:00] todo @2026-11-21\nCall the dentist\n"
SPEAKS_UP = 'reminder_bubbles = true\ngreetings = "daily"\n'
ASKS = "ask_after = true\n"
YESTERDAY = "# Memory Log: 2026-11-20\n\n"
EXAM = YESTERDAY + "## [08:00:00] event\n\nOwner: the statistics exam was today. I hope it went well.\n"


class Watch:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.time = datetime.fromisoformat("2026-11-21T12:00:00+01:00")

    def now(self) -> datetime:
        return self.time

    def monotonic(self) -> float:
        return 0.0

    def set(self, clock: str) -> None:
        self.time = datetime.fromisoformat(f"2026-11-{clock}:00+01:00")


class Screen(DesktopPort, System):
    """Nothing is drawn; what was asked for is known."""

    def __init__(self) -> None:
        self.chat_shown = False
        self.aside = False
        self.views: list[View] = []
        self.selection = Selection()
        self.picture: bytes | None = None
        self.system = self

    def abilities(self) -> tuple[str, ...]:
        return ("screenshot",)

    def read_selection(self) -> Selection:
        return self.selection

    def take_screenshot(self, area: Area, taken: Taken) -> bool:
        threading.Thread(target=taken, args=(self.picture,)).start()
        return True

    def show_chat(self, view: View | None = None) -> None:
        self.views.append(view or "chat")


class Desktop:
    def __init__(self, home: Home, *script: Scripted, at: str) -> None:
        self.screen = Screen()
        self.events: list[Event] = []
        self.watch = Watch()
        self.watch.set(at)
        self._told = threading.Condition()
        self.provider = ScriptedProvider(*script)
        self.app: Pet = Pet(
            home,
            environ={},
            clock=self.watch,
            provider=self.provider,
            windows=self.screen,
            recall_seconds=30,
        )
        self.app.emitter.subscribe(self._on_event, name="test")

    @cached_property
    def heartbeat(self) -> Heartbeat:
        return Heartbeat(self.app)

    def _on_event(self, event: Event) -> None:
        with self._told:
            self.events.append(event)
            self._told.notify_all()

    def wait_for(self, holds: Callable[[], object]) -> None:
        """Looked at after each event; what makes the bubble change tells one."""
        with self._told:
            assert self._told.wait_for(holds, 60)

    def ask(self, name: str, args: str = "{}", client: Client = Client.BUBBLE) -> object:
        row = next(row for row in COMMANDS if row.name == name)
        reply: object = open_envelope(row.reply, self.app.commands.invoke(client, name, args))
        return reply

    @property
    def said(self) -> BubbleContent:
        content = self.ask("get_bubble")
        assert isinstance(content, BubbleContent)
        return content

    @property
    def shows(self) -> bool:
        """Whether there is a bubble."""
        return self.said.kind != "none"

    def answer(self, choice: str, number: int | None = None, key: str = "") -> None:
        """Choose this in the shown bubble, or in the one of this number."""
        number = self.said.number if number is None else number
        self.ask("answer_bubble", json.dumps({"choice": choice, "number": number, "key": key}))

    @property
    def field(self) -> FieldContent:
        """The line for the owner's words that is shown."""
        field = self.said.field
        assert field is not None
        return field

    def touch(self) -> None:
        self.ask("touched", client=Client.PET)

    def done(self, reminder: ReminderRow) -> None:
        self.answer("done", key=reminder.key)

    def talk(self, text: str = "Hi") -> str:
        live = self.app.conversations.create(memory=True)
        live.send(text)
        live.wait(60)
        return live.id


@contextmanager
def opened(
    home: Home,
    *script: Scripted,
    settings: str = "",
    log: str = "",
    at: str = "21T12:00",
    shipped: bool = False,
    welcome: int = 0,
) -> Iterator[Desktop]:
    """``shipped``: with the settings as shipped and an owner who is new; else only what ``settings`` names comes by
    itself, and the first week is long over. ``welcome``: the step of the first start."""
    home.settings_file.parent.mkdir(parents=True, exist_ok=True)
    home.settings_file.write_text('language = "en"\n' + ("" if shipped else silent(settings)) + settings)
    if not home.state_file.exists():
        home.state_file.parent.mkdir(parents=True, exist_ok=True)
        met = {} if shipped else {"met.pet": ["2026-11-01"]}
        home.state_file.write_text(json.dumps({"welcome": welcome, **met}))
    if log:
        folder = home.workspace("pet") / "memory"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "2026-11-20.md").write_text(log)
    desktop = Desktop(home, *script, at=at)
    try:
        yield desktop
    finally:
        desktop.app.close()
