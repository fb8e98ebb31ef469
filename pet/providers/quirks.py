"""Request fields that servers accept, for every protocol: known by host, else learned from their refusals. Pure.

quirks = quirks_of("api.deepseek.com", near=False)
body = quirks.completed(body, {"temperature": {"temperature": 0.2}})
if quirks.learn(400, "temperature is not supported"):
    ...  # once more, without what the refusal names
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pet.model import Message, OpaquePart, Request, TextPart

Returned = Literal["as_sent", "empty", "blank", "none"]
"""``empty``, ``blank``: an assistant message without reasoning gets an empty text, or a space, in its place.
``none``: the server takes no reasoning back."""

_MISSING = re.compile(
    r"reasoning_content is missing|(?:reasoning_content|\[\]\.thinking)\W.{0,40}must be passed back", re.I | re.S
)
_UNWANTED = re.compile(
    r"reasoning_content|reasoning_details|`?signature`?.{0,20}`?thinking|thinking\.signature"
    r"|invalid_encrypted_content|encrypted content .{0,40}could not be|of type 'reasoning' was provided"
    r"|'rs_\w+' not found|item with id 'rs_",
    re.I,
)
_BOUND = re.compile(r"claude", re.I)
"""Models whose signed thinking is valid only for the prompt that it was made with, and that do without it later."""


def goes_back(part: OpaquePart, server: str, model: str) -> bool:
    """Whether reasoning of an earlier turn is sent to this model: only if it is its own."""
    return (part.server, part.model) == (server, model) and bool(server) and not _BOUND.search(model)


def after_refusal(returned: Returned, message: str) -> Returned | None:
    """Return what to send once more after a refusal with this message; None if it isn't about reasoning."""
    if returned == "none":
        return None
    if _MISSING.search(message):
        return {"as_sent": "empty", "empty": "blank", "blank": None}[returned]
    return "none" if _UNWANTED.search(message) else None


def filler(returned: Returned) -> str | None:
    """Return the text in place of reasoning that isn't there; None: the field is left out."""
    return {"as_sent": None, "empty": "", "blank": " ", "none": None}[returned]


TokenField = Literal["max_tokens", "max_completion_tokens"]

_TOKENS = re.compile(r"max_(?:completion_)?tokens", re.I)
_REFUSED = frozenset({400, 422})
# OpenAI's: "Function tools with reasoning_effort are not supported … or set reasoning_effort to 'none'"
_TOOLS_OR_EFFORT = re.compile(
    r"function tools with reasoning_effort|reasoning_effort['\"`]? (?:to|=) ?['\"`]?none", re.I
)

# Templates of Gemma and older Mistral models, Google's API, o1-mini
_NO_SYSTEM = re.compile(
    r"(?:system|developer)[ _]?(?:role|messages?|prompts?|instructions?)['\"`]? .{0,40}"
    r"(?:not (?:be )?(?:supported|enabled|allowed)|n't supported|unsupported)"
    r"|(?:not|n't) support .{0,20}['\"`]?(?:system|developer)['\"`]? (?:role|message|prompt|instruction)"
    r"|roles must alternate user/assistant|only user and assistant roles are supported",
    re.I,
)
Optional = Literal["usage", "stream", "temperature", "penalty", "schema", "encrypted", "off", "effort"]
"""Parts of a request that a server may do without. ``off``: that of its family against thinking."""

