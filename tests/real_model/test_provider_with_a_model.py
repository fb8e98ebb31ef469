"""The provider against a real model server on loopback: streaming, stops, usage, cache, cancel, and its refusals."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from pet.errors import ProviderFault
from pet.model import Message, Request, StopReason, SystemBlock, TextPart
from pet.providers.anthropic_provider import AnthropicProvider
from pet.providers.base import RoundDone, Streamed, TextChunk
from pet.providers.faults import RetryPolicy
from pet.settings.api_keys import ApiKey
from tests.providers.calls import collect, user
from tests.support.models.local_model import LocalModel

pytestmark = pytest.mark.real_model


def _asked(*messages: Message, max_tokens: int = 40) -> Request:
    system = (SystemBlock(text="You are a small friendly fox. Answer in one short sentence.", cache=True),)
    return Request(model="local", max_tokens=max_tokens, system=system, tools=(), messages=messages)


async def _patiently(provider: AnthropicProvider, asked: Request) -> list[Streamed]:
    """As the engine does: this server drops one kept-alive connection in 150 before the first byte."""
    try:
        return await collect(provider, asked)
    except ProviderFault as fault:
        if RetryPolicy().next_wait(fault, 1) != 0:
            raise
        return await collect(provider, asked)


def _with(model: LocalModel, act: Callable[[AnthropicProvider], Awaitable[None]], *, key: str | None = None) -> None:
    async def go() -> None:
        provider = AnthropicProvider(model.url, ApiKey(key or model.key))
        try:
            await act(provider)
        finally:
            await provider.close()

    asyncio.run(go())


def _round(events: list[Streamed]) -> RoundDone:
    assert isinstance(events[-1], RoundDone)
    return events[-1]


def test_a_reply_streams_and_ends(local_model: LocalModel) -> None:
    async def act(provider: AnthropicProvider) -> None:
        events = await _patiently(provider, _asked(user("Say hello.")))
        pieces = [event.text for event in events if isinstance(event, TextChunk)]
        done = _round(events)
        assert len(pieces) > 2
        assert done.parts == (TextPart(text="".join(pieces)),)
        assert done.stop is StopReason.END_TURN
        assert done.usage.input_tokens
        assert done.usage.output_tokens

    _with(local_model, act)


def test_the_token_limit_ends_a_reply(local_model: LocalModel) -> None:
    async def act(provider: AnthropicProvider) -> None:
        done = _round(await _patiently(provider, _asked(user("Tell me a long story about a fox."), max_tokens=5)))
        assert done.stop is StopReason.MAX_TOKENS
        assert done.usage.output_tokens == 5

    _with(local_model, act)


def test_from_turn_to_turn_more_of_the_prompt_is_read_from_the_cache(local_model: LocalModel) -> None:
    """The prefix is the same to the byte, or the server would have to read it again."""

    async def act(provider: AnthropicProvider) -> None:
        messages: list[Message] = []
        cached, fresh = [], []
        for text in ("I like tea.", "And the sea.", "What do I like?", "Thank you."):
            messages.append(user(text))
            done = _round(await _patiently(provider, _asked(*messages)))
            messages.append(Message(role="assistant", parts=done.parts))
            cached.append(done.usage.cache_read_tokens or 0)
            fresh.append(done.usage.input_tokens or 0)
        assert cached == sorted(set(cached)), cached  # grows with every turn
        assert cached[-1] > 2 * fresh[-1], (cached, fresh)

    _with(local_model, act)


def test_a_reply_can_be_stopped_and_the_model_is_free_again(local_model: LocalModel) -> None:
    async def act(provider: AnthropicProvider) -> None:
        first = asyncio.Event()

        async def read() -> None:
            async for _ in provider.stream(_asked(user("Count from one to a thousand."), max_tokens=3000)):
                first.set()

        task = asyncio.create_task(read())
        await first.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        done = _round(await _patiently(provider, _asked(user("Say hello."))))
        assert done.stop is StopReason.END_TURN

    _with(local_model, act)


def test_a_conversation_longer_than_the_window_is_told_as_that(local_model: LocalModel) -> None:
    async def act(provider: AnthropicProvider) -> None:
        with pytest.raises(ProviderFault) as caught:
            await _patiently(provider, _asked(user("fox " * 20_000)))
        assert caught.value.kind == "window_exceeded"

    _with(local_model, act)


def test_a_wrong_key_is_told_as_that(local_model: LocalModel) -> None:
    async def act(provider: AnthropicProvider) -> None:
        with pytest.raises(ProviderFault) as caught:
            await _patiently(provider, _asked(user("Hi")))
        assert caught.value.kind == "bad_key"

    _with(local_model, act, key="not-the-key")


def test_its_models_are_listed(local_model: LocalModel) -> None:
    async def act(provider: AnthropicProvider) -> None:
        assert len(await provider.list_models()) == 1

    _with(local_model, act)
