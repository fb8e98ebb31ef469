"""The switch where it is easily missed: in another process, before the first byte, while a proposal is open."""

from __future__ import annotations

import errno
import json
import threading
from contextlib import AbstractContextManager
from dataclasses import asdict

import pytest

from pet.app import Pet
from pet.engine.conversation import LiveConversation
from pet.errors import MemoryInFlight, PetError, UnknownConversation, WriteFailed
from pet.events import MemorySwitched, TurnEnded
from pet.ids import new_id
from pet.model import Allowed, Request, TurnEnd
from pet.transcripts.entries import MemorySet, TranscriptEntry
from pet.transcripts.store import Transcript
from pet.workspace.in_flight import RequestsInFlight
from tests.engine.conftest import Core, Make
from tests.engine.test_turn import wait_for_proposal
from tests.support.models.scripted import Hold, ScriptedProvider, call, say


def sent(request: Request) -> str:
    return json.dumps(asdict(request), ensure_ascii=False, default=str)


def another_process(core: Core, chat: LiveConversation) -> tuple[Pet, LiveConversation]:
    """The same pet, composed a second time: only the files are shared."""
    app = Pet(core.home, environ={}, provider=ScriptedProvider(say("from there")), channel="terminal")
    return app, app.conversations.open(chat.id)


@pytest.fixture
def talked(make_core: Make) -> tuple[Core, LiveConversation]:
    """A conversation with memory on that has a file, and a canary to be kept."""
    core = make_core(say("hello"))
    core.put("MEMORY.md", "- the canary sings\n")
    chat = core.app.conversations.create(memory=True)
    chat.send("hi")
    chat.wait(60)
    assert "canary" in sent(core.provider.requests[-1])
    return core, chat


def looking(core: Core, chat: LiveConversation) -> Hold:
    """A turn that has asked to read, held before its reply is whole."""
    hold = Hold()
    core.provider.queue(call("read", {"path": "MEMORY.md"}, "let me look", hold), say("never sent"))
    chat.send("look")
    hold.wait_reached()
    return hold


def test_a_switch_flipped_off_in_another_process_holds_for_the_next_message(
    talked: tuple[Core, LiveConversation],
) -> None:
    core, chat = talked
    app, there = another_process(core, chat)
    there.set_memory(False)
    app.close()
    core.provider.queue(say("fine"))
    chat.send("still there?")
    chat.wait(60)
    assert "canary" not in sent(core.provider.requests[-1])
    assert not chat.folded().turns[-1].memory
    assert not chat.gate.switched_on
    core.wait_for(lambda event: isinstance(event, MemorySwitched) and not event.memory)


def test_a_switch_flipped_on_in_another_process_holds_from_the_next_message_on(
    talked: tuple[Core, LiveConversation],
) -> None:
    core, chat = talked
    chat.set_memory(False)
    app, there = another_process(core, chat)
    there.set_memory(True)
    app.close()
    core.provider.queue(say("fine"))
    chat.send("still there?")
    chat.wait(60)
    assert "canary" in sent(core.provider.requests[-1])
    assert chat.gate.switched_on


def test_off_in_another_process_ends_a_tool_loop_before_its_next_request(
    talked: tuple[Core, LiveConversation],
) -> None:
    core, chat = talked
    hold = looking(core, chat)
    app, there = another_process(core, chat)
    there.set_memory(False)
    there.set_memory(True)  # on again at once: the running turn must not regain what it lost
    app.close()
    hold.release()
    chat.wait(60)
    assert core.provider.left == 1
    turn = chat.folded().turns[-1]
    assert turn.end is TurnEnd.MEMORY_OFF
    assert "canary" not in turn.tools[0].text
    assert chat.gate.switched_on


