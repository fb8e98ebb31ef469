"""Encode a ``Request`` for the Messages API. Pure.

Equal requests encode to equal bytes, on which the server's prompt cache depends. Empty text and lone surrogates are
removed; a tool result directly follows its call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from pet.model import (
    ContextPart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    Request,
    SystemBlock,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
)
from pet.providers.tool_calls import encode_call_id, encode_tool_name, parse_arguments
from pet.untrusted.parsers import join_surrogates

BREAKPOINTS = 4  # the API's limit
STRIDE = 15  # blocks; a server searches 20 blocks back from a breakpoint for the previous one
_Block = dict[str, Any]
_CACHE = {"type": "ephemeral"}
_MARKABLE = frozenset({"text", "image", "tool_use", "tool_result"})


def encode_request(request: Request) -> dict[str, Any]:
    """Return the arguments of ``messages.create`` without ``stream``."""
    system = _system(request.system)
    messages = _messages(request.messages)
    used = sum("cache_control" in block for block in system)
    _mark(messages, BREAKPOINTS - used)
    params: dict[str, Any] = {"model": request.model, "max_tokens": request.max_tokens, "messages": messages}
    if system:
        params["system"] = system
    if request.tools:
        params["tools"] = [_tool(tool) for tool in request.tools]
    if request.effort:
        params["output_config"] = {"effort": request.effort}
    if request.thinking == "off":
        params["thinking"] = {"type": "disabled"}
    return params


def _system(blocks: tuple[SystemBlock, ...]) -> list[_Block]:
    encoded: list[_Block] = [
        {"type": "text", "text": join_surrogates(block.text)} for block in blocks if block.text.strip()
    ]
    wanted = [index for index, block in enumerate(block for block in blocks if block.text.strip()) if block.cache]
    for index in wanted[-(BREAKPOINTS - 1) :]:  # one is left for the messages
        encoded[index]["cache_control"] = _CACHE
    return encoded


def _tool(tool: ToolSpec) -> _Block:
    return {
        "name": tool.name,
        "description": join_surrogates(tool.description),
        "input_schema": _mend_all(tool.schema),
    }


def _messages(messages: tuple[Message, ...]) -> list[_Block]:
    """Encode messages: roles alternate, none is empty, tool results come first in their message."""
    merged: list[tuple[str, list[_Block]]] = []
    for message in messages:
        blocks = list(_blocks(message.parts))
        if not blocks:
            continue
        if merged and merged[-1][0] == message.role:
            merged[-1][1].extend(blocks)
        else:
            merged.append((message.role, blocks))
    for role, blocks in merged:
        if role == "user":
            blocks.sort(key=lambda block: block["type"] != "tool_result")
    _make_call_ids_unique([blocks for _, blocks in merged])
    return [{"role": role, "content": blocks} for role, blocks in merged]


def _blocks(parts: Iterable[Part]) -> Iterable[_Block]:
    for part in parts:
        match part:
            case TextPart(text=text) | ContextPart(text=text):
                if text.strip():
                    yield {"type": "text", "text": join_surrogates(text)}
            case ImagePart(kind=kind, data=data):
                yield {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}
            case OpaquePart(raw=raw):
                if raw.get("type") != "openai":  # of a model used earlier, over another protocol
                    yield _mend_all(raw)
            case ToolCallPart():
                arguments = parse_arguments(part.arguments)
                if arguments is None:  # the API accepts objects only
                    arguments = {"invalid_json": part.arguments}
                yield {
                    "type": "tool_use",
                    "id": encode_call_id(part.id),
                    "name": encode_tool_name(part.name),
                    "input": _mend_all(arguments),
                }
            case ToolResultPart():
                result: _Block = {"type": "tool_result", "tool_use_id": encode_call_id(part.call_id)}
                if part.text.strip():
                    result["content"] = join_surrogates(part.text)
                if part.is_error:
                    result["is_error"] = True
                yield result


def _make_call_ids_unique(messages: list[list[_Block]]) -> None:
    """Rename repeated call ids in place: some servers count from 1 in each reply, and the API rejects duplicates."""
    times: Counter[str] = Counter()
    renamed: dict[str, str] = {}
    for blocks in messages:
        for block in blocks:
            if block["type"] == "tool_use":
                was = block["id"]
                times[was] += 1
                block["id"] = renamed[was] = was if times[was] == 1 else f"{was}__{times[was]}"
            elif block["type"] == "tool_result":
                block["tool_use_id"] = renamed.get(block["tool_use_id"], block["tool_use_id"])


def _mend_all(value: Any) -> Any:
    match value:
        case str():
            return join_surrogates(value)
        case Mapping():
            return {join_surrogates(str(key)): _mend_all(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_mend_all(inner) for inner in value]
    return value


def _mark(messages: list[_Block], left: int) -> None:
    """Set a cache breakpoint on the last block, and an earlier one if the previous request's is out of its range."""
    blocks = [block for message in messages for block in message["content"]]
    end = _markable(blocks, len(blocks) - 1)
    if end is None or left < 1:
        return
    blocks[end]["cache_control"] = _CACHE
    earlier = _earlier(messages)
    if earlier is None or left < 2:
        return
    place = _markable(blocks, earlier)
    if place is not None and place != end:
        blocks[place]["cache_control"] = _CACHE


def _earlier(messages: list[_Block]) -> int | None:
    """Return the index for the extra breakpoint, stable from round to round; None if none is needed.

    In a long tool loop every ``STRIDE`` blocks from the turn's start; else the end of the message that opened the
    previous turn, if more than ``STRIDE`` blocks precede the end of this request.
    """
    openings, total = _openings(messages)
    if not openings:
        return None
    since = total - 1 - openings[-1]
    if since > STRIDE:
        return openings[-1] + (since - 1) // STRIDE * STRIDE
    if len(openings) > 1 and total - 1 - openings[-2] > STRIDE:
        return openings[-2]
    return None


def _openings(messages: list[_Block]) -> tuple[list[int], int]:
    """Return the index of the last block of each message that opens a turn, and the count of all blocks."""
    openings: list[int] = []
    count = 0
    for message in messages:
        content = message["content"]
        count += len(content)
        if message["role"] == "user" and content[0]["type"] != "tool_result":
            openings.append(count - 1)
    return openings, count


def _markable(blocks: list[_Block], start: int) -> int | None:
    """Return the index of the last block up to ``start`` that may carry a breakpoint (thinking may not)."""
    return next((index for index in range(start, -1, -1) if blocks[index]["type"] in _MARKABLE), None)
