"""Comparable forms of texts. Pure.

Texts are compared in a form with case, width and composition folded. Invisible characters, Markdown's marks of
emphasis, quotes and escapes, and white space beside CJK characters and their punctuation are dropped. Other white
space and ``<br>`` become single spaces, HTML entities what they show, and a word that a hyphen breaks at the end of a
line is joined.
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
_STOP = "[!-/:-@\\[-^{-~\u2013-\u2026]"  # folded, the punctuation of Chinese is that of ASCII
_AFTER_CJK = "|".join(f"(?<=[{_CJK}]{_STOP * count})" for count in (0, 1, 2, 3, 6))  # an ellipsis folds to six dots
_AROUND_CJK = lazy_pattern(f" (?={_STOP}{{0,6}}[{_CJK}])|(?:{_AFTER_CJK}) ")
_STOPS_AT_START, _STOPS_AT_END = lazy_pattern(f"^({_STOP}{{1,6}}) "), lazy_pattern(f" ({_STOP}{{1,6}})$")
_MARKS = re.compile(r"[*_~`]")
# A single mark inside "snake_case" or between the digits of "2*3" is no emphasis.
_EMPHASIS = lazy_pattern(r"[*_]{2,}|~~|`+|(?<![^\W_])_|_(?![^\W_])|(?<!\d)\*|\*(?!\d)")
_QUOTE = lazy_pattern(r"(?:^|(?<=[\r\n]))[ \t]*(?:>[ \t]?)+")
_WRITTEN = re.compile(r"[\\<&]")
_ESCAPE = lazy_pattern(r"\\(?=[!-/:-@\[-`{-~]|[ \t]*(?:[\r\n]|\Z))")  # also at the end of a line: it breaks there
_BREAK = lazy_pattern(r"<br[ \t]*/?>", re.IGNORECASE)
_TAG = lazy_pattern(r"</?(?:b|i|u|s|em|strong|del|ins|mark|small|sub|sup|code|kbd)>", re.IGNORECASE)
_SOFT_END = lazy_pattern(r"(?<=[^\W\d_])\u00ad(?=[ \t]*(?:[\r\n]|\Z))")  # shown as a hyphen there, and only there
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


FORM = 4
"""Version of the comparable form. 3 kept escapes, quotes, tags and entities as they are written, 2 also white space
beside the punctuation of CJK characters; stored hashes of such forms still count."""


def comparable_line(line: str, form: int = FORM) -> str:
    """Return the comparable form of one line, or of a text in which no line breaks a word."""
    if form > 3:
        line = _unquoted(line)
    if not (line.isascii() and line.isprintable()):
        line = _SOFT_END.sub("\u2010", line)
        line = unicodedata.normalize("NFKC", line.translate(_INVISIBLE))
        line = unicodedata.normalize("NFKC", line.casefold())
    line = line.lower()
    if _MARKS.search(line):
        line = _EMPHASIS.sub("", line)
    line = " ".join(line.split())
    return line if line.isascii() else (_AROUND_CJK if form > 2 else _BESIDE_CJK).sub("", line)


def comparable_forms(text: str, form: int = FORM) -> tuple[str, ...]:
    """Return the comparable forms of a text: two if a line breaks a word, joined without and with the hyphen."""
    text = _SOFT_END.sub("\u2010", text) if "\u00ad" in text else text
    if "-" in text or "\u2010" in text:
        text = _QUOTE.sub("", text) if form > 3 and ">" in text else text
        if _LINE_HYPHEN.search(text):
            return tuple(comparable_line(_LINE_HYPHEN.sub(joined, text), form) for joined in ("", "-"))
    return (comparable_line(text, form),)


def _unquoted(text: str) -> str:
    """Return the text as Markdown shows it: without marks of quotes, escapes, and tags of emphasis."""
    if ">" in text:
        text = _QUOTE.sub("", text)
    if _WRITTEN.search(text):
        from html import unescape  # late: brings two thousand names, and hardly any text has tags

        text = unescape(_TAG.sub("", _BREAK.sub(" ", _ESCAPE.sub("", text))))
    return text


def search_forms(text: str) -> tuple[str, ...]:
    """Return the forms of a text that is looked for in comparable forms: also without white space at its edges that
    CJK characters beside it would drop."""
    forms = comparable_forms(text)
    closed = (_STOPS_AT_END.sub(r"\1", _STOPS_AT_START.sub(r"\1", form)) for form in forms)
    return tuple(dict.fromkeys((*forms, *closed)))


def separator(before: str, after: str) -> str:
    """Return the text between two comparable lines: "-" for a word broken by a hyphen, else "" or a space."""
    if before[-1:] in ("-", "\u2010") and before[-2:-1].isalpha() and after[:1].isalpha():
        return "-"
    end = before[-7:]
    return "" if _AROUND_CJK.match(f"{end} {after[:7]}", len(end)) else " "
