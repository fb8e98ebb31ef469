"""Provider for OpenAI's protocols, chat completions and Responses, on its servers or compatible ones, over httpx2.

One ``stream`` is one request, repeated only if the server rejects a field by name. No redirects; the key is sent to
its own origin only; loopback bypasses proxies.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pet import __version__
from pet.errors import ProviderFault
from pet.model import Request
from pet.providers import openai_messages, responses_messages
from pet.providers.base import Streamed
from pet.providers.echoes import mask_secrets, mask_stream
from pet.providers.endpoint import is_azure, is_near
from pet.providers.faults import (
    NO_LIMITS,
    Where,
    classify,
    fault_of,
    is_error,
    knows_protocol,
    limits_in,
    of_status,
    plain_families,
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
from pet.providers.quirks import MAX_REJECTIONS, Quirks, quirks_of
from pet.providers.sanitize import as_mapping
from pet.settings.api_keys import NO_HEADERS, ApiKey, Headers
from pet.untrusted.parsers import read_json

if TYPE_CHECKING:
    import httpx2

_OK = (200, 201, 202)
_TAILS = ("/chat/completions", "/models", "/completions", "/responses")
_DEPLOYMENT = re.compile(r"/openai/deployments/([^/]+)$")

Reply = openai_messages.ChatAccumulator | responses_messages.ResponsesAccumulator
Extra = Callable[[Request], Mapping[str, Any]]
"""Return additional body fields."""


def base_of(base_url: str) -> str:
    """Return the URL without ``/chat/completions`` and query; a bare host gets ``/v1``."""
    url = base_url.strip().partition("?")[0].rstrip("/")
    for tail in _TAILS:
        url = url.removesuffix(tail).rstrip("/")
    return url if urlsplit(url).path else f"{url}/v1"


class OpenAIProvider:
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
        self._responses, self._instead = responses, instead
        self._near = is_near(base_url)
        self._base = base_of(base_url)
        self._server = ModelServer(base_url, key, read_seconds, headers)
        self._extra = extra
        self._keep_alive = keep_alive
        endpoint = self._server.endpoint
        self._host = endpoint.host
        self._azure = is_azure(base_url)
        self._quirks: dict[str, Quirks] = {}  # by model
        self._client = self._make_client()
        self._families = plain_families()

    def stream(self, request: Request) -> AsyncIterator[Streamed]:
        return mask_stream(self._stream(request), self._server.where(request).secrets)

    async def _stream(self, request: Request) -> AsyncGenerator[Streamed, None]:
        where = self._server.where(request, responses=self._responses)
        client, fault = self._ready(where), None
        made = responses_messages.ResponsesAccumulator if self._responses else openai_messages.ChatAccumulator
        reply: Reply = made(request.model, self._host, request.tools)
        answered = False
        try:
            async with aclosing(await self._answer(client, request, where)) as response:
                answered = True
                async for chunk in _chunks(response, where, _KNOWN[self._responses]):
                    for event in () if chunk is None else reply.feed(chunk):
                        yield event
                    if chunk is None or (self._responses and reply.ended):  # chats tell their usage after the end
                        reply.close()
                        break
        except self._families as error:
            fault = fault_after(error, where, answered=answered, spoke=reply.spoke)
        if fault is None:
            for event in reply.finish():
                yield event
            fault = _fault_of_silence(reply, where)
        # Raised outside the handler: the client's exceptions hold the request and its headers, and would be chained.
        if fault is not None:
            raise fault
        yield reply.done()

    async def list_models(self, *, every: bool = False) -> list[str]:
        if deployment := _DEPLOYMENT.search(self._base):
            return [deployment[1]]  # the address names the model, and lists none
        where = self._server.where()
        client, fault, ids = self._ready(where), None, list[str]()
        try:
            response = await client.get(self._url("models"), headers=self._headers())
            if response.status_code != 200:
                fault = of_status(response.status_code, _body(response.content), response.headers, where)
            else:
                ids = [model.removeprefix("models/") for model in model_ids(response.content, every=every)]
                ids = [mask_secrets(each, where.secrets) for each in ids]
        except self._families as error:
            fault = logged(classify(error, where), error)
        if fault is not None:
            raise fault
        return ids

    async def is_spoken(self) -> bool | None:
        """Whether the server knows this protocol, by what it says of an empty request; None: only with a key. Raises
        ProviderFault if it does not answer."""
        where = self._server.where()
        client, fault = self._ready(where), None
        try:
            url = self._url("responses" if self._responses else "chat/completions")
            response = await client.post(url, content=b"{}", headers=self._headers())
            body = _body(response.content)
            if response.status_code not in _OK or is_error(as_mapping(body)):
                fault = of_status(response.status_code, body, response.headers, where)
        except self._families as error:
            fault = logged(classify(error, where), error)
        return knows_protocol(fault)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def _answer(self, client: httpx2.AsyncClient, request: Request, where: Where) -> httpx2.Response:
        """Return the opened stream; the caller closes it. Raises ProviderFault and the client's exceptions."""
        quirks = self._quirks.setdefault(request.model, quirks_of(self._host, near=self._near))
        quirks.responses = self._instead
        encode = responses_messages.encode_request if self._responses else openai_messages.encode_request
        for _ in range(MAX_REJECTIONS + 1):
            body = encode(request, quirks, self._host) | dict(self._extra(request))
            sent = client.build_request(
                "POST",
                self._url("responses" if self._responses else "chat/completions"),
                content=json.dumps(body, ensure_ascii=False).encode(),
                headers=self._headers(),
                extensions={"trace": reset_on_close},
            )
            response = await client.send(sent, stream=True)
            if response.status_code in _OK:
                return response
            try:
                content = await response.aread()
            finally:
                await response.aclose()
            message = content.decode("utf-8", "replace")
            if limits_in(message, request.max_tokens) != NO_LIMITS or not quirks.learn(response.status_code, message):
                break
        raise of_status(response.status_code, _body(content), response.headers, where)

    def _url(self, path: str) -> str:
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
        key = self._server.key_for(self._base)
        if key is not None and self._azure:
            headers["api-key"] = key
        elif key is not None:
            headers["authorization"] = f"Bearer {key}"
        return headers | self._server.headers_for(self._base)

    def _ready(self, where: Where) -> httpx2.AsyncClient:
        if self._client is None:
            raise fault_of("proxy", where, proxy=where.proxy)
        return self._client

    def _make_client(self) -> httpx2.AsyncClient | None:
        """Return the client, or None if the system's proxy can't be used."""
        import httpx2

        transport, timeout = self._server.make_transport(), self._server.timeout
        if transport is None:
            return None
        return httpx2.AsyncClient(transport=transport, follow_redirects=False, timeout=timeout, trust_env=False)


