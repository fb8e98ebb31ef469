"""Provider for OpenAI's protocols, chat completions and Responses, on its servers or compatible ones, over httpx2.

Loopback bypasses proxies.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pet import __version__
from pet.model import Request
from pet.providers import openai_messages, responses_messages
from pet.providers.accumulator import ReplyAccumulator
from pet.providers.endpoint import base_of, is_near
from pet.providers.faults import Where, is_error, of_status, plain_families
from pet.providers.http_provider import HttpProvider, Refusal, json_body
from pet.providers.model_server import model_ids, reset_on_close
from pet.providers.quirks import Quirks, quirks_of
from pet.providers.sanitize import as_mapping
from pet.settings.api_keys import NO_HEADERS, ApiKey, Headers

if TYPE_CHECKING:
    import httpx2

_OK = (200, 201, 202)
_DEPLOYMENT = re.compile(r"/openai/deployments/([^/]+)$")

Extra = Callable[[Request], Mapping[str, Any]]
"""Return additional body fields."""


class OpenAIProvider(HttpProvider):
    """Implements ``Provider`` for one address and one key."""

    def __init__(
        self,
        base_url: str,
        key: ApiKey | None,
        *,
        read_seconds: float | None = None,
        extra: Extra = lambda _request: {},
        keep_alive: bool = True,
        responses: bool = False,
        instead: bool = False,
        headers: Headers = NO_HEADERS,
    ) -> None:
        """``responses``: speak that protocol. ``instead``: the caller tries it where a refusal advises it."""
        super().__init__(base_url, key, read_seconds, headers, plain_families())
        self._responses, self._instead = responses, instead
        self._near = is_near(base_url)
        self._base = base_of(base_url)
        self._extra = extra
        self._keep_alive = keep_alive
        self._host = self._server.endpoint.host
        self._client = self._server.make_client()

    def _new_reply(self, request: Request) -> ReplyAccumulator:
        made = responses_messages.ResponsesAccumulator if self._responses else openai_messages.ChatAccumulator
        return made(request.model, self._host, request.tools)

    def _new_quirks(self) -> Quirks:
        quirks = quirks_of(self._host, near=self._near)
        quirks.responses = self._instead
        return quirks

    async def _send(self, request: Request, quirks: Quirks) -> httpx2.Response | Refusal:
        encode = responses_messages.encode_request if self._responses else openai_messages.encode_request
        body = encode(request, quirks, self._host) | dict(self._extra(request))
        sent = self._client.build_request(
            "POST",
            self._url(),
            content=json.dumps(body, ensure_ascii=False).encode(),
            headers=self._headers(),
            extensions={"trace": reset_on_close},
        )
        response: httpx2.Response = await self._client.send(sent, stream=True)
        if response.status_code in _OK:
            return response
        try:
            content = await response.aread()
        finally:
            await response.aclose()
        return Refusal(response.status_code, json_body(content), content.decode("utf-8", "replace"), response.headers)

    async def _list(self, where: Where, /, *, every: bool) -> list[str]:
        if deployment := _DEPLOYMENT.search(self._base):
            return [deployment[1]]  # the address names the model, and lists none
        response = await self._client.get(self._url("models"), headers=self._headers())
        if response.status_code != 200:
            raise of_status(response.status_code, json_body(response.content), response.headers, where)
        return [model.removeprefix("models/") for model in model_ids(response.content, every=every)]

    async def _post_nothing(self, where: Where) -> None:
        response = await self._client.post(self._url(), content=b"{}", headers=self._headers())
        body = json_body(response.content)
        if response.status_code not in _OK or is_error(as_mapping(body)):
            raise of_status(response.status_code, body, response.headers, where)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    def _url(self, path: str = "") -> str:
        """Return the URL of requests, or of another path."""
        path = path or ("responses" if self._responses else "chat/completions")
        query = self._server.endpoint.query
        if self._responses and (deployment := _DEPLOYMENT.search(self._base)):
            return f"{self._base[: deployment.start()]}/openai/v1/{path}"  # Azure's, which takes no version
        return f"{self._base}/{path}{'?' if query else ''}{query}"

    def _headers(self) -> dict[str, str]:
        headers = {
            "accept": "text/event-stream, application/json",
            "content-type": "application/json",
            "user-agent": f"soulpet/{__version__}",
        }
        if not self._keep_alive:
            headers["connection"] = "close"
        return headers | self._server.authorization(self._base)
