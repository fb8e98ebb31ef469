"""Requests and streams of OpenAI's Responses protocol. Pure.

Stateless: each request carries the whole conversation, ``store`` is off, and reasoning comes and goes encrypted.
Equal requests and quirks encode to equal bytes. Streams of compatible servers are accepted: indices, deltas, usage
and the final event's output may be missing, unknown events are skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    TextPart,
    ToolCallPart,
    ToolResultPart,
    ToolSpec,
    Usage,
)
from pet.providers.accumulator import ReplyAccumulator
from pet.providers.base import RoundDone, ThinkingChunk, stop_of
from pet.providers.inline_markup import Chunk
from pet.providers.openai_messages import arguments_text, merged, usage_of
from pet.providers.quirks import Quirks
from pet.providers.sanitize import (
    as_mapping,
    as_text,
    encode_call_id,
    encode_tool_name,
    parse_arguments,
    tool_name,
)
from pet.untrusted.parsers import join_surrogates

_Item = dict[str, Any]
_REASONING = "reasoning"
"""Type of an item, and of the OpaquePart that holds it."""
_NOT_SENT_BACK = frozenset({"id", "status"})
"""Fields of a reasoning item that name it on the server, where nothing is stored."""
_IDS = ("call_id", "id")
_LAST = {"response.completed": "completed", "response.incomplete": "incomplete", "response.done": "completed"}
"""Events that end a reply, with the status that they have by themselves."""


def encode_request(request: Request, quirks: Quirks, host: str) -> dict[str, Any]:
    """Return the body."""
    request = quirks.fitted(request)
    body: dict[str, Any] = {
        "model": request.model,
        "input": list(_items(request.messages, quirks, host)),
        "max_output_tokens": request.max_tokens,
        "store": False,
    }
    system = "".join(block.text for block in request.system)
    if system.strip():
        body["instructions"] = join_surrogates(system)
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    off = request.thinking == "off" and "off" not in quirks.without
    schema = {"type": "json_schema", "name": "answer", "strict": True, "schema": dict(request.schema or {})}
    return quirks.completed(
        body,
        {
            "stream": {"stream": True},
            "encrypted": {"include": ["reasoning.encrypted_content"]},
            "temperature": {} if request.temperature is None else {"temperature": request.temperature},
            "schema": {} if request.schema is None else {"text": {"format": schema}},
            "effort": {"reasoning": {"effort": request.effort}} if request.effort and not off else {},
            "off": {"reasoning": {"effort": "none"}} if off else {},
        },
    )


def _items(messages: Iterable[Message], quirks: Quirks, host: str) -> Iterator[_Item]:
    for message in merged(messages):
        yield from _of_user(message.parts) if message.role == "user" else _of_assistant(message.parts, quirks, host)


def _of_user(parts: Iterable[Part]) -> Iterator[_Item]:
    """Yield an output for each result, then the owner's message."""
    content: list[_Item] = []
    for part in parts:
        match part:
            case ToolResultPart():
                text = join_surrogates(part.text) if part.text.strip() else "-"
                yield {"type": "function_call_output", "call_id": encode_call_id(part.call_id), "output": text}
            case TextPart(text=text) | ContextPart(text=text):
                if text.strip():
                    content.append({"type": "input_text", "text": join_surrogates(text)})
            case ImagePart(kind=kind, data=data):
                url = f"data:{kind};base64,{data}"
                content.append({"type": "input_image", "detail": "auto", "image_url": url})
    if content:
        yield {"type": "message", "role": "user", "content": content}


def _of_assistant(parts: Iterable[Part], quirks: Quirks, host: str) -> Iterator[_Item]:
    for part in parts:
        match part:
            case TextPart(text=text) if text.strip():
                output = {"type": "output_text", "text": join_surrogates(text)}
                yield {"type": "message", "role": "assistant", "content": [output]}  # llama.cpp wants it so
            case ToolCallPart():
                arguments = part.arguments if parse_arguments(part.arguments) is not None else "{}"
                yield {
                    "type": "function_call",
                    "call_id": encode_call_id(part.id),
                    "name": encode_tool_name(part.name),
                    "arguments": join_surrogates(arguments or "{}"),
                }
            case OpaquePart(raw=raw, server=server) if raw.get("type") == _REASONING and server == host:
                if quirks.reasoning != "none":
                    yield {"summary": [], **{name: raw[name] for name in raw if name not in _NOT_SENT_BACK}}


