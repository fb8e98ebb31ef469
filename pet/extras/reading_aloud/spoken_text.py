"""A streaming reply as sentences to be read aloud: Markdown goes, code, tables and bare links become one word. Pure.

Each piece of the stream costs time in its own length; of a line at most ``LONGEST`` characters are held back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pet.i18n import HAN, Language, is_chinese
from pet.text.lazy_pattern import lazy_pattern
from pet.text.plain_markdown import without_markup

LONGEST = 300
"""Characters of one sentence; a longer one is cut at a comma or between words."""
_MOST_HELD = 4 * LONGEST
Skipped = Literal["code", "table", "link"]

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_WAITS = re.compile(r"[ \t]*(?:`{3}|~{3}|\||$|[-*_= ]+$)")
"""A line that is skipped, or says nothing before it ends."""
_ROW = re.compile(r"^\s*\|")
_RULE = re.compile(r"^ {0,3}(?:[-*_=] *){3,}$")
_LEAD = re.compile(
    r"^[ \t]*(?:>[ \t]?)*(?:#{1,6}[ \t]+|(?:[-*+]|(?P<number>\d{1,9}[.)]))[ \t]+(?:\[[ xX]\][ \t]+)?)?"
)
_BLOCK = re.compile(r"^[ \t]*(?:>|#{1,6}[ \t]|(?:[-*+]|\d{1,9}[.)])[ \t])")
_IN_ADDRESS = r"[^\s<>\"'，。、；：！？（）【】《》〈〉「」『』“”…—]"
_ADDRESS = lazy_pattern(rf"<?(?<![A-Za-z0-9])(?:https?://|www\.)(?:(?![()\[\]]){_IN_ADDRESS})+>?")
_SPANS = lazy_pattern(
    rf"`[^`\n]*`|!?\[[^\[\]\n]*\]\([^()\n]*\)|(?:https?://|www\.){_IN_ADDRESS}+|\$[^$\n]{{1,200}}\$"
)
_UNFINISHED = lazy_pattern(r"\[([^\[\]\n]*)\]\([^()\n]*$")
_STRAY = lazy_pattern(r"[*`#|<>\\]+|~~|(?<!\w)_+|_+(?!\w)")
_CLOSERS = "\"'”’)\\]」』】）》*_"
_END = lazy_pattern(f"[。！？；]+…*[{_CLOSERS}]*|[.!?…]+[{_CLOSERS}]*(?=\\s)")
_LEAD_ENDS = 16
"""Characters from which the kind of a line is known."""
_BREAK = lazy_pattern(r"[,;:，、；：](?=\s|[^\x00-\x7f])|\s")
_CJK_GAP = lazy_pattern(f"(?<=[{HAN}，。、；：！？]) (?=[{HAN}])")
_ABBREVIATED = lazy_pattern(
    r"(?:^|[\s(\"'“¿¡])(?:mrs?|ms|dr|prof|st|jr|sr|sra|srta|dra|vs|etc|approx|no|nos|fig|vol|pp?|ca|cf|al|inc|ltd|co|dept"
    r"|est|gen|gov|rev|hon|av|avda|ud|uds|núm|pág|aprox|ej|eg|ie|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
    r"|\w|(?:\w\.)+\w)\.$",
    re.IGNORECASE,
)
_ENGLISH, _SPANISH = (
    frozenset(words.split())
    for words in (
        "the and is of to you it in that this for with are was be have not i my your we they",
        "el la los las que de y en es un una por para con no se lo tu mi como está más pero te del al",
    )
)
_SPANISH_SIGNS = lazy_pattern("[ñ¿¡]")
_WORD = lazy_pattern(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A sentence, or in its place what is skipped."""

    text: str
    skipped: Skipped | None = None


def sentence_language(text: str, before: Language) -> Language:
    """Return the language of a sentence; ``before``, that of the sentence before, if its words don't tell.

    >>> sentence_language("¿Dónde está el perro?", "en"), sentence_language("OK.", "es")
    ('es', 'es')
    """
    if is_chinese(text):
        return "zh"
    words = _WORD.findall(text.lower())
    english, spanish = (sum(word in each for word in words) for each in (_ENGLISH, _SPANISH))
    if english != spanish:
        return "en" if english > spanish else "es"
    if _SPANISH_SIGNS.search(text):
        return "es"
    return "en" if before == "zh" and words else before


