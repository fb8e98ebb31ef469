"""Properties of a model server's address: key origin, loopback, encryption. Pure."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit


def origin_of(base_url: str) -> str:
    """Return the normalised scheme, host and port that a key belongs to. Raises ValueError for an invalid URL.

    >>> origin_of("https://API.example.com:443/v1")
    'https://api.example.com'
    """
    parts = urlsplit(base_url)
    host = (parts.hostname or "").rstrip(".")
    shown = f"[{host}]" if ":" in host else host
    default = {"http": 80, "https": 443}.get(parts.scheme)
    port = "" if parts.port in (None, default) else f":{parts.port}"
    return f"{parts.scheme}://{shown}{port}"


def is_loopback(base_url: str) -> bool:
    """Whether the URL is on this machine, where no key is required."""
    host = (urlsplit(base_url).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def plain_http_warning(base_url: str) -> bool:
    """Whether requests would be sent unencrypted to another machine."""
    return urlsplit(base_url).scheme == "http" and not is_loopback(base_url)
