"""Web addresses that may be asked for something, and where their servers may send us on to. Pure.

Refuses everything but the web's two schemes, plain http where the caller has no use for it, and addresses with a name
and password in them. A redirect never leaves https again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

from pet.errors import FetchRefused

LONGEST = 2_000
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_KEPT = "%/:=&?~+!$,;'@()*[]|"  # all that an address may hold as it is; the rest travels escaped
_PORTS = {"https": 443, "http": 80}

Plain = Callable[[str], bool]
"""Whether http will do for this host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebAddress:
    """``url`` is plain ASCII, without the part that never leaves a browser."""

    url: str
    host: str
    port: int

    @property
    def secure(self) -> bool:
        return self.url.startswith("https:")


def https_alone(_host: str) -> bool:
    return False


def read_web_address(text: str, *, plain: Plain = https_alone) -> WebAddress:
    """Raises FetchRefused: address, address_scheme."""
    if len(text) > LONGEST or "\\" in text or any(char.isspace() or not char.isprintable() for char in text):
        raise FetchRefused("address")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
        host = host.encode("idna").decode("ascii").rstrip(".")  # also refuses what no resolver takes for a name
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
    """Where a server sends us on to. Raises FetchRefused as above."""
    if len(location) > LONGEST:
        raise FetchRefused("address")
    try:
        target = urljoin(address.url, location)
    except ValueError:
        raise FetchRefused("address") from None
    return read_web_address(target, plain=https_alone if address.secure else plain)
