"""URL parts of a model server, and its proxy. Pure except for reading the system's proxy settings."""

from __future__ import annotations

import urllib.request
from dataclasses import dataclass
from urllib.parse import urlsplit

from pet.settings.server_address import is_loopback, origin_of

_ANTHROPIC_HOST = "api.anthropic.com"
_TAILS = ("/messages", "/v1")  # in this order: owners paste full URLs, and the SDK appends /v1/messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    base_url: str
    origin: str
    host: str  # for display, with a non-default port
    loopback: bool
    anthropic: bool  # Anthropic's own; other servers need older headers


def endpoint_of(base_url: str) -> Endpoint:
    url = base_url.strip().rstrip("/")
    for tail in _TAILS:
        url = url.removesuffix(tail).rstrip("/")
    origin = origin_of(url)
    host = urlsplit(origin).netloc
    return Endpoint(
        base_url=url, origin=origin, host=host, loopback=is_loopback(url), anthropic=host == _ANTHROPIC_HOST
    )


def find_proxy(endpoint: Endpoint) -> str | None:
    """Return the proxy from the environment or the system, as the HTTP client expects it; None for loopback."""
    parts = urlsplit(endpoint.origin)
    if endpoint.loopback or urllib.request.proxy_bypass(parts.hostname or ""):
        return None
    proxies = urllib.request.getproxies()
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
