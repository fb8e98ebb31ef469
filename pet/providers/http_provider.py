"""A provider over HTTP: what is the same for every protocol of a request, its stream, their faults and the key.

One ``stream`` is one request, repeated only if the server rejects a field by name. No redirects; the key is sent to
its own origin only, and what was sent and is never shown is kept out of the reply: a server may say it in text, or in
a tool's name.
"""

from __future__ import annotations

import codecs
import json
import logging
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from pet.errors import ProviderFault
from pet.model import OpaquePart, ReplyPart, Request, TextPart
from pet.providers.accumulator import ReplyAccumulator
from pet.providers.base import RoundDone, Streamed, TextChunk, ThinkingChunk
from pet.providers.faults import (
    NO_LIMITS,
    Where,
    classify,
    fault_of,
    is_error,
    knows_protocol,
    limits_in,
    of_status,
    safe_message,
)
from pet.providers.model_server import ModelServer
from pet.providers.quirks import Quirks
from pet.providers.sanitize import as_mapping
from pet.settings.api_keys import ApiKey, Headers
from pet.untrusted.parsers import read_json

if TYPE_CHECKING:
    import httpx2

_log = logging.getLogger(__name__)
_Got = TypeVar("_Got")

MAX_REJECTIONS = 4
"""Quirks of one request, each of another field."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer to a request that was not accepted. ``message``: the body as text."""

    status: int
    body: object
    message: str
    headers: Mapping[str, str]


class HttpProvider(ABC):
    """Base of the providers for one address and one key."""

    _client: Any  # None if the system's proxy can't be used
    _responses = False  # it speaks OpenAI's Responses

    def __init__(
        self,
        base_url: str,
        key: ApiKey | None,
        read_seconds: float | None,
        headers: Headers,
        families: tuple[type[Exception], ...],
    ) -> None:
        """``families``: exception classes that a call may raise."""
        self._server = ModelServer(base_url, key, read_seconds, headers)
        self._families = families
        self._quirks: dict[str, Quirks] = {}  # by model, as its refusals want it

    def _check_client(self, where: Where) -> None:
        """Raise ProviderFault if no request can be made."""
        if self._client is None:
            raise fault_of("proxy", where, proxy=where.proxy)

    @abstractmethod
    def _new_reply(self, request: Request) -> ReplyAccumulator:
        """Return the state of a stream that begins."""

    @abstractmethod
    def _new_quirks(self) -> Quirks:
        """Return what is known of the server before it refused anything."""

    @abstractmethod
    async def _send(self, request: Request, quirks: Quirks) -> httpx2.Response | Refusal:
        """Return the opened stream, which the caller closes. Raises the client's exceptions."""

    @abstractmethod
    async def _list(self, where: Where, /, *, every: bool) -> list[str]:
        """Return the ids of ``list_models``. Raises ProviderFault and the client's exceptions."""

    @abstractmethod
    async def _post_nothing(self, where: Where) -> None:
        """Make an empty request. Raises ProviderFault and the client's exceptions."""

    def stream(self, request: Request) -> AsyncIterator[Streamed]:
        return mask_stream(self._stream(request), self._where(request).secrets)

    async def _stream(self, request: Request) -> AsyncGenerator[Streamed, None]:
        where = self._where(request)
        self._check_client(where)
        reply = self._new_reply(request)
        fault, answered, any_event = None, False, False
        try:
            async with aclosing(await self._open(request, where)) as response:
                answered = True
                async for event in _events(response, where, reply):
                    if event is None:
                        reply.close()
                    else:
                        any_event = True
                        for chunk in reply.feed(event):
                            yield chunk
                    if reply.over:
                        break
        except self._families as error:
            fault = _fault_after(error, where, answered=answered, spoke=reply.spoke)
        if fault is None:
            for chunk in reply.finish():
                yield chunk
            fault = _fault_of_silence(reply, where, any_event=any_event)
        # Raised outside the handler: the client's exceptions hold the request and its headers, and would be chained.
        if fault is not None:
            raise fault
        yield reply.done()

    async def _open(self, request: Request, where: Where) -> httpx2.Response:
        """Return the opened stream; a request that is refused for a field is made once more, as is wanted."""
        quirks = self._quirks.setdefault(request.model, self._new_quirks())
        left = MAX_REJECTIONS
        while isinstance(answer := await self._send(request, quirks), Refusal):
            limited = limits_in(answer.message, request.max_tokens) != NO_LIMITS
            if limited or not left or not quirks.learn(answer.status, answer.message):
                raise of_status(answer.status, answer.body, answer.headers, where)
            left -= 1
        return answer

    async def list_models(self, *, every: bool = False) -> list[str]:
        where = self._where()
        self._check_client(where)
        ids = await self._outcome(self._list(where, every=every), where)
        return [_masked(each, _values(where.secrets)) for each in ids]

    async def is_spoken(self) -> bool | None:
        """Whether the server knows this protocol, by what it says of an empty request; None: only with a key. Raises
        ProviderFault if it does not answer."""
        where = self._where()
        self._check_client(where)
        try:
            await self._outcome(self._post_nothing(where), where)
        except ProviderFault as fault:
            return knows_protocol(fault)
        return True

    async def _outcome(self, call: Awaitable[_Got], where: Where) -> _Got:
        try:
            return await call
        except self._families as error:
            fault = _logged(classify(error, where), error)
        raise fault  # outside the handler, as in ``_stream``

    def _where(self, request: Request | None = None) -> Where:
        return self._server.where(request, responses=self._responses)


