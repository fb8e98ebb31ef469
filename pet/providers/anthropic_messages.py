"""Requests and streams of the Messages API. Pure.

Equal requests encode to equal bytes, on which the server's prompt cache depends. Streams of compatible servers are
accepted: indices, usage and stops may be missing, unknown events are skipped.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pet.ids import new_id
from pet.model import (
    ContextPart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReplyPart,
    Request,
    StopReason,
    SystemBlock,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
    Usage,
)
from pet.providers.accumulator import ReplyAccumulator
from pet.providers.base import RoundDone, ThinkingChunk, is_whole, stop_of
from pet.providers.inline_markup import Chunk
from pet.providers.quirks import Quirks, Returned, filler
from pet.providers.sanitize import (
    as_mapping,
    as_text,
    encode_call_id,
    encode_tool_name,
    parse_arguments,
    tool_name,
    with_unique_calls,
)
from pet.untrusted.parsers import join_surrogates

BREAKPOINTS = 4  # the API's limit
STRIDE = 15  # blocks; a server searches 20 blocks back from a breakpoint for the previous one
_Block = dict[str, Any]
_CACHE = {"type": "ephemeral"}
_MARKABLE = frozenset({"text", "image", "tool_use", "tool_result"})


def encode_request(request: Request, quirks: Quirks | None = None) -> dict[str, Any]:
    """Return the arguments of ``messages.create`` without ``stream``."""
    quirks = quirks or Quirks()
    request = quirks.fitted(request)
    system = _system(request.system)
    messages = _messages(request.messages, quirks.reasoning)
    used = sum("cache_control" in block for block in system)
    _mark(messages, BREAKPOINTS - used)
    params: dict[str, Any] = {"model": request.model, "max_tokens": request.max_tokens, "messages": messages}
    if system:
        params["system"] = system
    if request.tools:
        params["tools"] = [_tool(tool) for tool in request.tools]
    schema = {"type": "json_schema", "schema": dict(request.schema or {})}
    return quirks.completed(
        params,
        {
            "schema": {} if request.schema is None else {"output_config": {"format": schema}},
            "effort": {"output_config": {"effort": request.effort}} if request.effort else {},
            "off": {"thinking": {"type": "disabled"}} if request.thinking == "off" else {},
        },
    )


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


def _messages(messages: tuple[Message, ...], reasoning: Returned) -> list[_Block]:
    """Encode messages: roles alternate, none is empty, tool results come first in their message."""
    merged: list[tuple[str, list[_Block]]] = []
    for message in with_unique_calls(messages):
        blocks = list(_blocks(message.parts))
        if reasoning == "none":
            blocks = [block for block in blocks if block["type"] not in _OPAQUE]
        if not blocks:
            continue
        if merged and merged[-1][0] == message.role:
            merged[-1][1].extend(blocks)
        else:
            merged.append((message.role, blocks))
    text = filler(reasoning)
    for role, blocks in merged:
        if role == "user":
            blocks.sort(key=lambda block: block["type"] != "tool_result")
        elif text is not None and not any(block["type"] in _OPAQUE for block in blocks):
            blocks.insert(0, {"type": "thinking", "thinking": text})
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
                if raw.get("type") in _OPAQUE:  # of a model used earlier, over another protocol
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


_OPAQUE = frozenset({"thinking", "redacted_thinking"})
_USAGE = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_input_tokens": "cache_read_tokens",
    "cache_creation_input_tokens": "cache_write_tokens",
}


@dataclass(slots=True)
class _Open:
    """An incomplete content block."""

    start: dict[str, Any]
    text: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)
    whole: bool = False

    @property
    def kind(self) -> str:
        return str(self.start.get("type", ""))


class MessageAccumulator(ReplyAccumulator):
    """State of one stream."""

    whole = "content"

    def __init__(self, model: str, host: str, tools: Sequence[ToolSpec] = ()) -> None:
        super().__init__(model, host, tools)
        self._blocks: dict[int, _Open] = {}
        self._usage: dict[str, int] = {}
        self._stop: str | None = None
        self._ended = False  # a stop reason or message_stop arrived

    @property
    def ended(self) -> bool:
        return self._ended

    def feed(self, event: Mapping[str, Any]) -> list[Chunk]:
        match event.get("type"):
            case "message_start":
                message = as_mapping(event.get("message"))
                self._model = as_text(message.get("model")) or self._model
                self._count(message.get("usage"), start=True)
            case "content_block_start":
                return self._start(event)
            case "content_block_delta":
                return self._delta(event)
            case "content_block_stop":
                self._open(event).whole = True
            case "message_delta":
                self._stop = as_text(as_mapping(event.get("delta")).get("stop_reason")) or self._stop
                self._ended = self._ended or self._stop is not None  # some servers send no message_stop
                self._count(event.get("usage"))
            case "message_stop":
                self._ended = True
            case _:
                return []  # a ping or an unknown event
        self.started = True
        return []

    def finish(self) -> list[Chunk]:
        texts = [block for block in self._blocks.values() if block.kind == "text"]
        chunks = self._markup.finish(whole=self.ended and is_whole(self._stop or "cut"))
        return self._kept(chunks, texts[-1].text) if texts else []

    def done(self) -> RoundDone:
        stop = stop_of(self._stop or "cut", spoke=bool(self._blocks)) if self.ended else StopReason.CUT
        if self.ended and not any(block.whole for block in self._blocks.values()):
            for block in self._blocks.values():  # some servers never send content_block_stop
                block.whole = True
        if stop is StopReason.PAUSE_TURN and not any(
            block.kind.startswith("server_") for block in self._blocks.values()
        ):
            stop = StopReason.END_TURN  # only tools of the server pause a turn; a reply without would be repeated
        usage = Usage(**{ours: self._usage.get(theirs) for theirs, ours in _USAGE.items()})
        return self._round(self._parts(stop), stop, usage)

    def events_of(self, reply: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        yield {"type": "message_start", "message": reply}
        content = reply.get("content")
        for index, block in enumerate(content if isinstance(content, list) else ()):
            yield {"type": "content_block_start", "index": index, "content_block": block}
            yield {"type": "content_block_stop", "index": index}
        yield {"type": "message_delta", "delta": reply, "usage": reply.get("usage")}
        yield {"type": "message_stop"}

    def _open(self, event: Mapping[str, Any]) -> _Open:
        index = event.get("index")
        if not isinstance(index, int):
            index = max(self._blocks, default=0)  # without indices there is one block at a time
        if index not in self._blocks:
            self._add_block()
        return self._blocks.setdefault(index, _Open(start={}))

    def _start(self, event: Mapping[str, Any]) -> list[Chunk]:
        self.started = True
        self._add_block()
        index = event.get("index")
        place = index if isinstance(index, int) else max(self._blocks, default=-1) + 1
        block = dict(as_mapping(event.get("content_block")))
        self._blocks[place] = opened = _Open(start=block)
        if opened.kind == "text" and as_text(block.get("text")):
            return self._say(opened, as_text(block.get("text")))
        return []

    def _delta(self, event: Mapping[str, Any]) -> list[Chunk]:
        self.started = True
        opened, delta = self._open(event), as_mapping(event.get("delta"))
        match delta.get("type"):
            case "text_delta":
                opened.start.setdefault("type", "text")
                return self._say(opened, as_text(delta.get("text")))
            case "thinking_delta":
                opened.start.setdefault("type", "thinking")
                text = as_text(delta.get("thinking"))
                self._add_text(text)
                opened.text.append(text)
                self._thinking += len(text)
                return [ThinkingChunk(characters=len(text))] if text else []
            case "signature_delta":
                text = as_text(delta.get("signature"))
                self._add_text(text)
                opened.signature.append(text)
            case "input_json_delta":
                text = as_text(delta.get("partial_json"))
                self._add_text(text)
                opened.text.append(text)
        return []

    def _say(self, opened: _Open, text: str) -> list[Chunk]:
        return self._kept(self._marked_up(text), opened.text)

    def _parts(self, stop: StopReason) -> tuple[ReplyPart, ...]:
        parts: list[ReplyPart] = []
        for index in sorted(self._blocks):
            block = self._blocks[index]
            if block.kind == "text" and block.text:
                parts.append(TextPart(text="".join(block.text)))
            elif block.kind in _OPAQUE and block.whole:
                parts.append(OpaquePart(raw=_opaque(block), server=self._host, model=self._asked))
            elif block.kind == "tool_use" and _is_complete(block, stop, last=index == max(self._blocks)):
                parts.append(_call(block, self._names))
        return tuple(parts)

    def _count(self, usage: object, *, start: bool = False) -> None:
        for name, value in as_mapping(usage).items():
            if start and name == "output_tokens":
                continue  # a placeholder of 0 or 1
            if isinstance(value, int) and not isinstance(value, bool):
                self._usage[name] = value


def _opaque(block: _Open) -> dict[str, object]:
    """Return the block as sent; the server verifies its signature."""
    raw: dict[str, object] = dict(block.start)
    if block.kind == "thinking":  # DeepSeek wants the field even where it sent none
        raw["thinking"] = join_surrogates(as_text(raw.get("thinking")) + "".join(block.text))
    if block.signature:
        raw["signature"] = as_text(raw.get("signature")) + "".join(block.signature)
    return raw


def _call(block: _Open, tools: Collection[str]) -> ToolCallPart:
    call_id = as_text(block.start.get("id")) or f"call_{new_id()}"
    name = tool_name(as_text(block.start.get("name")), tools)
    return ToolCallPart(id=call_id, name=name, arguments=_arguments(block))


def _arguments(block: _Open) -> str:
    if block.text:
        return join_surrogates("".join(block.text))
    given = block.start.get("input")  # some servers send the input with content_block_start
    if isinstance(given, Mapping) and given:
        return json.dumps(given, ensure_ascii=False)
    return "{}"


def _is_complete(block: _Open, stop: StopReason, *, last: bool) -> bool:
    """Whether a call arrived whole. At MAX_TOKENS the last one may be cut and still parse, so it doesn't count."""
    if not block.whole or (stop is StopReason.MAX_TOKENS and last):
        return False
    return stop is StopReason.TOOL_USE or parse_arguments(_arguments(block)) is not None
