"""Provider for a Messages endpoint, Anthropic's or a compatible one, through the official SDK.

The SDK is imported when a provider is made, since that takes over a second. Telemetry headers are never sent;
loopback bypasses proxies. Of the SDK's typed stream only the response is read: it drops events without a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from pet import __version__
from pet.model import Request
from pet.providers.anthropic_messages import MessageAccumulator, encode_request
from pet.providers.faults import Where, families, fault_of, is_error, of_status
from pet.providers.http_provider import HttpProvider, Refusal
from pet.providers.model_server import ModelServer, model_ids, reset_on_close
from pet.providers.quirks import Quirks
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


class AnthropicProvider(HttpProvider):
    """Implements ``Provider`` for one address and one key."""

    def __init__(
        self,
        base_url: str,
        key: ApiKey | None,
        *,
        read_seconds: float | None = None,
        headers: Headers = NO_HEADERS,
    ) -> None:
        super().__init__(base_url, key, read_seconds, headers, families())
        self._client = self._make_client()

    def _new_reply(self, request: Request) -> MessageAccumulator:
        return MessageAccumulator(request.model, self._server.endpoint.host, request.tools)

    def _new_quirks(self) -> Quirks:
        return Quirks()

    async def _send(self, request: Request, quirks: Quirks) -> httpx2.Response | Refusal:
        import anthropic

        try:
            opened = await self._client.messages.create(**encode_request(request, quirks), stream=True)
        except anthropic.APIStatusError as refused:
            return Refusal(refused.status_code, refused.body, str(refused.body), refused.response.headers)
        response: httpx2.Response = opened.response
        return response

    async def _list(self, _where: Where, /, *, every: bool) -> list[str]:
        import httpx2

        options = {"params": {"limit": 1000}}
        response = await self._client.get("/v1/models", cast_to=httpx2.Response, options=options)
        return model_ids(response.content, every=every)

    async def _post_nothing(self, where: Where) -> None:
        import httpx2

        response = await self._client.post("/v1/messages", cast_to=httpx2.Response, body={})
        body = as_mapping(read_json(response.content))
        if is_error(body):
            raise of_status(200, body, response.headers, where)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    def _check_client(self, where: Where) -> None:
        super()._check_client(where)
        if self._server.endpoint.anthropic and not where.secrets:
            raise fault_of("no_key", where)

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
