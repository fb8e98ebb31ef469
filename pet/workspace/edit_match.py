"""Find the passage that an edit names, and replace it: exactly, else with tolerance for white space. Pure.

Nothing outside the matched passage is changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pet.errors import EditAmbiguous, EditNoChange, EditNotFound, EmptyQuery
from pet.workspace.text_encoding import dominant_newline, normalize_newlines

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
