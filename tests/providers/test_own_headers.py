"""Headers that the owner gives a connection: sent with each request to its own origin, and shown nowhere."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from pathlib import Path

import pytest

from pet.errors import ProviderFault
from pet.events import ErrorInfo
from pet.paths import find_home
from pet.providers.base import RoundDone
from pet.providers.endpoint import Protocol
from pet.providers.provider_cache import ProviderCache
from pet.settings.api_keys import KeyStore
from pet.settings.connections import origin_of
from pet.settings.schema import Settings
from tests.providers.calls import CANARY, collect, request
from tests.support.servers.chat_replies import chat, refusal
from tests.support.servers.protocol_replies import Reply, redirect, stream
from tests.support.servers.protocol_server import ProtocolServer
from tests.support.servers.responses_replies import responses

_REPLIES: dict[Protocol, Reply] = {
    "anthropic": stream("Hi"),
    "openai": chat("Hi"),
    "responses": responses("Hi"),
}
_SECRET = "team-secret-4711"


def _keys(folder: Path, url: str, **headers: str) -> KeyStore:
    keys = KeyStore(find_home(folder), {})
    keys.set(origin_of(url), CANARY, "session")
    for name, value in headers.items():
        keys.set_header(origin_of(url), name.replace("_", "-"), value, "session")
    return keys


async def _ask(keys: KeyStore, settings: Settings) -> list[str]:
    cache = ProviderCache(keys)
    try:
        await cache.ask_facts(settings)
        provider = await cache(settings)
        models = await provider.list_models()
        assert isinstance((await collect(provider, request()))[-1], RoundDone)
        return models
    finally:
        await cache.close()


@pytest.mark.parametrize("protocol", _REPLIES)
def test_headers_go_with_every_request_of_their_connection(protocol: Protocol, tmp_path: Path) -> None:
    with ProtocolServer(_REPLIES[protocol]) as server:
        settings = replace(Settings(), base_url=server.url, model="test-model", protocol=protocol)
        keys = _keys(tmp_path, server.url, X_Team=_SECRET, User_Agent="gateway/1")
        asyncio.run(_ask(keys, settings))
        every = [*server.requests, *server.fact_requests]
        assert len(server.requests) >= 2 and server.fact_requests
        assert {each.headers.get("x-team") for each in every} == {_SECRET}
        assert {each.headers["user-agent"] for each in every} == {"gateway/1"}
        assert {each.headers.get("authorization") for each in every} == {f"Bearer {CANARY}"}


def test_a_header_may_take_the_place_of_the_keys_own(tmp_path: Path) -> None:
    with ProtocolServer(chat("Hi")) as server:
        settings = replace(Settings(), base_url=server.url, model="test-model", protocol="openai")
        asyncio.run(_ask(_keys(tmp_path, server.url, Authorization="Basic eDp5"), settings))
        assert {each.headers["authorization"] for each in server.requests} == {"Basic eDp5"}


@pytest.mark.parametrize("protocol", _REPLIES)
@pytest.mark.parametrize(
    "reply",
    [
        refusal(400, f"x-team: {_SECRET} is no team"),
        refusal(401, f"unknown {_SECRET}"),
        redirect(f"https://elsewhere.invalid/?team={_SECRET}"),
    ],
    ids=["400", "401", "redirect"],
)
def test_a_header_is_in_no_fault_and_no_log(
    reply: Reply, protocol: Protocol, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with ProtocolServer(default=reply) as server:
        settings = replace(Settings(), base_url=server.url, model="test-model", protocol=protocol)
        keys = _keys(tmp_path, server.url, X_Team=_SECRET)

        async def failed() -> ProviderFault:
            cache = ProviderCache(keys)
            provider = await cache(settings)
            with pytest.raises(ProviderFault) as caught:
                await collect(provider, request())
            await cache.close()
            return caught.value

        fault = asyncio.run(failed())
    assert _SECRET not in repr(ErrorInfo.of(fault)) + repr(vars(fault)) + caplog.text


def test_a_header_does_not_follow_a_redirect(tmp_path: Path) -> None:
    with ProtocolServer(stream("x")) as other, ProtocolServer(redirect(other.url + "/v1/messages", 308)) as server:
        settings = replace(Settings(), base_url=server.url, model="test-model", protocol="anthropic")
        with pytest.raises(ProviderFault):
            asyncio.run(_ask(_keys(tmp_path, server.url, X_Team=_SECRET), settings))
        assert other.requests == []


def test_another_header_makes_another_provider_and_a_server_nearby_with_one_is_not_free(tmp_path: Path) -> None:
    with ProtocolServer(default=chat("Hi")) as server:
        settings = replace(Settings(), base_url=server.url, model="test-model", protocol="openai")
        keys = KeyStore(find_home(tmp_path), {})

        async def call() -> None:
            cache = ProviderCache(keys)
            first = await cache(settings)
            assert await cache.is_free(settings)
            keys.set_header(origin_of(server.url), "x-team", _SECRET, "session")
            assert await cache(settings) is not first
            assert not await cache.is_free(settings)
            await cache.close()

        asyncio.run(call())
