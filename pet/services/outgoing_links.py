"""Check links before they are opened, and whether a text contains a URL. Pure; refuses what is not known to be
harmless."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import parse_qsl, unquote, urlsplit

from pet.errors import LinkRefused

_LONGEST = 8000
_MAIL_FIELDS = frozenset({"to", "cc", "bcc", "subject", "body"})  # "attach" could attach a file
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})  # also characters that disguise a link

_HOSTS = re.compile(r"https?://[^/?#\s<>()\[\]\"']*", re.IGNORECASE)
# The end of a URL in Markdown; an empty query or fragment has no meaning.
_END = r"\??#?(?=[\s<>)]|$)"
# Escapes that a page adds: everything beyond ASCII, and a few signs.
_ESCAPED = re.compile(r"(?:%[89A-F][0-9A-F]|%(?:20|22|27|3C|3E|5E|60|7B|7C|7D))+", re.IGNORECASE)


def check_link(url: str) -> str:
    """Return the link if it is a plain http, https or mailto link. Raises LinkRefused."""
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


def is_mentioned(address: str, texts: Iterable[str]) -> bool:
    """Return whether one of the texts contains the URL; a page writes its host in ASCII and the rest escaped.

    Only what every page changes may differ: variants of capitals, escapes or the end could encode data.
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    path = "" if parts.path == "/" and not (parts.query or parts.fragment) else parts.path
    query, fragment = f"?{parts.query}" if parts.query else "", f"#{parts.fragment}" if parts.fragment else ""
    wanted = re.escape(_unescaped(f"{parts.scheme}://{_as_written(parts.netloc)}{path}{query}{fragment}"))
    whole = re.compile(wanted + ("" if path else "/?") + _END)
    return any(whole.search(_as_addressed(text)) for text in texts)


def _as_addressed(text: str) -> str:
    """Remove Markdown's escapes, and normalise scheme and host of each URL."""
    return _unescaped(_HOSTS.sub(_origin, text.replace("\\", "")))


def _origin(match: re.Match[str]) -> str:
    """Return scheme and host in lower case, without the default port."""
    at = match[0].lower()
    at = at.removesuffix(":443") if at.startswith("https:") else at.removesuffix(":80")
    return f"{at}/" if match.string[match.end() : match.end() + 1] in ("?", "#") else at


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: unquote(match[0]), text)


def _as_written(host: str) -> str:
    """Decode the punycode labels of a host."""
    labels = []
    for label in host.split("."):
        try:
            labels.append(label[4:].encode("ascii").decode("punycode") if label.startswith("xn--") else label)
        except UnicodeError:
            labels.append(label)
    return ".".join(labels)