async def _chunks(response: httpx2.Response, where: Where, known: Known) -> AsyncIterator[Mapping[str, Any] | None]:
    """Yield the data of each event, then None if the server itself ended the reply. Pings are skipped.

    Raises ProviderFault for an error event and for a response that is no stream.
    """
    kind = content_type(response)
    if kind.startswith("text/html"):
        raise fault_of("not_an_llm", where)
    if kind.endswith("json") and not is_stream(body := await response.aread()):
        chunk = _checked(read_json(body), where)  # the server does not stream
        if known.whole not in chunk:
            raise fault_of("not_an_llm", where)
        yield chunk if known.whole in known.parts else {"type": "response.completed", "response": chunk}
        yield None
        return
    spoke = strange = False
    async for data in _events(response):
        if data.strip() == "[DONE]":
            yield None
            return
        if data.strip() in ("", "null"):
            continue
        chunk = _checked(read_json(data), where)
        spoke = spoke or known.part in chunk
        strange = strange or not known.parts.intersection(chunk)
        yield chunk
    if strange and not spoke:
        raise fault_of("not_an_llm", where)


@dataclass(frozen=True, slots=True)
class Known:
    """Fields by which a protocol is known: of a chunk that says something, of any, of a reply that isn't streamed."""

    part: str
    parts: frozenset[str]
    whole: str


_KNOWN = {
    False: Known("choices", frozenset({"choices", "usage"}), "choices"),
    True: Known("type", frozenset({"type"}), "output"),
}


def _checked(chunk: object, where: Where) -> Mapping[str, Any]:
    if not isinstance(chunk, dict):
        raise fault_of("not_an_llm", where)
    failed = as_mapping(chunk.get("response")).get("error") if chunk.get("type") == "response.failed" else None
    if failed or chunk.get("type") == "error":  # of Responses
        error = failed or chunk.get("error") or chunk
        raise of_status(_code_in(error), {"error": error}, {}, where)
    if chunk.get("error") or ("choices" not in chunk and "output" not in chunk and is_error(chunk)):
        raise of_status(_code_in(chunk.get("error") or chunk), chunk, {}, where)
    return chunk


def _code_in(error: object) -> int:
    """Return the HTTP status that some servers put into error events, else 200."""
    code = error.get("code") if isinstance(error, dict) else None
    if code in _CODES:
        return _CODES[code]
    if isinstance(code, str) and code.isdecimal():
        code = int(code[:4])
    return code if isinstance(code, int) and 400 <= code < 600 else 200


_CODES = {"server_error": 500, "rate_limit_exceeded": 429, "invalid_prompt": 400, "bio_policy": 400}
"""Types of OpenAI's events."""


async def _events(response: httpx2.Response) -> AsyncIterator[str]:
    """Yield the data of each server-sent event; comments and other fields are skipped."""
    data: list[str] = []
    rest: list[bytes] = []  # of an incomplete line; the transport bounds its length
    ends, begun = b"", False
    async for received in response.aiter_bytes():
        piece, begun = received if begun else received.removeprefix(codecs.BOM_UTF8), True
        if not ends and (b"\n" in piece or b"\r\r" in piece):  # some end lines with a carriage return alone
            ends = b"\n" if b"\n" in piece else b"\r"
        *lines, last = piece.split(ends or b"\n")
        if lines:
            lines[0] = b"".join((*rest, lines[0]))
            rest.clear()
        rest.append(last)
        for raw in lines:
            line = raw.rstrip(b"\r")
            if line.startswith(b"data:"):
                data.append(line[5:].removeprefix(b" ").decode())
            elif not line and data:
                yield "\n".join(data)
                data.clear()
    if data:
        yield "\n".join(data)


def _fault_of_silence(reply: Reply, where: Where) -> ProviderFault | None:
    """Return the fault of a stream that ended without a finish reason and without text, or None.

    Also of one that ends with a tool call which can't be read.
    """
    if reply.unread:
        return fault_of("call_unread", where, model=safe_message(where.model, *where.secrets, limit=100))
    if reply.ended or reply.spoke:
        return None
    return fault_of("cut", where)


def _body(content: bytes) -> object:
    """Parse an error body; None if it is not JSON. Gemini sends a list with one error."""
    try:
        body = read_json(content)
    except (ValueError, RecursionError):
        return None
    return body[0] if isinstance(body, list) and body else body
