"""What the address of a model's server says: whose key it gets, whether it is this machine, and whether what is sent
there can be read on the way. Pure."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit


def origin_of(base_url: str) -> str:
    """Return the normalised scheme, host and port a key belongs to. Raises ValueError for an invalid URL."""
    parts = urlsplit(base_url)
    host = (parts.hostname or "").rstrip(".")
    shown = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    port = "" if parts.port in (None, usual) else f":{parts.port}"
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
    """Whether key and memory would be sent unencrypted: http to another machine."""
    return urlsplit(base_url).scheme == "http" and not is_loopback(base_url)
