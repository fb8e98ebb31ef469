"""Model services with the rules that their makers state, for talks of several turns over each protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from tests.support.servers.chat_replies import call, chat, refusal
from tests.support.servers.protocol_replies import Call, Hold, Reply, Thinking, error, stream, whole
from tests.support.servers.protocol_server import Recorded
from tests.support.servers.responses_replies import responses

WISH = "Please remember"
"""A message with these words is answered by a call of ``memory_write``."""
CORRECTION = "Please correct"
"""Likewise by a call of ``edit`` that changes USER.md."""
STORY = "Tell me a story"
"""Likewise by a reply that waits at the hold ``story``."""


@dataclass(frozen=True, slots=True)
class PastReply:
    """An assistant message of a request, over either protocol. ``thought`` None: there is no reasoning in it."""

    place: int
    turn: int  # of the owner
    calls: bool
    thought: str | None


@dataclass(slots=True)
class ThinkingService:
    """A model that thinks before each reply, and calls ``memory_write`` for a wish. ``refused``: its refusals."""

    thought: str = "thinking of it"
    takes_empty: bool = True
    """Whether empty reasoning counts as reasoning."""
    refused: list[str] = field(default_factory=list)
    has_responses: bool = True
    _numbers: Iterator[int] = field(default_factory=count)

    def __call__(self, request: Recorded) -> Reply:
        problem = self.problem(list(_replies(request)), messages=_is_messages(request))
        if problem:
            self.refused.append(problem)
            if _is_messages(request):
                return error(400, "invalid_request_error", problem)
            return refusal(400, problem, type_="invalid_request_error")
        return self.reply(request)

    def problem(self, replies: list[PastReply], *, messages: bool) -> str:
        """Return what is wrong with the assistant messages, "" for nothing."""
        return ""

    def reply(self, request: Recorded) -> Reply:
        number = next(self._numbers)
        asked = "" if _ends_with_result(request) else request.last_text()
        said: list[str | Call | Hold] = ["Noted."]
        if WISH in asked:
            said = [Call("memory_write", {"content": f"note {number}"}, f"memory_write_{number}")]
        elif CORRECTION in asked:
            change = {"path": "USER.md", "old_text": "#", "new_text": f"# {number}"}
            said = [Call("edit", change, f"edit_{number}")]
        elif STORY in asked:
            said = ["Once upon", Hold("story"), " a time."]
        return _reply(request, f"{self.thought} {number}", said)

    def lacks(self, reply: PastReply) -> bool:
        return reply.thought is None or not (reply.thought or self.takes_empty)


class Kimi(ThinkingService):
    """Kimi K2.5 and later: each assistant message with tool calls has its reasoning, in all later requests.

    MoonshotAI/kimi-cli issue 1616 (2026-03-28); the same words over Messages: NousResearch/hermes-agent pull request
    14018 (2026-04-22).
    """

    def problem(self, replies: list[PastReply], *, messages: bool) -> str:
        place = next((each.place for each in replies if each.calls and self.lacks(each)), None)
        if place is None:
            return ""
        return f"thinking is enabled but reasoning_content is missing in assistant tool call message at index {place}"


class DeepSeek(ThinkingService):
    """DeepSeek's thinking models: if tools were called between two messages of the user, each assistant message
    between them has its reasoning, in all later requests.

    api-docs.deepseek.com/guides/thinking_mode (2026-08); deepseek-ai/deepseek-harness discussion 739; over Messages:
    esengine/DeepSeek-Reasonix pull request 8927 (2026-08-15).
    """

    def problem(self, replies: list[PastReply], *, messages: bool) -> str:
        called = {each.turn for each in replies if each.calls}
        if not any(each.turn in called and self.lacks(each) for each in replies):
            return ""
        name = "content[].thinking" if messages else "reasoning_content"
        return f"The `{name}` in the thinking mode must be passed back to the API."


class NoReasoning(ThinkingService):
    """A server that thinks and takes none of it back: Groq's (janhq/jan issue 8136, 2026-05-13); over Messages a
    gateway in front of several services (ding113/claude-code-hub issue 518, 2026-01-03).
    """

    def problem(self, replies: list[PastReply], *, messages: bool) -> str:
        place = next((each.place for each in replies if each.thought is not None), None)
        if place is None:
            return ""
        if messages:
            return f"messages.{place}.content.0: Invalid `signature` in `thinking` block"
        return (
            f"'messages.{place}' : for 'role:assistant' the following must be satisfied"
            f"[('messages.{place}' : property 'reasoning_content' is unsupported)]"
        )


@dataclass(slots=True)
class Strict(ThinkingService):
    """A service over chat completions that refuses fields and values which its maker doesn't know, and names them."""

    def __call__(self, request: Recorded) -> Reply:
        if not request.route.endswith("/chat/completions"):
            return whole("", status=404)
        if problem := self.wrong(request.json):
            self.refused.append(problem)
            return self.refusal(problem)
        return self.reply(request)

    def wrong(self, body: Mapping[str, Any]) -> str:
        """Return what is wrong with a request, "" for nothing."""
        return ""

    def refusal(self, problem: str) -> Reply:
        return refusal(400, problem)


