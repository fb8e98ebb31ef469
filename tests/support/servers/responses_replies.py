"""Replies of a Responses endpoint, as OpenAI's streams them.

developers.openai.com/api/docs/guides/streaming-responses and .../guides/reasoning (2026-11), with the events and
fields of the ``openai`` package 3.57.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tests.support.servers.protocol_replies import Call, Cut, Hold, Reply, Step, Thinking, whole

USAGE = {
    "input_tokens": 30,
    "input_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 0},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 3},
    "total_tokens": 37,
}
Piece = str | Call | Thinking | Hold | Cut


def items_of(pieces: Iterable[Piece]) -> list[dict[str, Any]]:
    """Return the output items of these pieces; adjacent texts are one message."""
    items: list[dict[str, Any]] = []
    for piece in pieces:
        place = len(items)
        match piece:
            case str() if items and items[-1]["type"] == "message":
                items[-1]["content"][0]["text"] += piece
            case str():
                content = [{"type": "output_text", "text": piece, "annotations": []}]
                items.append({"type": "message", "id": f"msg_{place}", "role": "assistant", "content": content})
            case Call(name=name, arguments=arguments, id=id_):
                text = arguments if isinstance(arguments, str) else json.dumps(arguments)
                items.append({"type": "function_call", "id": f"fc_{place}", "call_id": id_ or f"call_{place}"})
                items[-1] |= {"name": name, "arguments": text}
            case Thinking(text=text):
                items.append({"type": "reasoning", "id": f"rs_{place}", "summary": [], "encrypted_content": text})
    return [{**item, "status": "completed"} for item in items]


def responses(
    *pieces: Piece,
    status: str = "completed",
    reason: str | None = None,
    usage: Mapping[str, Any] | None = USAGE,
    ends: bool = True,
    streams: bool = True,
) -> Reply:
    """Return a streamed response. Texts are deltas; ``ends`` False leaves out the last event."""
    items = items_of(pieces)
    response: dict[str, Any] = {"id": "resp_1", "object": "response", "model": "test-model", "store": False}
    made = {**response, "status": status, "output": items, "usage": usage, "error": None, **_ECHO}
    made["incomplete_details"] = {"reason": reason} if reason else None
    if not streams:
        return whole(json.dumps(made))
    steps: list[Step] = [
        _event("response.created", response={**response, "status": "in_progress", "output": [], **_ECHO})
    ]
    place = -1
    texts: list[str] = []

    def close() -> None:
        if texts:
            text = "".join(texts)
            steps.append(_event("response.output_text.done", **_at(place), text=text, logprobs=[]))
            steps.append(_event("response.content_part.done", **_at(place), part={**_PART, "text": text}))
            steps.append(_event("response.output_item.done", output_index=place, item=items[place]))
            texts.clear()

    for piece in pieces:
        if isinstance(piece, Hold | Cut):
            steps.append(piece)
            continue
        if isinstance(piece, str) and texts:
            texts.append(piece)
            steps.append(_event("response.output_text.delta", **_at(place), delta=piece, logprobs=[]))
            continue
        close()
        place += 1
        item = items[place]
        added = {**item, "status": "in_progress"}
        if isinstance(piece, str):
            steps.append(_event("response.output_item.added", output_index=place, item={**added, "content": []}))
            texts.append(piece)
            steps.append(_event("response.content_part.added", **_at(place), part=_PART))
            steps.append(_event("response.output_text.delta", **_at(place), delta=piece, logprobs=[]))
            continue
        if isinstance(piece, Call):
            steps.append(_event("response.output_item.added", output_index=place, item={**added, "arguments": ""}))
            for at in range(0, len(item["arguments"]), 5):
                where = {"item_id": item["id"], "output_index": place}
                delta = item["arguments"][at : at + 5]
                steps.append(_event("response.function_call_arguments.delta", **where, delta=delta))
        else:
            steps.append(
                _event(
                    "response.output_item.added", output_index=place, item={**added, "encrypted_content": "partial"}
                )
            )
        steps.append(_event("response.output_item.done", output_index=place, item=item))
    if ends:
        close()
        steps.append(_event(f"response.{status}", response=made))
    return Reply(headers={"content-type": "text/event-stream"}, steps=tuple(steps))


def failed(code: str, message: str) -> Reply:
    """Return a stream that ends with ``response.failed``."""
    response = {"id": "resp_1", "status": "failed", "error": {"code": code, "message": message}, "output": []}
    return Reply(headers={"content-type": "text/event-stream"}, steps=(_event("response.failed", response=response),))


def error_event(code: str, message: str) -> Reply:
    """Return a stream of an ``error`` event."""
    steps = (_event("error", code=code, message=message, param=None),)
    return Reply(headers={"content-type": "text/event-stream"}, steps=steps)


_ECHO = {"created_at": 1, "tools": [], "tool_choice": "auto", "parallel_tool_calls": True, "metadata": {}}
_PART = {"type": "output_text", "text": "", "annotations": []}


def _at(place: int) -> dict[str, Any]:
    return {"item_id": f"msg_{place}", "output_index": place, "content_index": 0}


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, 'sequence_number': 0, **fields})}\n\n".encode()
