"""Flips, pauses and stops in the middle of flushes and summaries, at random places of their streams.

Whatever happens there, nothing made while memory was on is kept as usable while it is off, the turn or the
compaction ends as the owner asked, the conversation is free afterwards, and its next request is sound.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pet.app import Pet
from pet.engine.conversation import LiveConversation
from pet.errors import MemoryInFlight, NothingToCompact
from pet.events import CompactionEnded, CompactionStarted, Event
from pet.model import Request, TurnEnd
from pet.paths import find_home
from pet.providers.anthropic_messages import encode_request
from pet.providers.base import Streamed
from pet.transcripts.entries import Compacted
from tests.engine.reader import is_flush, is_summary, noted
from tests.property.memory_mode.test_memory_off import leaves
from tests.support.examples import examples
from tests.support.models.scripted import Hold, ScriptedProvider, ScriptedRound, say

pytestmark = pytest.mark.usefixtures("two_turns_kept")

SECRET = "canary-made-while-on"
FILLER = "Let us talk about the sea and NOTE-boats. " * 60


class Model(ScriptedProvider):
    """Holds in the call it is told to hold in, and answers all others at once."""

    def __init__(self, at: str) -> None:
        super().__init__()
        self.at = at
        self.hold = Hold()
        self.chat: LiveConversation
        self.began_on = False  # what runs now; switched on in the middle of it counts from the next turn on
        self.kept: list[tuple[bool, Request]] = []
        self.app: Pet
        self.unmarked: list[Request] = []  # with memory, and no other process would wait for their end

    def stream(self, request: Request) -> AsyncIterator[Streamed]:
        self.kept.append((self.chat.gate.access().memory, request))
        if self.began_on:
            with suppress(MemoryInFlight):
                self.app.in_flight.wait(self.chat.id, seconds=0)
                self.unmarked.append(request)
        self.queue(self._answer)
        return super().stream(request)

    def _answer(self, request: Request) -> ScriptedRound:
        kind = "summary" if is_summary(request) else "flush" if is_flush(request) else "reply"
        held: tuple[Hold, ...] = (self.hold,) if kind == self.at else ()
        own = SECRET if self.began_on and self.kept[-1][0] else "made while off"
        if kind == "summary":
            return say("## Facts\n", *held, own)
        if kind == "flush":
            return say(*held, "nothing") if held else noted(request)
        return say("Spoken ", "words.")


def start(folder: Path, model: Model) -> tuple[Pet, list[Event]]:
    app = Pet(find_home(folder), environ={}, provider=model, channel="terminal", recall_seconds=30)
    events: list[Event] = []
    app.emitter.subscribe(events.append, name="test")
    return app, events


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow])
@given(
    memory=st.booleans(),
    at=st.sampled_from(["flush", "summary", "nowhere"]),
    how=st.sampled_from(["turn", "asked"]),
    act=st.sampled_from(["off", "off and on", "pause", "stop", "go on"]),
    turns=st.integers(4, 7),
)
def test_whatever_is_pressed_in_the_middle_of_a_compaction(
    memory: bool, at: str, how: str, act: str, turns: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = Model(at)
        model.app, events = start(Path(folder), model)
        app = model.app
        try:
            chat = model.chat = app.conversations.create(memory=memory)
            model.began_on = memory
            app.settings.change({"context_window": 1_000_000})
            for _ in range(turns):
                chat.send(FILLER)
                chat.wait(60)
            held = at != "nowhere" and (memory or at == "summary")
            begin(app, chat, how)
            if held:
                model.hold.wait_reached()
                press(app, chat, act)
                model.hold.release()
            chat.wait(60)
            stored = [entry for entry in chat.transcript.entries if isinstance(entry, Compacted)]
            assert not any(SECRET in entry.text and not entry.memory for entry in stored)
            cancelled = held and (act == "stop" or (memory and act != "go on"))
            assert bool(stored) is not cancelled
            last = chat.folded().turns[-1]
            if how == "turn" and cancelled:
                assert last.end is (TurnEnd.STOPPED if act == "stop" else TurnEnd.MEMORY_OFF)
            else:
                assert last.end is TurnEnd.DONE
            app.settings.change({"context_window": 1_000_000})
            model.began_on = chat.gate.access().memory
            chat.send("and now?")
            chat.wait(60)
            assert chat.folded().turns[-1].end is TurnEnd.DONE
        finally:
            app.close()
    assert not model.unmarked
    for on, request in model.kept:
        encode_request(request)
        assert on or SECRET not in leaves(request)
    told = [event for event in events if isinstance(event, CompactionStarted | CompactionEnded)]
    assert [type(event) for event in told] == [CompactionStarted, CompactionEnded] * (len(told) // 2)


def begin(app: Pet, chat: LiveConversation, how: str) -> None:
    if how == "turn":
        app.settings.change({"context_window": 4_000})
        chat.send("hello")
    else:
        with suppress(NothingToCompact):
            chat.compact()


def press(app: Pet, chat: LiveConversation, act: str) -> None:
    match act:
        case "off":
            chat.set_memory(False)
        case "off and on":
            chat.set_memory(False)
            chat.set_memory(True)
        case "pause":
            app.pause(True)
        case "stop":
            chat.stop()
        case _:
            return
