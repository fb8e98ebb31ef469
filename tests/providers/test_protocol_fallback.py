"""A server whose protocol is found out by asking, over real sockets."""

from __future__ import annotations

import asyncio

import pytest

from pet.errors import ProviderFault
from pet.providers.anthropic_provider import AnthropicProvider
from pet.providers.base import Provider, RoundDone, Streamed
from pet.providers.endpoint import Protocol
from pet.providers.openai_provider import OpenAIProvider
from pet.providers.provider_cache import FallbackProvider
from tests.providers.calls import Answer, collect, request
from tests.support.servers.chat_replies import chat
from tests.support.servers.chat_replies import refusal as chat_refusal
from tests.support.servers.protocol_replies import Cut, Reply, error, html, redirect, stream, whole
from tests.support.servers.protocol_server import ProtocolServer
from tests.support.servers.responses_replies import responses


def finding(server: ProtocolServer, order: tuple[Protocol, ...] = ("anthropic", "openai")) -> FallbackProvider:
    def make(protocol: Protocol) -> Provider:
        if protocol == "anthropic":
            return AnthropicProvider(server.url, None)
        return OpenAIProvider(server.url, None, responses=protocol == "responses", instead="responses" in order)

    return FallbackProvider(order, make)


def twice(server: ProtocolServer, order: tuple[Protocol, ...] = ("anthropic", "openai")) -> list[str]:
    """The texts of two replies, one after the other."""

    async def act() -> list[list[Streamed]]:
        provider = finding(server, order)
        try:
            return [await collect(provider), await collect(provider)]
        finally:
            await provider.close()

    return [Answer(events).text for events in asyncio.run(act())]


def routes(server: ProtocolServer) -> list[str]:
    return [request.route for request in server.requests]


def test_server_that_speaks_messages_is_asked_that_way() -> None:
    with ProtocolServer(stream("one"), stream("two")) as server:
        assert twice(server) == ["one", "two"]
        assert routes(server) == ["/v1/messages"] * 2


def test_protocol_is_known_from_the_first_words_on() -> None:
    """The reader goes with the last event and never hears that the stream is over; a page in its place later is that
    page, and no reason to send the message once more."""

    async def act(server: ProtocolServer) -> None:
        provider = finding(server)
        try:
            async for event in provider.stream(request()):
                if isinstance(event, RoundDone):
                    break
            await collect(provider)
        finally:
            await provider.close()

    with ProtocolServer(stream("one"), html(), chat("two")) as server:
        with pytest.raises(ProviderFault) as raised:
            asyncio.run(act(server))
        assert raised.value.kind == "not_an_llm"
        assert routes(server) == ["/v1/messages"] * 2


@pytest.mark.parametrize("refusal", [whole("", status=404), whole('{"detail": "Not Found"}', status=404), html()])
def test_server_that_does_not_is_asked_the_other_way_from_then_on(refusal: Reply) -> None:
    with ProtocolServer(refusal, chat("one"), chat("two")) as server:
        assert twice(server) == ["one", "two"]
        assert routes(server) == ["/v1/messages", "/v1/chat/completions", "/v1/chat/completions"]


def test_server_that_speaks_neither_is_told_so() -> None:
    with ProtocolServer(default=whole("", status=404)) as server:
        with pytest.raises(ProviderFault) as raised:
            twice(server)
        assert raised.value.kind == "not_an_llm"
        assert len(server.requests) == 2


def test_a_page_that_answers_in_place_of_both_finds_out_nothing() -> None:
    """A network that wants a login first: the next request is asked as if it were the first."""

    async def act(server: ProtocolServer) -> str:
        provider = finding(server)
        try:
            with pytest.raises(ProviderFault):
                await collect(provider)
            return Answer(await collect(provider)).text
        finally:
            await provider.close()

    with ProtocolServer(html(), html(), stream("here again")) as server:
        assert asyncio.run(act(server)) == "here again"
        assert routes(server) == ["/v1/messages", "/v1/chat/completions", "/v1/messages"]


@pytest.mark.parametrize(
    ("refusal", "kind"),
    [
        (error(400, "invalid_request_error", "no"), "bad_request"),
        (error(401, "authentication_error", "bad key"), "no_key"),
        (error(403, "permission_error", "no"), "forbidden"),
        (error(422, "invalid_request_error", "no"), "bad_request"),
        (error(500, "api_error", "no"), "server"),
        (error(503, "api_error", "no"), "server"),
        (redirect("https://elsewhere.example/"), "redirected"),
        (whole("", content_type="text/event-stream"), "cut"),
    ],
)
@pytest.mark.parametrize("speaks_other", [True, False])
def test_faults_that_may_mean_another_protocol_are_tried_there_once(
    refusal: Reply, kind: str, speaks_other: bool
) -> None:
    with ProtocolServer(refusal, chat("one") if speaks_other else refusal, default=chat("two")) as server:
        if speaks_other:
            assert twice(server) == ["one", "two"]
            assert routes(server) == ["/v1/messages", "/v1/chat/completions", "/v1/chat/completions"]
            return
        with pytest.raises(ProviderFault) as raised:
            twice(server)
        assert raised.value.kind == kind
        assert routes(server) == ["/v1/messages", "/v1/chat/completions"]


def test_faults_of_a_server_that_has_answered_are_its_own() -> None:
    refusal = error(401, "authentication_error", "bad key")
    with ProtocolServer(stream("one"), refusal, default=chat("two")) as server:
        with pytest.raises(ProviderFault) as raised:
            twice(server)
        assert raised.value.kind == "no_key"
        assert routes(server) == ["/v1/messages"] * 2


def test_refusal_that_names_responses_leads_there() -> None:
    refusal = chat_refusal(404, "This model is only supported in v1/responses and not in v1/chat/completions.")
    with ProtocolServer(refusal, responses("one"), responses("two")) as server:
        assert twice(server, ("openai", "responses")) == ["one", "two"]
        assert routes(server) == ["/v1/chat/completions", "/v1/responses", "/v1/responses"]


def test_words_that_were_said_are_not_asked_for_again() -> None:
    with ProtocolServer(stream("half", Cut(), ends=False), stream("whole")) as server:
        assert twice(server) == ["half", "whole"]
        assert routes(server) == ["/v1/messages"] * 2