class Gemini(Strict):
    """Signs its calls, wants the signatures back with the calls of the running turn, and knows no other fields.

    ai.google.dev/gemini-api/docs/thought-signatures and .../openai (2026-11).
    """

    def wrong(self, body: Mapping[str, Any]) -> str:
        known = _COMMON | {"reasoning_effort", "max_completion_tokens"}
        if unknown := sorted(set(body) - known):
            return f'Invalid JSON payload received. Unknown name "{unknown[0]}": Cannot find field.'
        if body.get("reasoning_effort", "low") not in ("none", "minimal", "low", "medium", "high"):
            return "Invalid value at 'reasoning_effort'"
        last = max(place for place, each in enumerate(body["messages"]) if each["role"] == "user")
        for message in body["messages"][last:]:
            if message.get("tool_calls") and "extra_content" not in message["tool_calls"][0]:
                return "Function call is missing a thought_signature in functionCall parts."
        return ""

    def reply(self, request: Recorded) -> Reply:
        return _with_calls(Strict.reply(self, request), {"extra_content": {"google": {"thought_signature": "c2ln"}}})


class Mistral(Strict):
    """Wants call ids of nine letters or digits and no field of others, and thinks in typed pieces.

    docs.mistral.ai/api and .../inference/conversations/reasoning (2026-11).
    """

    def wrong(self, body: Mapping[str, Any]) -> str:
        known = _COMMON | {"reasoning_effort"}
        if unknown := sorted(set(body) - known):
            return f"body.{unknown[0]}: Extra inputs are not permitted"
        if body.get("reasoning_effort", "low") not in ("none", "low", "medium", "high"):
            return "body.reasoning_effort: Input should be 'none', 'low', 'medium' or 'high'"
        for message in body["messages"]:
            if "reasoning_content" in message:
                return "body.messages.assistant.reasoning_content: Extra inputs are not permitted"
            for each in message.get("tool_calls", ()):
                if not (len(each["id"]) == 9 and each["id"].isalnum()):
                    return f"Tool call id was {each['id']} but must be a-z, A-Z, 0-9, with a length of 9."
        return ""

    def refusal(self, problem: str) -> Reply:
        return whole(json.dumps({"object": "error", "message": problem, "code": "1000"}), status=422)

    def reply(self, request: Recorded) -> Reply:
        thought = {"type": "thinking", "thinking": [{"type": "text", "text": f"{self.thought}."}]}
        return _thinking_as(_typed(thought), Strict.reply(self, request))


class Glm(Strict):
    """GLM 5.3: it always thinks, takes three efforts, and wants the reasoning of the running turn's calls back.

    docs.z.ai/guides/capabilities/thinking-mode (2026-11); aihubmix.com's guide of 5.3 (2026-08-14).
    """

    def wrong(self, body: Mapping[str, Any]) -> str:
        if body.get("thinking", {}).get("type", "enabled") != "enabled":
            return "thinking.type: only 'enabled' is supported by this model"
        if body.get("reasoning_effort", "max") not in ("low", "high", "max"):
            return "reasoning_effort: one of low, high, max"
        last = max(place for place, each in enumerate(body["messages"]) if each["role"] == "user")
        if any(each.get("tool_calls") and "reasoning_content" not in each for each in body["messages"][last:]):
            return "reasoning_content is missing in assistant tool call message"
        return ""

    def refusal(self, problem: str) -> Reply:
        return whole(json.dumps({"error": {"code": "1210", "message": problem}}), status=400)


