"""The promise once more, in the bytes on the wire: the real SDK against a server that keeps every request."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from pet.app import App, compose
from pet.engine.conversation.conversation import LiveConversation
from pet.events import TextDelta
from pet.model import TurnEnd
from pet.paths import find_home
from tests.support.protocol_replies import Call, Hold, Thinking, overloaded, stream
from tests.support.protocol_server import ProtocolServer, Recorded

CANARY = "canary-91bd 的秘密"
GATED = {
    "USER.md": f"# {CANARY}\n名字：小红{CANARY}\n",
    "MEMORY.md": f"- {CANARY} memory\n",
    "memory/2026-11-20.md": f"# Memory Log: 2026-11-20\n\n## [09:00:00] fact\n{CANARY}\n",
}
READ_ALL = stream(
    Thinking(f"I know {CANARY}"),
    "let me look",
    *(Call("read", {"path": path}, f"toolu_{n}") for n, path in enumerate(GATED)),
)


def carries_canary(body: bytes) -> bool:
    """In any spelling JSON has for it: as it stands, escaped, or decoded."""
    text = json.dumps(json.loads(body), ensure_ascii=False)
    return any(part in text for part in ("canary-91bd", "的秘密")) or b"canary-91bd" in body


@contextmanager
def running(server: ProtocolServer) -> Iterator[App]:
    with tempfile.TemporaryDirectory() as folder:
        environ = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-test-000000000000"}
        app = compose(find_home(Path(folder)), environ=environ, channel="terminal")
        for name, text in GATED.items():
            path = app.store.root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        try:
            yield app
        finally:
            app.close()


def speak(chat: LiveConversation, text: str) -> TurnEnd | None:
    chat.send(text)
    chat.wait(60)
    return chat.folded().turns[-1].end


def sent(server: ProtocolServer) -> list[Recorded]:
    return [request for request in server.requests if request.method == "POST"]


@settings(max_examples=12)
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
