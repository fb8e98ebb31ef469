"""What servers take of a request, for every protocol: known by host, else learned from their refusals. Pure.

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

from pet.model import Message, Request, TextPart
from pet.providers.reasoning import Returned, after_refusal

TokenField = Literal["max_tokens", "max_completion_tokens"]

_TOKENS = re.compile(r"max_(?:completion_)?tokens", re.I)
MAX_REJECTIONS = 4
"""Of one request, each of another field."""
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
Optional = Literal["usage", "stream", "temperature", "schema", "encrypted", "off", "effort"]
"""Parts of a request that a server may do without. ``off``: that of its family against thinking."""

_OPTIONAL: tuple[tuple[Optional, re.Pattern[str]], ...] = (
    ("usage", re.compile(r"stream_options|include_usage")),
    ("stream", re.compile(r"verified to stream|streaming is not supported|['\"`]stream['\"`]", re.I)),
    ("temperature", re.compile(r"temperature")),
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
    """Fields of the servers of one maker, for chat completions. ``off``: those that switch thinking off."""

    token_field: TokenField = "max_tokens"  # noqa: S105  the name of a field
    short_ids: bool = False  # call ids are exactly nine letters or digits
    effort: bool = False  # reasoning_effort
    off: Mapping[str, object] = field(default_factory=dict)


_NONE = {"reasoning_effort": "none"}
_DISABLED = {"thinking": {"type": "disabled"}}
_NEAR = Family(effort=True, off={"chat_template_kwargs": {"enable_thinking": False}, **_NONE})
"""llama.cpp, vLLM, SGLang; Ollama and LM Studio."""
_FAMILIES: tuple[tuple[str, Family], ...] = (
    ("api.openai.com", Family(token_field="max_completion_tokens", effort=True, off=_NONE)),  # noqa: S106
    ("generativelanguage.googleapis.com", Family(effort=True, off=_NONE)),
    ("openrouter.ai", Family(effort=True, off={"reasoning": {"enabled": False}})),
    ("api.x.ai", Family(effort=True, off=_NONE)),
    ("api.groq.com", Family(effort=True, off=_NONE)),
    ("api.deepseek.com", Family(effort=True, off=_DISABLED)),
    ("api.moonshot.cn", Family(off=_DISABLED)),
    ("api.moonshot.ai", Family(off=_DISABLED)),
    ("open.bigmodel.cn", Family(off=_DISABLED)),
    ("api.z.ai", Family(off=_DISABLED)),
    ("dashscope.aliyuncs.com", Family(off={"enable_thinking": False})),
    ("dashscope-intl.aliyuncs.com", Family(off={"enable_thinking": False})),
    ("api.mistral.ai", Family(short_ids=True)),
)
"""By host, as documented by their makers in November 2026."""


@dataclass(slots=True)
class Quirks:
    """Of one model on one server. ``without``: what it refused. ``tool_effort``: "none" goes along with tools;
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