class Qwen(Strict):
    """Qwen 3.8: ``enable_thinking``, and four words of effort.

    docs.qwencloud.com/developer-guides/text-generation/thinking (2026-08-04).
    """

    def wrong(self, body: Mapping[str, Any]) -> str:
        if not isinstance(body.get("enable_thinking", True), bool):
            return "InternalError.Algo.InvalidParameter: enable_thinking must be a boolean"
        if body.get("reasoning_effort", "low") not in ("low", "medium", "high", "xhigh"):
            return "InternalError.Algo.InvalidParameter: reasoning_effort"
        return ""


class MiniMax(Strict):
    """MiniMax M3.1 Flash: it always thinks, within its text, and takes no ``max_tokens``.

    platform.minimax.io/docs/api-reference (2026-11); the refusal: dev.to/aihubmix (2026-10-19).
    """

    def wrong(self, body: Mapping[str, Any]) -> str:
        if body.get("thinking", {}).get("type") == "disabled":
            return "invalid params, requires adaptive thinking (2013)"
        return "max_tokens is not supported, use 'max_completion_tokens'" if "max_tokens" in body else ""

    def reply(self, request: Recorded) -> Reply:
        return _thinking_as(_typed(f"<mm:think>{self.thought}</mm:think>"), Strict.reply(self, request))


_COMMON = frozenset(
    {"model", "messages", "tools", "stream", "stream_options", "max_tokens", "temperature", "response_format"}
)


def _typed(content: object) -> bytes:
    pieces = [content] if isinstance(content, dict) else content
    return f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': pieces}}]})}\n\n".encode()


def _thinking_as(sent: bytes, reply: Reply) -> Reply:
    """Return the reply with these bytes in place of its thinking."""
    steps = (sent if isinstance(step, bytes) and b"reasoning_content" in step else step for step in reply.steps)
    return replace(reply, steps=tuple(steps))


def _with_calls(reply: Reply, extra: Mapping[str, Any]) -> Reply:
    """Return the reply with these fields in each of its calls."""
    mark = b'"tool_calls": [{'
    added = mark + json.dumps(extra)[1:-1].encode() + b", "
    steps = (step.replace(mark, added) if isinstance(step, bytes) else step for step in reply.steps)
    return replace(reply, steps=tuple(steps))


def _reply(request: Recorded, thought: str, said: list[str | Call | Hold]) -> Reply:
    if _is_responses(request):
        return responses(Thinking(thought), *said)
    if _is_messages(request):
        return stream(Thinking(thought), *said)
    pieces = [
        call(each.name, json.dumps(each.arguments), id_=each.id) if isinstance(each, Call) else each for each in said
    ]
    calls = any(isinstance(each, Call) for each in said)
    return chat({"reasoning_content": thought}, *pieces, finish="tool_calls" if calls else "stop")


def _is_messages(request: Recorded) -> bool:
    return request.route.endswith("/messages")


def _is_responses(request: Recorded) -> bool:
    return request.route.endswith("/responses")


def _ends_with_result(request: Recorded) -> bool:
    last = (request.json.get("messages") or request.json["input"])[-1]
    content = last.get("content")
    if last.get("role") == "tool" or last.get("type") == "function_call_output":
        return True
    return isinstance(content, list) and content[0]["type"] == "tool_result"


def _replies(request: Recorded) -> Iterator[PastReply]:
    turn = 0
    for place, message in enumerate(request.json["messages"]):
        content: Any = message.get("content")
        blocks: list[Mapping[str, Any]] = content if isinstance(content, list) else []
        if message["role"] == "user" and not any(block["type"] == "tool_result" for block in blocks):
            turn += 1
        if message["role"] != "assistant":
            continue
        if _is_messages(request):
            thoughts = [block["thinking"] for block in blocks if block["type"] == "thinking"]
            calls = any(block["type"] == "tool_use" for block in blocks)
            yield PastReply(place, turn, calls, "".join(thoughts) if thoughts else None)
        else:
            yield PastReply(place, turn, "tool_calls" in message, message.get("reasoning_content"))


