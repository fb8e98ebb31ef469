"""Stopping a reply ends it at once, in every state it may be in, and the server sees that we are gone."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncGenerator, Callable

import pytest

from pet.providers.anthropic_provider import AnthropicProvider
from pet.providers.base import Provider, Streamed, TextChunk
from pet.providers.openai_provider import OpenAIProvider
from tests.providers.calls import collect, request, user
from tests.support.servers.protocol_replies import Hold, held, stream
from tests.support.servers.protocol_server import ProtocolServer


@pytest.mark.parametrize("before", ["the first byte", "the first word", "the second word"])
def test_a_cancelled_call_ends_before_the_held_reply_is_released(before: str) -> None:
    reply = {
        "the first byte": held("here", stream("one ", "two")),
        "the first word": stream(Hold("here"), "one ", "two"),
        "the second word": stream("one ", Hold("here"), "two"),
    }[before]
    said: list[Streamed] = []

    async def call() -> None:
        provider = AnthropicProvider(server.url, None)
        spoke = asyncio.Event()

        async def read() -> None:
            async for event in provider.stream(request()):
                said.append(event)
                spoke.set()

        task = asyncio.create_task(read())
        await asyncio.to_thread(server.reached, "here")
        if before == "the second word":
            await spoke.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # The hold was never released: only the cancel can have ended the task.
        assert await asyncio.to_thread(server.requests[0].gone.wait, 30)
        assert len(await collect(provider)) == 2  # and the provider still works
        await provider.close()

    with ProtocolServer(reply, stream("again")) as server:
        asyncio.run(call())
    assert said == ([TextChunk(text="one ")] if before == "the second word" else [])


def test_an_abandoned_stream_that_is_closed_lets_the_connection_go() -> None:
    async def call() -> None:
        provider = AnthropicProvider(server.url, None)
        events = provider.stream(request())
        assert await anext(events) == TextChunk(text="one ")
        assert isinstance(events, AsyncGenerator)
        await events.aclose()
        assert await asyncio.to_thread(server.requests[0].gone.wait, 30)
        await provider.close()

    with ProtocolServer(stream("one ", Hold("here"), "two")) as server:
        asyncio.run(call())


@pytest.mark.parametrize("make", [AnthropicProvider, OpenAIProvider])
def test_rest_of_a_cancelled_request_is_not_sent(make: Callable[[str, None], Provider]) -> None:
    """The system would go on sending what it took over, memory included: the connection is reset instead."""

    async def call(url: str) -> None:
        provider = make(url, None)
        task = asyncio.create_task(collect(provider, request(user("word " * 400_000))))
        await asyncio.to_thread(began.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        cancelled.set()
        await provider.close()

    began, cancelled, ends = threading.Event(), threading.Event(), list[str]()

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(1_000)
            began.set()
            assert cancelled.wait(30)
            try:
                while connection.recv(65_536):
                    pass
                ends.append("whole")
            except ConnectionResetError:
                ends.append("reset")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        asyncio.run(call(f"http://127.0.0.1:{listener.getsockname()[1]}"))
        thread.join(30)
    assert ends == ["reset"]
