"""Requests and ways to make them, for the tests of the providers."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence

from pet.errors import ProviderFault
from pet.model import Message, Request, SystemBlock, TextPart, ToolSpec
from pet.providers.anthropic_provider import AnthropicProvider
from pet.providers.base import Provider, RoundDone, Streamed, TextChunk
from pet.settings.api_keys import ApiKey

CANARY = "sk-ant-canary-9f8e7d6c5b4a"
READ = ToolSpec(
    name="read",
    description="Read a file.",
    schema={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)


def user(*texts: str) -> Message:
    return Message(role="user", parts=tuple(TextPart(text=text) for text in texts))


def request(*messages: Message, model: str = "test-model", tools: Sequence[ToolSpec] = ()) -> Request:
    return Request(
        model=model,
        max_tokens=100,
        system=(SystemBlock(text="You are a pet.", cache=True),),
        tools=tuple(tools),
        messages=messages or (user("Hello"),),
    )


async def collect(provider: Provider, asked: Request | None = None) -> list[Streamed]:
    return [event async for event in provider.stream(asked or request())]


def run(
    base_url: str, asked: Request | None = None, *, key: str | None = CANARY, read: float | None = None
) -> Answer:
    """One call through the real SDK, from its own event loop."""

    async def call() -> list[Streamed]:
        provider = AnthropicProvider(base_url, ApiKey(key) if key else None, read_seconds=read)
        try:
            return await collect(provider, asked)
        finally:
            await provider.close()

    return Answer(asyncio.run(call()))


def fault_of(base_url: str, asked: Request | None = None, **options: object) -> ProviderFault:
    """The fault of a call that must fail."""
    try:
        run(base_url, asked, **options)  # type: ignore[arg-type]
    except ProviderFault as fault:
        return fault
    raise AssertionError("the call did not fail")


class Answer:
    def __init__(self, events: list[Streamed]) -> None:
        self.events = events
        last = events[-1]
        assert isinstance(last, RoundDone)
        self.round = last

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextChunk))


def closed_port() -> int:
    """A port of loopback on which nobody listens: it is ours, so that nobody else gets it meanwhile."""
    port: int = _HELD.getsockname()[1]
    return port


_HELD = socket.socket()
_HELD.bind(("127.0.0.1", 0))


async def outcomes(provider: Provider, calls: int) -> list[str]:
    """Of so many calls one after the other: ok, or the kind of the fault."""
    kinds = []
    for _ in range(calls):
        try:
            await collect(provider)
            kinds.append("ok")
        except ProviderFault as fault:
            kinds.append(fault.kind)
    await provider.close()
    return kinds


async def models_of(url: str) -> list[str]:
    provider = AnthropicProvider(url, None)
    try:
        return await provider.list_models()
    finally:
        await provider.close()
