"""A file's text: decode and encode it. Pure.

Decoding preserves BOM, line ends and the final newline. NUL bytes and invalid UTF-8 raise NotText; replacement
characters are never used.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from pet.workspace.line_diff import matching_blocks

BOM = "\ufeff".encode()
Newline = Literal["\n", "\r\n", "\r"]

_LINE_END = re.compile(r"\r\n|\r|\n")


class NotText(ValueError):
    """The bytes are not UTF-8 text, or the text can't be encoded (unpaired surrogate, NUL)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedText:
    """A decoded file: ``text`` has no BOM, and line ends as on disk."""

    text: str
    bom: bool = False


def decode_text(data: bytes) -> EncodedText:
    """Decode a file. Raises NotText for NUL bytes (as in UTF-16) and anything that is not UTF-8."""
    bom = data.startswith(BOM)
    if b"\0" in data:
        raise NotText
    try:
        return EncodedText(text=data[len(BOM) if bom else 0 :].decode("utf-8"), bom=bom)
    except UnicodeDecodeError:
        raise NotText from None


def encode_text(text: str, *, bom: bool = False) -> bytes:
    """Encode a text whose line ends are final. Raises NotText."""
    if "\0" in text:
        raise NotText
    try:
        return (BOM if bom else b"") + text.encode("utf-8")
    except UnicodeEncodeError:
        raise NotText from None


def normalize_newlines(text: str) -> str:
    """Return the text with ``\\n`` only."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def dominant_newline(text: str) -> Newline:
    """Return the most frequent line end; ``\\n`` without any or on a tie."""
    counts = Counter(_LINE_END.findall(text))
    best: Newline = "\n"
    kinds: tuple[Newline, ...] = ("\r\n", "\r")
    for newline in kinds:
        if counts[newline] > counts[best]:
            best = newline
    return best


def with_newlines_of(text: str, old: EncodedText) -> str:
    """Return ``text`` with the line ends of ``old``: unchanged lines keep theirs, new ones get the dominant one.

    A missing final newline stays missing.
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
    """Return the lines and their line ends, equally many; the last end is empty."""
    return _LINE_END.split(text), [*_LINE_END.findall(text), ""]


def with_text(old: EncodedText | None, text: str) -> bytes:
    """Return the file's bytes with its text replaced by ``text``, which has ``\\n`` line ends. Raises NotText.

    The BOM belongs to the file: one at the start of ``text`` is dropped.
    """
    if old is None:
        return encode_text(normalize_newlines(text).lstrip("\ufeff"))
    if not old.bom:
        text = text.lstrip("\ufeff")
    return encode_text(with_newlines_of(text, old), bom=old.bom)