_OPTIONAL: tuple[tuple[Optional, re.Pattern[str]], ...] = (
    ("usage", re.compile(r"stream_options|include_usage")),
    ("stream", re.compile(r"verified to stream|streaming is not supported|['\"`]stream['\"`]", re.I)),
    ("temperature", re.compile(r"temperature")),
    ("penalty", re.compile(r"frequency_penalty")),
    ("schema", re.compile(r"response_format|json_schema|text\.format|output_config\.format")),
    ("encrypted", re.compile(r"encrypted content is not supported|reasoning\.encrypted_content|['\"`]include", re.I)),
    (
        "off",
        re.compile(r"chat_template_kwargs|enable_thinking|['\"`.]?thinking(?:\.type)?['\"`: ]|\breasoning\b", re.I),
    ),
    ("off", re.compile(r"reasoning[._]effort|['\"`]effort|output_config", re.I)),
    ("effort", re.compile(r"reasoning[._]effort|['\"`]effort|output_config", re.I)),
)
"""Words of refusals that name them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Fields of the servers of one maker, for chat completions. ``efforts``: values of ``reasoning_effort``, the
    least first. ``off``: fields that switch thinking off. ``penalty``: repetition can be made less likely."""

    token_field: TokenField = "max_tokens"  # noqa: S105  the name of a field
    short_ids: bool = False  # call ids are exactly nine letters or digits
    efforts: tuple[str, ...] = ()
    off: Mapping[str, object] = field(default_factory=dict)
    penalty: bool = False

    def effort(self, wanted: str) -> Mapping[str, object]:
        """Return the field for an effort of the settings: the family's nearest that is not above it.

        >>> Family(efforts=("low", "high", "max")).effort("medium")
        {'reasoning_effort': 'low'}
        """
        if not wanted or not self.efforts:
            return {}
        taken = [each for each in self.efforts if _EFFORTS.index(each) <= _EFFORTS.index(wanted)]
        return {"reasoning_effort": (taken or self.efforts)[-1 if taken else 0]}


_EFFORTS = ("low", "medium", "high", "xhigh", "max")
"""Fields of the settings."""
_TO_HIGH, _THREE = _EFFORTS[:3], ("low", "high", "max")
_NONE = {"reasoning_effort": "none"}
_DISABLED = {"thinking": {"type": "disabled"}}
_NEAR = Family(efforts=_EFFORTS, off={"chat_template_kwargs": {"enable_thinking": False}, **_NONE}, penalty=True)
"""llama.cpp, vLLM, SGLang; Ollama and LM Studio."""
_LEAST = {**_DISABLED, "reasoning_effort": "low"}
"""Models of makers whose newest models always think, and take no notice of ``thinking``."""
_KIMI = Family(efforts=_THREE, off=_LEAST)
"""Kimi K3 always thinks, by ``reasoning_effort``; K2.5 and K2.6 have ``thinking`` and ignore the other field.
platform.kimi.ai/docs/guide/use-thinking-effort and .../use-kimi-k2-thinking-model, as docs.rs/synaps-engine/0.11.0
quotes them (2026-11)."""
_GLM = Family(efforts=_THREE, off=_LEAST)
"""GLM 5.3 always thinks (low, high, max); older ones have ``thinking``, and 5.2 maps other words to these.
docs.z.ai/guides/capabilities/thinking-mode; aihubmix.com's guide of 5.3 (2026-08-14)."""
_QWEN = Family(efforts=_EFFORTS[:4], off={"enable_thinking": False})
"""docs.qwencloud.com/developer-guides/text-generation/thinking (2026-08-04): of Qwen 3.8; high counts as xhigh."""
_MINIMAX = Family(token_field="max_completion_tokens", efforts=_TO_HIGH, off=_DISABLED)  # noqa: S106
"""platform.minimax.io/docs/api-reference (2026-11); ``max_tokens`` is deprecated there; M3.1 Flash always thinks."""
_FAMILIES: tuple[tuple[str, Family], ...] = (
    ("api.openai.com", Family(token_field="max_completion_tokens", efforts=_EFFORTS, off=_NONE)),  # noqa: S106
    ("generativelanguage.googleapis.com", Family(efforts=_TO_HIGH, off=_NONE)),
    ("openrouter.ai", Family(efforts=_EFFORTS, off={"reasoning": {"enabled": False}}, penalty=True)),
    ("api.x.ai", Family(efforts=_EFFORTS, off=_NONE)),
    ("api.groq.com", Family(efforts=_TO_HIGH, off=_NONE)),
    ("api.deepseek.com", Family(efforts=_EFFORTS, off=_DISABLED)),
    ("api.moonshot.cn", _KIMI),
    ("api.moonshot.ai", _KIMI),
    ("open.bigmodel.cn", _GLM),
    ("api.z.ai", _GLM),
    ("dashscope.aliyuncs.com", _QWEN),
    ("dashscope-intl.aliyuncs.com", _QWEN),
    ("api.minimax.io", _MINIMAX),
    ("api.minimaxi.com", _MINIMAX),
    # docs.mistral.ai/inference/conversations/reasoning (2026-11): low to high of Large 4, none and high of others
    ("api.mistral.ai", Family(short_ids=True, efforts=_TO_HIGH, off=_NONE)),
)
"""By host, as documented by their makers in November 2026."""


