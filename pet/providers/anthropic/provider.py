"""A Messages endpoint, Anthropic's or a compatible one, through the official SDK.

One ``stream`` is one request: no retries, no redirects, no tools run. The SDK is imported when a provider is made,
never with this module, since that takes over a second. What leaves is decided here: the key goes to its own origin
only, no telemetry headers go anywhere, and loopback never goes through a proxy.
"""

from __future__ import annotations

import logging
import socket
import struct
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pet import __version__
from pet.errors import ProviderFault
from pet.model import Request
from pet.outside_data import read_json
from pet.providers.anthropic.encoding import encode_request, has_pictures
from pet.providers.anthropic.stream import Accumulator
from pet.providers.base import Streamed
from pet.providers.endpoint import Endpoint, endpoint_of, find_proxy, proxy_host
from pet.providers.faults import Where, classify, families, fault_of, of_status
from pet.settings.api_keys import ApiKey, origin_of

if TYPE_CHECKING:
    import anthropic
    import httpx2

_log = logging.getLogger(__name__)

_CONNECT_SECONDS = 10.0
_READ_SECONDS = 90.0  # between two bytes
_LOCAL_READ_SECONDS = 600.0  # a local model may have to be loaded first
_LINGER_ZERO = struct.pack("HH" if sys.platform == "win32" else "ii", 1, 0)
_LIBRARIES = ("anthropic", "httpx2", "httpcore2")
_NO_KEY = "no-key"  # the SDK wants one; the real one is put in by ``_Headers``
_OLDER_PROTOCOL = "2023-06-01"  # what compatible servers know
_KEPT_HEADERS = frozenset(
    {
        "accept",
        "accept-encoding",
        "anthropic-version",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "user-agent",
    }
)


class AnthropicProvider:
    """Implements ``Provider`` for one address and one key."""

    def __init__(
        self,
        base_url: str,
        key: ApiKey | None,
        *,
        connect_seconds: float = _CONNECT_SECONDS,
        read_seconds: float | None = None,
    ) -> None:
        self._endpoint = endpoint_of(base_url)
        self._key = key
        self._proxy = find_proxy(self._endpoint)
        usual = _LOCAL_READ_SECONDS if self._endpoint.loopback else _READ_SECONDS
        self._client = self._make_client(connect_seconds, read_seconds or usual)
        self._families = families()

    async def stream(self, request: Request) -> AsyncIterator[Streamed]:
        where = replace(self._where(request.model), pictures=has_pictures(request))
        client = self._ready(where)
        reply, fault, answered = Accumulator(request.model), None, False
        try:
            async with await client.messages.create(**encode_request(request), stream=True) as opened:
                answered = True
                async for event in _events(opened.response, where):
                    came = reply.feed(event)
                    if came is not None:
                        yield came
            fault = _fault_of_silence(reply, where)
        except self._families as error:
            fault = _fault_after(error, reply, where, answered=answered)
        # Raised out here, so that no exception of the SDK's hangs on it: those hold the request and its headers.
        if fault is not None:
            raise fault
        yield reply.done()

    async def list_models(self) -> list[str]:
        where = self._where("")
        client = self._ready(where)
        fault, found = None, list[str]()
        try:
            response = await client.get("/v1/models", cast_to=_response_type(), options={"params": {"limit": 1000}})
            found = _model_ids(response.content)
        except self._families as error:
            fault = _logged(classify(error, where), error)
        if fault is not None:
            raise fault
        return found

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    def _where(self, model: str) -> Where:
        return Where(host=self._endpoint.host, proxy=proxy_host(self._proxy), model=model, key=self._key)

    def _ready(self, where: Where) -> anthropic.AsyncAnthropic:
        if self._client is None:
            raise fault_of("proxy", where, proxy=where.proxy)
        if self._key is None and self._endpoint.anthropic:
            raise fault_of("no_key", where)
        return self._client

    def _make_client(self, connect: float, read: float) -> anthropic.AsyncAnthropic | None:
        """None: the proxy that the system names can't be used."""
        import anthropic
        import httpx2

        from pet.providers.bounded_transport import BoundedTransport

        for name in _LIBRARIES:  # their debug logs hold whole requests, memory included; ANTHROPIC_LOG turns them on
            logging.getLogger(name).setLevel(logging.WARNING)
        try:
            # A transport of our own, because the SDK's default one takes every proxy of the environment, loopback
            # included, and fails on those it does not know.
            transport = BoundedTransport(httpx2.AsyncHTTPTransport(proxy=self._proxy))
        except (ValueError, ImportError, httpx2.InvalidURL):
            return None
        timeout = httpx2.Timeout(connect=connect, read=read, write=30.0, pool=connect)
        http = anthropic.DefaultAsyncHttpxClient(
            transport=transport,
            follow_redirects=False,
            timeout=timeout,
            event_hooks={"request": [_Headers(self._endpoint, self._key)]},
        )
        return anthropic.AsyncAnthropic(
            api_key=_NO_KEY,
            base_url=self._endpoint.base_url,
            http_client=http,
            timeout=timeout,
            max_retries=0,
            open_telemetry=False,
        )