async def _events(
    response: httpx2.Response, where: Where, reply: ReplyAccumulator
) -> AsyncIterator[Mapping[str, Any] | None]:
    """Yield the data of each event, and None where the server says that it was the last. Pings are skipped.

    Raises ProviderFault for an error event and for a response that is no stream.
    """
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind.startswith("text/html"):
        raise fault_of("not_an_llm", where)
    if kind.endswith("json") and not (body := await response.aread()).lstrip().startswith(_STREAM):
        whole = _checked(read_json(body), where)  # the server does not stream
        if reply.whole not in whole:
            raise fault_of("not_an_llm", where)
        for each in reply.events_of(whole):
            yield each
        yield None
        return
    async for name, data in _server_sent(response):
        if data.strip() == "[DONE]":
            yield None
        elif data.strip() not in ("", "null"):
            yield _checked(read_json(data), where, named=name == "error")


_STREAM = (b"data:", b"event:", b":")
"""Beginnings of a body that is labelled as JSON and consists of events."""


async def _server_sent(response: httpx2.Response) -> AsyncIterator[tuple[str, str]]:
    """Yield the name and the data of each server-sent event; comments and other fields are skipped."""
    name, data = "", list[str]()
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
            elif line.startswith(b"event:"):
                name = line[6:].strip().decode()
            elif not line:
                if data:
                    yield name, "\n".join(data)
                name = ""
                data.clear()
    if data:
        yield name, "\n".join(data)


def _checked(chunk: object, where: Where, *, named: bool = False) -> Mapping[str, Any]:
    """Return an event or a whole reply. Raises ProviderFault for an error, or one that is ``named`` so."""
    if not isinstance(chunk, dict):
        raise fault_of("not_an_llm", where)
    failed = as_mapping(chunk.get("response")).get("error") if chunk.get("type") == "response.failed" else None
    if failed or chunk.get("type") == "error":
        error = failed or chunk.get("error") or chunk
        raise of_status(_code_in(error), {"error": error}, {}, where)
    is_part = not _REPLIES.isdisjoint(chunk) or isinstance(chunk.get("message"), dict)
    if named or chunk.get("error") or (not is_part and is_error(chunk)):
        raise of_status(_code_in(chunk.get("error") or chunk), chunk, {}, where)
    return chunk


_REPLIES = frozenset({"choices", "output", "content", "delta"})
"""A chunk with one of these fields is part of a reply, not an error; so is one with a message that is no text."""
_CODES = {"server_error": 500, "rate_limit_exceeded": 429, "invalid_prompt": 400, "bio_policy": 400}
"""Types of OpenAI's events."""


def _code_in(error: object) -> int:
    """Return the HTTP status that some servers put into error events, else 200."""
    code = error.get("code") if isinstance(error, dict) else None
    if code in _CODES:
        return _CODES[code]
    if isinstance(code, str) and code.isdecimal():
        code = int(code[:4])
    return code if isinstance(code, int) and 400 <= code < 600 else 200


