"""Stop under a model that never lets the engine wait: counted in events after it, not in time."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from pet.app import Pet
from pet.events import Event, TextDelta, TurnEnded
from pet.model import Request, StopReason, TextPart, TurnEnd, Usage
from pet.paths import Home
from pet.providers.base import RoundDone, Streamed, TextChunk, ThinkingChunk
from tests.support.models.scripted import ScriptedProvider

EVENTS = 5_000
MEGABYTE = "word " * 200_000


class Flood(ScriptedProvider):
    """Everything has arrived already: nothing in it waits."""

    def __init__(self, *events: Streamed) -> None:
        super().__init__()
        self._events = events
        self.taken = 0

    async def stream(self, request: Request) -> AsyncIterator[Streamed]:
        for event in self._events:
            self.taken += 1
            yield event
        yield RoundDone(parts=(TextPart(text="end"),), stop=StopReason.END_TURN, usage=Usage(), model="flood")


FLOODS: dict[str, tuple[Streamed, ...]] = {
    "many pieces": (TextChunk(text="word "),) * EVENTS,
    "huge pieces": (TextChunk(text=MEGABYTE),) * 2,
    "beginnings of a mood": (TextChunk(text="word "), *(TextChunk(text="[mood:happy]"),) * EVENTS),
    "thoughts": (TextChunk(text="word "), *(ThinkingChunk(characters=9),) * EVENTS),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_stop_comes_before_what_has_already_arrived(home: Home, flood: str) -> None:
    provider = Flood(*FLOODS[flood])
    app = Pet(home, environ={}, provider=provider, channel="terminal")
    chat = app.conversations.create(memory=True)
    said: list[Event] = []

    def stop(event: Event) -> None:
        if not said:
            chat.stop()  # what Stop does, on whichever thread
        said.append(event)

    app.emitter.subscribe_inline(stop, TextDelta, name="stop")
    ended: list[Event] = []
    app.emitter.subscribe_inline(ended.append, TurnEnded, name="end")
    chat.send("Go on for ever")
    chat.wait(60)
    app.close()
    assert [event.end for event in ended if isinstance(event, TurnEnded)] == [TurnEnd.STOPPED]
    assert len(said) <= 2
    assert sum(len(event.text) for event in said if isinstance(event, TextDelta)) < 40_000
    assert provider.taken <= 3
