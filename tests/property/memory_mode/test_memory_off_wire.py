"""The promise once more, in the bytes on the wire: the real SDK against a server that keeps every request."""

from __future__ import annotations

import threading

from hypothesis import given, settings
from hypothesis import strategies as st

from pet.events import TextDelta
from pet.model import TurnEnd
from tests.support.examples import examples
from tests.support.program.gated_program import CANARY, GATED, carries_canary, running, sent, speak
from tests.support.servers.protocol_replies import Call, Hold, Thinking, overloaded, stream
from tests.support.servers.protocol_server import ProtocolServer

READ_ALL = stream(
    Thinking(f"I know {CANARY}"),
    "let me look",
    *(Call("read", {"path": path}, f"toolu_{n}") for n, path in enumerate(GATED)),
)


@settings(max_examples=examples(12))
@given(switches=st.lists(st.booleans(), min_size=2, max_size=5))
def test_requests_of_an_off_conversation_carry_no_canary_byte(switches: list[bool]) -> None:
    with ProtocolServer() as server, running(server) as app:
        chat = app.conversations.create(memory=switches[0])
        for memory in switches:
            chat.set_memory(memory)
            before = len(sent(server))
            if memory:
                server.queue(READ_ALL, stream("said nothing of it"))
            else:
                server.queue(stream("spoken words"))
            assert speak(chat, "你好") is TurnEnd.DONE
            bodies = [request.body for request in sent(server)[before:]]
            assert all(carries_canary(body) is memory for body in bodies)


def test_a_retry_that_falls_into_off_is_not_sent() -> None:
    with ProtocolServer(overloaded(), stream("never")) as server, running(server) as app:
        chat = app.conversations.create(memory=True)
        chat.send("hi")
        server.wait_for_requests(1)
        chat.set_memory(False)
        chat.wait(60)
        assert len(sent(server)) == 1
        assert chat.folded().turns[-1].end is TurnEnd.MEMORY_OFF


def test_off_in_the_middle_of_a_tool_loop_ends_it_without_another_request() -> None:
    with ProtocolServer() as server, running(server) as app:
        server.queue(READ_ALL, stream("and so", Hold("middle"), " on"), stream("never"))
        came = threading.Event()
        app.emitter.subscribe(
            lambda event: came.set() if isinstance(event, TextDelta) and event.round == 2 else None, name="test"
        )
        chat = app.conversations.create(memory=True)
        chat.send("hi")
        assert came.wait(60)
        chat.set_memory(False)
        chat.wait(60)
        server.release("middle")
        turn = chat.folded().turns[-1]
        assert turn.end is TurnEnd.MEMORY_OFF
        assert turn.rounds[-1].text == "and so"
        server.queue(stream("hello"))
        assert speak(chat, "still there?") is TurnEnd.DONE
        assert not carries_canary(sent(server)[-1].body)
        assert "and so" in sent(server)[-1].body.decode()


def test_two_tabs_at_once_keep_their_own_switch() -> None:
    with ProtocolServer() as server, running(server) as app:
        on, off = app.conversations.create(memory=True), app.conversations.create(memory=False)
        server.queue(stream("a"), stream("b"))
        on.send("with")
        off.send("without")
        on.wait(60)
        off.wait(60)
        by_text = {request.last_text(): request.body for request in sent(server)}
        for text, body in by_text.items():
            assert carries_canary(body) is ("without" not in text)
