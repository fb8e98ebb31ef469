"""Which links may leave for the browser, and which addresses a text names. Pure; refuses everything it
does not know to be harmless."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import parse_qsl, unquote, urlsplit

from pet.errors import LinkRefused

_LONGEST = 8000
_MAIL_FIELDS = frozenset({"to", "cc", "bcc", "subject", "body"})  # "attach" would hand a file to the mail program
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})  # also what makes a link read as another one

_HOSTS = re.compile(r"https?://[^/?#\s<>()\[\]\"']*", re.IGNORECASE)
# Of an address in Markdown; an empty question or an empty place in a page says nothing.
_END = r"\??#?(?=[\s<>)]|$)"
# What a page escapes by itself where a text has it as it is: all beyond ASCII, and a few signs.
_ESCAPED = re.compile(r"(?:%[89A-F][0-9A-F]|%(?:20|22|27|3C|3E|5E|60|7B|7C|7D))+", re.IGNORECASE)


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


def is_mentioned(address: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts names the address, as a page writes it: with the host in ASCII and the rest escaped.

    Only what a page can't help changing may differ: whoever could choose where capitals and escapes stand, or where
    it ends, could say something by that.
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
    """Without Markdown's escapes, and each address's beginning as a page writes it."""
    return _unescaped(_HOSTS.sub(_begun, text.replace("\\", "")))


def _begun(found: re.Match[str]) -> str:
    """Scheme and host, which know no capitals, in small letters; without the port that is meant anyway."""
    at = found[0].lower()
    at = at.removesuffix(":443") if at.startswith("https:") else at.removesuffix(":80")
    return f"{at}/" if found.string[found.end() : found.end() + 1] in ("?", "#") else at


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: unquote(found[0]), text)


def _as_written(host: str) -> str:
    """A host in ASCII as its owner writes it."""
    labels = []
    for label in host.split("."):
        try:
            labels.append(label[4:].encode("ascii").decode("punycode") if label.startswith("xn--") else label)
        except UnicodeError:
            labels.append(label)
    return ".".join(labels)
