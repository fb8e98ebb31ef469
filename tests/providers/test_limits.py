"""Answers without an end, in both protocols: read up to a limit, and Stop is heard under all of them."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache

import pytest

from pet.errors import ProviderFault
from pet.i18n import LANGUAGES, Language, Texts
from pet.providers import bounded_transport
from pet.providers.accumulator import MAX_REPLY
from pet.providers.anthropic_provider import AnthropicProvider
from pet.providers.base import Provider, RoundDone, Streamed, TextChunk
from pet.providers.bounded_transport import MAX_EVENT, EventMeter
from pet.providers.faults import safe_message
from pet.providers.openai_provider import OpenAIProvider
from pet.providers.sanitize import ReplyTooLarge
from pet.settings.api_keys import ApiKey
from pet.untrusted.parsers import MAX_DEPTH
from tests.providers.calls import request
from tests.support.servers.protocol_replies import Reply
from tests.support.servers.protocol_server import ProtocolServer

Make = Callable[[str], Provider]
PROTOCOLS: dict[str, Make] = {
    "messages": lambda url: AnthropicProvider(url, None, read_seconds=30),
    "chat completions": lambda url: OpenAIProvider(url, None, read_seconds=30),
}
STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
MEGABYTE = 1024 * 1024
MOST_MEMORY = 300 * MEGABYTE
SHORTER_STREAM = 4 * MEGABYTE + 2 * MAX_EVENT
ERROR_BEGIN = b'{"error": {"message": "'
WINDOW_BITS = {"gzip": 31, "deflate": 15, "raw deflate": -15}
"""Of zlib, for each packed form."""


@pytest.fixture(autouse=True)
def _shorter_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_transport, "MAX_STREAM", SHORTER_STREAM)


def delta(text: str, protocol: str) -> bytes:
    if protocol == "messages":
        data: dict[str, object] = {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": text},
        }
    else:
        data = {"choices": [{"index": 0, "delta": {"content": text}}]}
    return b"data: " + json.dumps(data).encode() + b"\n\n"


class Endless:
    """A server that sends one head and then the same piece for ever, ``each`` so many seconds."""

    def __init__(self, head: bytes, piece: bytes, *, framed: bool = True, each: float = 0.0) -> None:
        self._each = each
        self._head = head
        self._piece = b"%x\r\n%b\r\n" % (len(piece), piece) if framed else piece
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.hung_up = threading.Event()

    def __enter__(self) -> Endless:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.recv(65536)
                    connection.sendall(self._head)
                    while True:
                        connection.sendall(self._piece)
                        time.sleep(self._each)
                except OSError:
                    self.hung_up.set()


@contextmanager
def bounded_memory() -> Iterator[None]:
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before < MOST_MEMORY


async def read_all(make: Make, url: str) -> tuple[list[Streamed], str]:
    provider, said = make(url), list[Streamed]()
    try:
        async for event in provider.stream(request()):
            said.append(event)
    except ProviderFault as fault:
        return said, fault.kind
    finally:
        await provider.close()
    return said, ""


def heads(protocol: str) -> dict[str, tuple[bytes, bytes, bool]]:
    return {
        "text": (STREAM, delta("word " * 20_000, protocol), True),
        "one line": (STREAM + b"6\r\ndata: \r\n", b"x" * MEGABYTE, True),
        "one event": (STREAM, b"data: " + b"x" * 60_000 + b"\n", True),
        "comments": (STREAM, b": still here\n\n" * 50_000, True),
        "one JSON text": (
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n",
            b"data: [[[[" + b"1," * 50_000,
            False,
        ),
    }


@pytest.mark.parametrize("what", ["text", "one line", "one event", "comments", "one JSON text"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_endless_answer_ends_with_a_fault_and_keeps_its_text(protocol: str, what: str) -> None:
    head, piece, framed = heads(protocol)[what]
    with bounded_memory(), Endless(head, piece, framed=framed) as server:
        said, kind = asyncio.run(read_all(PROTOCOLS[protocol], server.url))
        assert server.hung_up.wait(30)
    assert kind == "reply_too_large"
    text = sum(len(event.text) for event in said if isinstance(event, TextChunk))
    assert (text > MAX_REPLY // 2) == (what == "text")
    assert text <= MAX_REPLY


@pytest.mark.parametrize("what", ["text", "one line", "one event", "comments"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_endless_answer_can_be_cancelled_at_any_moment(protocol: str, what: str) -> None:
    head, piece, framed = heads(protocol)[what]

    async def call(url: str, steps: int) -> None:
        task = asyncio.create_task(read_all(PROTOCOLS[protocol], url))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task  # at its limit it may have ended before

    for steps in (5, 200):
        with Endless(head, piece, framed=framed) as server:
            asyncio.run(asyncio.wait_for(call(server.url, steps), 30))


@cache
def packed_error(window_bits: int) -> bytes:
    """An error of 400 MB, which are never in memory."""
    packer = zlib.compressobj(1, wbits=window_bits)
    pieces = [packer.compress(ERROR_BEGIN), *(packer.compress(b"a" * MEGABYTE) for _ in range(400))]
    return b"".join(pieces) + packer.flush()


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize("packed", ["", *WINDOW_BITS])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_error_body_is_read_to_a_limit_also_when_packed(protocol: str, packed: str, status: int) -> None:
    body = packed_error(WINDOW_BITS[packed]) if packed else ERROR_BEGIN + b"a" * (30 * MEGABYTE)
    headers = {"content-type": "application/json"} | ({"content-encoding": packed.split()[-1]} if packed else {})
    with bounded_memory(), ProtocolServer(Reply(status=status, headers=headers, steps=(body,))) as server:
        _, kind = asyncio.run(read_all(PROTOCOLS[protocol], server.url))
    assert kind in ("bad_request", "server", "not_an_llm")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_packed_stream_is_unpacked_and_bounded(protocol: str) -> None:
    headers = {"content-type": "text/event-stream", "content-encoding": "gzip"}
    bomb = gzip.compress(b": nothing\n\n" * (SHORTER_STREAM // 10), 1)
    good = gzip.compress(delta("Hello", protocol), 1)
    with (
        bounded_memory(),
        ProtocolServer(Reply(headers=headers, steps=(bomb,)), Reply(headers=headers, steps=(good,))) as server,
    ):
        assert asyncio.run(read_all(PROTOCOLS[protocol], server.url))[1] == "reply_too_large"
        said, kind = asyncio.run(read_all(PROTOCOLS[protocol], server.url))
        assert server.requests[0].headers["accept-encoding"] == "identity"
    assert kind == ""
    assert said[0] == TextChunk(text="Hello")
    assert isinstance(said[-1], RoundDone)


@pytest.mark.parametrize("headers", [{}, {"content-type": "text/event-stream"}, {"content-type": "text/plain"}])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_page_without_its_content_type_is_no_model(protocol: str, headers: dict[str, str]) -> None:
    page = Reply(headers=headers, steps=(b"\xef\xbb\xbf\r\n ", b"<!doctype html><html><body>Sign in</body></html>"))
    with ProtocolServer(page) as server:
        assert asyncio.run(read_all(PROTOCOLS[protocol], server.url)) == ([], "not_an_llm")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_deep_event_is_refused_before_it_is_built(protocol: str) -> None:
    deep = "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)
    event = f'data: {{"type": "ping", "choices": [], "x": {deep}}}\n\n'.encode()
    reply = Reply(headers={"content-type": "text/event-stream"}, steps=(delta("Hi", protocol), event))
    first = Reply(headers={"content-type": "text/event-stream"}, steps=(event,))
    with ProtocolServer(reply, first) as server:
        said, kind = asyncio.run(read_all(PROTOCOLS[protocol], server.url))
        assert (said, kind) == ([TextChunk(text="Hi")], "reply_too_large")
        assert asyncio.run(read_all(PROTOCOLS[protocol], server.url)) == ([], "reply_too_large")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_list_of_models_is_bounded(protocol: str) -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"

    async def call(url: str) -> str:
        provider = PROTOCOLS[protocol](url)
        try:
            await provider.list_models()
        except ProviderFault as fault:
            return fault.kind
        finally:
            await provider.close()
        return ""

    with bounded_memory(), Endless(head, b'{"data": [' + b" " * MEGABYTE, framed=False) as server:
        assert asyncio.run(call(server.url)) == "reply_too_large"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_endless_header_ends_with_a_fault(protocol: str) -> None:
    with (
        bounded_memory(),
        Endless(b"HTTP/1.1 200 OK\r\n", b"x-more: " + b"y" * 1000 + b"\r\n", framed=False) as server,
    ):
        assert asyncio.run(read_all(PROTOCOLS[protocol], server.url))[1] in ("dropped", "not_an_llm")


@pytest.mark.parametrize("piece", [1, 7, 65_536])
def test_event_meter_counts_events_in_pieces_of_any_size(piece: int) -> None:
    meter = EventMeter()
    whole = (b"data: " + b"x" * 1000 + b"\r\n\r\n") * 20
    for at in range(0, len(whole), piece):
        meter.add(whole[at : at + piece])
    for _ in range(3):
        meter.add(b"y" * (MAX_EVENT // 2) + b"\n")
        meter.add(b"\n")
    meter.add(b"y" * (MAX_EVENT // 2) + b"\n")
    with pytest.raises(ReplyTooLarge):
        meter.add(b"y" * (MAX_EVENT // 2) + b"\n")


@pytest.mark.parametrize("language", LANGUAGES)
def test_limits_are_reported_in_words(language: Language) -> None:
    texts = Texts(language)
    for kind in ("reply_too_large", "cut_short"):
        assert texts(f"error.fault_{kind}", host="example.org")


@pytest.mark.parametrize(
    "said",
    [
        "Incorrect key: KEY",
        "Your key HEAD… is wrong",
        "Your key HEAD...TAIL is wrong",
        "got HEAD**********TAIL",
        "got 'FIRST20' only",
        "ends in LAST12.",
        "in the middle: MIDDLE",
    ],
)
def test_no_part_of_the_key_is_shown(said: str) -> None:
    key = "qx7Lm2vT9pRw4Zk8Yc3Nd6Bf1Hs5Jg0A"
    parts = {"KEY": key, "HEAD": key[:4], "TAIL": key[-4:], "FIRST20": key[:20], "LAST12": key[-12:]}
    parts["MIDDLE"] = key[8:16]
    for name, part in parts.items():
        said = said.replace(name, part)
    shown = safe_message(said, ApiKey(key))
    assert not any(key[at : at + 4] in shown for at in range(len(key) - 3))
    assert safe_message("Nothing is wrong with this sentence", ApiKey(key)) == "Nothing is wrong with this sentence"
