"""Replies of a Messages endpoint for the protocol server, healthy and faulty.

A reply is a status, headers, and steps; a step is bytes, a named hold, a pause or an abrupt end. The same replies can
be written as JSON (``from_json``) for tests that run the server as a child process.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Hold:
    """The stream waits here until the server's ``release(name)``; ``reached(name)`` waits for that."""

    name: str


@dataclass(frozen=True, slots=True)
class Pause:
    seconds: float


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection ends in the middle of the body."""

    how: Literal["fin", "rst"] = "fin"


Step = bytes | Hold | Pause | Cut


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; ``arguments`` as data, or as the raw text of (also broken) JSON."""

    name: str
    arguments: Mapping[str, Any] | str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Thinking:
    text: str
    signature: str = "c2lnbmVk"


@dataclass(frozen=True, slots=True)
class Redacted:
    data: str = "cmVkYWN0ZWQ="


Piece = str | Call | Thinking | Redacted | Hold | Pause | Cut | bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """``head``: steps before the status line (a Cut there is a dropped connection). ``body`` of a known length."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    head: tuple[Step, ...] = ()
    steps: tuple[Step, ...] = ()
    chunked: bool = True


USAGE = {"input_tokens": 25, "output_tokens": 7, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}


def event(data: Mapping[str, Any], *, named: bool = True) -> bytes:
    """Return one server-sent event; imitations of Anthropic's server may omit its name."""
    name = f"event: {data['type']}\n" if named else ""
    return f"{name}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def stream(
    *pieces: Piece,
    stop: str | None = None,
    usage: Mapping[str, int] | None = USAGE,
    start: bool = True,
    ends: bool = True,
    named: bool = True,
    model: str = "test-model",
) -> Reply:
    """Return a streamed message. Adjacent texts are deltas of one block; ``stop`` None is tool_use if there are
    calls, else end_turn; ``ends`` False leaves out message_delta and message_stop.
    """
    steps: list[Step] = []

    def send(data: Mapping[str, Any]) -> None:
        steps.append(event(data, named=named))

    if start:
        message: dict[str, Any] = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "content": [],
            "model": model,
        }
        message |= {"stop_reason": None, "stop_sequence": None}
        if usage is not None:
            message["usage"] = {**usage, "output_tokens": 1}
        send({"type": "message_start", "message": message})
    send({"type": "ping"})
    index, open_text = -1, False
    for piece in pieces:
        if not isinstance(piece, str | Call | Thinking | Redacted):
            steps.append(piece)
            continue
        if isinstance(piece, str) and open_text:
            send(_delta(index, {"type": "text_delta", "text": piece}))
            continue
        if open_text:
            send({"type": "content_block_stop", "index": index})
        index += 1
        open_text = isinstance(piece, str)
        for data in _block(index, piece):
            send(data)
    if open_text and ends:
        send({"type": "content_block_stop", "index": index})
    if ends:
        called = any(isinstance(piece, Call) for piece in pieces)
        delta: dict[str, Any] = {
            "type": "message_delta",
            "delta": {"stop_reason": stop or ("tool_use" if called else "end_turn"), "stop_sequence": None},
        }
        if usage is not None:
            delta["usage"] = {"output_tokens": usage["output_tokens"]}
        send(delta)
        send({"type": "message_stop"})
    return Reply(headers={"content-type": "text/event-stream"}, steps=tuple(steps))


