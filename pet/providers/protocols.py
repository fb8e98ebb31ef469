"""The protocol of a model server's address, and the presets of services. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from pet.settings.schema import Settings

Protocol = Literal["anthropic", "openai", "either"]
"""``either``: determined by the first answer."""


@dataclass(frozen=True, slots=True)
class Preset:
    """An offered service. ``keys``: URL of its key page; ``model``: the default, "" if the owner has to choose."""

    id: str
    name: str
    base_url: str
    keys: str
    model: str = ""


_SHIPPED = Settings()
PRESETS = (
    Preset(
        "anthropic", "Anthropic", _SHIPPED.base_url, "https://console.anthropic.com/settings/keys", _SHIPPED.model
    ),
    Preset("openai", "OpenAI", "https://api.openai.com/v1", "https://platform.openai.com/api-keys"),
    Preset(
        "gemini",
        "Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "https://aistudio.google.com/apikey",
    ),
    # These three speak both protocols; only Messages keeps thinking and cache marks.
    Preset("deepseek", "DeepSeek", "https://api.deepseek.com/anthropic", "https://platform.deepseek.com/api_keys"),
    Preset("moonshot", "Kimi", "https://api.moonshot.cn/anthropic", "https://platform.moonshot.cn/console/api-keys"),
    Preset("glm", "GLM", "https://open.bigmodel.cn/api/anthropic", "https://open.bigmodel.cn/usercenter/apikeys"),
    Preset(
        "qwen",
        "Qwen",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "https://bailian.console.aliyun.com/?tab=model#/api-key",
    ),
    Preset("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "https://openrouter.ai/keys"),
    Preset("mistral", "Mistral", "https://api.mistral.ai/v1", "https://console.mistral.ai/api-keys"),
    Preset("groq", "Groq", "https://api.groq.com/openai/v1", "https://console.groq.com/keys"),
    Preset("xai", "xAI", "https://api.x.ai/v1", "https://console.x.ai"),
)
_HOSTS = frozenset(urlsplit(each.base_url).hostname for each in PRESETS)
_ANTHROPIC = "api.anthropic.com"
_MESSAGES_TOO = frozenset({"openrouter.ai"})  # Messages under another path


def protocol_of(base_url: str, chosen: str = "auto") -> Protocol:
    """Return the protocol for this address. ``chosen``: the owner's setting, or ``auto``."""
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
    return "openai" if parts.hostname in _HOSTS else "either"
