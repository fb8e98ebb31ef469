"""Calls beyond the most of one round are answered without being run."""

from __future__ import annotations

import json

import pytest

from pet.app import Pet
from pet.events import Event, ToolEnded
from pet.model import ToolCallPart, TurnEnd
from pet.paths import Home
from pet.settings.connections import key_slot, origin_of
from tests.engine.conftest import Make
from tests.support.models.scripted import calls
from tests.support.servers.chat_replies import call, chat
from tests.support.servers.protocol_replies import Call, stream
from tests.support.servers.protocol_server import ProtocolServer

MOST = 32
MANY = 100
REFUSED = "At most 32 tool calls"


def arguments(number: int) -> str:
    return json.dumps({"path": "SOUL.md", "lines": number + 1})


@pytest.mark.parametrize("protocol", ["anthropic", "openai"])
def test_calls_beyond_the_most_of_a_round_are_refused_in_words(home: Home, protocol: str) -> None:
    asked = [arguments(number) for number in range(MANY)]
    replies = {
        "anthropic": (stream(*(Call("read", each, f"c{n}") for n, each in enumerate(asked))), stream("done")),
        "openai": (
            chat(*(call("read", each, id_=f"c{n}", index=n) for n, each in enumerate(asked)), finish="tool_calls"),
            chat("done"),
        ),
    }
    app = Pet(home, environ={}, channel="terminal")
    try:
        with ProtocolServer(*replies[protocol]) as server:
            app.settings.change({"base_url": server.url, "model": "m", "language": "en", "protocol": protocol})
            app.keys.set(key_slot("main", origin_of(server.url)), "sk-main-000000000000", "session")
            live = app.conversations.create(memory=True)
            live.send("read")
            live.wait(60)
            sent = server.requests[-1].body.decode()
        turn = live.folded().turns[-1]
    finally:
        app.close()
    assert (turn.end, turn.reply, len(turn.tools)) == (TurnEnd.DONE, "done", MANY)
    assert [each.is_error for each in turn.tools] == [False] * MOST + [True] * (MANY - MOST)
    assert {each.error.code for each in turn.tools if each.error} == {"tool_too_many"}
    assert sent.count(REFUSED) == MANY - MOST


def test_the_next_round_may_call_again(make_core: Make) -> None:
    def some(first: int) -> list[ToolCallPart]:
        return [ToolCallPart(id=f"c{n}", name="read", arguments=arguments(n)) for n in range(first, first + 20)]

    core = make_core(calls(*some(0)), calls(*some(20)), calls())
    live = core.app.conversations.create(memory=True)
    live.send("read")
    live.wait(60)
    assert [each.is_error for each in live.folded().turns[-1].tools] == [False] * 40


def test_stop_among_refused_calls_ends_the_turn(make_core: Make) -> None:
    core = make_core(calls(*(ToolCallPart(id=f"c{n}", name="nothing", arguments="{}") for n in range(300))))
    live = core.app.conversations.create(memory=True)

    def on_event(event: Event) -> None:
        if isinstance(event, ToolEnded) and event.error is not None and event.error.code == "tool_too_many":
            live.stop()

    core.app.emitter.subscribe(on_event, name="test")
    live.send("go")
    live.wait(60)
    turn = live.folded().turns[-1]
    assert turn.end is TurnEnd.STOPPED
    codes = [each.error.code for each in turn.tools if each.error]
    assert len(codes) == 300
    assert "tool_too_many" in codes
    assert codes[-1] == "tool_stopped"