def _delta(index: int, delta: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def _block(index: int, piece: str | Call | Thinking | Redacted) -> list[dict[str, Any]]:
    def start(block: Mapping[str, Any]) -> dict[str, Any]:
        return {"type": "content_block_start", "index": index, "content_block": block}

    stop = {"type": "content_block_stop", "index": index}
    match piece:
        case str():
            return [start({"type": "text", "text": ""}), _delta(index, {"type": "text_delta", "text": piece})]
        case Call():
            raw = piece.arguments if isinstance(piece.arguments, str) else json.dumps(piece.arguments)
            call_id = piece.id or f"toolu_{index}"
            block = {"type": "tool_use", "id": call_id, "name": piece.name, "input": {}}
            halves = [half for half in (raw[: len(raw) // 2], raw[len(raw) // 2 :]) if half]
            deltas = [_delta(index, {"type": "input_json_delta", "partial_json": half}) for half in halves]
            return [start(block), *deltas, stop]
        case Thinking():
            return [
                start({"type": "thinking", "thinking": "", "signature": ""}),
                _delta(index, {"type": "thinking_delta", "thinking": piece.text}),
                _delta(index, {"type": "signature_delta", "signature": piece.signature}),
                stop,
            ]
        case Redacted():
            return [start({"type": "redacted_thinking", "data": piece.data}), stop]


def error(status: int, kind: str, message: str, headers: Mapping[str, str] | None = None, **extra: Any) -> Reply:
    """Return an error in the form of the Messages API; ``extra`` goes into the error object."""
    data = {"type": "error", "error": {"type": kind, "message": message, **extra}, "request_id": "req_1"}
    return whole(json.dumps(data), status=status, headers=headers or {})


def error_event(kind: str, message: str) -> bytes:
    """Return an error in mid-stream: a piece for ``stream``."""
    return event({"type": "error", "error": {"type": kind, "message": message}})


def whole(
    body: str, *, status: int = 200, content_type: str = "application/json", headers: Mapping[str, str] | None = None
) -> Reply:
    """Return a body that is no stream."""
    every = {"content-type": content_type, **(headers or {})}
    return Reply(status=status, headers=every, steps=(body.encode(),), chunked=False)


def html(status: int = 200) -> Reply:
    page = "<!doctype html><title>Router</title><p>Welcome to your router"
    return whole(page, status=status, content_type="text/html")


def redirect(location: str, status: int = 307) -> Reply:
    return whole("", status=status, headers={"location": location})


def rate_limited(seconds: float | None = 1) -> Reply:
    headers = {} if seconds is None else {"retry-after": f"{seconds:g}"}
    return error(429, "rate_limit_error", "This request would exceed your rate limit.", headers)


def overloaded() -> Reply:
    return error(529, "overloaded_error", "Overloaded")


def dropped(how: Literal["fin", "rst"] = "fin") -> Reply:
    """Return a reply that ends before its first byte, as on a kept-alive connection."""
    return Reply(head=(Cut(how),))


def held(name: str, reply: Reply) -> Reply:
    """Return a reply without a status line before ``release(name)``."""
    return replace(reply, head=(Hold(name), *reply.head))


def from_json(data: Mapping[str, Any]) -> Reply:
    """Return a reply written as JSON: one of

    {"say": ["Hel", {"hold": "middle"}, "lo", {"call": "read", "arguments": {...}}], "stop"?, "usage"?, "ends"?, ...}
    {"error": {"status": 429, "type": "rate_limit_error", "message": "...", "headers"?: {...}}}
    {"html": 200} · {"json": "..."} · {"redirect": "http://..."} · {"dropped": "rst"}

    and with any of them ``"hold"``: a name to wait for before the status line.
    """
    reply = _reply_from_json(data)
    return held(data["hold"], reply) if "hold" in data else reply


def _reply_from_json(data: Mapping[str, Any]) -> Reply:
    if "say" in data:
        options = {key: data[key] for key in ("stop", "usage", "start", "ends", "named", "model") if key in data}
        return stream(*(_piece_from_json(piece) for piece in data["say"]), **options)
    if "error" in data:
        told = data["error"]
        return error(told["status"], told.get("type", "error"), told.get("message", ""), told.get("headers"))
    if "html" in data:
        return html(data["html"])
    if "json" in data:
        return whole(data["json"])
    if "redirect" in data:
        return redirect(data["redirect"])
    if "dropped" in data:
        return dropped(data["dropped"])
    raise ValueError(f"not a reply: {sorted(data)}")


def _piece_from_json(piece: str | Mapping[str, Any]) -> Piece:
    match piece:
        case str():
            return piece
        case {"call": name, "arguments": arguments}:
            return Call(name, arguments, piece.get("id", ""))
        case {"thinking": text}:
            return Thinking(text)
        case {"hold": name}:
            return Hold(name)
        case {"pause": seconds}:
            return Pause(seconds)
        case {"cut": how}:
            return Cut(how)
        case {"error": kind}:
            return error_event(kind, piece.get("message", ""))
    raise ValueError(f"not a piece: {piece}")
