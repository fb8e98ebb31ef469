"""Text and timing of bubbles: plain text, truncation, reading time, quiet hours. Pure."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, datetime, time

from pet.i18n import HAN
from pet.services.bubble.plain_markdown import blocks

SHORT = 220
"""Maximum characters shown in a bubble; a longer text ends in "more"."""
_LINES = 5
_ENOUGH = 4_000  # characters of a reply that always contain its first lines
_LEFT_OUT = "\u2026"
GREETINGS = 4
"""Lines per time of day."""
QUESTIONS = 2
"""Variants per kind of question."""
_FASTEST, _SLOWEST = 6.0, 45.0
_DAY = 86_400.0
_LETTERS_A_SECOND = 13.0
_CJK_A_SECOND = 5.0
_FLAGS = "".join(map(chr, range(0x1F1E6, 0x1F200)))  # two of these letters make one
_CJK = re.compile(f"[\u3040-\u30ff\uac00-\ud7af{HAN}]")


def plain_text(markdown: str) -> tuple[str, bool]:
    """Return the text without Markdown, and whether code or tables were omitted."""
    lines: list[str] = []
    for piece in blocks(markdown, _ENOUGH):
        if piece.kind in ("code", "row"):
            if lines[-1:] != [_LEFT_OUT]:
                lines.append(_LEFT_OUT)
        else:
            lines.append(f"{piece.mark} {piece.text}" if piece.mark else piece.text)
    return "\n".join(lines).strip(), _LEFT_OUT in lines


def shortened(text: str) -> tuple[str, bool]:
    """Return the first lines, and whether text was cut. Cuts between words, never inside a grapheme."""
    lines = text.split("\n")
    kept = "\n".join(lines[:_LINES])
    if len(kept) <= SHORT:
        return kept, len(lines) > _LINES
    cut = kept[:SHORT]
    at = max(cut.rfind(" "), cut.rfind("\n"), *(cut.rfind(mark) + 1 for mark in "\u3002\uff01\uff1f\uff0c"))
    cut = cut[:at] if at > SHORT // 2 else cut
    while cut and _takes_apart(cut, kept[len(cut)]):
        cut = cut[:-1]
    return cut.rstrip() + "\u2026", True


def _takes_apart(cut: str, after: str) -> bool:
    """Whether what comes after belongs to the last character of the cut: an accent, a skin tone, half a flag."""
    if "\u200d" in (cut[-1], after) or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    flags = len(cut) - len(cut.rstrip(_FLAGS))
    return unicodedata.category(after).startswith("M") or (after in _FLAGS and flags % 2 == 1)


def reading_seconds(text: str, wished: int = 0) -> float:
    """Return the display time; ``wished``: the owner's setting, 0 for none."""
    if wished:
        return float(wished)
    cjk = len(_CJK.findall(text))
    needed = 3.0 + cjk / _CJK_A_SECOND + (len(text) - cjk) / _LETTERS_A_SECOND
    return round(min(_SLOWEST, max(_FASTEST, needed)), 1)


def is_quiet(now: datetime, start: str, end: str) -> bool:
    """Whether the time is within quiet hours, also across midnight. False if either time is missing."""
    if not start or not end:
        return False
    begins, ends, at = time.fromisoformat(start), time.fromisoformat(end), now.time()
    return begins <= at < ends if begins <= ends else at >= begins or at < ends


def seconds_until(now: datetime, end: str) -> float:
    """Return the seconds until the next occurrence of this time of day."""
    ends = datetime.combine(now.date(), time.fromisoformat(end), now.tzinfo)
    return ((ends - now).total_seconds()) % _DAY


def greeting_key(now: datetime) -> str:
    """Return the catalogue key of a greeting for the time of day; varies by day, constant within one."""
    hour = now.hour
    part = "morning" if 5 <= hour < 11 else "day" if 11 <= hour < 18 else "evening" if 18 <= hour < 23 else "night"
    return f"bubble.greeting_{part}_{1 + now.toordinal() % GREETINGS}"


def question_key(kind: str, day: date) -> str:
    """Return the catalogue key of a question about a remembered item."""
    return f"bubble.ask_{kind}_{1 + day.toordinal() % QUESTIONS}"
