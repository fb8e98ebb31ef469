"""Addresses of model servers: URL parts, proxy, protocol, and the presets that the pages and the command line offer.

Pure except for reading the system's proxy settings. Loopback never goes through a proxy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast
from urllib.parse import urlsplit

from pet.settings.connections import is_loopback, origin_of
from pet.settings.schema import Settings
from pet.settings.setting import is_near_host

_ANTHROPIC_HOST = "api.anthropic.com"
_TAILS = ("/messages", "/v1")  # in this order: owners paste full URLs, and the SDK appends /v1/messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    base_url: str  # without the query
    query: str  # without "?"; goes with every request
    origin: str
    host: str  # for display, with a non-default port
    loopback: bool
    anthropic: bool  # Anthropic's own; other servers need older headers


def endpoint_of(base_url: str) -> Endpoint:
    address, _, query = base_url.strip().partition("?")
    url = address.rstrip("/")
    for tail in _TAILS:
        url = url.removesuffix(tail).rstrip("/")
    origin = origin_of(url)
    host = urlsplit(origin).netloc
    return Endpoint(
        base_url=url,
        query=query,
        origin=origin,
        host=host,
        loopback=is_loopback(url),
        anthropic=host == _ANTHROPIC_HOST,
    )


_PATHS = ("/chat/completions", "/models", "/completions", "/responses")


def base_of(base_url: str) -> str:
    """Return the URL without ``/chat/completions`` and query; a bare host gets ``/v1``."""
    url = base_url.strip().partition("?")[0].rstrip("/")
    for tail in _PATHS:
        url = url.removesuffix(tail).rstrip("/")
    return url if urlsplit(url).path else f"{url}/v1"


def host_of(base_url: str) -> str:
    """Return the host that an address names, "" for a malformed one."""
    try:
        return endpoint_of(base_url).host
    except ValueError:
        return ""


def is_azure(base_url: str) -> bool:
    """Whether it is an address of Azure, which has its key in the header ``api-key``."""
    parts = urlsplit(base_url)
    return (parts.hostname or "").endswith(".azure.com") or "api-version=" in parts.query


def is_near(base_url: str) -> bool:
    """Whether the server is on this computer or in its network."""
    return is_near_host(urlsplit(base_url).hostname or "")


def find_proxy(endpoint: Endpoint) -> str | None:
    """Return the proxy from the environment or the system, as the HTTP client expects it; None for loopback."""
    from urllib.request import getproxies, proxy_bypass  # late: imports a whole HTTP client

    parts = urlsplit(endpoint.origin)
    if endpoint.loopback or proxy_bypass(parts.hostname or ""):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all") or proxies.get("socks")
    if not proxy:
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    return proxy.replace("socks://", "socks5://", 1) if proxy.startswith("socks://") else proxy


def proxy_host(proxy: str | None) -> str:
    """Return the proxy's host without credentials."""
    address = (proxy or "").partition("://")[2]
    return address.rpartition("@")[2].partition("/")[0]  # not urlsplit: it may not be a valid URL


Protocol = Literal["anthropic", "openai", "responses"]
"""``openai``: chat completions; ``responses``: OpenAI's newer one."""


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
    # These three speak both protocols; only Messages keeps cache marks.
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
_MESSAGES_TOO = frozenset({"openrouter.ai"})  # Messages under another path
_RESPONSES = frozenset({"api.openai.com", "api.x.ai"})


def protocols_of(base_url: str, chosen: str = "auto", *, messages: bool = False) -> tuple[Protocol, ...]:
    """Return the protocols to try at this address, in order; the first that answers is kept.

    ``chosen``: the owner's setting, or ``auto``. ``messages``: the address was given as one of Messages. Servers
    nearby that have both get chat completions, which bind answers to a schema and have a temperature.
    """
    if chosen in ("anthropic", "openai", "responses"):
        return (cast("Protocol", chosen),)
    parts = urlsplit(base_url)
    path, host = parts.path.rstrip("/"), parts.hostname or ""
    if path.endswith("/responses"):
        return ("responses",)
    if "anthropic" in path or path.endswith("/messages") or host == _ANTHROPIC_HOST:
        return ("anthropic",)
    if path.endswith("/chat/completions"):
        return ("openai", "responses")
    if host in _MESSAGES_TOO:
        return ("openai", "responses") if path.endswith("/v1") else ("anthropic",)
    if host in _RESPONSES:
        return ("responses", "openai")
    if host in _HOSTS or is_azure(base_url):
        return ("openai", "responses")
    near = is_near(base_url) and not messages
    return ("openai", "anthropic", "responses") if near else ("anthropic", "openai", "responses")