def test_off_in_another_process_stops_a_write_the_owner_allows_here(make_core: Make) -> None:
    core = make_core(call("write", {"path": "MEMORY.md", "content": "- one\n"}), say("never sent"))
    core.put("MEMORY.md", "- one\n- two\n- three\n- four\n")
    chat = core.app.conversations.create(memory=True)
    chat.send("tidy")
    proposal = wait_for_proposal(core).proposal
    app, there = another_process(core, chat)
    there.set_memory(False)
    app.close()
    chat.answer(proposal.id, Allowed(text=proposal.after, edited=False))
    chat.wait(60)
    assert core.file("MEMORY.md") == "- one\n- two\n- three\n- four\n"
    assert chat.folded().turns[-1].end is TurnEnd.MEMORY_OFF


def test_off_before_the_first_word_takes_the_request_back(make_core: Make) -> None:
    """Nothing has come of the reply, so the request may not have left yet: it must not leave any more."""
    hold = Hold()
    core = make_core(say(hold, "too late"))
    chat = core.app.conversations.create(memory=True)
    chat.send("hi")
    hold.wait_reached()
    chat.set_memory(False)
    chat.wait(60)
    assert chat.folded().turns[-1].end is TurnEnd.MEMORY_OFF


def test_off_that_can_not_be_recorded_takes_the_request_back_all_the_same(
    make_core: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is told OFF, so nothing with memory may be on its way any more, full disk or not."""
    hold, append = Hold(), Transcript.append

    def full(transcript: Transcript, entry: TranscriptEntry, durable: bool = False) -> None:
        if isinstance(entry, MemorySet):
            raise WriteFailed("conversations/x.jsonl", errno.ENOSPC)
        append(transcript, entry, durable)

    core = make_core(say(hold, "too late"))
    chat = core.app.conversations.create(memory=True)
    chat.send("hi")
    hold.wait_reached()
    assert [*core.home.locks.glob("in-flight-*")]
    monkeypatch.setattr(Transcript, "append", full)
    with pytest.raises(WriteFailed):
        chat.set_memory(False)
    assert not [*core.home.locks.glob("in-flight-*")]
    chat.wait(60)
    assert chat.folded().turns[-1].end is TurnEnd.MEMORY_OFF


def test_off_after_the_first_words_lets_a_plain_reply_end_its_sentence(make_core: Make) -> None:
    hold = Hold()
    core = make_core(say("I was", hold, " saying"))
    chat = core.app.conversations.create(memory=True)
    chat.send("hi")
    hold.wait_reached()
    chat.set_memory(False)
    hold.release()
    chat.wait(60)
    assert chat.folded().turns[-1].end is TurnEnd.DONE
    assert chat.folded().turns[-1].rounds[0].text == "I was saying"


@pytest.mark.parametrize("act", ["stop", "off"])
def test_what_the_owner_allowed_is_not_written_after_stop_or_off(make_core: Make, act: str) -> None:
    """Allow and then Stop, both before the engine came to write: the later word counts."""
    core = make_core(call("write", {"path": "SOUL.md", "content": "I am a cat."}), say("never sent"))
    before = core.file("SOUL.md")
    chat = core.app.conversations.create(memory=True)
    chat.send("be a cat")
    proposal = wait_for_proposal(core).proposal
    with core.busy():
        core.app.loop.call(lambda: chat.proposals.answer(proposal.id, Allowed(text=proposal.after, edited=False)))
        later = threading.Thread(target=chat.stop if act == "stop" else lambda: chat.set_memory(False))
        later.start()
        core.wait_for(lambda event: isinstance(event, MemorySwitched)) if act == "off" else later.join(60)
    later.join(60)
    chat.wait(60)
    assert core.file("SOUL.md") == before
    assert chat.folded().turns[-1].end is (TurnEnd.STOPPED if act == "stop" else TurnEnd.MEMORY_OFF)
    assert core.provider.left == 1


def test_keeping_an_empty_tab_never_overrules_the_switch(make_core: Make) -> None:
    core = make_core()
    chat = core.app.conversations.create(memory=True)
    chat.keep()
    chat.set_memory(False)
    chat.keep()
    switches = [entry.memory for entry in chat.transcript.entries if isinstance(entry, MemorySet)]
    assert switches[-1] is False
    assert switches.count(False) == 1


def test_off_that_can_not_be_stored_holds_all_the_same_and_is_tried_again(
    talked: tuple[Core, LiveConversation],
) -> None:
    core, chat = talked
    file = core.app.store.root / "conversations" / f"{chat.id}.jsonl"
    moved = file.with_suffix(".away")
    file.rename(moved)
    with pytest.raises(PetError):
        chat.set_memory(False)
    assert not chat.gate.access().memory
    moved.rename(file)
    assert not chat.gate.access().memory
    chat.set_memory(False)
    assert not chat.folded().memory
    again, there = another_process(core, chat)
    assert not there.gate.switched_on
    again.close()


def test_a_conversation_deleted_by_another_process_is_off_and_its_turn_ends(
    talked: tuple[Core, LiveConversation],
) -> None:
    core, chat = talked
    hold = looking(core, chat)
    for file in (core.app.store.root / "conversations").iterdir():
        file.unlink()
    assert not chat.gate.access().memory
    hold.release()
    core.wait_for(lambda event: isinstance(event, TurnEnded) and event.end is TurnEnd.FAILED)
    assert core.provider.left == 1
    with pytest.raises(UnknownConversation):
        chat.send("hello?")


def test_a_pause_set_in_another_process_holds_for_the_running_tool_loop(
    talked: tuple[Core, LiveConversation],
) -> None:
    core, chat = talked
    hold = looking(core, chat)
    app, _ = another_process(core, chat)
    app.pause(True)
    assert not chat.gate.access().memory
    app.pause(False)  # the running turn does not regain what it lost
    assert chat.gate.access().memory
    app.close()
    hold.release()
    chat.wait(60)
    assert core.provider.left == 1
    assert chat.folded().turns[-1].end is TurnEnd.MEMORY_OFF
    assert chat.gate.switched_on


def test_resumed_here_memory_is_on_again(make_core: Make) -> None:
    core = make_core()
    chat = core.app.conversations.create(memory=True)
    core.app.pause(True)
    assert not chat.gate.access().memory
    core.app.pause(False)
    assert chat.gate.access().memory


@pytest.mark.parametrize("words", [(False,), (False, True)])
def test_a_switch_recorded_while_a_request_is_prepared_keeps_it_back(
    talked: tuple[Core, LiveConversation], monkeypatch: pytest.MonkeyPatch, words: tuple[bool, ...]
) -> None:
    core, chat = talked
    there, marked = core.app.transcripts.open(chat.id), RequestsInFlight.marked

    def flip_first(marks: RequestsInFlight, conversation: str) -> AbstractContextManager[None]:
        for memory in words:
            there.append(MemorySet(id=new_id(), at=core.app.clock.now().isoformat(), memory=memory))
        return marked(marks, conversation)

    monkeypatch.setattr(RequestsInFlight, "marked", flip_first)
    made = len(core.provider.requests)
    chat.send("still there?")
    chat.wait(60)
    assert len(core.provider.requests) == made
    assert chat.folded().turns[-1].end is TurnEnd.MEMORY_OFF


@pytest.mark.parametrize("how", ["switch", "pause"])
def test_off_is_not_answered_while_a_request_can_t_be_stopped(
    talked: tuple[Core, LiveConversation], monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr("pet.workspace.in_flight._WAIT_SECONDS", 0.0)
    core, chat = talked
    app, there = another_process(core, chat)
    with core.app.in_flight.marked(chat.id):
        for _ in range(2):  # also the second time, when it is OFF already
            with pytest.raises(MemoryInFlight):
                there.set_memory(False) if how == "switch" else app.pause(True)
    there.set_memory(False)
    app.pause(True)
    app.close()
    assert not chat.gate.access().memory
