"""Addresses as owners paste them: with a query, without a scheme; a key goes to its own origin only."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from pet.providers.anthropic_provider import AnthropicProvider
from pet.providers.base import Provider
from pet.providers.openai_provider import OpenAIProvider
from pet.settings.api_keys import ApiKey
from pet.settings.connections import key_slot
from pet.settings.schema import check
from tests.providers.calls import CANARY, Answer, collect
from tests.support.servers.chat_replies import chat
from tests.support.servers.protocol_replies import redirect, stream
from tests.support.servers.protocol_server import ProtocolServer


@pytest.mark.parametrize(
    ("pasted", "stored"),
    [
        ("localhost:11434", "http://localhost:11434"),
        ("127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("192.168.1.5:11434", "http://192.168.1.5:11434"),
        ("nas:11434", "http://nas:11434"),
        ("nas.local", "http://nas.local"),
        ("api.openai.com/v1", "https://api.openai.com/v1"),
        (" api.openai.com ", "https://api.openai.com"),
        ("https://x.org/llm?api-version=2024-10-21", "https://x.org/llm?api-version=2024-10-21"),
    ],
)
def test_address_is_completed(pasted: str, stored: str) -> None:
    assert check("base_url", pasted) == stored


def test_query_changes_no_key_slot() -> None:
    assert key_slot("main", "https://x.org/llm?api-version=1") == key_slot("main", "https://x.org/llm")


async def _call(provider: Provider) -> tuple[str, list[str]]:
    try:
        return Answer(await collect(provider)).text, await provider.list_models()
    finally:
        await provider.close()


@pytest.mark.parametrize(
    "tail", ["?api-version=2024-10-21", "/?api-version=2024-10-21", "/chat/completions?api-version=2024-10-21"]
)
def test_azure_gets_query_and_its_own_header(tail: str) -> None:
    with ProtocolServer(chat("Hi")) as server:
        url = f"{server.url}/openai/deployments/gpt-4o{tail}"
        assert asyncio.run(_call(OpenAIProvider(url, ApiKey(CANARY)))) == ("Hi", ["gpt-4o"])
        (sent,) = server.requests
    assert sent.path == "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21"
    assert (sent.headers["api-key"], "authorization" in sent.headers) == (CANARY, False)


@pytest.mark.parametrize(
    ("make", "reply", "path"),
    [
        (OpenAIProvider, chat("Hi"), "/llm/chat/completions?tenant=a%20b"),
        (AnthropicProvider, stream("Hi"), "/llm/v1/messages?tenant=a%20b"),
    ],
)
def test_query_goes_with_every_request(make: Callable[..., Provider], reply: object, path: str) -> None:
    with ProtocolServer(reply) as server:  # type: ignore[arg-type]
        asyncio.run(_call(make(f"{server.url}/llm?tenant=a%20b", ApiKey(CANARY))))
        sent, listed = server.requests
    assert sent.path == path
    assert "tenant=a" in listed.path
    assert sent.headers["authorization"] == f"Bearer {CANARY}"


def test_key_of_azure_does_not_follow_a_redirect() -> None:
    with ProtocolServer(chat("stolen")) as other, ProtocolServer(redirect(f"{other.url}/v1/x")) as server:
        provider = OpenAIProvider(f"{server.url}/v1?api-version=1", ApiKey(CANARY))
        with pytest.raises(Exception, match="redirected") as raised:
            asyncio.run(_call(provider))
        assert other.requests == []
    assert CANARY not in str(raised.value)
