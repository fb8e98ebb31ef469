"""What the owner pasted to get a skin: a web address, or a link that other programs use for installing pets. Pure.

Refuses everything but ``https`` without a name and password in it; ``http`` to this machine is let through only where
the caller says so, which is where tests have their server.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

from pet.errors import SkinRefused

LONGEST = 2_000
_NAME_LENGTH = 60
_TEXT_LENGTH = 500
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a skin is to be had. ``name`` and ``description``: what an installing link says of it, else ""."""

    url: str
    host: str
    port: int
    name: str = ""
    description: str = ""

    @property
    def file(self) -> str:
        """What the file is called there."""
        return PurePosixPath(unquote(urlsplit(self.url).path)).name[:120]


def read_address(pasted: str, *, loopback: bool = False) -> Address:
    """Raises SkinRefused: address, address_scheme."""
    text = pasted.strip().strip("<>\"'“”")
    if len(text) > LONGEST or any(char.isspace() or not char.isprintable() for char in text):
        raise SkinRefused("address")
    if text.lower().startswith("codex:"):
        return _from_link(text, loopback=loopback)
    return _web_address(text, loopback=loopback)


def led_on(address: Address, location: str, *, loopback: bool = False) -> Address:
    """Where a server sends us on to. Raises SkinRefused as above."""
    if len(location) > LONGEST:
        raise SkinRefused("address")
    try:
        target = urljoin(address.url, location)
    except ValueError:
        raise SkinRefused("address") from None
    on = _web_address(target, loopback=loopback)
    return Address(url=on.url, host=on.host, port=on.port, name=address.name, description=address.description)


def _from_link(text: str, *, loopback: bool) -> Address:
    """``codex://pets/install?name=…&imageUrl=…&description=…``"""
    try:
        link, said = urlsplit(text), parse_qs(urlsplit(text).query, max_num_fields=20)
    except ValueError:
        raise SkinRefused("address") from None
    if (link.netloc.lower(), link.path.strip("/").lower()) != ("pets", "install"):
        raise SkinRefused("address")
    image = said.get("imageUrl") or said.get("imageurl") or said.get("url")
    if not image:
        raise SkinRefused("address")
    found = _web_address(image[0].strip(), loopback=loopback)
    return Address(
        url=found.url,
        host=found.host,
        port=found.port,
        name=_said(said.get("name"), _NAME_LENGTH),
        description=_said(said.get("description"), _TEXT_LENGTH),
    )


def _web_address(text: str, *, loopback: bool) -> Address:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
        host = host.encode("idna").decode("ascii").rstrip(".") if not host.isascii() else host.rstrip(".")
    except (ValueError, UnicodeError):
        raise SkinRefused("address") from None
    if not host or parts.username is not None or parts.password is not None or "\\" in text:
        raise SkinRefused("address")
    here = loopback and parts.scheme == "http" and host in LOOPBACK
    if parts.scheme != "https" and not here:
        raise SkinRefused("address_scheme")
    shown = f"[{host}]" if ":" in host else host
    at = shown if port is None else f"{shown}:{port}"
    path = parts.path or "/"
    query = f"?{parts.query}" if parts.query else ""
    return Address(url=f"{parts.scheme}://{at}{path}{query}", host=host, port=port or (80 if here else 443))


def _said(values: list[str] | None, limit: int) -> str:
    text = values[0] if values else ""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:limit]
