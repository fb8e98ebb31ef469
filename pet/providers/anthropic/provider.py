"""A Messages endpoint, Anthropic's or a compatible one, through the official SDK.

One ``stream`` is one request: no retries, no redirects, no tools run. The SDK is imported when a provider is made,
never with this module, since that takes over a second. What leaves is decided here: the key goes to its own origin
only, no telemetry headers go anywhere, and loopback never goes through a proxy.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from pet import __version__
from pet.errors import ProviderFault
from pet.model import Request
from pet.providers.anthropic.encoding import encode_request
from pet.providers.anthropic.stream import MessageAccumulator
from pet.providers.base import Streamed
from pet.providers.http.faults import Where, classify, families, fault_of, of_status
from pet.providers.http.model_server import ModelServer, content_type, fault_after, logged, model_ids, reset_on_close
from pet.settings.api_keys import ApiKey
from pet.untrusted.parsers import read_json

if TYPE_CHECKING:
    import anthropic
    import httpx2

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
        read_seconds: float | None = None,
    ) -> None:
        self._server = ModelServer(base_url, key, read_seconds)
        self._client = self._make_client()
        self._families = families()

    async def stream(self, request: Request) -> AsyncIterator[Streamed]:
        where = self._server.where(request)
        client = self._ready(where)
        reply, fault, answered = MessageAccumulator(request.model), None, False
        try:
            async with await client.messages.create(**encode_request(request), stream=True) as opened:
                answered = True
                async for event in _events(opened.response, where):
                    came = reply.feed(event)
                    if came is not None:
                        yield came
            fault = _fault_of_silence(reply, where)
        except self._families as error:
            fault = fault_after(error, where, answered=answered, spoke=reply.spoke)
        # Raised out here, so that no exception of the SDK's hangs on it: those hold the request and its headers.
        if fault is not None:
            raise fault
        yield reply.done()

    async def list_models(self) -> list[str]:
        import httpx2

        where = self._server.where()
        client = self._ready(where)
        fault, found = None, list[str]()
        try:
            response = await client.get("/v1/models", cast_to=httpx2.Response, options={"params": {"limit": 1000}})
            found = model_ids(response.content)
        except self._families as error:
            fault = logged(classify(error, where), error)
        if fault is not None:
            raise fault
        return found

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    def _ready(self, where: Where) -> anthropic.AsyncAnthropic:
        if self._client is None:
            raise fault_of("proxy", where, proxy=where.proxy)
        if self._server.key is None and self._server.endpoint.anthropic:
            raise fault_of("no_key", where)
        return self._client

    def _make_client(self) -> anthropic.AsyncAnthropic | None:
        """None: the proxy that the system names can't be used."""
        import anthropic

        transport = self._server.make_transport()
        if transport is None:
            return None
        http = anthropic.DefaultAsyncHttpxClient(
            transport=transport,
            follow_redirects=False,
            timeout=self._server.timeout,
            event_hooks={"request": [_Headers(self._server)]},
        )
        return anthropic.AsyncAnthropic(
            api_key=_NO_KEY,
            base_url=self._server.endpoint.base_url,
            http_client=http,
            timeout=self._server.timeout,
            max_retries=0,
            open_telemetry=False,
        )


class _Headers:
    """The last word on what goes out with a request: an allow-list, then the key, if this is where it belongs."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server

    async def __call__(self, request: httpx2.Request) -> None:
        request.extensions["trace"] = reset_on_close
        headers, anthropics_own = request.headers, self._server.endpoint.anthropic
        for name in [name for name in headers if name.lower() not in _KEPT_HEADERS]:
            del headers[name]
        headers["user-agent"] = f"soulpet/{__version__}"
        if not anthropics_own:
            headers["anthropic-version"] = _OLDER_PROTOCOL
        key = self._server.key_for(str(request.url))
        if key is None:
            return
        headers["authorization"] = f"Bearer {key}"
        if not anthropics_own:
            headers["x-api-key"] = key


async def _events(response: httpx2.Response, where: Where) -> AsyncIterator[Mapping[str, Any]]:
    """The data of each event. Not the SDK's own reading: that drops events without a name and, of those it keeps,
    builds a model for each. Raises ProviderFault for an error in the stream and for what is no stream."""
    import anthropic

    kind = content_type(response)
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


def _fault_of_silence(reply: MessageAccumulator, where: Where) -> ProviderFault | None:
    """A stream that came to its end without an error, and said nothing: not our protocol, or cut short."""
    if reply.ended or reply.spoke:
        return None
    return fault_of("cut" if reply.started or not reply.saw_events else "not_an_llm", where)