def _tool(tool: ToolSpec) -> _Item:
    return {
        "type": "function",
        "name": tool.name,
        "description": join_surrogates(tool.description),
        "parameters": dict(tool.schema),
        "strict": False,  # the default rewrites the schema, so that every argument is required
    }


@dataclass(slots=True)
class _Output:
    """One output item. ``item``: as the server gave it last."""

    item: dict[str, Any] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    streamed: bool = False  # a delta of its text or reasoning arrived
    whole: bool = False

    @property
    def kind(self) -> object:
        """Its type, by what came of it where the server has not said."""
        named = self.item.get("type")
        return named or ("function_call" if self.arguments else "message" if self.text else _REASONING)


class ResponsesAccumulator(ReplyAccumulator):
    """State of a stream. The server's last event says how the reply ended."""

    whole = "output"

    def __init__(self, model: str, host: str, tools: Sequence[ToolSpec] = ()) -> None:
        super().__init__(model, host, tools)
        self._outputs: dict[object, _Output] = {}  # by index or id, in order of arrival
        self._speaking = _Output()
        self._status = self._reason = ""
        self._usage = Usage()

    @property
    def ended(self) -> bool:
        return bool(self._status)

    @property
    def over(self) -> bool:
        return self.ended or self._closed

    def feed(self, event: Mapping[str, Any]) -> list[Chunk]:
        kind = as_text(event.get("type"))
        self.started = self.started or "type" in event
        if kind in _LAST or (kind.startswith("response.") and isinstance(event.get("response"), Mapping)):
            return self._take_response(kind, as_mapping(event.get("response")))
        if kind in ("response.output_item.added", "response.output_item.done"):
            return self._take_item(self._output(event), as_mapping(event.get("item")), done=kind.endswith("done"))
        delta = as_text(event.get("delta"))
        match kind:
            case "response.output_text.delta" | "response.refusal.delta":
                return self._say(self._output(event), delta)
            case "response.output_text.done" if not self._output(event).streamed:
                return self._say(self._output(event), as_text(event.get("text")))
            case "response.reasoning_text.delta" | "response.reasoning_summary_text.delta":
                return self._think(self._output(event), delta)
            case "response.function_call_arguments.delta":
                self._add_text(delta)
                self._output(event).arguments.append(delta)
            case "response.function_call_arguments.done":
                self._output(event).item["arguments"] = event.get("arguments")
        return []

    def finish(self) -> list[Chunk]:
        return self._shown(self._markup.finish(whole=self._status == "completed"))

    def done(self) -> RoundDone:
        parts = [part for output in self._outputs.values() for part in self._parts(output)]
        stop = StopReason.END_TURN
        if self._status != "completed":
            stop = stop_of(self._reason or "cut", spoke=False)
        if not self._markup.calls and all(isinstance(part, OpaquePart) for part in parts):
            parts = []  # reasoning alone can't go back
        return self._round(parts, stop, self._usage)

    def events_of(self, reply: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
        return ({"type": "response.completed", "response": reply},)

    def _output(self, event: Mapping[str, Any]) -> _Output:
        key: object = event.get("output_index")
        if not isinstance(key, int):
            key = as_text(event.get("item_id")) or as_text(as_mapping(event.get("item")).get("id"))
            key = key or self._latest(begins=event.get("type") == "response.output_item.added")
        if key not in self._outputs:
            self._add_block()
        return self._outputs.setdefault(key, _Output())

    def _latest(self, *, begins: bool) -> object:
        """Return the key of an event without index and id, where there is one item at a time."""
        key = next(reversed(self._outputs), None)
        if key is None or begins or self._outputs[key].whole:
            return f"item {len(self._outputs)}"
        return key

    def _take_response(self, kind: str, response: Mapping[str, Any]) -> list[Chunk]:
        self._model = as_text(response.get("model")) or self._model
        if usage := as_mapping(response.get("usage")):
            self._usage = usage_of(usage, "input_tokens", "output_tokens")
        if kind not in _LAST:
            return []
        self._status = as_text(response.get("status")) or _LAST[kind]
        self._reason = as_text(as_mapping(response.get("incomplete_details")).get("reason"))
        chunks: list[Chunk] = []
        items = response.get("output")
        for place, item in enumerate(map(as_mapping, items if isinstance(items, list) else ())):
            output = self._streamed(place, item) or self._output({"item_id": f"last {place}"})
            if not output.whole:  # else it came, or another one that is this
                chunks += self._take_item(output, item, done=True)
        for output in self._outputs.values():  # some servers never say so of each
            output.whole = output.whole or self._status == "completed"
        return chunks

    def _streamed(self, place: int, item: Mapping[str, Any]) -> _Output | None:
        """Return what came already of an item of the last event: by its ids, else at its place, else one of its kind
        whose ids are others there. None: nothing of it came."""
        outputs, kind = list(self._outputs.values()), item.get("type")
        same = [
            each for each in outputs if any(item.get(name) and item.get(name) == each.item.get(name) for name in _IDS)
        ]
        alike = [each for each in outputs if each.kind == kind]
        if same or not alike:
            return same[0] if same else None
        at_place = self._outputs.get(place)
        if kind == "function_call":  # another call of the same tool has other ids
            nameless = (each for each in alike if not any(map(each.item.get, _IDS)))
            return next((each for each in nameless if each.item.get("name") in (None, item.get("name"))), None)
        return at_place if at_place in alike else alike[0]

    def _take_item(self, output: _Output, item: Mapping[str, Any], *, done: bool) -> list[Chunk]:
        output.item |= {name: value for name, value in item.items() if value not in (None, "")}
        output.whole = output.whole or (done and item.get("status") not in ("incomplete", "in_progress"))
        if not done:
            return []
        self._add_text(arguments_text(item.get("arguments")), as_text(item.get("encrypted_content")))
        if output.streamed:
            return []
        text = "".join(_texts(item.get("content")))  # no delta came
        if item.get("type") == "message":
            return self._say(output, text)
        if item.get("type") == _REASONING:
            thought = text or "".join(_texts(item.get("summary")))
            self._thinking += not thought  # what can't be read is counted as one character
            return self._think(output, thought)
        return []

    def _say(self, output: _Output, text: str) -> list[Chunk]:
        if not text:
            return []
        if self.spoke and output is not self._speaking:
            text = f"\n\n{text}"  # another message
        output.streamed, self._speaking = True, output
        return self._shown(self._marked_up(text))

    def _think(self, output: _Output, text: str) -> list[Chunk]:
        self._add_text(text)
        output.streamed = output.streamed or bool(text)
        return self._shown([ThinkingChunk(characters=len(text))] if text else [])

    def _shown(self, chunks: list[Chunk]) -> list[Chunk]:
        return self._kept(chunks, self._speaking.text, (output.text for output in self._outputs.values()))

    def _parts(self, output: _Output) -> Iterator[ReplyPart]:
        item = output.item
        if output.text:
            yield TextPart(text="".join(output.text))
        elif item.get("type") == _REASONING and output.whole and _can_go_back(item):
            yield OpaquePart(raw=item, server=self._host, model=self._asked)
        elif item.get("type") == "function_call" and output.whole:
            arguments = arguments_text(item.get("arguments")) or "".join(output.arguments)
            call_id = as_text(item.get("call_id")) or as_text(item.get("id")) or f"call_{new_id()}"
            name = tool_name(as_text(item.get("name")), self._names)
            yield ToolCallPart(id=call_id, name=name, arguments=join_surrogates(arguments) or "{}")


def _texts(content: object) -> Iterator[str]:
    for piece in content if isinstance(content, list) else ():
        yield as_text(as_mapping(piece).get("text")) or as_text(as_mapping(piece).get("refusal"))


def _can_go_back(item: Mapping[str, Any]) -> bool:
    """Whether a reasoning item says something by itself, without being stored on the server."""
    return bool(item.get("encrypted_content") or item.get("content"))
