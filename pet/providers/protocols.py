"""Which protocol an address speaks, and the presets that the pages offer. Pure data and rules.

An address whose path names Anthropic speaks Messages wherever it is; of other hosts only those listed here are known
to speak chat completions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

Protocol = Literal["anthropic", "openai", "either"]
"""``either``: to be found out by asking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """``base_url`` as it goes into the settings."""

    id: str
    name: str
    base_url: str
    protocol: Protocol


PRESETS: tuple[Preset, ...] = (
    Preset(id="anthropic", name="Anthropic", base_url="https://api.anthropic.com", protocol="anthropic"),
    Preset(id="openai", name="OpenAI", base_url="https://api.openai.com/v1", protocol="openai"),
    Preset(
        id="gemini",
        name="Google Gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        protocol="openai",
    ),
    Preset(id="mistral", name="Mistral", base_url="https://api.mistral.ai/v1", protocol="openai"),
    Preset(id="groq", name="Groq", base_url="https://api.groq.com/openai/v1", protocol="openai"),
    Preset(id="xai", name="xAI", base_url="https://api.x.ai/v1", protocol="openai"),
    Preset(id="openrouter", name="OpenRouter", base_url="https://openrouter.ai/api/v1", protocol="openai"),
    Preset(id="deepseek", name="DeepSeek", base_url="https://api.deepseek.com/v1", protocol="openai"),
    Preset(
        id="qwen",
        name="Qwen (DashScope)",
        base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
        protocol="openai",
    ),
    Preset(id="moonshot", name="Moonshot (Kimi)", base_url="https://api.moonshot.cn/v1", protocol="openai"),
    Preset(id="glm", name="Zhipu GLM", base_url="https://open.bigmodel.cn/api/paas/v4", protocol="openai"),
)
_OPENAI_HOSTS = frozenset(urlsplit(each.base_url).hostname for each in PRESETS if each.protocol == "openai")
_ANTHROPIC = "api.anthropic.com"
_MESSAGES_TOO = frozenset({"openrouter.ai"})  # speaks Messages as well, under another path


def protocol_of(base_url: str, chosen: str = "auto") -> Protocol:
    """The protocol to use for this address; ``chosen``: the owner's word, or ``auto``. Pure: nobody is asked."""
    if chosen in ("anthropic", "openai"):
        return "openai" if chosen == "openai" else "anthropic"
    parts = urlsplit(base_url)
    path = parts.path.rstrip("/")
    if "anthropic" in path or path.endswith("/messages"):
        return "anthropic"
    if path.endswith("/chat/completions"):
        return "openai"
    if parts.hostname in _MESSAGES_TOO:
        return "openai" if path.endswith("/v1") else "anthropic"
    if parts.hostname == _ANTHROPIC:
        return "anthropic"
    return "openai" if parts.hostname in _OPENAI_HOSTS else "either"