@dataclass(slots=True)
class Quirks:
    """Quirks of one model on one server. ``without``: what it refused. ``tool_effort``: "none" is sent with tools;
    "refused": that is refused too. ``responses``: Responses is tried before tools without reasoning."""

    family: Family = field(default_factory=Family)
    token_field: TokenField = "max_tokens"  # noqa: S105
    reasoning: Returned = "as_sent"
    tool_effort: Literal["", "none", "refused"] = ""
    responses: bool = False
    without: set[Optional] = field(default_factory=set)
    system: bool = True  # it has a system role
    offered: set[Optional] = field(default_factory=set)

    def fitted(self, request: Request) -> Request:
        """Return the request, without a system role its text at the head of the first message."""
        system = "".join(block.text for block in request.system)
        if self.system or not request.messages:
            return request
        first, *others = request.messages
        head = Message(role="user", parts=(TextPart(text=system), *(first.parts if first.role == "user" else ())))
        rest = others if first.role == "user" else request.messages
        return replace(request, system=(), messages=(head, *rest))

    def completed(self, body: dict[str, Any], parts: Mapping[Optional, Mapping[str, Any]]) -> dict[str, Any]:
        """Return the body with these optional parts, but for those that were refused."""
        self.offered = {name for name, part in parts.items() if part} - self.without
        for name in parts:
            for key, value in parts[name].items() if name in self.offered else ():
                inner = body.get(key)
                body[key] = {**inner, **value} if isinstance(inner, dict) and isinstance(value, dict) else value
        return body

    def learn(self, status: int, message: str) -> bool:
        """Adapt to the field that a rejection names. Return whether to repeat the request."""
        if self.system and status in (*_REFUSED, 500) and _NO_SYSTEM.search(message):
            self.system = False
            return True
        if status not in _REFUSED:
            return False
        if self.token_field == "max_tokens" and "max_completion_tokens" in message:  # noqa: S105
            self.token_field = "max_completion_tokens"  # noqa: S105
        elif self.token_field == "max_completion_tokens" and _TOKENS.search(message):  # noqa: S105
            self.token_field = "max_tokens"  # noqa: S105
        elif _TOOLS_OR_EFFORT.search(message):
            known, self.tool_effort = self.tool_effort, "none"
            return not known and not self.responses
        elif self.tool_effort == "none" and "reasoning_effort" in message:
            self.tool_effort = "refused"  # once more without: the first refusal says what to do
        elif reasoning := after_refusal(self.reasoning, message):
            self.reasoning = reasoning
        elif refused := next((n for n, words in _OPTIONAL if n in self.offered and words.search(message)), None):
            self.without.add(refused)
            self.offered.discard(refused)
        else:
            return False
        return True


def quirks_of(host: str, *, near: bool) -> Quirks:
    """Return the quirks known of a host. ``near``: on this computer or in its network."""
    name = host.partition(":")[0]
    family = next((family for each, family in _FAMILIES if each == name), _NEAR if near else Family())
    return Quirks(family=family, token_field=family.token_field)
