"""Reasoning of earlier tool rounds goes back to the server and model that it came from, and to no other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pet.app import Pet
from pet.engine.conversation import LiveConversation
from pet.model import TurnEnd
from tests.support.program.gated_program import running, sent, speak
from tests.support.servers.model_services import WISH, DeepSeek, Kimi, NoReasoning, ThinkingService
from tests.support.servers.protocol_server import ProtocolServer

PROTOCOLS = pytest.mark.parametrize("protocol", ["openai", "anthropic"])
STRICT = pytest.mark.parametrize("kind", [Kimi, DeepSeek])
TALK = (f"{WISH} that the spare key is under the pot.", "Hello!", f"{WISH} that I like tea.", "Thank you.", "Bye.")
THOUGHT = "a thought of its own"


@contextmanager
def talking(
    service: ThinkingService, protocol: str, model: str = "thinker"
) -> Iterator[tuple[ProtocolServer, Pet, LiveConversation]]:
    with (
        ProtocolServer(default=service) as server,
        running(server, protocol=protocol, language="en", model=model) as app,
    ):
        yield server, app, app.conversations.create(memory=True)


def thoughts(body: bytes) -> int:
    """Number of passages of ``THOUGHT`` in a request."""
    return json.dumps(json.loads(body), ensure_ascii=False).count(THOUGHT)


@PROTOCOLS
@STRICT
def test_talk_with_two_notes_is_never_refused(kind: type[ThinkingService], protocol: str) -> None:
    service = kind(THOUGHT)
    with talking(service, protocol) as (server, _, chat):
        for text in TALK:
            assert speak(chat, text) is TurnEnd.DONE
        assert service.refused == []
        assert thoughts(sent(server)[-1].body) >= 2


@PROTOCOLS
@STRICT
def test_no_thinking_of_gated_turns_is_sent_while_memory_is_off(kind: type[ThinkingService], protocol: str) -> None:
    service = kind(THOUGHT)
    with talking(service, protocol) as (server, _, chat):
        assert speak(chat, TALK[0]) is TurnEnd.DONE
        chat.set_memory(False)
        for text in ("Hello!", "And now?"):
            assert speak(chat, text) is TurnEnd.DONE
            assert thoughts(sent(server)[-1].body) == 0
        chat.set_memory(True)
        assert speak(chat, "Thank you.") is TurnEnd.DONE
        assert thoughts(sent(server)[-1].body) > 0
        assert service.refused == []


@PROTOCOLS
@STRICT
@pytest.mark.parametrize("takes_empty", [True, False])
def test_another_model_gets_no_thinking_and_answers_after_one_refusal(
    kind: type[ThinkingService], protocol: str, takes_empty: bool
) -> None:
    service = kind(THOUGHT, takes_empty)
    with talking(service, protocol) as (server, app, chat):
        assert speak(chat, TALK[0]) is TurnEnd.DONE
        app.settings.change({"model": "another-thinker"})
        assert speak(chat, "Hello!") is TurnEnd.DONE
        assert thoughts(sent(server)[-1].body) == 0
        refused = len(service.refused)
        assert refused == (1 if takes_empty else 2)
        for text in TALK[2:]:
            assert speak(chat, text) is TurnEnd.DONE
        assert len(service.refused) == refused
        assert 0 < thoughts(sent(server)[-1].body) < 3


@PROTOCOLS
def test_server_that_takes_no_reasoning_back_is_refused_once(protocol: str) -> None:
    service = NoReasoning(THOUGHT)
    with talking(service, protocol) as (server, _, chat):
        for text in TALK:
            assert speak(chat, text) is TurnEnd.DONE
        assert len(service.refused) == 1
        assert thoughts(sent(server)[-1].body) == 0


@PROTOCOLS
def test_thinking_of_claude_goes_back_within_its_turn_only(protocol: str) -> None:
    """Its signature may be bound to the prompt as it was: a changed profile would have the next message refused."""
    with talking(ThinkingService(THOUGHT), protocol, "vendor/claude-next") as (server, _, chat):
        for text in TALK[:2]:
            assert speak(chat, text) is TurnEnd.DONE
        assert [thoughts(request.body) for request in sent(server)] == [0, 1, 0]
