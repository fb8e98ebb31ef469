"""Author and licence of a skin, from the files beside it. Pure.

Reads ``submission.json`` and the first lines of a README or licence; the result is untrusted text for display only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pet.errors import SkinRefused
from pet.untrusted.parsers import read_json

_BYTES = 64 * 1024
_LENGTH = 60
_LINES = 60
_AUTHOR = re.compile(
    r"^[\s>*#_-]*(?:author|artist|creator|made by|by|作者|画师)[\s*_]*[:：][\s*_]*(.+)$", re.IGNORECASE
)
_LICENCE = re.compile(r"^[\s>*#_-]*(?:licen[cs]e|许可证?|授权)[\s*_]*[:：][\s*_]*(.+)$", re.IGNORECASE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")

Read = Callable[[str, int], bytes]
"""Return the bytes of the file of this name, at most so many. Raises SkinRefused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Credits:
    author: str = ""
    licence: str = ""


def find_credits(folder: str, names: Iterable[str], read: Read) -> Credits:
    """Return the credits in the files of this folder, "" for missing ones."""
    prefix = f"{folder}/" if folder else ""
    beside = {
        name[len(prefix) :].lower(): name
        for name in names
        if name.startswith(prefix) and "/" not in name[len(prefix) :]
    }
    author, licence = _submission(_text(beside.get("submission.json"), read))
    for leaf in ("readme.md", "readme.txt", "readme"):
        for line in _text(beside.get(leaf), read).splitlines()[:_LINES]:
            author = author or _credit_in(_AUTHOR, line)
            licence = licence or _credit_in(_LICENCE, line)
    for leaf in ("license", "license.txt", "license.md", "licence", "licence.txt", "licence.md"):
        first = next((line for line in _text(beside.get(leaf), read).splitlines() if line.strip()), "")
        licence = licence or plain_credit(first)
    return Credits(author=author, licence=licence)


def plain_credit(value: object) -> str:
    """Return one line of text, without markup and truncated."""
    if not isinstance(value, str):
        return ""
    text = _LINK.sub(r"\1", value).strip(" \t#*_>-`")
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:_LENGTH]


def _submission(text: str) -> tuple[str, str]:
    try:
        raw = read_json(text) if text else None
    except ValueError:
        raw = None
    if not isinstance(raw, dict):
        return "", ""
    author = raw.get("author") or raw.get("creator") or raw.get("submittedBy")
    if isinstance(author, dict):
        author = author.get("name")
    return plain_credit(author), plain_credit(raw.get("license") or raw.get("licence"))


def _credit_in(pattern: re.Pattern[str], line: str) -> str:
    match = pattern.match(line)
    return plain_credit(match[1]) if match else ""


def _text(name: str | None, read: Read) -> str:
    if name is None:
        return ""
    try:
        return read(name, _BYTES).decode("utf-8-sig", "replace")
    except SkinRefused:
        return ""  # too large or broken: no credits