class SentenceStream:
    """The sentences of one reply.

    >>> stream = SentenceStream()
    >>> [each.text for each in (*stream.feed("**Hi** Dr. Ruiz! It is 3.5 °C, "), *stream.feed("bye"), *stream.end())]
    ['Hi Dr. Ruiz!', 'It is 3.5 °C, bye']
    """

    def __init__(self) -> None:
        self._line = ""  # the unfinished line
        self._fresh = True  # nothing of that line was read
        self._block = False  # it is a heading, a quote or an item
        self._text = ""  # of the paragraph, not yet spoken
        self._fence = ""
        self._last: Skipped | None = None

    def feed(self, text: str) -> list[Spoken]:
        """Return the sentences that are whole now."""
        out: list[Spoken] = []
        *lines, rest = text.split("\n")
        for line in lines:
            self._held(line, out)
            self._end_line(out)
        self._held(rest, out)
        return out

    def end(self) -> list[Spoken]:
        """Return what is left; markup that was never closed is left out."""
        out: list[Spoken] = []
        self._end_line(out)
        self._paragraph(out)
        return out

    def _held(self, piece: str, out: list[Spoken]) -> None:
        """Add to the unfinished line, and take out of it what can be read already."""
        for at in range(0, len(piece), LONGEST):
            self._line += piece[at : at + LONGEST]
            if self._fence or (self._fresh and _WAITS.match(self._line)):
                self._line = self._line[:_MOST_HELD]
            elif not self._fresh or len(self._line) > _LEAD_ENDS:
                self._take(out, whole=False)

    def _end_line(self, out: list[Spoken]) -> None:
        line, fence = self._line, _FENCE.match(self._line) if self._fresh else None
        if self._fence:
            if fence and fence[1].startswith(self._fence) and not line.strip().strip("`~"):
                self._fence = ""
        elif fence:
            self._fence = fence[1]
            self._skip("code", out)
        elif self._fresh and _ROW.match(line):
            self._skip("table", out)
        elif self._fresh and (not line.strip() or _RULE.match(line)):
            self._paragraph(out)
        else:
            self._take(out, whole=True)
        self._line, self._fresh = "", True

    def _take(self, out: list[Spoken], *, whole: bool) -> None:
        line = self._line
        if self._fresh:
            if _BLOCK.match(line):
                self._paragraph(out)
            if lead := _LEAD.match(line):
                line = f"{lead['number'] or ''} {line[lead.end() :]}" if lead["number"] else line[lead.end() :]
                self._block = bool(lead[0].strip())
            self._text += " " if self._text and not self._text.endswith(" ") else ""
        self._fresh = False
        self._text += line
        self._line = ""
        self._sentences(out)
        if whole and self._block:
            self._paragraph(out)

    def _sentences(self, out: list[Spoken]) -> None:
        while (at := _whole_until(self._text)) > 0:
            self._say(self._text[:at], out)
            self._text = self._text[at:].lstrip()

    def _paragraph(self, out: list[Spoken]) -> None:
        text, self._text = self._text, ""
        while len(text) > LONGEST:
            at = _cut(text)
            self._say(text[:at], out)
            text = text[at:]
        self._say(text, out)

    def _say(self, markdown: str, out: list[Spoken]) -> None:
        if not markdown or markdown.isspace():
            return
        at = 0
        line = _UNFINISHED.sub(r"\1", without_markup(" ".join(markdown.split())))
        for address in _ADDRESS.finditer(line):
            self._plain(line[at : address.start()], out)
            self._skip("link", out)
            at = address.end()
        self._plain(line[at:], out)

    def _plain(self, text: str, out: list[Spoken]) -> None:
        text = _CJK_GAP.sub("", " ".join(_STRAY.sub(" ", text).replace("_", " ").split()))
        text = re.sub(r" (?=[.,;:!?])", "", text)
        if any(map(str.isalnum, text)):
            out.append(Spoken(text))
            self._last = None

    def _skip(self, kind: Skipped, out: list[Spoken]) -> None:
        if kind != "link":
            self._paragraph(out)
        if self._last != kind:
            out.append(Spoken("", kind))
        self._last = kind


def _whole_until(text: str) -> int:
    """Return where the first whole sentence ends; 0 if none does yet."""
    masked = _SPANS.sub(lambda span: "x" * len(span[0]), text) if any(each in text for each in "`[$w:") else text
    for end in _END.finditer(masked[:_MOST_HELD]):
        at = end.end()
        before, after = masked[:at], masked[at:].lstrip()[:1]
        if end[0][0] in "。！？；":
            pass
        elif not after or after.islower() or (end[0] == "." and _ABBREVIATED.search(before[-24:])):
            continue
        if at < LONGEST and (before.rfind("[") > before.rfind("]") or before.count("`") % 2):
            continue
        return at if at <= LONGEST else _cut(text)
    return _cut(text) if len(text) > 2 * LONGEST else 0


def _cut(text: str) -> int:
    """Return where to cut a sentence that is too long: after a comma or a space, if there is one."""
    ends = [each.end() for each in _BREAK.finditer(text[:LONGEST])]
    return ends[-1] if ends and ends[-1] > LONGEST // 4 else LONGEST
