"""Requests and streams of the chat completions protocol, and how servers differ. Pure.

Equal requests and quirks encode to equal bytes. Streams of compatible servers are accepted: indices, ids, usage and
finish reasons may be missing, unknown fields are skipped.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
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
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
    Usage,
)
from pet.providers.accumulator import ReplyAccumulator
from pet.providers.base import RoundDone, ThinkingChunk, is_whole, stop_of
from pet.providers.inline_markup import Chunk
from pet.providers.quirks import Quirks, filler
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

EXTRAS = "openai"
"""Type of an OpaquePart with the fields that a host requires back with its replies."""

_PENALTY = 0.3
"""Penalty for words said already, in replies without tools: those of small models, which repeat themselves."""
_Message = dict[str, Any]
_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


def encode_request(request: Request, quirks: Quirks, host: str) -> dict[str, Any]:
    """Return the body."""
    request = quirks.fitted(request)
    body: dict[str, Any] = {
        "model": request.model,
        "messages": list(_messages(request, quirks, host)),
        quirks.token_field: request.max_tokens,
    }
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if request.tools and quirks.tool_effort == "none":
        body["reasoning_effort"] = "none"
    family, off = quirks.family, request.thinking == "off" and "off" not in quirks.without
    least = request.thinking == "off" and family.off.get("reasoning_effort") != "none"
    wanted = "low" if least else request.effort  # the least where thinking can't be switched off
    reasons = not off and "reasoning_effort" not in body
    spoken = family.penalty and not request.tools and request.schema is None
    return quirks.completed(
        body,
        {
            "stream": {"stream": True},
            "usage": {"stream_options": {"include_usage": True}},
            "temperature": {} if request.temperature is None else {"temperature": request.temperature},
            "schema": {} if request.schema is None else {"response_format": _format(request.schema)},
            "penalty": {"frequency_penalty": _PENALTY} if spoken else {},
            "effort": family.effort(wanted) if reasons else {},
            "off": family.off if off else {},
        },
    )


def _format(schema: Mapping[str, object]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)}}


def _messages(request: Request, quirks: Quirks, host: str) -> Iterator[_Message]:
    system = "".join(block.text for block in request.system)
    if system.strip():
        yield {"role": "system", "content": join_surrogates(system)}
    for message in merged(request.messages):
        if message.role == "user":
            yield from _of_user(message.parts, quirks)
        else:
            yield from _of_assistant(message.parts, quirks, host)


def merged(messages: Iterable[Message]) -> list[Message]:
    """Merge consecutive messages of one role, which some servers reject, and make repeated call ids unique."""
    merged: list[Message] = []
    for message in with_unique_calls(messages):
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
            case OpaquePart(raw=raw, server=server) if raw.get("type") == EXTRAS and server == host:
                extras = raw
    joined = "".join(texts)
    if joined.strip() or calls:
        message["content"] = joined or None
        if calls:
            message["tool_calls"] = calls
        _give_back(message, calls, extras, quirks)
        yield message


def _give_back(message: _Message, calls: list[dict[str, Any]], extras: Mapping[str, object], quirks: Quirks) -> None:
    """Add the fields that this host sent with the message: some hosts reject later requests without them."""
    if quirks.reasoning != "none":
        message |= {name: extras[name] for name in ("reasoning_content", "reasoning_details") if name in extras}
    if (text := filler(quirks.reasoning)) is not None:
        message["reasoning_content"] = extras.get("reasoning_content") or text
    signed = extras.get("calls")
    for call, extra in zip(calls, signed if isinstance(signed, list) else (), strict=False):
        if extra is not None:
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
    if not quirks.family.short_ids:
        return encode_call_id(call_id)
    if re.fullmatch("[A-Za-z0-9]{9}", call_id):
        return call_id
    number = int.from_bytes(hashlib.sha256(call_id.encode("utf-8", "replace")).digest()[:8], "big")
    letters = []
    for _ in range(9):
        number, rest = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[rest])
    return "".join(letters)


_REASONING = ("reasoning_content", "reasoning")
_MAX_NAMED_PIECES = 100
"""Pieces of one call with its name in each, up to which its end is searched."""


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    extra: object = None

    @property
    def whole(self) -> str:
        """The arguments. Some servers send all of them so far in each piece."""
        joined, last = "".join(self.arguments), self.arguments[-1] if self.arguments else ""
        if parse_arguments(joined) is None and parse_arguments(last) is not None:
            earlier = [piece for piece in self.arguments if piece]
            if all(later.startswith(piece) for piece, later in pairwise(earlier)):
                return last
        return joined

    def is_followed_by(self, name: str, arguments: str) -> bool:
        """Whether a piece in the place of this call begins another one: this one is complete."""
        if not (self.name and name and arguments) or len(self.arguments) > _MAX_NAMED_PIECES:
            return False
        return bool(self.whole.strip()) and parse_arguments(self.whole) is not None


class ChatAccumulator(ReplyAccumulator):
    """State of a stream. The server ends it by a reason, or by the end of the stream."""

    whole = "choices"

    def __init__(self, model: str, host: str, tools: Sequence[ToolSpec] = ()) -> None:
        super().__init__(model, host, tools)
        self._text: list[str] = []
        self._calls: dict[int, _Call] = {}
        self._moved: dict[int, int] = {}  # from an index that several calls share to the place of the newest
        self._last = -1
        self._reasoning: list[str] = []
        self._details: list[object] = []
        self._usage = Usage()
        self._stop: str | None = None

    @property
    def ended(self) -> bool:
        return self._stop is not None or (self._closed and self.started)

    @property
    def over(self) -> bool:
        return self._closed  # after the reason the usage follows

    def feed(self, chunk: Mapping[str, Any]) -> list[Chunk]:
        self._model = as_text(chunk.get("model")) or self._model
        if usage := as_mapping(chunk.get("usage")):
            self._usage = usage_of(usage, "prompt_tokens", "completion_tokens")
        choices = chunk.get("choices")
        choice = as_mapping(choices[0]) if isinstance(choices, list) and choices else {}
        if "choices" in chunk:
            self.started = True
        delta = as_mapping(choice.get("delta" if isinstance(choice.get("delta"), Mapping) else "message"))
        self._stop = as_text(choice.get("finish_reason")) or self._stop
        thought, text = _words(delta.get("content"))
        events = [
            *self._think(delta, thought),
            *self._kept(self._marked_up(text + as_text(delta.get("refusal"))), self._text),
        ]
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            self._take_call(as_mapping(call))
        if not calls and (former := as_mapping(delta.get("function_call"))):
            self._take_call({"index": 0, "function": former})
        return events

    def finish(self) -> list[Chunk]:
        return self._kept(self._markup.finish(whole=self.ended and is_whole(self._stop or "stop")), self._text)

    def done(self) -> RoundDone:
        stop = StopReason.CUT
        if self.ended:  # without a reason it is complete
            stop = stop_of(self._stop or "stop", spoke=bool(self._text or self._calls or self._markup.calls))
        whole = self._whole_calls(stop)
        parts: list[ReplyPart] = []
        if (whole or self._markup.calls or self._text) and (extras := self._extras([extra for _, extra in whole])):
            parts.append(OpaquePart(raw={"type": EXTRAS, **extras}, server=self._host, model=self._asked))
        if self._text:
            parts.append(TextPart(text="".join(self._text)))
        return self._round((*parts, *(call for call, _ in whole)), stop, self._usage)

    def _think(self, delta: Mapping[str, Any], thought: str) -> list[Chunk]:
        text = next((as_text(delta[name]) for name in _REASONING if as_text(delta.get(name))), "")
        self._add_text(thought)
        chunks = self._kept([ThinkingChunk(characters=len(thought))] if thought else [], self._text)
        details = delta.get("reasoning_details")
        if isinstance(details, list):
            self._add_block(len(details))
            self._details += details
        if not text:
            return chunks
        self._add_text(text)
        self._reasoning.append(text)
        return [*chunks, *self._kept([ThinkingChunk(characters=len(text))], self._text)]

    def _take_call(self, piece: Mapping[str, Any]) -> None:
        call_id, function = as_text(piece.get("id")), as_mapping(piece.get("function"))
        name, arguments = as_text(function.get("name")), arguments_text(function.get("arguments"))
        place = self._place(piece.get("index"), call_id if name or not arguments else "")
        known = self._calls.get(place)
        if known is not None and not call_id and known.is_followed_by(name, arguments):
            if (known.name, known.whole) == (name, arguments):
                return  # sent once more
            before, place = place, max(self._calls) + 1
            self._moved[before] = self._last = place
        if place not in self._calls:
            self._add_block()
        call = self._calls.setdefault(place, _Call())
        call.id = call.id or call_id
        joined = call.name + name
        call.name = joined if joined in self._names and call.name not in self._names else call.name or name
        self._add_text(arguments)
        call.arguments.append(arguments)
        call.extra = piece.get("extra_content", call.extra)

    def _place(self, index: object, call_id: str) -> int:
        """Return the call's place by its index; if that is missing or shared by all, a new id is a new call."""
        if isinstance(index, int) and not isinstance(index, bool):
            while index in self._moved:
                index = self._moved[index]
            known = self._calls.get(index)
            if known is None or not call_id or known.id in ("", call_id):
                self._last = index
                return index
        elif not call_id and self._calls:
            return self._last
        same = next((place for place, call in self._calls.items() if call_id and call.id == call_id), None)
        self._last = max(self._calls, default=-1) + 1 if same is None else same
        return self._last

    def _whole_calls(self, stop: StopReason) -> list[tuple[ToolCallPart, object]]:
        """Return complete calls, each with its fields to give back. At MAX_TOKENS or CUT the last one may be cut and
        still parse, so it is dropped."""
        places = sorted(self._calls)
        if stop in (StopReason.MAX_TOKENS, StopReason.CUT):
            places = places[:-1]
        calls = []
        for place in places:
            call, arguments = self._calls[place], join_surrogates(self._calls[place].whole) or "{}"
            call.id = call.id or f"call_{new_id()}"
            if stop is StopReason.TOOL_USE or parse_arguments(arguments) is not None:
                name = tool_name(call.name, self._names)
                calls.append((ToolCallPart(id=call.id, name=name, arguments=arguments), call.extra))
        return calls

    def _extras(self, signed: Sequence[object]) -> dict[str, object]:
        """Return the fields to give back; those of calls by their places: ids repeat, and may be changed later."""
        extras: dict[str, object] = {}
        if self._reasoning:
            extras["reasoning_content"] = "".join(self._reasoning)
        if self._details:
            extras["reasoning_details"] = self._details
        if any(extra is not None for extra in signed):
            extras["calls"] = list(signed)
        return extras


