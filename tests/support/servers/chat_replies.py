"""Replies of a chat completions endpoint, with the variations of real servers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.support.servers.protocol_replies import Cut, Hold, Reply, Step, whole

USAGE = {"prompt_tokens": 30, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 5}}
Piece = str | Mapping[str, Any] | Hold | Cut | bytes


def chat(
    *pieces: Piece,
    finish: str | None = "stop",
    usage: Mapping[str, Any] | None = USAGE,
    done: bool = True,
    error: Mapping[str, Any] | None = None,
) -> Reply:
    """Return a streamed completion. A text is a content delta, a mapping any other delta, bytes are sent raw."""
    steps: list[Step] = [_event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": None}}]})]
    for piece in pieces:
        if isinstance(piece, str):
            piece = {"content": piece}
        steps.append(_event({"choices": [{"index": 0, "delta": piece}]}) if isinstance(piece, Mapping) else piece)
    if finish is not None:
        steps.append(_event({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}))
    if usage is not None:
        steps.append(_event({"choices": [], "usage": usage}))
    if error is not None:
        steps.append(_event({"error": error}))
    if done:
        steps.append(b"data: [DONE]\n\n")
    return Reply(headers={"content-type": "text/event-stream"}, steps=tuple(steps))


def call(name: str, arguments: str, *, id_: str = "", index: int | None = 0, **more: Any) -> dict[str, Any]:
    """Return a delta with one piece of a tool call."""
    piece: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": arguments}, **more}
    if id_:
        piece["id"] = id_
    if index is not None:
        piece["index"] = index
    return {"tool_calls": [piece]}


def refusal(status: int, message: str, *, type_: str = "", code: str | int | None = None) -> Reply:
    """Return an error body in the form of these servers."""
    return whole(json.dumps({"error": {"message": message, "type": type_, "code": code}}), status=status)


def _event(data: Mapping[str, Any]) -> bytes:
    return f"data: {json.dumps({'id': 'c', 'model': 'test-model', **data})}\n\n".encode()
