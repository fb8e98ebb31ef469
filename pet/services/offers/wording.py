"""Words of the speech bubble: replies as plain text, errors, and how long a text takes to read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from pet.events import ErrorInfo
from pet.i18n import HAN, Language, Texts, catalogue
from pet.model import ForeignSource
from pet.text.plain_markdown import blocks
from pet.text.unseen import reveal

SHORT = 220
"""Maximum characters shown in a bubble."""
_LINES = 5
_ENOUGH = 4_000  # characters of a reply that always contain its first lines
_LEFT_OUT = "\u2026"
_FLAGS = "".join(map(chr, range(0x1F1E6, 0x1F200)))  # two of these make one flag
_PLACEHOLDER = re.compile(r"\{\w+\}")
_FASTEST, _SLOWEST = 6.0, 45.0
_LETTERS_A_SECOND = 13.0
_CJK_A_SECOND = 5.0
_CJK = re.compile(f"[\u3040-\u30ff\uac00-\ud7af{HAN}]")
_MOST_SOURCES = 5


def source_words(sources: Sequence[ForeignSource], texts: Texts) -> str:
    """Return what of others is named before the owner; of a great many the first."""
    words = [_source(each, texts) for each in sources[:_MOST_SOURCES]]
    return texts("ui.foreign.and").join([*words, *([_LEFT_OUT] if len(sources) > _MOST_SOURCES else [])])


def _source(each: ForeignSource, texts: Texts) -> str:
    key, program = f"ui.foreign.{each.kind}{'' if each.name else '_some'}", f"moving.kind.{each.name}"
    words = catalogue(texts.language)
    name = texts(program) if each.kind == "import" and program in words else reveal(each.name, "<U+{:04X}>")
    return texts(key, name=name) if key in words else texts("ui.foreign.other_some")


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


def worded_error(error: ErrorInfo, texts: Texts) -> str:
    return _PLACEHOLDER.sub("?", texts(f"error.{error.code}", **error.args))


def reading_seconds(text: str, wished: int = 0) -> float:
    """Return the display time; ``wished``: the owner's setting, 0 for none."""
    if wished:
        return float(wished)
    cjk = len(_CJK.findall(text))
    needed = 3.0 + cjk / _CJK_A_SECOND + (len(text) - cjk) / _LETTERS_A_SECOND
    return round(min(_SLOWEST, max(_FASTEST, needed)), 1)


def joined(sentences: Iterable[str], language: Language) -> str:
    return ("" if language == "zh" else " ").join(sentences)
