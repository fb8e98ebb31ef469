"""Parse and validate web URLs and redirect targets. Pure.

Allows http and https only, http only where the caller does, and no credentials in the URL. A redirect never leaves
https.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

from pet.errors import FetchRefused

LONGEST = 2_000
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_KEPT = "%/:=&?~+!$,;'@()*[]|"  # characters kept as they are; everything else is percent-encoded
_PORTS = {"https": 443, "http": 80}

Plain = Callable[[str], bool]
"""Predicate: whether plain http is acceptable for this host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebAddress:
    """A validated address. ``url`` is plain ASCII without a fragment."""

    url: str
    host: str
    port: int

    @property
    def secure(self) -> bool:
        return self.url.startswith("https:")


def https_alone(_host: str) -> bool:
    return False


def read_web_address(text: str, *, plain: Plain = https_alone) -> WebAddress:
    """Return the address, percent-encoded. Raises FetchRefused: address, address_scheme."""
    if len(text) > LONGEST or "\\" in text or any(char.isspace() or not char.isprintable() for char in text):
        raise FetchRefused("address")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
        host = host.encode("idna").decode("ascii").rstrip(".")  # also rejects invalid host names
    except (ValueError, UnicodeError):
        raise FetchRefused("address") from None
    if not host or parts.username is not None or parts.password is not None:
        raise FetchRefused("address")
    if parts.scheme != "https" and not (parts.scheme == "http" and plain(host)):
        raise FetchRefused("address_scheme")
    shown = f"[{host}]" if ":" in host else host
    at = shown if port is None else f"{shown}:{port}"
    query = f"?{quote(parts.query, safe=_KEPT)}" if parts.query else ""
    url = f"{parts.scheme}://{at}{quote(parts.path or '/', safe=_KEPT)}{query}"
    return WebAddress(url=url, host=host, port=port or _PORTS[parts.scheme])


def resolve_redirect(address: WebAddress, location: str, *, plain: Plain = https_alone) -> WebAddress:
    """Return the absolute redirect target. Raises FetchRefused as above."""
    if len(location) > LONGEST:
        raise FetchRefused("address")
    try:
        target = urljoin(address.url, location)
    except ValueError:
        raise FetchRefused("address") from None
    return read_web_address(target, plain=https_alone if address.secure else plain)
