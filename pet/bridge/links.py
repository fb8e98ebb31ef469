"""Which links may leave for the browser (PRODUCT §9.4). Pure; refuses everything it does not know to be harmless."""

from __future__ import annotations

import unicodedata
from urllib.parse import parse_qsl, unquote, urlsplit

from pet.errors import LinkRefused

_LONGEST = 8000
_MAIL_FIELDS = frozenset({"to", "cc", "bcc", "subject", "body"})  # "attach" would hand a file to the mail program
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})  # also what makes a link read as another one


def check_link(url: str) -> str:
    """The link itself, if it is http, https or mailto, whole and plain. Raises LinkRefused."""
    if not url or len(url) > _LONGEST:
        raise LinkRefused(why="length")
    if "\\" in url or any(unicodedata.category(character) in _INVISIBLE for character in url):
        raise LinkRefused(why="characters")
    try:
        parts = urlsplit(url)
        credentials = parts.username is not None or parts.password is not None
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise LinkRefused(why="form") from None
    if parts.scheme in ("http", "https"):
        if not host or not url[len(parts.scheme) :].startswith("://"):
            raise LinkRefused(why="form")
        if credentials:
            raise LinkRefused(why="credentials")
        return url
    if parts.scheme == "mailto":
        _check_mail(parts.netloc, parts.path, parts.query)
        return url
    raise LinkRefused(why="scheme")


def _check_mail(netloc: str, path: str, query: str) -> None:
    fields = parse_qsl(query, keep_blank_values=True)
    known = all(name.lower() in _MAIL_FIELDS for name, _ in fields)
    headers = [unquote(path), *(value for name, value in fields if name.lower() != "body")]
    if netloc or not known or any(unicodedata.category(c) == "Cc" for text in headers for c in text):
        raise LinkRefused(why="form")
