"""A server whose protocol is found out by asking, over real sockets."""

from __future__ import annotations

import asyncio

import pytest

from pet.errors import ProviderFault
from pet.providers.anthropic_provider import AnthropicProvider
from pet.providers.base import RoundDone, Streamed
from pet.providers.openai_provider import OpenAIProvider
from pet.providers.provider_cache import FallbackProvider
from tests.providers.calls import Answer, collect, request
from tests.support.servers.chat_replies import chat
from tests.support.servers.protocol_replies import Cut, Reply, error, html, stream, whole
from tests.support.servers.protocol_server import ProtocolServer


def twice(server: ProtocolServer) -> list[str]:
    """The texts of two replies, one after the other."""

    async def act() -> list[list[Streamed]]:
        provider = FallbackProvider(AnthropicProvider(server.url, None), lambda: OpenAIProvider(server.url, None))
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
        provider = FallbackProvider(AnthropicProvider(server.url, None), lambda: OpenAIProvider(server.url, None))
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
        provider = FallbackProvider(AnthropicProvider(server.url, None), lambda: OpenAIProvider(server.url, None))
        try:
            with pytest.raises(ProviderFault):
                await collect(provider)
            return Answer(await collect(provider)).text
        finally:
            await provider.close()

    with ProtocolServer(html(), html(), stream("here again")) as server:
        assert asyncio.run(act(server)) == "here again"
        assert routes(server) == ["/v1/messages", "/v1/chat/completions", "/v1/messages"]


def test_other_faults_are_no_reason_to_ask_the_other_way() -> None:
    with ProtocolServer(default=error(401, "authentication_error", "bad key")) as server:
        with pytest.raises(ProviderFault) as raised:
            twice(server)
        assert raised.value.kind == "no_key"
        assert routes(server) == ["/v1/messages"]


def test_words_that_were_said_are_not_asked_for_again() -> None:
    with ProtocolServer(stream("half", Cut(), ends=False), stream("whole")) as server:
        assert twice(server) == ["half", "whole"]
        assert routes(server) == ["/v1/messages"] * 2