class _Headers:
    """The last word on what goes out with a request: an allow-list, then the key, if this is where it belongs."""

    def __init__(self, endpoint: Endpoint, key: ApiKey | None) -> None:
        self._endpoint = endpoint
        self._key = key

    async def __call__(self, request: httpx2.Request) -> None:
        request.extensions["trace"] = _reset_on_close
        headers = request.headers
        for name in [name for name in headers if name.lower() not in _KEPT_HEADERS]:
            del headers[name]
        headers["user-agent"] = f"soulpet/{__version__}"
        if not self._endpoint.anthropic:
            headers["anthropic-version"] = _OLDER_PROTOCOL
        if self._key is None or origin_of(str(request.url)) != self._endpoint.origin:
            return
        headers["authorization"] = f"Bearer {self._key.reveal()}"
        if not self._endpoint.anthropic:
            headers["x-api-key"] = self._key.reveal()


async def _reset_on_close(event: str, info: Mapping[str, Any]) -> None:
    """Trace hook: a new connection is reset when it is closed, so the system drops what it had not sent by then.

    Without it the rest of a cancelled request would still leave. Not done by the transport's ``socket_options``:
    those are not applied to SOCKS proxies.
    """
    if event.endswith(".connect_tcp.complete"):
        info["return_value"].get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)


async def _events(response: httpx2.Response, where: Where) -> AsyncIterator[Mapping[str, Any]]:
    """The data of each event. Not the SDK's own reading: that drops events without a name and, of those it keeps,
    builds a model for each. Raises ProviderFault for an error in the stream and for what is no stream."""
    import anthropic

    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind.startswith("text/html") or kind.endswith("json"):
        raise fault_of("not_an_llm", where)
    async for event in anthropic.AsyncStream.raw_events(response):
        if not event.data or event.data == "[DONE]":
            continue
        data = read_json(event.data)
        if not isinstance(data, dict):
            raise fault_of("not_an_llm", where)
        if event.event == "error" or data.get("type") == "error":
            raise of_status(200, data, {}, where)
        yield data


def _fault_of_silence(reply: Accumulator, where: Where) -> ProviderFault | None:
    """A stream that came to its end without an error, and said nothing: not our protocol, or cut short."""
    if reply.ended or reply.spoke:
        return None
    return fault_of("cut" if reply.started or not reply.saw_events else "not_an_llm", where)


def _fault_after(error: Exception, reply: Accumulator, where: Where, *, answered: bool) -> ProviderFault | None:
    """None: words came before the stream broke; what there is of the reply is a cut round."""
    fault = classify(error, where)
    if answered and fault.kind not in ("timeout", "unknown", "reply_too_large"):
        if reply.spoke:
            _logged(fault_of("cut", where), error)
            return None
        if fault.kind != "not_an_llm":
            fault = fault_of("cut", where)
    return _logged(fault, error)


def _logged(fault: ProviderFault, error: Exception) -> ProviderFault:
    # The type only: texts of servers and libraries may quote the request.
    _log.info("model call failed: %s after %s", fault.kind, type(error).__name__)
    return fault


def _response_type() -> type[httpx2.Response]:
    import httpx2

    return httpx2.Response


def _model_ids(content: bytes) -> list[str]:
    """The ids in a list of models; extra fields and their absence are all one. Raises ValueError for no such list."""
    found = read_json(content)
    data = found.get("data") if isinstance(found, dict) else None
    if not isinstance(data, list):
        raise ValueError("no list of models")
    ids = [model.get("id") for model in data if isinstance(model, dict)]
    return [model for model in ids if isinstance(model, str)]
