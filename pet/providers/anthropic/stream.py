"""Fold the events of a Messages stream into text chunks and one finished round. Pure.

Compatible servers may omit message_start, usage, indices and block stops; unknown events and blocks are skipped.
Incomplete blocks are not part of the round.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pet.ids import new_id
from pet.model import OpaquePart, ReplyPart, StopReason, TextPart, ToolCallPart, Usage
from pet.providers.base import RoundDone, TextChunk, ThinkingChunk
from pet.providers.http.limits import ReplySize
from pet.providers.tool_calls import TextJoiner, as_mapping, as_text, parse_arguments
from pet.untrusted.parsers import join_surrogates

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


class MessageAccumulator:
    """State of one stream: ``feed`` every event, then call ``done``."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._blocks: dict[int, _Open] = {}
        self._usage: dict[str, int] = {}
        self._stop: str | None = None
        self._size = ReplySize()
        self._joiner = TextJoiner()
        self.saw_events = False  # of any protocol
        self.started = False  # a known event arrived
        self.ended = False  # message_stop arrived
        self.spoke = False  # text was yielded

    def feed(self, event: Mapping[str, Any]) -> TextChunk | ThinkingChunk | None:
        self.saw_events = True
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
                self._count(event.get("usage"))
            case "message_stop":
                self.ended = True
            case _:
                return None  # a ping or an unknown event
        self.started = True
        return None

    def done(self) -> RoundDone:
        """Return the round as received; CUT unless the server ended it with a reason."""
        stop = _stop_reason(self._stop) if self.ended else StopReason.CUT
        if self.ended and not any(block.whole for block in self._blocks.values()):
            for block in self._blocks.values():  # some servers never send content_block_stop
                block.whole = True
        parts = self._parts(stop)
        if stop is StopReason.TOOL_USE and not any(isinstance(part, ToolCallPart) for part in parts):
            stop = StopReason.END_TURN
        usage = Usage(**{ours: self._usage.get(theirs) for theirs, ours in _USAGE.items()})
        return RoundDone(parts=parts, stop=stop, usage=usage, model=self._model)

    def _open(self, event: Mapping[str, Any]) -> _Open:
        index = event.get("index")
        if not isinstance(index, int):
            index = max(self._blocks, default=0)  # without indices there is one block at a time
        if index not in self._blocks:
            self._size.add_block()
        return self._blocks.setdefault(index, _Open(start={}))

    def _start(self, event: Mapping[str, Any]) -> TextChunk | ThinkingChunk | None:
        self.started = True
        self._size.add_block()
        index = event.get("index")
        place = index if isinstance(index, int) else max(self._blocks, default=-1) + 1
        block = dict(as_mapping(event.get("content_block")))
        self._blocks[place] = opened = _Open(start=block)
        if opened.kind == "text" and as_text(block.get("text")):
            return self._say(opened, as_text(block.get("text")))
        return None

    def _delta(self, event: Mapping[str, Any]) -> TextChunk | ThinkingChunk | None:
        self.started = True
        opened, delta = self._open(event), as_mapping(event.get("delta"))
        match delta.get("type"):
            case "text_delta":
                opened.start.setdefault("type", "text")
                return self._say(opened, as_text(delta.get("text")))
            case "thinking_delta":
                opened.start.setdefault("type", "thinking")
                text = as_text(delta.get("thinking"))
                self._size.add_text(text)
                opened.text.append(text)
                return ThinkingChunk(characters=len(text)) if text else None
            case "signature_delta":
                text = as_text(delta.get("signature"))
                self._size.add_text(text)
                opened.signature.append(text)
            case "input_json_delta":
                text = as_text(delta.get("partial_json"))
                self._size.add_text(text)
                opened.text.append(text)
        return None

    def _say(self, opened: _Open, text: str) -> TextChunk | None:
        self._size.add_text(text)
        text = self._joiner.feed(text)
        if not text:
            return None
        self.spoke = True
        opened.text.append(text)
        return TextChunk(text=text)

    def _parts(self, stop: StopReason) -> tuple[ReplyPart, ...]:
        parts: list[ReplyPart] = []
        for index in sorted(self._blocks):
            block = self._blocks[index]
            if block.kind == "text" and block.text:
                parts.append(TextPart(text="".join(block.text)))
            elif block.kind in _OPAQUE and block.whole:
                parts.append(OpaquePart(raw=_opaque(block)))
            elif block.kind == "tool_use" and _is_complete(block, stop, last=index == max(self._blocks)):
                parts.append(_call(block))
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
    if block.text:
        raw["thinking"] = join_surrogates(as_text(raw.get("thinking")) + "".join(block.text))
    if block.signature:
        raw["signature"] = as_text(raw.get("signature")) + "".join(block.signature)
    return raw


def _call(block: _Open) -> ToolCallPart:
    call_id = as_text(block.start.get("id")) or f"call_{new_id()}"
    return ToolCallPart(id=call_id, name=as_text(block.start.get("name")), arguments=_arguments(block))


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


def _stop_reason(name: str | None) -> StopReason:
    if name is None:
        return StopReason.CUT
    try:
        return StopReason(name)
    except ValueError:
        return StopReason.END_TURN  # unknown reasons end the reply as well
