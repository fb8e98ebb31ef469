"""The test double itself: it plays its script, in order, and can be held."""

from __future__ import annotations

import asyncio

import pytest

from pet.errors import ProviderFault
from pet.model import OpaquePart, StopReason, TextPart, ToolCallPart
from pet.providers.base import Provider, RoundDone, TextChunk, ThinkingChunk
from tests.providers.calls import collect, request, user
from tests.support.models.scripted import Hold, ScriptedProvider, Think, call, fail, say


def test_it_plays_rounds_in_order_and_records_requests() -> None:
    provider: Provider = ScriptedProvider(
        say(Think("hm"), "Hel", "lo"),
        call("read", {"path": "SOUL.md"}, "Let me see."),
        lambda asked: say(asked.model),
    )
    first, second, third = (asyncio.run(collect(provider, request(user(text)))) for text in ("a", "b", "c"))
    assert first[:3] == [ThinkingChunk(characters=2), TextChunk(text="Hel"), TextChunk(text="lo")]
    assert isinstance(first[3], RoundDone)
    assert isinstance(first[3].parts[0], OpaquePart)
    assert first[3].parts[1] == TextPart(text="Hello")
    assert isinstance(second[-1], RoundDone)
    assert second[-1].stop is StopReason.TOOL_USE
    assert second[-1].parts[1] == ToolCallPart(id="call_1", name="read", arguments='{"path": "SOUL.md"}')
    assert third[0] == TextChunk(text="test-model")
    assert isinstance(provider, ScriptedProvider)
    assert [asked.messages for asked in provider.requests] == [(user(text),) for text in ("a", "b", "c")]


def test_a_fault_comes_after_what_was_said() -> None:
    async def play() -> list[object]:
        provider = ScriptedProvider(fail("overloaded", "So far", retryable=True, retry_after=3))
        events = provider.stream(request())
        first = await anext(events)
        with pytest.raises(ProviderFault) as caught:
            await anext(events)
        return [first, caught.value.kind, caught.value.retry_after]

    assert asyncio.run(play()) == [TextChunk(text="So far"), "overloaded", 3]


def test_an_empty_script_is_a_fault() -> None:
    with pytest.raises(ProviderFault):
        asyncio.run(collect(ScriptedProvider()))


def test_a_hold_waits_for_its_release_from_any_thread() -> None:
    async def play() -> list[str]:
        hold = Hold()
        provider = ScriptedProvider(say("one ", hold, "two"))
        said: list[str] = []

        async def read() -> None:
            async for event in provider.stream(request()):
                if isinstance(event, TextChunk):
                    said.append(event.text)
                else:
                    said.append("done")

        task = asyncio.create_task(read())
        await hold.reached()
        before = list(said)
        await asyncio.to_thread(hold.release)
        await task
        return [*before, "|", *said]

    assert asyncio.run(play()) == ["one ", "|", "one ", "two", "done"]


def test_a_held_script_can_be_cancelled() -> None:
    async def play() -> None:
        hold = Hold()
        task = asyncio.create_task(collect(ScriptedProvider(say(hold, "never"))))
        await hold.reached()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        hold.release()  # too late, and harmless

    asyncio.run(play())
