"""What a model on this computer reads before the next message: after a reply, and when the chat opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from pet.access import MemoryMode
from pet.engine.conversation import LiveConversation
from pet.errors import ProviderFault
from pet.events import TurnEnded
from pet.model import Request, TextPart
from tests.engine.conftest import Core, Make
from tests.support.models.gguf_bytes import chat_model, gguf
from tests.support.models.scripted import ScriptedRound, fail, say
from tests.support.waiting import wait_for

MEMORY = "# Memory\n\n- Owner: I live in Lyon (2026-01-02)\n"
AHEAD = say("{")


@pytest.fixture
def local(make_core: Make, tmp_path: Path) -> Core:
    """With a model of this computer, which is scripted."""
    file = tmp_path / "model.gguf"
    with file.open("wb") as opened:
        opened.write(gguf(chat_model()))
        opened.truncate(400_000_000)  # a sparse file
    core = make_core()
    core.app.settings.change({"local_model": f"file:{file}", "language": "en"})
    core.put("MEMORY.md", MEMORY)
    return core


def text_of(request: Request) -> str:
    parts = (part for message in request.messages for part in message.parts)
    return "\n".join(
        [*(block.text for block in request.system), *(part.text for part in parts if isinstance(part, TextPart))]
    )


def asked(core: Core, count: int) -> list[Request]:
    wait_for(f"{count} requests", lambda: len(core.provider.requests) >= count)
    return core.provider.requests


def look(core: Core, chat: LiveConversation) -> None:
    """The owner opens the chat there."""
    core.app.loop.submit(chat.read_ahead()).result(60)


def send(core: Core, chat: LiveConversation, text: str, *script: ScriptedRound) -> None:
    core.provider.queue(*script)
    chat.send(text)
    core.wait_for(lambda event: isinstance(event, TurnEnded))
    chat.wait(60)


def test_next_question_is_read_ahead_with_the_notebook_as_it_is_now(local: Core) -> None:
    chat = local.app.conversations.create(memory=True)
    local.put("MEMORY.md", "# Memory\n\n- Owner: I play the harp\n")
    send(local, chat, "My sister Ida is a vet.", say("Oh."), say('{"is":"fact"}'), AHEAD)
    _reply, question, ahead = asked(local, 3)
    assert ahead.max_tokens == 1 and ahead.schema is not None
    assert "I play the harp" in text_of(ahead)
    assert ahead.system == question.system
    send(local, chat, "The trains are late again.", say("Oh."), say('{"is":"chat"}'), AHEAD)
    following = asked(local, 5)[4]
    assert following.messages[:-1] == ahead.messages[:-1]


def test_opened_chat_reads_notebook_and_conversation_ahead(local: Core) -> None:
    chat = local.app.conversations.create(memory=True)
    local.provider.queue(AHEAD, AHEAD)
    look(local, chat)
    question, reply = asked(local, 2)
    assert "I live in Lyon" in text_of(question) and "I live in Lyon" in text_of(reply)
    assert (question.max_tokens, reply.max_tokens) == (1, 1)
    send(local, chat, "The trains are late again.", say("Oh."), say('{"is":"chat"}'), AHEAD)
    replied, asked_now = asked(local, 4)[2:4]
    assert asked_now.messages[:-1] == question.messages[:-1]
    assert replied.system == reply.system
    day = text_of(reply).rpartition("The time is")[0]
    assert text_of(replied).startswith(day)
    local.provider.queue(AHEAD, AHEAD)
    asked(local, 5)
    look(local, chat)
    later = asked(local, 7)[6]
    assert later.messages[: len(replied.messages)] == replied.messages  # and the reply to it


@pytest.mark.parametrize("memory_mode", [MemoryMode.OFF, MemoryMode.READ_ONLY])
def test_nothing_gated_is_read_ahead_while_memory_is_off(local: Core, memory_mode: MemoryMode) -> None:
    chat = local.app.conversations.create(memory=memory_mode)
    local.provider.queue(AHEAD)
    look(local, chat)
    (reply,) = asked(local, 1)
    assert reply.schema is None
    assert ("Lyon" in text_of(reply)) is (memory_mode is MemoryMode.READ_ONLY)


def test_pause_keeps_memory_out_of_what_is_read_ahead(local: Core) -> None:
    chat = local.app.conversations.create(memory=True)
    local.app.pause(True)
    local.provider.queue(AHEAD)
    look(local, chat)
    assert "Lyon" not in text_of(asked(local, 1)[0])


def test_failed_reply_is_not_followed_by_requests(local: Core) -> None:
    chat = local.app.conversations.create(memory=True)
    send(local, chat, "The trains are late again.", fail("unknown"))
    local.provider.queue(AHEAD, AHEAD)
    look(local, chat)  # asked by the owner's next look, not by the failure
    assert len(asked(local, 3)) == 3


def test_other_servers_are_asked_nothing_ahead(local: Core) -> None:
    local.app.settings.change({"local_model": "", "notebook": "on", "context_window": 4096})
    chat = local.app.conversations.create(memory=True)
    look(local, chat)
    send(local, chat, "The trains are late again.", say("Oh."), say('{"is":"chat"}'))
    look(local, chat)
    send(local, chat, "Still late.", say("Oh."), say('{"is":"chat"}'))
    assert [request.max_tokens for request in local.provider.requests] == [300, 120, 300, 120]


def test_decided_answer_is_not_waited_for(local: Core) -> None:
    chat = local.app.conversations.create(memory=True)
    cut = say('{"is":"fact"', " and a fault", ProviderFault("unknown"))
    send(local, chat, "My sister Ida is a vet.", say("Oh."), cut, AHEAD)
    (log,) = (local.app.store.root / "memory").glob("*.md")
    assert "My sister Ida is a vet." in log.read_text("utf-8")