_FIELDS = frozenset(
    {"model", "input", "instructions", "max_output_tokens", "store", "stream", "include", "tools", "reasoning"}
    | {"temperature", "text"}
)
_ITEMS = {
    "reasoning": {"type", "summary", "encrypted_content"},
    "function_call": {"type", "call_id", "name", "arguments"},
    "function_call_output": {"type", "call_id", "output"},
    "message": {"type", "role", "content"},
}


@dataclass(slots=True)
class Responses(ThinkingService):
    """OpenAI's Responses, stateless: nothing is stored, so that an item with an id isn't found, reasoning goes back
    encrypted as it came and before what followed it, and each call has its output.

    developers.openai.com/api/docs/guides/reasoning and .../function-calling (2026-11); docs.x.ai/developers/
    advanced-api-usage/troubleshooting-reasoning (2026-11); the refusals: github/copilot-sdk issue 615,
    openai/codex issue 8132 (2025-12-16), coder/mux pull request 59 (2025-10-06).
    """

    def __call__(self, request: Recorded) -> Reply:
        if not _is_responses(request):
            return whole("", status=404)
        problem = self.wrong(request.json)
        if problem:
            self.refused.append(problem)
            return refusal(400, problem, type_="invalid_request_error")
        return self.reply(request)

    def wrong(self, body: Mapping[str, Any]) -> str:
        """Return what is wrong with a request, "" for nothing."""
        unknown = sorted(set(body) - _FIELDS)
        if unknown:
            return f"Unknown parameter: '{unknown[0]}'."
        if body.get("store") is not False or body.get("include") != ["reasoning.encrypted_content"]:
            return "This organization keeps nothing: 'store' must be false."
        for tool in body.get("tools", ()):
            if tool["type"] != "function" or tool["strict"] is not False or not tool["name"]:
                return "Missing required parameter: 'tools[0].name'."
        items, open_calls = body["input"], set[str]()
        for place, item in enumerate(items):
            kind = item.get("type", "")
            if kind not in _ITEMS or isinstance(item.get("content"), str):
                return "Cannot determine type of 'item'"  # llama.cpp's, of an assistant's message above all
            if kind == "reasoning" and "id" in item:
                return f"Item with id '{item['id']}' not found. Items are not persisted when `store` is set to false."
            if set(item) != _ITEMS[kind]:
                return f"Unknown parameter: 'input[{place}].{sorted(set(item) ^ _ITEMS[kind])[0]}'."
            if kind == "reasoning" and not item["encrypted_content"].startswith(self.thought):
                return "The encrypted content gAAA...= could not be verified."
            following = items[place + 1] if place + 1 < len(items) else {}
            follows = following.get("role") == "assistant" or following.get("type") in ("function_call", "reasoning")
            if kind == "reasoning" and not follows:
                return "Item 'rs_1' of type 'reasoning' was provided without its required following item."
            if kind == "function_call":
                open_calls.add(item["call_id"])
            elif kind == "function_call_output":
                if item["call_id"] not in open_calls:
                    return f"No tool call found for function call output with call_id {item['call_id']}."
                open_calls.discard(item["call_id"])
        return f"No tool output found for function call {open_calls.pop()}." if open_calls else ""


