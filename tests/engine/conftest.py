"""A whole core over a scripted model: the real store, the real transcripts, the real gate."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from pet.compose import App, compose
from pet.events import Event
from pet.paths import Home
from pet.providers.scripted import Scripted, ScriptedProvider


class Core:
    """An app, its provider, and what it told."""

    def __init__(self, home: Home, *script: Scripted) -> None:
        self.provider = ScriptedProvider(*script)
        self.home = home
        self.events: list[Event] = []
        self.app: App = compose(home, environ={}, provider=self.provider, channel="terminal")
        self.app.emitter.add_callback(lambda _seq, event: self.events.append(event))

    def file(self, name: str) -> str:
        return (self.app.store.root / name).read_text(encoding="utf-8")

    def put(self, name: str, text: str) -> None:
        path = self.app.store.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())

    def close(self) -> None:
        """After this every event has been told."""
        self.app.close()


@pytest.fixture
def make_core(home: Home) -> Iterator[Callable[..., Core]]:
    made: list[Core] = []

    def make(*script: Scripted) -> Core:
        made.append(Core(home, *script))
        return made[-1]

    yield make
    for core in made:
        core.close()
