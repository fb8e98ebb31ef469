"""Fold the chunks of a chat completion stream into text chunks and one finished round. Pure.

Compatible servers may omit indices, ids, usage and finish reasons, and send calls whole or in pieces; unknown fields
are skipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pet.ids import new_id
from pet.model import OpaquePart, ReplyPart, StopReason, TextPart, ToolCallPart, Usage
from pet.providers.base import RoundDone, TextChunk, ThinkingChunk
from pet.providers.http.limits import ReplySize
from pet.providers.openai.encoding import EXTRAS
from pet.providers.tool_calls import TextJoiner, as_mapping, as_text, parse_arguments
from pet.untrusted.parsers import join_surrogates

_STOPS = {
    "stop": StopReason.END_TURN,
    "length": StopReason.MAX_TOKENS,
    "tool_calls": StopReason.TOOL_USE,
    "function_call": StopReason.TOOL_USE,
    "content_filter": StopReason.REFUSAL,
}
_REASONING = ("reasoning_content", "reasoning")


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    extra: object = None


class ChatAccumulator:
    """State of one stream: ``feed`` every chunk, then call ``done``."""

    def __init__(self, model: str, host: str) -> None:
        self._model = model
        self._host = host
        self._text: list[str] = []
        self._size = ReplySize()
        self._joiner = TextJoiner()
        self._calls: dict[int, _Call] = {}
        self._last = -1
        self._reasoning: list[str] = []
        self._details: list[object] = []
        self._usage = Usage()
        self._stop: str | None = None
        self.started = False
        self.spoke = False

    @property
    def ended(self) -> bool:
        return self._stop is not None

    def feed(self, chunk: Mapping[str, Any]) -> list[TextChunk | ThinkingChunk]:
        """Return the events of this chunk."""
        self._model = as_text(chunk.get("model")) or self._model
        self._count(as_mapping(chunk.get("usage")))
        choices = chunk.get("choices")
        choice = as_mapping(choices[0]) if isinstance(choices, list) and choices else {}
        if "choices" in chunk:
            self.started = True
        delta = as_mapping(choice.get("delta")) or as_mapping(choice.get("message"))
        self._stop = as_text(choice.get("finish_reason")) or self._stop
        events = [*self._think(delta), *self._say(_words(delta.get("content")) + as_text(delta.get("refusal")))]
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            self._take_call(as_mapping(call))
        return events

    def done(self) -> RoundDone:
        """Return the round as received; CUT unless the server ended it with a reason."""
        stop = StopReason.CUT if self._stop is None else _STOPS.get(self._stop, StopReason.END_TURN)
        calls = self._whole_calls(stop)
        if calls and stop is StopReason.END_TURN:
            stop = StopReason.TOOL_USE  # some servers send "stop" with calls
        if stop is StopReason.TOOL_USE and not calls:
            stop = StopReason.END_TURN
        parts: list[ReplyPart] = [OpaquePart(raw=extras)] if calls and (extras := self._extras()) else []
        if self._text:
            parts.append(TextPart(text="".join(self._text)))
        return RoundDone(parts=(*parts, *calls), stop=stop, usage=self._usage, model=self._model)

    def _say(self, text: str) -> list[TextChunk | ThinkingChunk]:
        self._size.add_text(text)
        text = self._joiner.feed(text)
        if not text:
            return []
        self.spoke = True
        self._text.append(text)
        return [TextChunk(text=text)]

    def _think(self, delta: Mapping[str, Any]) -> list[TextChunk | ThinkingChunk]:
        text = next((as_text(delta[name]) for name in _REASONING if as_text(delta.get(name))), "")
        details = delta.get("reasoning_details")
        if isinstance(details, list):
            self._size.add_block(len(details))
            self._details += details
        if not text:
            return []
        self._size.add_text(text)
        self._reasoning.append(text)
        return [ThinkingChunk(characters=len(text))]

    def _take_call(self, piece: Mapping[str, Any]) -> None:
        call_id, function = as_text(piece.get("id")), as_mapping(piece.get("function"))
        place = self._place(piece.get("index"), call_id)
        if place not in self._calls:
            self._size.add_block()
        call = self._calls.setdefault(place, _Call())
        call.id = call.id or call_id
        call.name = call.name or as_text(function.get("name"))
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            self._size.add_text(arguments)
            call.arguments.append(arguments)
        call.extra = piece.get("extra_content", call.extra)

    def _place(self, index: object, call_id: str) -> int:
        """Return the call's place by its index; if that is missing or shared by all, a new id is a new call."""
        if isinstance(index, int) and not isinstance(index, bool):
            known = self._calls.get(index)
            if known is None or not call_id or known.id in ("", call_id):
                self._last = index
                return index
        elif not call_id and self._calls:
            return self._last
        same = next((place for place, call in self._calls.items() if call_id and call.id == call_id), None)
        self._last = max(self._calls, default=-1) + 1 if same is None else same
        return self._last

    def _whole_calls(self, stop: StopReason) -> list[ToolCallPart]:
        """Return complete calls. At MAX_TOKENS or CUT the last one may be cut and still parse, so it is dropped."""
        places = sorted(self._calls)
        if stop in (StopReason.MAX_TOKENS, StopReason.CUT):
            places = places[:-1]
        calls = []
        for place in places:
            call, arguments = self._calls[place], join_surrogates("".join(self._calls[place].arguments)) or "{}"
            call.id = call.id or f"call_{new_id()}"
            if stop is StopReason.TOOL_USE or parse_arguments(arguments) is not None:
                calls.append(ToolCallPart(id=call.id, name=call.name, arguments=arguments))
        return calls

    def _extras(self) -> dict[str, object] | None:
        signed = {call.id: call.extra for call in self._calls.values() if call.extra is not None}
        extras: dict[str, object] = {}
        if self._reasoning:
            extras["reasoning_content"] = "".join(self._reasoning)
        if self._details:
            extras["reasoning_details"] = self._details
        if signed:
            extras["calls"] = signed
        return {"type": EXTRAS, "host": self._host, **extras} if extras else None

    def _count(self, usage: Mapping[str, Any]) -> None:
        if not usage:
            return
        details = as_mapping(usage.get("prompt_tokens_details"))
        read = _number(details.get("cached_tokens"))
        if read is None:
            read = _number(usage.get("prompt_cache_hit_tokens"))  # DeepSeek
        written, sent = _number(details.get("cache_write_tokens")), _number(usage.get("prompt_tokens"))
        self._usage = Usage(
            input_tokens=None if sent is None else max(0, sent - (read or 0) - (written or 0)),
            output_tokens=_number(usage.get("completion_tokens")),
            cache_read_tokens=read,
            cache_write_tokens=written,
        )


def _words(content: object) -> str:
    """Return the text of a delta; some servers send it in typed pieces."""
    if isinstance(content, list):
        return "".join(as_text(as_mapping(piece).get("text")) for piece in content)
    return as_text(content)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
