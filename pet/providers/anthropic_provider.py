"""Provider for a Messages endpoint, Anthropic's or a compatible one, through the official SDK.

One ``stream`` is one request, without retries or redirects. The SDK is imported when a provider is made, since that
takes over a second. The key is sent to its own origin only, telemetry headers never; loopback bypasses proxies.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from pet import __version__
from pet.errors import ProviderFault
from pet.model import Request
from pet.providers.anthropic_messages import MessageAccumulator, encode_request, events_of
from pet.providers.base import Streamed
from pet.providers.echoes import mask_secrets, mask_stream
from pet.providers.faults import (
    NO_LIMITS,
    Where,
    classify,
    families,
    fault_of,
    is_error,
    knows_protocol,
    limits_in,
    of_status,
    safe_message,
)
from pet.providers.model_server import (
    ModelServer,
    content_type,
    fault_after,
    is_stream,
    logged,
    model_ids,
    reset_on_close,
)
from pet.providers.quirks import MAX_REJECTIONS, Quirks
from pet.providers.sanitize import as_mapping
from pet.settings.api_keys import NO_HEADERS, ApiKey, Headers
from pet.untrusted.parsers import read_json

if TYPE_CHECKING:
    import anthropic
    import httpx2

_NO_KEY = "no-key"  # the SDK requires one; ``_Headers`` sets the real one
_OLDER_PROTOCOL = "2023-06-01"  # the one that compatible servers implement
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
        headers: Headers = NO_HEADERS,
    ) -> None:
        self._server = ModelServer(base_url, key, read_seconds, headers)
        self._client = self._make_client()
        self._families = families()
        self._quirks: dict[str, Quirks] = {}  # by model, as its refusals want it

    def stream(self, request: Request) -> AsyncIterator[Streamed]:
        return mask_stream(self._stream(request), self._server.where(request).secrets)

    async def _stream(self, request: Request) -> AsyncGenerator[Streamed, None]:
        where = self._server.where(request)
        client = self._ready(where)
        reply = MessageAccumulator(request.model, request.tools, self._server.endpoint.host)
        fault, answered = None, False
        try:
            async with await self._open(client, request) as opened:
                answered = True
                async for event in _events(opened.response, where):
                    for chunk in reply.feed(event):
                        yield chunk
        except self._families as error:
            fault = fault_after(error, where, answered=answered, spoke=reply.spoke)
        if fault is None:
            for chunk in reply.finish():
                yield chunk
            fault = _fault_of_silence(reply, where)
        # Raised outside the handler: the SDK's exceptions hold the request and its headers, and would be chained.
        if fault is not None:
            raise fault
        yield reply.done()

    async def _open(
        self, client: anthropic.AsyncAnthropic, request: Request
    ) -> anthropic.AsyncStream[anthropic.types.RawMessageStreamEvent]:
        """Return the opened stream; a request that is refused for a field is made once more, as is wanted."""
        import anthropic

        quirks = self._quirks.setdefault(request.model, Quirks())
        for _ in range(MAX_REJECTIONS):
            try:
                return await self._create(client, encode_request(request, quirks))
            except anthropic.APIStatusError as refusal:
                message = str(refusal.body)
                if limits_in(message, request.max_tokens) != NO_LIMITS:
                    raise
                if not quirks.learn(refusal.status_code, message):
                    raise
        return await self._create(client, encode_request(request, quirks))

    async def _create(
        self, client: anthropic.AsyncAnthropic, params: dict[str, Any]
    ) -> anthropic.AsyncStream[anthropic.types.RawMessageStreamEvent]:
        opened: anthropic.AsyncStream[anthropic.types.RawMessageStreamEvent]
        opened = await client.messages.create(**params, stream=True)
        return opened

    async def list_models(self, *, every: bool = False) -> list[str]:
        import httpx2

        where = self._server.where()
        client = self._ready(where)
        fault, ids = None, list[str]()
        try:
            response = await client.get("/v1/models", cast_to=httpx2.Response, options={"params": {"limit": 1000}})
            ids = [mask_secrets(each, where.secrets) for each in model_ids(response.content, every=every)]
        except self._families as error:
            fault = logged(classify(error, where), error)
        if fault is not None:
            raise fault
        return ids

    async def is_spoken(self) -> bool | None:
        """The same as ``OpenAIProvider.is_spoken``."""
        import httpx2

        where = self._server.where()
        client, fault = self._ready(where), None
        try:
            response = await client.post("/v1/messages", cast_to=httpx2.Response, body={})
            body = as_mapping(read_json(response.content))
            if is_error(body):
                fault = of_status(200, body, response.headers, where)
        except self._families as error:
            fault = logged(classify(error, where), error)
        return knows_protocol(fault)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    def _ready(self, where: Where) -> anthropic.AsyncAnthropic:
        if self._client is None:
            raise fault_of("proxy", where, proxy=where.proxy)
        if self._server.endpoint.anthropic and not where.secrets:
            raise fault_of("no_key", where)
        return self._client

    def _make_client(self) -> anthropic.AsyncAnthropic | None:
        """Return the client, or None if the system's proxy can't be used."""
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
            default_query=dict(parse_qsl(self._server.endpoint.query, keep_blank_values=True)),
            http_client=http,
            timeout=self._server.timeout,
            max_retries=0,
            open_telemetry=False,
        )


class _Headers:
    """Request hook: allow-list the headers, then add the key and the owner's if the request goes to their origin."""

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
        if key is not None:
            headers["authorization"] = f"Bearer {key}"
        if key is not None and not anthropics_own:
            headers["x-api-key"] = key
        headers.update(self._server.headers_for(str(request.url)))


async def _events(response: httpx2.Response, where: Where) -> AsyncIterator[Mapping[str, Any]]:
    """Yield the data of each event. Raises ProviderFault for an error event and for a response that is no stream.

    The SDK's typed stream isn't used: it drops events without a name.
    """
    import anthropic

    kind = content_type(response)
    if kind.startswith("text/html"):
        raise fault_of("not_an_llm", where)
    if kind.endswith("json") and not is_stream(body := await response.aread()):
        whole = as_mapping(read_json(body))
        if "content" not in whole:
            raise of_status(200, whole, {}, where) if is_error(whole) else fault_of("not_an_llm", where)
        for each in events_of(whole):
            yield each
        return
    async for event in anthropic.AsyncStream.raw_events(response):
        if event.data in ("", "null", "[DONE]") or event.data is None:
            continue
        data = read_json(event.data)
        if not isinstance(data, dict):
            raise fault_of("not_an_llm", where)
        if event.event == "error" or ("delta" not in data and "message" not in data and is_error(data)):
            raise of_status(200, data, {}, where)
        yield data


def _fault_of_silence(reply: MessageAccumulator, where: Where) -> ProviderFault | None:
    """Return the fault of a stream that ended without an error and without text, or None.

    Also of one that ends with a tool call which can't be read.
    """
    if reply.unread:
        return fault_of("call_unread", where, model=safe_message(where.model, *where.secrets, limit=100))
    if reply.ended or reply.spoke:
        return None
    return fault_of("cut" if reply.started or not reply.saw_events else "not_an_llm", where)
