"""Parse a pasted skin address: a URL, or another program's install link. Pure.

Accepts only ``https`` without credentials; ``http`` to this machine only if the caller allows it, for tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import parse_qs, unquote, urlsplit

from pet.errors import FetchRefused, SkinRefused
from pet.net.web_address import LONGEST, Plain, WebAddress, https_alone, read_web_address

_NAME_LENGTH = 60
_TEXT_LENGTH = 500
_PROBLEMS = {problem: f"download_{problem}" for problem in ("failed", "slow", "status", "redirects")}


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinAddress:
    """``name`` and ``description``: from an install link, else ""."""

    web: WebAddress
    name: str = ""
    description: str = ""

    @property
    def file(self) -> str:
        """Return the file name."""
        return PurePosixPath(unquote(urlsplit(self.web.url).path)).name[:120]


def read_address(pasted: str, *, plain: Plain = https_alone) -> SkinAddress:
    """Raises SkinRefused: address, address_scheme."""
    text = pasted.strip().strip("<>\"'“”")
    if len(text) > LONGEST or any(char.isspace() or not char.isprintable() for char in text):
        raise SkinRefused("address")
    try:
        if text.lower().startswith("codex:"):
            return _from_link(text, plain)
        return SkinAddress(web=read_web_address(text, plain=plain))
    except FetchRefused as refused:
        raise as_skin_refused(refused) from None


def as_skin_refused(refused: FetchRefused) -> SkinRefused:
    """Convert a FetchRefused to the corresponding SkinRefused."""
    return SkinRefused(_PROBLEMS.get(refused.problem, refused.problem), **refused.args_)


def _from_link(text: str, plain: Plain) -> SkinAddress:
    """``codex://pets/install?name=…&imageUrl=…&description=…``"""
    try:
        link, fields = urlsplit(text), parse_qs(urlsplit(text).query, max_num_fields=20)
    except ValueError:
        raise SkinRefused("address") from None
    if (link.netloc.lower(), link.path.strip("/").lower()) != ("pets", "install"):
        raise SkinRefused("address")
    image = fields.get("imageUrl") or fields.get("imageurl") or fields.get("url")
    if not image:
        raise SkinRefused("address")
    return SkinAddress(
        web=read_web_address(image[0].strip(), plain=plain),
        name=_plain(fields.get("name"), _NAME_LENGTH),
        description=_plain(fields.get("description"), _TEXT_LENGTH),
    )


def _plain(values: list[str] | None, limit: int) -> str:
    text = values[0] if values else ""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:limit]
