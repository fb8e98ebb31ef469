"""Thinking and tool calls that a model writes into its text, on servers that don't take them out. Pure.

``<think>`` and the like count at the start of a reply, and in one that began so at the start of a line. Where a
template wrote it for the model, a reply has ``</think>`` alone: at the start of a line outside code it makes all text
before it thinking. Calls count outside code, as the last thing of a reply whose request offered tools. Forms that
several families share are read for models whose template writes them; of others they stay unread. A mark that ends a
turn in a template, or begins another, ends the reply.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from pet.ids import new_id
from pet.model import ToolCallPart, ToolSpec
from pet.providers.base import TextChunk, ThinkingChunk
from pet.providers.sanitize import as_mapping, as_text, parse_arguments, tool_name
from pet.untrusted.parsers import read_json

Chunk = TextChunk | ThinkingChunk

_MAX_BLANK = 1_000
"""Characters of white space at the start of a reply that are held back."""

_THINKING = {
    "<think>": "</think>",  # Qwen, DeepSeek, GLM, MiniMax, Hermes
    "<thinking>": "</thinking>",
    "<mm:think>": "</mm:think>",  # MiniMax M3
    "[THINK]": "[/THINK]",  # Magistral
    "◁think▷": "◁/think▷",  # Kimi-VL
    "<thought>": "</thought>",
    "<seed:think>": "</seed:think>",
    "<reasoning>": "</reasoning>",
    "<|channel>thought": "<channel|>",  # Gemma 4
    "<|channel|>analysis<|message|>": "<|end|>",  # gpt-oss
    "<|channel|>commentary<|message|>": "<|end|>",
}
_NO_TEXT = ("<|start|>assistant", "<|channel|>final<|message|>", "<|channel>final")
"""Marks before a text."""
_CLOSE = re.compile(r"</(?:mm:)?think(?:ing)?>|\[/THINK\]|◁/think▷|</thought>|</seed:think>|</reasoning>")
_CLOSING = tuple(close for close in _THINKING.values() if _CLOSE.fullmatch(close))
_SHARED_CALLS = ("<tool_call>", "[TOOL_CALLS]", "<|python_tag|>", "<function=")
_OWN_CALLS = (
    "<|tool_calls_section_begin|>",  # Kimi
    "<|tool_call_begin|>",
    "<｜tool▁calls▁begin｜>",  # DeepSeek
    "<｜tool▁call▁begin｜>",
    "<｜DSML｜function_calls>",
    "<minimax:tool_call>",
    "<|tool_call_start|>",  # Liquid
    "<|channel|>commentary to=",  # gpt-oss
)
_CALLS = (*_SHARED_CALLS, *_OWN_CALLS)
_JSON_CALL = ('{"name":', '{"type":"function"')  # Llama's, without spaces
_TURNS = (
    "<|im_end|>",
    "<|im_start|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|start_header_id|>",
    "<end_of_turn>",
    "<start_of_turn>",
    "<turn|>",
    "<|turn>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|return|>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
)
"""Ends and beginnings of turns in the templates of Qwen, Llama, Gemma, Phi, gpt-oss, DeepSeek and MiniMax."""
_FAMILIES = re.compile(
    r"qwen|qwq|hermes|nous|glm|smollm|mistral|ministral|mixtral|codestral|magistral|devstral|llama|tulu", re.I
)
_MARKS_WITHOUT_TOOLS, _MARKS = (
    re.compile("|".join(map(re.escape, marks))) for marks in ((*_TURNS, *_THINKING), (*_CALLS, *_TURNS, *_THINKING))
)
_HELD = (*_CALLS, *_TURNS, *_THINKING, *_CLOSING)
_ENDS = (*_TURNS, "<|call|>", "</s>")
_BLOCK = re.compile(r"\s*<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.S)
_FUNCTION = re.compile(r"\s*<function=([^>\s]{1,200})>(.*?)</function>\s*", re.S)
_PARAMETER = re.compile(r"<parameter=([^>\s]{1,200})>\n?(.*?)\n?</parameter>", re.S)
_PARAMETER_END = "</parameter>"
# Atomic: a text that ends otherwise would be split at each end of a value in every possible way.
_GLM = re.compile(r"\s*([\w.-]{1,64})\s*((?:(?><arg_key>.*?</arg_key>)\s*(?><arg_value>.*?</arg_value>)\s*)*+)", re.S)
_GLM_PAIR = re.compile(r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>", re.S)
_MISTRAL = re.compile(
    r"\s*(?:\[TOOL_CALLS\])?([\w.-]+)(?:\[CALL_ID\]\w+)?\[ARGS\](\{.*?\})(?=\s*(?:\[TOOL_CALLS\]|\Z))", re.S
)


_KIMI = re.compile(
    r"\s*(?:<\|tool_calls_section_begin\|>)?\s*<\|tool_call_begin\|>\s*([\w.-]{1,64})(?::\d+)?\s*"
    r"<\|tool_call_argument_begin\|>(.*?)<\|tool_call_end\|>\s*(?:<\|tool_calls_section_end\|>)?",
    re.S,
)
_DEEPSEEK = re.compile(
    r"\s*(?:<｜tool▁calls▁begin｜>)?\s*<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\w.-]{1,64})"
    r"(?:\s*```json|<｜tool▁sep｜>)(.*?)(?:```\s*)?<｜tool▁call▁end｜>\s*(?:<｜tool▁calls▁end｜>)?",
    re.S,
)
_HARMONY = re.compile(
    r"\s*(?:<\|start\|>assistant)?<\|channel\|>commentary to=([\w.-]{1,64})[^<]{0,40}(?:<\|constrain\|>\w+)?\s*"
    r"<\|message\|>(.*?)(?:<\|call\|>|\Z)",
    re.S,
)
_INVOKE = re.compile(r'<(?:｜DSML｜)?invoke name="([^"]{1,200})">(.*?)</(?:｜DSML｜)?invoke>', re.S)
_INVOKED = re.compile(r'<(?:｜DSML｜)?parameter name="([^"]{1,200})"[^>]{0,40}>(.*?)</(?:｜DSML｜)?parameter>', re.S)
_INVOKES = (
    ("<minimax:tool_call>", "</minimax:tool_call>"),
    ("<｜DSML｜function_calls>", "</｜DSML｜function_calls>"),
)
_LIQUID = ("<|tool_call_start|>", "<|tool_call_end|>")
_MOST_LISTED = 20_000
"""Characters of a list of calls in Python's form."""


