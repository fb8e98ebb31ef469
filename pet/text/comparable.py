"""The form in which two texts are compared when one is searched for in the other. Pure.

Case, width and composition are folded. Invisible characters, emphasis marks and white space beside CJK characters
are dropped, other white space becomes single spaces, and a word that a hyphen breaks at the end of a line is joined.
"""

from __future__ import annotations

import re
import unicodedata

from pet.text.lazy_pattern import lazy_pattern

_FILLERS = frozenset((0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0xFE00, 0xFE10)))
_CJK = (
    "\u2e80-\u2fdf\u3001-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_BESIDE_CJK = lazy_pattern(f" (?=[{_CJK}])|(?<=[{_CJK}]) ")
_IS_CJK = lazy_pattern(f"[{_CJK}]")
_MARKS = re.compile(r"[*_~`]")
# A single mark inside "snake_case" or between the digits of "2*3" is no emphasis.
_EMPHASIS = lazy_pattern(r"[*_]{2,}|~~|`+|(?<![^\W_])_|_(?![^\W_])|(?<!\d)\*|\*(?!\d)")
_LINE_HYPHEN = lazy_pattern(r"(?<=[^\W\d_])[-\u2010][ \t]*[\r\n]\s*(?=[^\W\d_])")


class _Invisible(dict[int, int | None]):
    """Translation that drops format and control characters (not white space), variation selectors and fillers."""

    def __missing__(self, code: int) -> int | None:
        char = chr(code)
        hidden = code in _FILLERS or 0xE0100 <= code <= 0xE01EF
        hidden = hidden or (unicodedata.category(char) in ("Cf", "Cc") and not char.isspace())
        self[code] = None if hidden else code
        return self[code]


_INVISIBLE = _Invisible()


def comparable_line(line: str) -> str:
    """Return the comparable form of one line, or of a text in which no line breaks a word."""
    if not (line.isascii() and line.isprintable()):
        line = unicodedata.normalize("NFKC", line.translate(_INVISIBLE))
        line = unicodedata.normalize("NFKC", line.casefold())
    line = line.lower()
    if _MARKS.search(line):
        line = _EMPHASIS.sub("", line)
    line = " ".join(line.split())
    return line if line.isascii() else _BESIDE_CJK.sub("", line)


def comparable_forms(text: str) -> tuple[str, ...]:
    """Return the comparable forms of a text: two if a line breaks a word, joined without and with the hyphen."""
    if ("-" in text or "\u2010" in text) and _LINE_HYPHEN.search(text):
        return comparable_line(_LINE_HYPHEN.sub("", text)), comparable_line(_LINE_HYPHEN.sub("-", text))
    return (comparable_line(text),)


def separator(before: str, after: str) -> str:
    """Return the text between two comparable lines: "-" for a word broken by a hyphen, else "" or a space."""
    if before[-1:] in ("-", "\u2010") and before[-2:-1].isalpha() and after[:1].isalpha():
        return "-"
    return "" if _IS_CJK.match(before[-1:]) or _IS_CJK.match(after[:1]) else " "
