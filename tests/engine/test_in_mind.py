"""Of many conversations the messages of the last used stay in memory; the others are read again, and lose nothing."""

from __future__ import annotations

import pytest

from pet.engine import conversations
from pet.transcripts.entries import MemorySet
from tests.engine.conftest import Core, Make
from tests.support.models.scripted import Hold, say


@pytest.fixture
def core(make_core: Make, monkeypatch: pytest.MonkeyPatch) -> Core:
    monkeypatch.setattr(conversations, "_MOST_LOADED", 1)
    return make_core(*(say(f"reply {number}") for number in range(3)))


def test_one_that_was_not_used_lately_is_read_again(core: Core) -> None:
    first, second = (core.app.conversations.create(memory=True) for _ in range(2))
    for chat in (first, second):
        chat.send("hello")
        chat.wait(60)
    before = first.folded()
    core.app.conversations.open(first.id)
    core.app.conversations.open(second.id)
    assert first.transcript._parts == {}
    elsewhere = core.app.conversations._transcripts.open(first.id)
    elsewhere.append(MemorySet(id="off", at=core.app.clock.now().isoformat(), memory=False), durable=True)
    assert not first.gate.access().memory
    assert first.folded().turns == before.turns
    core.app.conversations.open(second.id)
    first.send("and now?")
    first.wait(60)
    assert [turn.reply for turn in first.folded().turns] == ["reply 0", "reply 2"]
    assert core.app.conversations.open(first.id) is first


def test_one_that_is_replying_stays(make_core: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversations, "_MOST_LOADED", 1)
    hold = Hold()
    core = make_core(say("so", hold, " it is"))
    chat, other = (core.app.conversations.create(memory=True) for _ in range(2))
    chat.send("hello")
    hold.wait_reached()
    core.app.conversations.open(chat.id)
    core.app.conversations.open(other.id)
    assert chat.transcript._parts
    hold.release()
    chat.wait(60)
    assert chat.folded().turns[0].reply == "so it is"
