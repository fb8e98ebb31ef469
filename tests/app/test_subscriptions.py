"""Who is subscribed to which events in a running core."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import pet.events
from pet.app import Pet
from pet.bridge import emitter as emitters
from pet.bridge.chat_state import OpenTab, SavedTabs, Unread
from pet.engine.index_service import IndexService
from pet.engine.mood import MoodTracker, mood_after
from pet.engine.resting_notes import RestingNotes
from pet.events import EVENTS, Event, TextDelta
from pet.extras.reading_aloud.reader import ReadAloud
from pet.memory.store.forgetting import ForgetService
from pet.paths import find_home
from pet.services.offers import proposals
from pet.services.offers.bubble import SpeechBubble
from tests.support.models.scripted import ScriptedProvider
from ui.bindings import COMMANDS

SUBSCRIBERS: dict[type, tuple[Callable[..., object], ...]] = {
    SavedTabs: (SavedTabs.on_event,),
    RestingNotes: (RestingNotes.on_event,),
    SpeechBubble: (SpeechBubble.on_event, proposals.proposal_line, proposals._due),
    ForgetService: (ForgetService.on_event,),
    IndexService: (IndexService.on_event,),
    MoodTracker: (MoodTracker.on_event, mood_after),
    Unread: (Unread.on_event,),
    OpenTab: (OpenTab.on_event,),
    ReadAloud: (ReadAloud.on_event,),
}


def test_text_deltas_wake_no_background_subscriber(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queued: list[Event] = []
    put = emitters._Outbox.put

    def counted(outbox: emitters._Outbox, item: emitters.Numbered) -> None:
        queued.append(item.event)
        put(outbox, item)

    monkeypatch.setattr(emitters._Outbox, "put", counted)
    app = Pet(find_home(tmp_path), provider=ScriptedProvider(), environ={})
    try:
        for number in range(1000):
            app.emitter.emit(TextDelta(conversation="c", turn="t", round=1, text=str(number)))
    finally:
        app.close()
    assert [event for event in queued if isinstance(event, TextDelta)] == []


@pytest.mark.parametrize("owner", SUBSCRIBERS, ids=lambda owner: owner.__name__)
def test_a_subscriber_lists_exactly_the_events_it_handles(owner: type) -> None:
    trees = [ast.parse(textwrap.dedent(inspect.getsource(each))) for each in SUBSCRIBERS[owner]]
    names = {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}
    handled = {name for name in names if vars(pet.events).get(name) in EVENTS}
    listed: tuple[type[Event], ...] = vars(owner)["EVENTS"]
    assert {kind.__name__ for kind in listed} == handled


def test_the_running_core_answers_every_command(tmp_path: Path) -> None:
    app = Pet(find_home(tmp_path), provider=ScriptedProvider(), environ={})
    try:
        assert set(app.commands.bound) == set(COMMANDS)
    finally:
        app.close()
