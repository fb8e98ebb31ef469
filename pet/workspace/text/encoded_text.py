"""Bytes to text and back: BOM, newline style and the last newline survive a change. Pure.

Refuses what is not text: NUL bytes and anything that isn't UTF-8 raise NotText, never a replacement character.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from pet.workspace.text.line_match import matching_blocks

BOM = "\ufeff".encode()
Newline = Literal["\n", "\r\n", "\r"]

_LINE_END = re.compile(r"\r\n|\r|\n")


class NotText(ValueError):
    """The bytes are not UTF-8 text, or the text can't be bytes (half a surrogate pair, NUL)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedText:
    """A decoded file: ``text`` is without BOM, line ends as on disk."""

    text: str
    bom: bool = False


def decode_text(data: bytes) -> EncodedText:
    """Raises NotText for NUL bytes (UTF-16 has them) and for anything that is not UTF-8."""
    bom = data.startswith(BOM)
    if b"\0" in data:
        raise NotText
    try:
        return EncodedText(text=data[len(BOM) if bom else 0 :].decode("utf-8"), bom=bom)
    except UnicodeDecodeError:
        raise NotText from None


def encode_text(text: str, *, bom: bool = False) -> bytes:
    """The bytes of a text whose line ends are as they shall be on disk. Raises NotText."""
    if "\0" in text:
        raise NotText
    try:
        return (BOM if bom else b"") + text.encode("utf-8")
    except UnicodeEncodeError:
        raise NotText from None


def normalize_newlines(text: str) -> str:
    """The text with ``\\n`` only."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def dominant_newline(text: str) -> Newline:
    """The line end that most lines have; ``\\n`` where there is none, or as many of another kind."""
    counts = Counter(_LINE_END.findall(text))
    best: Newline = "\n"
    kinds: tuple[Newline, ...] = ("\r\n", "\r")
    for newline in kinds:
        if counts[newline] > counts[best]:
            best = newline
    return best


def with_newlines_of(text: str, old: EncodedText) -> str:
    """``text`` with the line ends of ``old``: unchanged lines keep their own, new ones take the dominant one.

    A file that had no last newline gets none.
    """
    new_lines = normalize_newlines(text).split("\n")
    had_none = bool(old.text) and not old.text.endswith(("\n", "\r"))
    if had_none and len(new_lines) > 1 and new_lines[-2] and not new_lines[-1]:
        new_lines.pop()
    if "\r" not in old.text:
        return "\n".join(new_lines)
    old_lines, old_ends = split_lines(old.text)
    dominant: str = dominant_newline(old.text)
    ends = [dominant] * len(new_lines)
    for old_at, new_at, size in matching_blocks(old_lines, new_lines):
        for step in range(size):
            ends[new_at + step] = old_ends[old_at + step] or dominant
    ends[-1] = ""
    return "".join(line + end for line, end in zip(new_lines, ends, strict=True))


def split_lines(text: str) -> tuple[list[str], list[str]]:
    """Lines and their ends, as many of both; the last line's end is empty."""
    lines: list[str] = []
    ends: list[str] = []
    at = 0
    for found in _LINE_END.finditer(text):
        lines.append(text[at : found.start()])
        ends.append(found.group())
        at = found.end()
    return [*lines, text[at:]], [*ends, ""]


def with_text(old: EncodedText | None, text: str) -> bytes:
    """The bytes of the file after ``text`` (with ``\n``) replaced what stood in it. Raises NotText.

    A BOM is the file's, never the text's: one that a text brings along is dropped, or it would become one.
    """
    if old is None:
        return encode_text(normalize_newlines(text).lstrip("\ufeff"))
    if not old.bom:
        text = text.lstrip("\ufeff")
    return encode_text(with_newlines_of(text, old), bom=old.bom)