def arguments_text(arguments: object) -> str:
    """Return a call's arguments as JSON text; some servers send them as an object."""
    return json.dumps(arguments, ensure_ascii=False) if isinstance(arguments, Mapping) else as_text(arguments)


def _words(content: object) -> tuple[str, str]:
    """Return the thinking and the text of a delta; some servers send them in typed pieces, Mistral's of both."""
    if not isinstance(content, list):
        return "", as_text(content)
    pieces = [as_mapping(piece) for piece in content]
    inner = (piece.get("thinking") for piece in pieces)
    thought = "".join(_words(each)[1] for each in inner)
    return thought, "".join(as_text(piece.get("text")) for piece in pieces)


def usage_of(usage: Mapping[str, Any], sent: str, output: str) -> Usage:
    """Return the usage of OpenAI's protocols, whose input includes what the cache read and wrote. ``sent`` and
    ``output``: names of its fields."""
    details = as_mapping(usage.get(f"{sent}_details"))
    read, written = _number(details.get("cached_tokens")), _number(details.get("cache_write_tokens"))
    if read is None:
        read = _number(usage.get("prompt_cache_hit_tokens"))  # DeepSeek
    total = _number(usage.get(sent))
    return Usage(
        input_tokens=None if total is None else max(0, total - (read or 0) - (written or 0)),
        output_tokens=_number(usage.get(output)),
        cache_read_tokens=read,
        cache_write_tokens=written,
    )


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
