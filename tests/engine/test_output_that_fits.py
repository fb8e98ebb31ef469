"""A reply is asked for as long as the window, and what a server names in a refusal, have room for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pet.app import Pet
from pet.engine.conversation import LiveConversation
from pet.i18n import Texts
from pet.model import CoreFile, TurnEnd
from tests.support.program.gated_program import running, sent, speak
from tests.support.servers.model_services import TOO_LONG, TOO_MUCH, WISH, SmallServer
from tests.support.servers.protocol_replies import whole
from tests.support.servers.protocol_server import ProtocolServer

PROTOCOLS = pytest.mark.parametrize("protocol", ["openai", "anthropic"])
TALK = (f"{WISH} that I like tea.", "Hello!", f"{WISH} that the key is under the pot.", "Thank you.")
WINDOW = 8_192


@contextmanager
def talking(service: SmallServer, protocol: str) -> Iterator[tuple[ProtocolServer, Pet, LiveConversation]]:
    with (
        ProtocolServer(default=service) as server,
        running(server, protocol=protocol, language="en", upkeep=False) as app,
    ):
        yield server, app, app.conversations.create(memory=True)


def sentence(chat: LiveConversation) -> str:
    error = chat.folded().turns[-1].error
    assert error is not None
    return Texts("en")(f"error.{error.code}", **error.args)


@PROTOCOLS
@pytest.mark.parametrize("wording", TOO_LONG)
def test_reply_fits_into_the_window_that_a_refusal_names(wording: str, protocol: str) -> None:
    service = SmallServer(window=WINDOW, wording=wording)
    with talking(service, protocol) as (server, _, chat):
        for text in TALK:
            assert speak(chat, text) is TurnEnd.DONE
        assert len(service.refused) == 1
        for request in sent(server)[1:]:
            assert "max_completion_tokens" not in request.json
            assert WINDOW / 4 < request.json["max_tokens"] <= WINDOW - service.tokens(request)


@PROTOCOLS
@pytest.mark.parametrize("wording", TOO_MUCH)
def test_reply_is_as_long_as_a_refusal_allows(wording: str, protocol: str) -> None:
    service = SmallServer(most=4_096, wording=wording)
    with talking(service, protocol) as (server, _, chat):
        for text in TALK:
            assert speak(chat, text) is TurnEnd.DONE
        assert len(service.refused) == 1
        assert {request.json["max_tokens"] for request in sent(server)[1:]} == {4_096}


@pytest.mark.parametrize(
    ("window", "talk"),
    [(WINDOW + 1_024, TALK), (WINDOW, ("Hello!", "How are you?", "Thank you."))],
    ids=["with tools", "with a small model, which has none to call"],
)
def test_window_that_the_server_reports_is_not_exceeded(window: int, talk: tuple[str, ...]) -> None:
    service = SmallServer(window=window, wording="vllm")
    with talking(service, "openai") as (server, _, chat):
        server.facts["/props"] = whole(json.dumps({"n_ctx": window}))
        for text in talk:
            assert speak(chat, text) is TurnEnd.DONE
        assert service.refused == []
        assert ("tools" in sent(server)[-1].json) is (talk is TALK)


@PROTOCOLS
def test_files_are_blamed_only_if_they_are_the_cause(protocol: str) -> None:
    with talking(SmallServer(window=WINDOW, wording="vllm", stubborn=True), protocol) as (_, _, chat):
        assert speak(chat, "Hello!") is TurnEnd.FAILED
        assert "It said: 'max_tokens' or" in sentence(chat)
    with talking(SmallServer(window=WINDOW, wording="vllm"), protocol) as (server, app, chat):
        for file in CoreFile:
            text = "".join(f"- {number}: I had tea with somebody on that day.\n" for number in range(300))
            (app.store.root / file.value).write_text(f"# {file.value}\n\n{text}", encoding="utf-8")
        assert speak(chat, "Hello!") is TurnEnd.FAILED
        assert "too small for the pet's files" in sentence(chat)
        assert len(sent(server)) == 1