class InlineMarkup:
    """State of one reply: ``feed`` every text, then call ``finish``.

    >>> markup = InlineMarkup("qwen3", ())
    >>> markup.feed("<thi"), markup.feed("nk>Hm.</think>Hello")
    ([], [ThinkingChunk(characters=3, takes_back=False), TextChunk(text='Hello')])
    """

    def __init__(self, model: str, tools: Sequence[ToolSpec]) -> None:
        self._known = bool(_FAMILIES.search(model))
        self._tools = {tool.name: tool for tool in tools}
        self._mode: Literal["start", "thinking", "text", "call", "ended"] = "start"
        self._pending = ""
        self._held: list[str] = []  # of a call
        self._close = ""
        self._fences = 0
        self._ticks = ""  # at the end of the text so far, of a fence that is not complete
        self._last = ""  # character of the text so far
        self._characters = 0  # of the text so far
        self._blanks: int | None = 0  # characters of the line so far, None if it is not blank
        self._may_close = True  # a closing tag without its opening one is possible
        self.calls: tuple[ToolCallPart, ...] = ()
        self.unread = False
        """The reply ends with a call in a form that isn't known of this model."""

    def feed(self, text: str) -> list[Chunk]:
        if self._mode in ("call", "ended"):
            self._held += [text] if self._mode == "call" else []
            return []
        self._pending += text
        return list(self._advance())

    def finish(self, *, whole: bool) -> list[Chunk]:
        """Return what was held back. ``whole`` False: the reply was cut, and a call at its end with it."""
        pending, self._pending = "".join((*self._held, self._pending)), ""
        if self._mode == "thinking":
            return _thinking(pending)
        if self._mode != "call":
            return self._text(pending if self._mode == "text" or pending.strip() else "")
        if not whole:
            return []
        calls, named = self._read(pending), pending.startswith(_OWN_CALLS)
        offered = any(call.name in self._tools for call in calls)
        if calls and (self._known or named) and (offered or not pending.startswith("{")):
            self.calls = calls
            return []
        self.unread = offered or ((self._known or named) and not calls and not pending.startswith("{"))
        return [] if self.unread else self._text(pending)

    def _advance(self) -> Iterator[Chunk]:
        while True:
            match self._mode:
                case "start":
                    text = self._pending.lstrip()
                    tag = next((tag for tag in _THINKING if text.startswith(tag)), None)
                    if (mark := next((each for each in _NO_TEXT if text.startswith(each)), None)) is not None:
                        self._pending, self._close = text[len(mark) :], self._close or mark
                    elif tag is not None:
                        self._mode, self._close, self._pending = "thinking", _THINKING[tag], text[len(tag) :]
                    elif (
                        any(tag.startswith(text) for tag in (*_THINKING, *_NO_TEXT))
                        and len(self._pending) < _MAX_BLANK
                    ):
                        return
                    elif self._tools and text.startswith("{") and (begun := _begins_call(text)) is not False:
                        if begun is None:
                            return
                        self._mode, self._held, self._pending = "call", [text], ""
                    else:
                        self._mode = "text"
                        self._pending = text if self._close else self._pending
                case "thinking":
                    before, closed, after = self._pending.partition(self._close)
                    if not closed:
                        keep = _overlap(before, (self._close,))
                        self._pending = before[len(before) - keep :]
                        yield from _thinking(before[: len(before) - keep])
                        return
                    self._mode, self._pending, self._may_close = "start", after, False
                    yield from _thinking(before)
                case "text" if (thought := self._lone_thought()) is not None:
                    self._mode, self._close, self._may_close = "start", "</think>", False
                    yield ThinkingChunk(characters=thought, takes_back=True)
                case "text":
                    at = self._mark_at(bool(self._close))
                    keep = _overlap(self._pending, _HELD) if at is None else 0
                    end = len(self._pending) - keep if at is None else at
                    text, self._pending = self._pending[:end], self._pending[end:]
                    self._count(text)
                    yield from self._text(text)
                    if at is None:
                        return
                    if self._pending.startswith(_TURNS):
                        self._mode, self._pending = "ended", ""
                    elif self._pending.startswith(tuple(_THINKING)):
                        self._mode = "start"
                    else:
                        self._mode, self._held, self._pending = "call", [self._pending], ""
                case "call" | "ended":
                    return

    def _count(self, text: str) -> None:
        """Update what is known of the text so far."""
        self._last = text[-1:] or self._last
        fenced = self._ticks + text
        self._fences += fenced.count("```")
        self._ticks = "`" * ((len(fenced) - len(fenced.rstrip("`"))) % 3)
        self._characters += len(text)
        line = text[text.rfind("\n") + 1 :]
        blanks = 0 if "\n" in text else self._blanks
        self._blanks = None if blanks is None or line.strip(" \t") else blanks + len(line)

    def _lone_thought(self) -> int | None:
        """Take a closing tag without its opening one and the text before it; return its characters, None without."""
        if not self._may_close:
            return None
        blanks, after = self._blanks, 0
        for match in _CLOSE.finditer(self._pending):
            newline = self._pending.rfind("\n", after, match.start())
            line = self._pending[max(after, newline + 1) : match.start()]
            blanks, after = 0 if newline >= 0 else blanks, match.end()
            if blanks is None or line.strip(" \t"):
                blanks = None
                continue
            before = self._pending[: match.start()]
            if (self._fences + (self._ticks + before).count("```")) % 2:
                return None
            self._pending = self._pending[match.end() :]
            return self._characters + len(before) - len(line) - blanks
        return None

    def _mark_at(self, opening: bool) -> int | None:
        """Return the place of the first mark outside code, or None. ``opening``: also of thinking, at the start of a
        line."""
        fences, before = self._fences, 0
        for match in (_MARKS if self._tools else _MARKS_WITHOUT_TOOLS).finditer(self._pending):
            place = match.start()
            fences += self._pending.count("```", before, place)
            before = place
            if fences % 2 or (self._pending[place - 1] if place else self._last).endswith(("`", '"', "“", "「")):
                continue
            if match[0] not in _THINKING:
                return place
            line = self._pending[self._pending.rfind("\n", 0, place) + 1 : place]
            if opening and not line.strip() and ("\n" in self._pending[:place] or self._blanks is not None):
                return place
        return None

    def _text(self, text: str) -> list[Chunk]:
        return [TextChunk(text=text)] if text else []

    def _read(self, text: str) -> tuple[ToolCallPart, ...]:
        """Return the calls of a text that consists of them; none for anything else."""
        try:
            pairs = list(self._pairs(_without_end(text)))
        except (ValueError, KeyError, TypeError):
            return ()
        return tuple(
            ToolCallPart(id=f"call_{new_id()}", name=tool_name(name, self._tools), arguments=raw)
            for name, raw in pairs
        )

    def _pairs(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield name and arguments of each call. Raises ValueError for any other text."""
        if text.startswith("[TOOL_CALLS]"):
            rest = text.removeprefix("[TOOL_CALLS]")
            if rest.lstrip()[:1] in ("[", "{"):
                calls = read_json(rest)
                yield from (_of_json(call) for call in (calls if isinstance(calls, list) else [calls]))
            else:
                yield from ((match[1], _object(match[2])) for match in _every(_MISTRAL, rest))
        elif text.startswith("<|python_tag|>"):
            yield _of_json(read_json(text.removeprefix("<|python_tag|>")))
        elif text.startswith("{"):
            yield _of_json(read_json(text))
        elif form := next((form for mark, form in _FORMS.items() if text.startswith(mark)), None):
            yield from ((match[1], _object(match[2].strip())) for match in _every(form, text))
        elif text.startswith(_LIQUID[0]):
            yield from _listed(text.removeprefix(_LIQUID[0]).strip().removesuffix(_LIQUID[1]))
        elif tags := next((tags for tags in _INVOKES if text.startswith(tags[0])), None):
            inner = _closed(text.removeprefix(tags[0]), "invoke")
            if _INVOKE.sub("", inner).strip() or not inner:
                raise ValueError("text beside a call")
            for match in _INVOKE.finditer(inner):
                yield self._of_parameters(match[1], _INVOKED.findall(_closed(match[2], "parameter")))
        elif text.startswith("<function="):
            yield from (self._of_parameters(match[1], _parameters(match[2])) for match in _every(_FUNCTION, text))
        else:
            for match in _every(_BLOCK, text):
                body = match[1].strip()
                if body.startswith("{"):
                    yield _of_json(read_json(body))
                elif function := _FUNCTION.fullmatch(body):
                    yield self._of_parameters(function[1], _parameters(function[2]))
                elif glm := _GLM.fullmatch(body):
                    yield self._of_parameters(glm[1], _GLM_PAIR.findall(glm[2]))
                else:
                    raise ValueError("a call of an unknown form")

    def _of_parameters(self, name: str, pairs: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """Return name and arguments of a call whose values are written as text, by the types of the tool's schema."""
        schema = self._tools[name].schema if name in self._tools else {}
        properties = as_mapping(as_mapping(schema).get("properties"))
        values = {key: _value(text, as_mapping(properties.get(key)).get("type")) for key, text in pairs}
        return name, json.dumps(values, ensure_ascii=False)


_FORMS = {
    "<|tool_calls_section_begin|>": _KIMI,
    "<|tool_call_begin|>": _KIMI,
    "<｜tool▁calls▁begin｜>": _DEEPSEEK,
    "<｜tool▁call▁begin｜>": _DEEPSEEK,
    "<|channel|>commentary to=": _HARMONY,
}


def _closed(text: str, tag: str) -> str:
    """Return the text up to the last closing tag of this name: from each opening one an end is found, in linear
    time."""
    return text[: max(text.rfind(end) + len(end) if end in text else 0 for end in (f"</{tag}>", f"</｜DSML｜{tag}>"))]


def _begins_call(text: str) -> bool | None:
    """Whether a text begins a call as an object; None: more of it is needed."""
    squeezed = re.sub(r"\s", "", text[:_MAX_BLANK])
    if squeezed.startswith(_JSON_CALL):
        return True
    return None if any(form.startswith(squeezed) for form in _JSON_CALL) else False


def _listed(text: str) -> Iterator[tuple[str, str]]:
    """Yield the calls of ``[read(path="a")]``. Raises ValueError."""
    if len(text) > _MOST_LISTED:
        raise ValueError("a list too long")
    try:
        body = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError) as problem:
        raise ValueError("no list of calls") from problem
    for each in body.elts if isinstance(body, ast.List) else ():
        if not isinstance(each, ast.Call) or not isinstance(each.func, ast.Name) or each.args:
            raise ValueError("no call")
        given = {keyword.arg or "": ast.literal_eval(keyword.value) for keyword in each.keywords}
        yield each.func.id, json.dumps(given, ensure_ascii=False)


