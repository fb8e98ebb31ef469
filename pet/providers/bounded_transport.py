"""HTTP transport that bounds response sizes, for every protocol.

Requests uncompressed responses, and decompresses gzip and deflate in small pieces. Error bodies are truncated. Raises
ReplyTooLarge past the limits, NotAStream for an HTML page in place of a stream. Imports httpx2: import it late.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Callable, Iterator

import httpx2

from pet.providers.sanitize import MAX_ERROR, MAX_EVENT, MAX_STREAM, EventMeter, ReplyTooLarge

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


class _ErrorBody:
    def __init__(self) -> None:
        self._left = MAX_ERROR

    def take(self, data: bytes) -> bytes:
        kept = data[: self._left]
        self._left -= len(kept)
        return kept


class _WholeBody:
    def __init__(self) -> None:
        self._left = MAX_EVENT

    def take(self, data: bytes) -> bytes:
        self._left -= len(data)
        if self._left < 0:
            raise ReplyTooLarge
        return data


class _Stream:
    """A stream of events; an HTML page is detected by its first character."""

    def __init__(self) -> None:
        self._left = MAX_STREAM
        self._events = EventMeter()
        self._begun = False

    def take(self, data: bytes) -> bytes:
        if not self._begun and (first := data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]):
            self._begun = True
            if first == b"<":
                raise NotAStream
        self._left -= len(data)
        if self._left < 0:
            raise ReplyTooLarge
        self._events.add(data)
        return data


def _limit_of(response: httpx2.Response) -> _Take:
    if not 200 <= response.status_code < 300:
        return _ErrorBody().take
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return _WholeBody().take if kind.endswith("json") else _Stream().take
