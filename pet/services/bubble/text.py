"""First lines of a reply without Markdown, for the bubble. Pure."""

from __future__ import annotations

import unicodedata

from pet.services.bubble.plain_markdown import blocks

SHORT = 220
"""Maximum characters shown in a bubble."""
_LINES = 5
_ENOUGH = 4_000  # characters of a reply that always contain its first lines
_LEFT_OUT = "\u2026"
_FLAGS = "".join(map(chr, range(0x1F1E6, 0x1F200)))  # two of these make one flag


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
    while cut and _splits_grapheme(cut, kept[len(cut)]):
        cut = cut[:-1]
    return cut.rstrip() + "\u2026", True


def _splits_grapheme(cut: str, after: str) -> bool:
    """Return whether ``after`` belongs to the last grapheme of ``cut``: an accent, a skin tone, half a flag."""
    if "\u200d" in (cut[-1], after) or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    flags = len(cut) - len(cut.rstrip(_FLAGS))
    return unicodedata.category(after).startswith("M") or (after in _FLAGS and flags % 2 == 1)
