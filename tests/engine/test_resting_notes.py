"""Notes of conversations that were closed or have rested: once, with receipts, within the rules of memory."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

import pytest

from pet.access import MemoryMode
from pet.bridge.chat_state import SavedTabs, TabState
from pet.engine.conversation import LiveConversation
from pet.engine.resting_notes import RestingNotes
from pet.events import ConversationClosed, ToolEnded
from pet.model import ToolCallPart, TurnEnd
from pet.settings.program_state import JsonState
from tests.engine.conftest import Core, Make
from tests.engine.reader import is_flush, reader, said
from tests.engine.test_compaction import tell
from tests.support.models.scripted import Hold, calls, fail

_NOTE = ToolCallPart(id="n", name="memory_write", arguments='{"content": "The cat is called Minka."}')
TOLD = "My cat is called NOTE-minka, and on Thursdays she sleeps in the shed behind the house until noon, always."


def resting(core: Core) -> RestingNotes:
    app = core.app
    made = RestingNotes(app.conversations, app.effective.current, lambda: True, app.state, app.pet_id, core.clock)
    app.emitter.subscribe_inline(made.on_event, *RestingNotes.EVENTS, name="resting-notes")
    return made


def told(core: Core, *texts: str, memory: MemoryMode = MemoryMode.ON) -> LiveConversation:
    core.provider.queue(*[reader()] * 40)
    chat = core.app.conversations.create(memory=memory)
    for text in texts:
        tell(chat, text)
    return chat


def flushes(core: Core) -> int:
    return sum(map(is_flush, core.provider.requests))


def rest(core: Core, rests: RestingNotes, chat: LiveConversation, **by: float) -> None:
    core.clock.later(**by)
    rests.check()
    chat.wait(60)


def test_a_rested_conversation_is_noted_once_with_a_receipt(make_core: Make) -> None:
    core = make_core()
    rests = resting(core)
    chat = told(core, TOLD)
    rest(core, rests, chat, minutes=50)
    assert flushes(core) == 0
    rest(core, rests, chat, minutes=20)
    ended = core.wait_for(lambda event: isinstance(event, ToolEnded))
    assert isinstance(ended, ToolEnded) and ended.receipt is not None
    assert "NOTE-minka" in core.file(ended.receipt.file)
    rests.on_event(ConversationClosed(conversation=chat.id))
    rest(core, rests, chat, hours=3)
    assert flushes(core) == 1
    tell(chat, TOLD.replace("minka", "otto"))
    rest(core, rests, chat, hours=2)
    assert flushes(core) == 2
    last = next(each for each in reversed(core.provider.requests) if is_flush(each))
    assert "NOTE-otto" in said(last) and "NOTE-minka" not in said(last)


def test_a_closed_tab_is_noted_at_once_and_not_again_after_a_restart(make_core: Make) -> None:
    core = make_core()
    rests, tabs = resting(core), SavedTabs(JsonState(core.home.tabs_file), core.app.pet_id)
    chat = told(core, TOLD)
    assert tabs.save([TabState(conversation=chat.id)], chat.id, core.app.conversations) == set()
    (closed,) = tabs.save([], None, core.app.conversations)
    rests.on_event(ConversationClosed(conversation=closed))
    rest(core, rests, chat)
    assert flushes(core) == 1
    core.close()
    again = make_core()
    rests = resting(again)
    rests.on_event(ConversationClosed(conversation=chat.id))
    rest(again, rests, again.app.conversations.open(chat.id), hours=2)
    assert flushes(again) == 0


@pytest.mark.parametrize("memory", [MemoryMode.OFF, MemoryMode.READ_ONLY])
def test_nothing_is_asked_of_what_was_said_while_memory_was_off_or_read_only(
    make_core: Make, memory: MemoryMode
) -> None:
    core = make_core()
    rests = resting(core)
    chat = told(core, TOLD, memory=memory)
    rest(core, rests, chat, hours=2)
    assert flushes(core) == 0
    chat.set_memory(True)
    rests.on_event(ConversationClosed(conversation=chat.id))
    rest(core, rests, chat)
    assert flushes(core) == 0
    assert not (core.app.store.root / "memory").exists()


def _off(core: Core, chat: LiveConversation) -> None:
    chat.set_memory(False)


def _paused(core: Core, chat: LiveConversation) -> None:
    core.app.pause(True)


def _switched_off(core: Core, chat: LiveConversation) -> None:
    core.app.settings.change({"notes_at_rest": False})


def _when_asked(core: Core, chat: LiveConversation) -> None:
    core.app.settings.change({"notes_when_asked": True})


@pytest.mark.parametrize("before", [_off, _paused, _switched_off, _when_asked])
def test_nothing_is_asked_while_it_is_not_wanted(
    make_core: Make, before: Callable[[Core, LiveConversation], None]
) -> None:
    core = make_core()
    rests = resting(core)
    chat = told(core, TOLD)
    before(core, chat)
    rest(core, rests, chat, hours=2)
    assert flushes(core) == 0


def test_a_temporary_conversation_and_small_talk_are_left_alone(make_core: Make) -> None:
    core = make_core()
    rests = resting(core)
    chat = told(core, "Hello!")
    temporary = core.app.conversations.create(memory=True, temporary=True)
    tell(temporary, TOLD)
    rests.on_event(ConversationClosed(conversation=temporary.id))
    rest(core, rests, chat, hours=2)
    assert flushes(core) == 0


def test_a_failed_call_is_made_again_at_the_next_occasion(make_core: Make) -> None:
    core = make_core()
    rests = resting(core)
    chat = told(core, TOLD)
    core.provider._script.clear()
    core.provider.queue(fail("bad_request"), *[reader()] * 3)
    rest(core, rests, chat, hours=2)
    rests.on_event(ConversationClosed(conversation=chat.id))
    rest(core, rests, chat)
    assert flushes(core) == 2


def test_what_is_older_than_a_day_is_left_alone(make_core: Make) -> None:
    core = make_core()
    rests = resting(core)
    chat = told(core, TOLD)
    rest(core, rests, chat, days=2)
    assert flushes(core) == 0


@pytest.mark.parametrize("act", ["send", "off", "delete"])
def test_an_act_of_the_owner_ends_it_and_nothing_is_written(make_core: Make, act: str) -> None:
    core = make_core()
    rests = resting(core)
    chat = told(core, TOLD)
    core.provider._script.clear()
    held = Hold()
    core.provider.queue(calls(held, _NOTE), *[reader()] * 3)
    core.clock.later(hours=2)
    rests.check()
    held.wait_reached()
    match act:
        case "send":
            tell(chat, "Hello again!")
            assert chat.folded().turns[-1].end is TurnEnd.DONE
        case "off":
            chat.set_memory(False)
        case _:
            core.app.conversations.delete(chat.id)
    held.release()
    chat.wait(60)
    assert not (core.app.store.root / "memory").exists()


def test_notes_that_begin_again_and_again_never_run_beside_a_turn(make_core: Make) -> None:
    core = make_core()
    chat = told(core, TOLD)
    core.provider.queue(*[reader()] * 400)
    beside: list[str] = []
    sent = Event()

    def keep_noting() -> None:
        while not sent.is_set():
            with chat.record.lock:
                if chat.take_notes("", lambda: None) and chat.running_turn is not None:
                    beside.append(chat.running_turn)
            chat.wait(60)

    noting = Thread(target=keep_noting)
    noting.start()
    for number in range(10):
        tell(chat, TOLD.replace("minka", f"cat{number}"))
    sent.set()
    noting.join()
    assert [turn.end for turn in chat.folded().turns] == [TurnEnd.DONE] * 11
    assert not beside
