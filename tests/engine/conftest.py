"""A whole core over a scripted model: the real store, the real transcripts, the real gate."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import pytest

from pet.app import Pet
from pet.events import Event
from pet.net.fetch import FetchPolicy
from pet.paths import Home
from tests.support.clocks import DayClock
from tests.support.models.scripted import Scripted, ScriptedProvider


class Core:
    """An app, its provider, and what it told."""

    def __init__(self, home: Home, *script: Scripted) -> None:
        self.provider = ScriptedProvider(*script)
        self.home = home
        self.events: list[Event] = []
        self.clock = DayClock()
        self.app: Pet = Pet(
            home,
            environ={},
            clock=self.clock,
            provider=self.provider,
            channel="terminal",
            recall_seconds=30,
            pages_from=lambda: FetchPolicy(loopback=True),
        )
        self._told = threading.Condition()
        self.app.emitter.subscribe(self._on_event, name="test")

    def wait_for(self, match: Callable[[Event], bool], seconds: float = 60) -> Event:
        """The first event that matches, as soon as it was told."""
        with self._told:
            found = self._told.wait_for(lambda: next((each for each in self.events if match(each)), None), seconds)
        assert found is not None, "no such event came"
        return found

    def _on_event(self, event: Event) -> None:
        with self._told:
            self.events.append(event)
            self._told.notify_all()

    def file(self, name: str) -> str:
        return (self.app.store.root / name).read_text(encoding="utf-8")

    def put(self, name: str, text: str) -> None:
        path = self.app.store.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())

    @contextmanager
    def busy(self) -> Iterator[None]:
        """The engine's thread does nothing else meanwhile; what is asked of it comes after."""
        held, go = threading.Event(), threading.Event()

        def occupy() -> None:
            held.set()
            go.wait(60)

        self.app.loop.call(occupy)
        assert held.wait(60)
        try:
            yield
        finally:
            go.set()

    def close(self) -> None:
        """After this every event has been told."""
        self.app.close()


class Make(Protocol):
    """Starts a core on a script; in the same home again if a test asks twice."""

    def __call__(self, *script: Scripted) -> Core: ...


@pytest.fixture
def make_core(home: Home) -> Iterator[Make]:
    made: list[Core] = []

    def make(*script: Scripted) -> Core:
        made.append(Core(home, *script))
        return made[-1]

    yield make
    for core in made:
        core.close()
