"""Encode a ``Request`` as the body of a chat completion. Pure: equal requests and quirks give equal bytes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pet.model import (
    ContextPart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    Request,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
)
from pet.providers.openai.quirks import Quirks
from pet.providers.tool_calls import encode_call_id, encode_tool_name, parse_arguments
from pet.untrusted.parsers import join_surrogates

EXTRAS = "openai"
"""Type of an OpaquePart with the fields that a host requires back with its tool calls."""

_Message = dict[str, Any]
_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


def encode_request(request: Request, quirks: Quirks, host: str) -> dict[str, Any]:
    """Return the body, including ``stream``."""
    body: dict[str, Any] = {
        "model": request.model,
        "messages": list(_messages(request, quirks, host)),
        quirks.token_field: request.max_tokens,
        "stream": True,
    }
    if quirks.usage_wanted:
        body["stream_options"] = {"include_usage": True}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if request.temperature is not None and quirks.temperature:
        body["temperature"] = request.temperature
    if request.schema is not None and quirks.schema:
        named = {"name": "answer", "strict": True, "schema": dict(request.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    if request.effort and quirks.effort:
        body["reasoning_effort"] = request.effort
    if request.thinking == "off" and quirks.thinking_switch:
        body["chat_template_kwargs"] = {"enable_thinking": False}
    return body


def _messages(request: Request, quirks: Quirks, host: str) -> Iterator[_Message]:
    system = "".join(block.text for block in request.system)
    if system.strip():
        yield {"role": "system", "content": join_surrogates(system)}
    for message in _merged(request.messages):
        if message.role == "user":
            yield from _of_user(message.parts, quirks)
        else:
            yield from _of_assistant(message.parts, quirks, host)


def _merged(messages: Iterable[Message]) -> list[Message]:
    """Merge consecutive messages of one role, which some servers reject."""
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role == message.role:
            merged[-1] = Message(role=message.role, parts=(*merged[-1].parts, *message.parts))
        else:
            merged.append(message)
    return merged


def _of_user(parts: Iterable[Part], quirks: Quirks) -> Iterator[_Message]:
    """Yield a ``tool`` message for each result, then the owner's message."""
    content: list[dict[str, Any]] = []
    for part in parts:
        match part:
            case ToolResultPart():
                text = join_surrogates(part.text) if part.text.strip() else "-"
                yield {"role": "tool", "tool_call_id": _id(part.call_id, quirks), "content": text}
            case TextPart(text=text) | ContextPart(text=text):
                if text.strip():
                    content.append({"type": "text", "text": join_surrogates(text)})
            case ImagePart(kind=kind, data=data):
                content.append({"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}})
    if not content:
        return
    if all(piece["type"] == "text" for piece in content):  # servers without picture support require a string
        yield {"role": "user", "content": "\n\n".join(piece["text"] for piece in content)}
    else:
        yield {"role": "user", "content": content}


def _of_assistant(parts: Iterable[Part], quirks: Quirks, host: str) -> Iterator[_Message]:
    message: _Message = {"role": "assistant"}
    texts: list[str] = []
    calls: list[dict[str, Any]] = []
    extras: Mapping[str, object] = {}
    for part in parts:
        match part:
            case TextPart(text=text):
                texts.append(join_surrogates(text))
            case ToolCallPart():
                calls.append(_call(part, quirks))
            case OpaquePart(raw=raw) if raw.get("type") == EXTRAS and raw.get("host") == host:
                extras = raw
    joined = "".join(texts)
    if joined.strip() or calls:
        message["content"] = joined or None
        if calls:
            message["tool_calls"] = calls
            _give_back(message, calls, extras, quirks)
        yield message


def _give_back(message: _Message, calls: list[dict[str, Any]], extras: Mapping[str, object], quirks: Quirks) -> None:
    """Add the fields that this host sent with the calls: some hosts reject the next round without them."""
    for name in ("reasoning_content", "reasoning_details"):
        if name in extras:
            message[name] = extras[name]
    signed = extras.get("calls")
    if isinstance(signed, Mapping):
        for call_id, extra in signed.items():
            for call in calls:
                if call["id"] == _id(str(call_id), quirks):
                    call["extra_content"] = extra


def _call(part: ToolCallPart, quirks: Quirks) -> dict[str, Any]:
    arguments = part.arguments if parse_arguments(part.arguments) is not None else "{}"
    return {
        "id": _id(part.id, quirks),
        "type": "function",
        "function": {"name": encode_tool_name(part.name), "arguments": join_surrogates(arguments or "{}")},
    }


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": join_surrogates(tool.description),
            "parameters": dict(tool.schema),
        },
    }


def _id(call_id: str, quirks: Quirks) -> str:
    """Return the call id; hashed to nine letters or digits for hosts that require exactly those."""
    if not quirks.short_ids:
        return encode_call_id(call_id)
    if re.fullmatch("[A-Za-z0-9]{9}", call_id):
        return call_id
    number = int.from_bytes(hashlib.sha256(call_id.encode("utf-8", "replace")).digest()[:8], "big")
    letters = []
    for _ in range(9):
        number, rest = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[rest])
    return "".join(letters)