def _fault_of_silence(reply: ReplyAccumulator, where: Where, *, any_event: bool) -> ProviderFault | None:
    """Return the fault of a stream that ended without an error, a reason and text, or None.

    Also of one that ends with a tool call which can't be read. ``any_event``: it had one.
    """
    if reply.unread:
        return fault_of("call_unread", where, model=safe_message(where.model, *where.secrets, limit=100))
    if reply.ended or reply.spoke:
        return None
    return fault_of("not_an_llm" if any_event and not reply.started else "cut", where)


def _fault_after(error: Exception, where: Where, *, answered: bool, spoke: bool) -> ProviderFault | None:
    """Return the fault of a call that ended with ``error``; None if text arrived first: the reply is a CUT round."""
    fault = classify(error, where)
    if answered and fault.kind not in ("timeout", "unknown", "reply_too_large"):
        if spoke:
            _logged(fault_of("cut", where), error)
            return None
        if fault.kind != "not_an_llm":
            fault = fault_of("cut", where)
    return _logged(fault, error)


def _logged(fault: ProviderFault, error: Exception) -> ProviderFault:
    # The type only: messages of servers and libraries may quote the request.
    _log.info("model call failed: %s after %s", fault.kind, type(error).__name__)
    return fault


def json_body(content: bytes) -> object:
    """Parse an error body; None if it is not JSON. Gemini sends a list with one error."""
    try:
        body = read_json(content)
    except (ValueError, RecursionError):
        return None
    return body[0] if isinstance(body, list) and body else body


_SHORTEST = 12
"""Characters of a key that is no word: a local server's is often "none" or its own name."""
_MASK = "•••"


async def mask_stream(stream: AsyncGenerator[Streamed, None], secrets: Sequence[ApiKey]) -> AsyncIterator[Streamed]:
    """Yield the stream with these secrets masked, also one that comes in several pieces. Thinking with one in it is
    left out: it can't be changed."""
    values = _values(secrets)
    async with aclosing(stream):
        if not values:
            async for event in stream:
                yield event
            return
        held = ""  # the last characters, which may begin a secret
        fault: ProviderFault | None = None
        try:
            async for event in stream:
                if isinstance(event, RoundDone):
                    if held:
                        yield TextChunk(text=held)
                        held = ""
                    yield _masked_round(event, values)
                    continue
                if isinstance(event, ThinkingChunk):  # may come between two pieces of a secret
                    held = "" if event.takes_back else held
                    yield event
                    continue
                text = _masked(held + event.text, values)
                shown = len(text) - _begun(text, values)
                held = text[shown:]
                if shown:
                    yield TextChunk(text=text[:shown])
        except ProviderFault as ended:
            fault = ended
        if held:
            yield TextChunk(text=held)
        if fault is not None:
            raise fault


def _values(secrets: Sequence[ApiKey]) -> list[str]:
    """Return the secrets that can be told from words, the longer first."""
    return sorted({each.reveal() for each in secrets if len(each.reveal()) >= _SHORTEST}, key=len, reverse=True)


def _masked(text: str, values: Sequence[str]) -> str:
    return re.sub("|".join(map(re.escape, values)), _MASK, text) if values else text


def _begun(text: str, values: Sequence[str]) -> int:
    """Return the length of the longest end of the text with which one of the values begins."""
    longest = max(map(len, values)) - 1
    for length in range(min(longest, len(text)), 0, -1):
        if any(each.startswith(text[-length:]) for each in values):
            return length
    return 0


def _masked_round(done: RoundDone, values: Sequence[str]) -> RoundDone:
    parts = tuple(part for each in done.parts if (part := _masked_part(each, values)) is not None)
    text = "".join(part.text for part in parts if isinstance(part, TextPart))
    if (whole := _masked(text, values)) != text:  # a secret in two parts
        first = next(part for part in parts if isinstance(part, TextPart))
        one = replace(first, text=whole)
        parts = tuple(
            one if part is first else part for part in parts if part is first or not isinstance(part, TextPart)
        )
    return replace(done, parts=parts, model=_masked(done.model, values))


def _masked_part(part: ReplyPart, values: Sequence[str]) -> ReplyPart | None:
    if isinstance(part, OpaquePart):
        return None if any(each in json.dumps(part.raw, ensure_ascii=False) for each in values) else part
    if isinstance(part, TextPart):
        return replace(part, text=_masked(part.text, values))
    names = {name: _masked(getattr(part, name), values) for name in ("id", "name", "arguments")}
    return replace(part, **names)