def _thinking(text: str) -> list[Chunk]:
    return [ThinkingChunk(characters=len(text))] if text else []


_FIRST = re.compile(r"[<\[◁]")


def _overlap(text: str, tags: Sequence[str]) -> int:
    """Return how many characters at the end of the text may begin one of the tags."""
    most = min(len(text), max(map(len, tags)) - 1)
    if not _FIRST.search(text, len(text) - most):
        return 0
    return next((size for size in range(most, 0, -1) if any(tag.startswith(text[-size:]) for tag in tags)), 0)


def _every(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield matches that follow one another to the end of the text. Raises ValueError for text between them."""
    at, end = 0, len(text.rstrip())
    while at < end:
        match = pattern.match(text, at)
        if match is None or match.end() == at:
            raise ValueError("text beside a call")
        yield match
        at = match.end()


def _without_end(text: str) -> str:
    """Return the text without white space and one mark of a template at its end."""
    text = text.rstrip()
    mark = next((each for each in _ENDS if text.endswith(each)), "")
    return text.removesuffix(mark).rstrip()


def _parameters(text: str) -> list[tuple[str, str]]:
    """Return names and values; those without an end are left out."""
    return _PARAMETER.findall(text[: text.rfind(_PARAMETER_END) + len(_PARAMETER_END)])  # else each scans the rest


def _of_json(call: object) -> tuple[str, str]:
    """Return name and arguments of ``{"name": …, "arguments": {…}}``. Raises ValueError."""
    fields = as_mapping(call)
    fields = as_mapping(fields.get("function")) or fields
    name, given = as_text(fields.get("name")), fields.get("arguments", fields.get("parameters", {}))
    if not name:
        raise ValueError("a call without a name")
    return name, json.dumps(given, ensure_ascii=False) if isinstance(given, Mapping) else _object(as_text(given))


def _object(text: str) -> str:
    if parse_arguments(text) is None:
        raise ValueError("arguments that are no object")
    return text or "{}"


def _value(text: str, kind: object) -> object:
    if kind == "string":
        return text
    try:
        value = read_json(text)
    except ValueError:
        return text
    return text if kind is None and isinstance(value, str) else value