class OpenAI(Responses):
    """OpenAI of 2026: over chat completions ``gpt-5.6`` takes tools without reasoning only, ``gpt-6-astra`` refuses
    that too, ``gpt-5.4-pro`` is had by Responses alone.

    openai/openai-openapi issue 541 (2026-05-18); the same words for gpt-5.6, gpt-6-astra and the pro models as quoted
    by several public clients (2026-09).
    """

    def __call__(self, request: Recorded) -> Reply:
        body = request.json
        if _is_responses(request):
            if not self.has_responses:
                return refusal(404, "Invalid URL (POST /v1/responses)", type_="invalid_request_error")
            return Responses.__call__(self, request)
        model, effort = body["model"], body.get("reasoning_effort")
        if _is_messages(request):
            return refusal(404, "Invalid URL (POST /v1/messages)", type_="invalid_request_error")
        if model.endswith("-pro"):
            return self.refuse(404, "This model is only supported in v1/responses and not in v1/chat/completions.")
        if "max_tokens" in body:
            return self.refuse(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        if model == "gpt-6-astra" and effort == "none":
            known = "Supported values are: 'low', 'medium', 'high', and 'xhigh'."
            return self.refuse(
                400, f"Unsupported value: 'reasoning_effort' does not support 'none' with this model. {known}"
            )
        if "tools" in body and effort != "none":
            return self.refuse(
                400,
                f"Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. "
                "To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
            )
        return self.reply(request)

    def refuse(self, status: int, message: str) -> Reply:
        self.refused.append(message)
        return refusal(status, message, type_="invalid_request_error")


TOO_LONG = {
    "vllm": "'max_tokens' or 'max_completion_tokens' is too large: {asked}. This model's maximum context length is "
    "{window} tokens and your request has {prompt} input tokens ({asked} > {window} - {prompt}). None",
    "vllm 0.25": "This model's maximum context length is {window} tokens. However, you requested {asked} output "
    "tokens and your prompt contains at least {least} input tokens, for a total of at least {over} tokens. Please "
    "reduce the length of the input prompt or the number of requested output tokens.",
    "openai": "This model's maximum context length is {window} tokens. However, you requested {total} tokens (9 in "
    "the messages, {rest} in the functions, and {asked} in the completion). Please reduce the length of the "
    "messages, functions, or completion.",
    "sglang": "Requested token count exceeds the model's maximum context length of {window} tokens. You requested a "
    "total of {total} tokens: {prompt} tokens from the input messages and {asked} tokens for the completion. Please "
    "reduce the number of tokens in the input messages or the completion to fit within the limit.",
    "tgi": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= {window}. Given: {prompt} `inputs` "
    "tokens and {asked} `max_new_tokens`",
    "openrouter": "This endpoint's maximum context length is {window} tokens. However, you requested about {total} "
    "tokens (9 of text input, {rest} of tool input, {asked} in the output). Please reduce the length of either one, "
    'or use the "middle-out" transform to compress your prompt automatically.',
    "anthropic": "input length and `max_tokens` exceed context limit: {prompt} + {asked} > {window}, decrease input "
    "length or `max_tokens` and try again",
}
"""Refusals of prompt and reply together, as users of these servers reported them in 2025 and 2026."""
TOO_MUCH = {
    "openai": "max_tokens is too large: {asked}. This model supports at most {most} completion tokens, whereas you "
    "provided {asked}.",
    "anthropic": "max_tokens: {asked} > {most}, which is the maximum allowed number of output tokens for "
    "claude-3-haiku-20240307",
    "deepseek": "Invalid max_tokens value, the valid range of max_tokens is [1, {most}]",
    "dashscope": "InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, {most}]",
    "glm": "max_tokens参数非法：限制数值范围[1,{most}]",
    "groq": "`max_tokens` must be less than or equal to `{most}`, the maximum value for `max_tokens` is less than "
    "the `context_window` for this model",
    "tgi": "Input validation error: `max_new_tokens` must be <= {most}. Given: {asked}",
}
"""Refusals of the reply's length alone, likewise."""


@dataclass(slots=True)
class SmallServer(ThinkingService):
    """A server with a ``window`` and ``most`` tokens for a reply, 0 for no limit, that counts before it answers."""

    window: int = 0
    most: int = 0
    wording: str = ""
    stubborn: bool = False
    """It refuses every reply longer than 16 tokens."""

    def __call__(self, request: Recorded) -> Reply:
        body = request.json
        asked, prompt = body.get("max_tokens") or body["max_completion_tokens"], self.tokens(request)
        room = 16 if self.stubborn else self.window - prompt
        if self.most and asked > self.most:
            return self.refuse(request, TOO_MUCH[self.wording].format(asked=asked, most=self.most))
        if self.window and asked > room:
            counted = {"prompt": prompt, "rest": prompt - 9, "total": prompt + asked, "asked": asked}
            counted |= {"window": self.window, "least": self.window + 1 - asked, "over": self.window + 1}
            return self.refuse(request, TOO_LONG[self.wording].format(**counted))
        return self.reply(request)

    def refuse(self, request: Recorded, message: str) -> Reply:
        self.refused.append(message)
        if _is_messages(request):
            return error(400, "invalid_request_error", message)
        return refusal(422 if self.wording == "tgi" else 400, message)

    def tokens(self, request: Recorded) -> int:
        """Count a token for four bytes, with those of the JSON."""
        body = request.json
        return len(json.dumps([body["messages"], body.get("system"), body.get("tools")])) // 4
