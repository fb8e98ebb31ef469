"""The promise in the bytes on the wire of OpenAI's protocols: with tools, and as small models are asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pet.model import TurnEnd
from tests.support.examples import examples
from tests.support.program.gated_program import CANARY, GATED, NOTEBOOK, OPENAI, carries_canary, running, sent, speak
from tests.support.servers.chat_replies import call, chat, refusal
from tests.support.servers.protocol_replies import Call, Hold, Reply, Thinking
from tests.support.servers.protocol_server import ProtocolServer
from tests.support.servers.responses_replies import responses


def read_all(protocol: str) -> Reply:
    if protocol == "responses":
        return responses(
            Thinking(f"I know {CANARY}"),
            "let me look",
            *(Call("read", {"path": path}, f"call_{place}") for place, path in enumerate(GATED)),
        )
    calls = (
        call("read", json.dumps({"path": path}), id_=f"call_{place}", index=place) for place, path in enumerate(GATED)
    )
    return chat({"reasoning_content": f"I know {CANARY}"}, "let me look", *calls, finish="tool_calls")


@pytest.mark.parametrize("protocol", ["openai", "responses"])
@settings(max_examples=examples(10), deadline=None)
@given(switches=st.lists(st.booleans(), min_size=2, max_size=5))
def test_requests_of_an_off_conversation_carry_no_canary_byte(protocol: str, switches: list[bool]) -> None:
    """Reasoning that came encrypted holds the canary as well: what is in it can't be seen."""
    say = responses if protocol == "responses" else chat
    with ProtocolServer() as server, running(server, **OPENAI | {"protocol": protocol}) as app:
        conversation = app.conversations.create(memory=switches[0])
        for memory in switches:
            conversation.set_memory(memory)
            before = len(sent(server))
            if memory:
                server.queue(read_all(protocol), say("said nothing of it"))
            else:
                server.queue(say("spoken words"))
            assert speak(conversation, "你好") is TurnEnd.DONE
            bodies = [request.body for request in sent(server)[before:]]
            assert all(carries_canary(body) is memory for body in bodies)


@settings(max_examples=examples(10), deadline=None)
@given(
    switches=st.lists(st.booleans(), min_size=2, max_size=5),
    decision=st.sampled_from(['{"is":"chat"}', '{"is":"fact"}', '{"is":"change","line":1,"new":"名字：小红"}']),
)
def test_small_models_get_no_canary_byte_and_nothing_is_written_while_off(
    switches: list[bool], decision: str
) -> None:
    with ProtocolServer() as server, running(server, **NOTEBOOK) as app:
        conversation = app.conversations.create(memory=switches[0])
        for number, memory in enumerate(switches):
            conversation.set_memory(memory)
            before = len(sent(server))
            files, notes = {name: (app.store.root / name).read_bytes() for name in GATED}, noted(app.store.root)
            server.queue(chat("I see."), *([chat(decision)] if memory else []))
            assert speak(conversation, f"我家的猫今天又长大了 {number}") is TurnEnd.DONE
            bodies = [request.body for request in sent(server)[before:]]
            assert all(carries_canary(body) is memory for body in bodies)
            if not memory:
                assert files == {name: (app.store.root / name).read_bytes() for name in GATED}
                assert notes == noted(app.store.root)


def test_off_between_question_and_reply_ends_the_turn_unsent() -> None:
    """Only a wish about the pet is asked about before the reply."""
    with ProtocolServer() as server, running(server, **NOTEBOOK) as app:
        files = {name: (app.store.root / name).read_bytes() for name in (*GATED, "SOUL.md")}
        server.queue(chat('{"is":', Hold("middle"), '"pet"}'), chat("never"))
        conversation = app.conversations.create(memory=True)
        conversation.send("你以后说话短一点")
        server.reached("middle")
        assert b"response_format" in sent(server)[0].body
        conversation.set_memory(False)
        server.release("middle")
        conversation.wait(60)
        assert len(sent(server)) == 1
        assert conversation.folded().turns[-1].end is TurnEnd.MEMORY_OFF
        assert files == {name: (app.store.root / name).read_bytes() for name in files}


def noted(root: Path) -> str:
    """All of MEMORY.md and the logs."""
    return "".join(file.read_text("utf-8") for file in (root / "MEMORY.md", *(root / "memory").rglob("*.md")))


def test_off_during_the_reply_keeps_what_was_requested_and_written_before() -> None:
    with ProtocolServer() as server, running(server, **NOTEBOOK) as app:
        server.queue(chat("I ", Hold("middle"), "see."), chat("never"))
        conversation = app.conversations.create(memory=True)
        conversation.send("请记住我家的猫今天又长大了")
        server.reached("middle")
        assert "长大" in noted(app.store.root)
        conversation.set_memory(False)
        server.release("middle")
        conversation.wait(60)
        assert len(sent(server)) == 1
        assert CANARY in (app.store.root / "MEMORY.md").read_text(encoding="utf-8")


def test_off_before_the_question_after_a_reply_is_answered_writes_nothing() -> None:
    with ProtocolServer() as server, running(server, **NOTEBOOK) as app:
        server.queue(chat("I see."), chat('{"is":', Hold("middle"), '"fact"}'), chat("never"))
        conversation = app.conversations.create(memory=True)
        conversation.send("我家的猫今天又长大了")
        server.reached("middle")
        conversation.set_memory(False)
        server.release("middle")
        conversation.wait(60)
        assert len(sent(server)) == 2
        assert conversation.folded().turns[-1].end is TurnEnd.DONE
        assert "长大" not in noted(app.store.root)


@pytest.mark.parametrize("memory", [True, False])
def test_retry_that_falls_into_off_is_not_sent(memory: bool) -> None:
    with ProtocolServer(refusal(503, "busy"), chat("later")) as server, running(server, **OPENAI) as app:
        conversation = app.conversations.create(memory=True)
        conversation.send("hi")
        server.wait_for_requests(1)
        if not memory:
            conversation.set_memory(False)
        conversation.wait(60)
        assert len(sent(server)) == (2 if memory else 1)
