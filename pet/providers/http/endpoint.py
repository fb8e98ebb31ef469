"""Where requests go: the address as the SDK wants it, and the proxy on the way. Pure but for the system's proxy
settings; refuses proxies for loopback, where they only break local models."""

from __future__ import annotations

import urllib.request
from dataclasses import dataclass
from urllib.parse import urlsplit

from pet.settings.server_address import is_loopback, origin_of

_ANTHROPIC_HOST = "api.anthropic.com"
_TAILS = ("/messages", "/v1")  # in this order: owners paste whole addresses, and the SDK appends /v1/messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    base_url: str
    origin: str
    host: str  # as shown to the owner, with a port that is not the usual one
    loopback: bool
    anthropic: bool  # Anthropic's own: others need an older protocol's headers, and get no telemetry


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
    """The proxy that environment or system name for this address, as the HTTP client wants it."""
    parts = urlsplit(endpoint.origin)
    if endpoint.loopback or urllib.request.proxy_bypass(parts.hostname or ""):
        return None
    named = urllib.request.getproxies()
    proxy = named.get(parts.scheme) or named.get("all") or named.get("socks")
    if not proxy:
        return None
    if "://" not in proxy:
        proxy = f"http://{proxy}"
    return proxy.replace("socks://", "socks5://", 1) if proxy.startswith("socks://") else proxy


def proxy_host(proxy: str | None) -> str:
    """The proxy without the password that its address may hold."""
    address = (proxy or "").partition("://")[2]
    return address.rpartition("@")[2].partition("/")[0]  # not urlsplit: it may be no address at all
