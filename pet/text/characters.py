"""Comparable forms of texts, and invisible characters. Pure.

Texts are compared in a form with case, width and composition folded. Invisible characters, Markdown's marks of
emphasis, quotes and escapes, and white space beside CJK characters and their punctuation are dropped. Other white
space and ``<br>`` become single spaces, HTML entities what they show, and a word that a hyphen breaks at the end of a
line is joined.

Invisible characters that a model would read are counted: zero-width characters and bidi controls. Emoji joiners and
variation selectors within emoji are not counted, nor joiners in scripts that need them (Persian, Hindi, ...).
"""

from __future__ import annotations

import html
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
        text = html.unescape(_TAG.sub("", _BREAK.sub(" ", _ESCAPE.sub("", text))))
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


_ALWAYS = frozenset(
    "\u00ad\u180e\u200b\u200e\u200f\u061c\u2060\u2061\u2062\u2063\u2064\u206a\u206b\u206c\u206d\u206e\u206f\ufeff"
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufff9\ufffa\ufffb"
)
_JOINERS = frozenset("\u200c\u200d")
_SELECTORS = frozenset("\ufe0e\ufe0f")
_TAGS = range(0xE0000, 0xE0080)  # flag sequences after a black flag; hidden text everywhere else
_BLACK_FLAG = "\U0001f3f4"
_CANCEL_TAG = "\U000e007f"
_JOINED_SCRIPTS = (
    "ARABIC",
    "DEVANAGARI",
    "BENGALI",
    "TAMIL",
    "TELUGU",
    "KANNADA",
    "MALAYALAM",
    "SINHALA",
    "GUJARATI",
)


def count_invisible(text: str) -> int:
    """Return the number of invisible characters."""
    if text.isascii():
        return 0
    return sum(_is_hidden(text, at) for at, char in enumerate(text) if not char.isascii())


def _is_hidden(text: str, at: int) -> bool:
    char = text[at]
    if char in _ALWAYS:
        return True
    if char in _JOINERS:
        before = _before(text, at)
        after = text[at + 1 : at + 2]
        return not (_joins_emoji(before, after) or _joins_letters(before))
    if char in _SELECTORS:
        before = text[at - 1 : at]
        return not before or before.isspace() or before in _SELECTORS
    if ord(char) in _TAGS:
        return not _in_flag(text, at)
    return 0xFE00 <= ord(char) <= 0xFE0D or (0xE0100 <= ord(char) <= 0xE01EF and not _is_ideograph(text[at - 1 : at]))


def _before(text: str, at: int) -> str:
    """Return the character before a joiner, skipping variation selectors and skin tones."""
    at -= 1
    while at > 0 and (text[at] in _SELECTORS or 0x1F3FB <= ord(text[at]) <= 0x1F3FF):
        at -= 1
    return text[at] if at >= 0 else ""


def _joins_emoji(before: str, after: str) -> bool:
    return _is_emoji(before) and _is_emoji(after)


def _is_emoji(char: str) -> bool:
    return bool(char) and unicodedata.category(char) == "So"


def _joins_letters(before: str) -> bool:
    return bool(before) and unicodedata.name(before, "").startswith(_JOINED_SCRIPTS)


def _is_ideograph(char: str) -> bool:
    return bool(char) and unicodedata.name(char, "").startswith("CJK ")


def _in_flag(text: str, at: int) -> bool:
    start = at
    while start > 0 and ord(text[start - 1]) in _TAGS:
        start -= 1
    run = text[start : at + 1] + text[at + 1 : at + 8]
    return start > 0 and text[start - 1] == _BLACK_FLAG and _CANCEL_TAG in run and at - start < 7
