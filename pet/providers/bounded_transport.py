"""HTTP transport that bounds response sizes, for every protocol.

Requests uncompressed responses, and decompresses gzip and deflate in small pieces. Error bodies are truncated. Raises
ReplyTooLarge past the limits, NotAStream for an HTML page in place of a stream. Imports httpx2: import it late.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Callable, Iterator

import httpx2

from pet.providers.sanitize import ReplyTooLarge

MAX_STREAM = 64 * 1024 * 1024
"""Bytes of one streamed response, decompressed."""
MAX_EVENT = 4 * 1024 * 1024
"""Bytes of one event, and of a JSON response."""
MAX_ERROR = 64 * 1024
"""Bytes of an error body; the rest is not read."""
_PIECE = 64 * 1024
_PACKED = {"gzip": 47, "x-gzip": 47, "deflate": 47}  # zlib's wbits: accept either header
_GONE = ("content-encoding", "content-length", "transfer-encoding")

_Unpack = Callable[[bytes], Iterator[bytes]]
_Take = Callable[[bytes], bytes]
"""Return the accepted part of the data; less than all ends the response. Raises ReplyTooLarge."""


class NotAStream(ValueError):
    """The response is an HTML page, or in an unsupported encoding."""


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Wraps another transport."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["accept-encoding"] = "identity"
        response = await self._inner.handle_async_request(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        headers = [pair for pair in response.headers.multi_items() if pair[0].lower() not in _GONE]
        bounded = httpx2.Response(
            response.status_code,
            headers=headers,
            stream=_Bounded(response.stream, _unpacker(response.headers), _limit_of(response)),
            extensions=response.extensions,
        )
        bounded.encoding = "utf-8"  # an error's text would be decoded as the server declares, whatever that costs
        return bounded

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, unpack: _Unpack, take: _Take) -> None:
        self._inner = inner
        self._unpack = unpack
        self._take = take

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for packed in self._inner:
            for data in self._unpack(packed):
                kept = self._take(data)
                if kept:
                    yield kept
                if len(kept) < len(data):
                    return

    async def aclose(self) -> None:
        await self._inner.aclose()


def _plain(data: bytes) -> Iterator[bytes]:
    for at in range(0, len(data), _PIECE):
        yield data[at : at + _PIECE]


class _Zlib:
    """Raises NotAStream for data that doesn't match its content-encoding."""

    def __init__(self, wbits: int) -> None:
        self._inflater = zlib.decompressobj(wbits)
        self._begun = False

    def unpack(self, data: bytes) -> Iterator[bytes]:
        while True:
            try:
                piece = self._inflater.decompress(data, _PIECE)
            except zlib.error:
                if self._begun:
                    raise NotAStream from None
                self._inflater, self._begun = zlib.decompressobj(-zlib.MAX_WBITS), True  # "deflate" without a header
                continue
            self._begun = True
            if piece:
                yield piece
            data = self._inflater.unconsumed_tail
            if not data and len(piece) < _PIECE:
                return


def _refused(_data: bytes) -> Iterator[bytes]:
    raise NotAStream


def _unpacker(headers: httpx2.Headers) -> _Unpack:
    coding = headers.get("content-encoding", "").strip().lower()
    if coding in ("", "identity"):
        return _plain
    return _Zlib(_PACKED[coding]).unpack if coding in _PACKED else _refused


def _cut_at(most: int) -> _Take:
    left = most

    def take(data: bytes) -> bytes:
        nonlocal left
        kept = data[:left]
        left -= len(kept)
        return kept

    return take


def _at_most(most: int, check: Callable[[bytes], object] = len) -> _Take:
    """``check``: called with each piece first."""
    left = most

    def take(data: bytes) -> bytes:
        nonlocal left
        check(data)
        left -= len(data)
        if left < 0:
            raise ReplyTooLarge
        return data

    return take


class EventMeter:
    """Limits the length of events in a byte stream that arrives in pieces of any size."""

    def __init__(self) -> None:
        self._length = 0
        self._tail = b""

    def add(self, data: bytes) -> None:
        """Raises ReplyTooLarge."""
        joined = self._tail + data
        end = max(at + len(mark) if (at := joined.rfind(mark)) >= 0 else 0 for mark in _EVENT_ENDS)
        self._length = len(joined) - end if end else self._length + len(data)
        self._tail = joined[-3:]
        if self._length > MAX_EVENT:
            raise ReplyTooLarge


_EVENT_ENDS = (b"\n\n", b"\n\r\n", b"\r\r")


class _StreamMeter(EventMeter):
    """Detects an HTML page too, by its first character."""

    _begun = False

    def add(self, data: bytes) -> None:
        if not self._begun and (first := data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]):
            self._begun = True
            if first == b"<":
                raise NotAStream
        super().add(data)


def _limit_of(response: httpx2.Response) -> _Take:
    if not 200 <= response.status_code < 300:
        return _cut_at(MAX_ERROR)
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return _at_most(MAX_EVENT) if kind.endswith("json") else _at_most(MAX_STREAM, _StreamMeter().add)
