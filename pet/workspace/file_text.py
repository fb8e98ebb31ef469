"""A file's text: decode and encode it, replace one passage. Pure.

Decoding preserves BOM, line ends and the final newline. NUL bytes and invalid UTF-8 raise NotText; replacement
characters are never used. An edit changes nothing outside the matched passage.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from pet.errors import EditAmbiguous, EditNoChange, EditNotFound, EmptyQuery
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


_SPACE = re.compile(r"\s+")
_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Match:
    start: int
    end: int
    replacement: str


def apply_edit(text: str, old: str, new: str) -> str:
    """Return ``text`` with its single ``old`` replaced by ``new``, converted to the file's line ends.

    Raises EmptyQuery, EditNoChange, EditNotFound or EditAmbiguous (with the count).

    >>> apply_edit("- tea\\n- milk\\n", "tea", "green tea")
    '- green tea\\n- milk\\n'
    """
    if not old.strip():
        raise EmptyQuery
    if old == new:
        raise EditNoChange
    match = _exact(text, old, new) or _tolerant(text, old, new, keep_lines=True)
    match = match or _tolerant(text, old, new, keep_lines=False)
    if match is None:
        raise EditNotFound
    replacement = _with_newlines(match.replacement, text[match.start : match.end], text)
    if text[match.start : match.end] == replacement:
        raise EditNoChange
    return text[: match.start] + replacement + text[match.end :]


def _exact(text: str, old: str, new: str) -> _Match | None:
    starts = _find_all(text, old)
    if len(starts) > 1:
        raise EditAmbiguous(count=len(starts))
    return _Match(start=starts[0], end=starts[0] + len(old), replacement=new) if starts else None


def _tolerant(text: str, old: str, new: str, *, keep_lines: bool) -> _Match | None:
    """Match white space by kind only; where old and new share a prefix or suffix, the file's own text is kept."""
    haystack, offsets = _normalise(text, keep_lines=keep_lines)
    needle, _ = _normalise(old.strip(), keep_lines=keep_lines)
    starts = _find_all(haystack, needle)
    if len(starts) > 1:
        raise EditAmbiguous(count=len(starts))
    if not starts:
        return None
    start, end = offsets[starts[0]], offsets[starts[0] + len(needle) - 1] + 1
    removal = not new.strip()
    lead_old, lead_new = (each[: len(each) - len(each.lstrip())] for each in (old, new))
    if not removal and normalize_newlines(lead_old) == normalize_newlines(lead_new):
        new = new[len(lead_new) :]
    else:
        start -= _reach(text[:start][::-1], lead_old[::-1], "\n\r")
    tail_old, tail_new = (each[len(each.rstrip()) :] for each in (old, new))
    if not removal and normalize_newlines(tail_old) == normalize_newlines(tail_new):
        new = new[: len(new) - len(tail_new)]
    else:
        end += _reach(text[end:], tail_old, "\r\n")
    return _Match(start=start, end=end, replacement=new)


def _normalise(text: str, *, keep_lines: bool) -> tuple[str, list[int]]:
    """Collapse each run of white space to one character, or to none next to CJK, where spacing varies freely.

    The list maps each character to its offset in ``text``.
    """
    parts: list[str] = []
    offsets: list[int] = []
    at = 0
    for run in _SPACE.finditer(text):
        parts.append(text[at : run.start()])
        offsets += range(at, run.start())
        space = _collapsed(text, run, keep_lines=keep_lines)
        parts.append(space)
        offsets += [run.start()] * len(space)
        at = run.end()
    parts.append(text[at:])
    offsets += range(at, len(text))
    return "".join(parts), offsets


def _collapsed(text: str, run: re.Match[str], *, keep_lines: bool) -> str:
    if keep_lines and ("\n" in run.group() or "\r" in run.group()):
        return "\n"
    before = run.start() and _WIDE.match(text, run.start() - 1)
    return "" if before or _WIDE.match(text, run.end()) else " "


def _reach(following: str, wanted: str, crlf: str) -> int:
    """Return how far the match extends over white space that ``old`` had too; over a line end only if ``old`` did."""
    if not wanted:
        return 0
    lines = len(re.findall(rf"{crlf}|\r|\n", wanted))
    ends_in_line_end = wanted[-1] in "\r\n"
    at = 0
    while at < len(following) and following[at].isspace():
        if following[at] in "\r\n":
            if lines == 0:
                break
            lines -= 1
            at += len(crlf) if following.startswith(crlf, at) else 1
            if lines == 0 and ends_in_line_end:
                break
        else:
            at += 1
    return at


def _with_newlines(new: str, matched: str, text: str) -> str:
    newline = dominant_newline(matched if "\n" in matched or "\r" in matched else text)
    return normalize_newlines(new).replace("\n", newline)


def _find_all(text: str, part: str) -> list[int]:
    starts: list[int] = []
    at = text.find(part)
    while at >= 0:
        starts.append(at)
        at = text.find(part, at + 1)
    return starts
