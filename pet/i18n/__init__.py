"""Message catalogues: every text that the owner or the model reads, in each language.

One JSON file per area and language (``en/errors.json``), flat keys, ``{name}`` placeholders, ``{count|note|notes}``
for one and for more; the pages import the same files. An unknown key is a bug and raises KeyError.
"""

from __future__ import annotations

import json
import locale
import os
import re
from functools import cache
from pathlib import Path
from typing import Literal

Language = Literal["zh", "en", "es"]
LANGUAGES: tuple[Language, ...] = ("en", "zh", "es")
HAN = "\u3400-\u9fff\uf900-\ufaff"
"""Chinese characters, for a class of a regular expression."""
_CHINESE = re.compile(f"[{HAN}]")
_MARK = re.compile(r"\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}")
_SPANISH_MARKS = str.maketrans(",.", ".,")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_TIME = re.compile(r"\d:\d\d$")
_ADDRESS = re.compile(r"\d+(\.\d+){3}(:\d+)?")


def text_files(language: Language) -> list[Path]:
    """Return the files of one language: the core's areas, then those of the extras that are there."""
    here = Path(__file__).parent
    extras = here.parent.glob(f"extras/*/texts/{language}.json")
    return [*sorted((here / language).glob("*.json")), *sorted(extras)]


@cache
def catalogue(language: Language) -> dict[str, str]:
    """Return all areas of one language in one flat mapping. Raises ValueError if two areas share a key."""
    texts: dict[str, str] = {}
    for file in text_files(language):
        area: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
        twice = texts.keys() & area.keys()
        if twice:
            raise ValueError(f"{file.parent.parent.name}/{file.name} repeats {sorted(twice)}")
        texts.update(area)
    return texts


class Texts:
    """Texts of one language.

    >>> Texts("en")("ui.attach.pages", count=1), Texts("en")("ui.attach.pages", count=3)
    ('1 page', '3 pages')
    """

    def __init__(self, language: Language) -> None:
        self.language: Language = language

    def __call__(self, key: str, /, **args: object) -> str:
        text = catalogue(self.language)[key]
        words = {name: str(value) for name, value in args.items()}
        for name, value in words.items():
            text = _set_apart(text, "{" + name + "}", value)

        def filled(mark: re.Match[str]) -> str:
            value = words.get(mark[1])
            if value is None or mark[2] is None:
                return mark[0] if value is None else value
            return mark[2] if value == "1" else mark[3]

        # Not str.format, since texts may contain braces; in one pass, so that no value fills another.
        return _MARK.sub(filled, text) if words else text

    def number(self, value: float, digits: int = 0) -> str:
        """Return a number as the language writes it.

        >>> Texts("en").number(20_480.5, 1), Texts("es").number(20_480.5, 1), Texts("es").number(8096)
        ('20,480.5', '20.480,5', '8096')
        """
        text = f"{value:,.{digits}f}"
        if self.language != "es":
            return text
        if abs(value) < 10_000:
            text = text.replace(",", "")
        return text.translate(_SPANISH_MARKS)


def _set_apart(text: str, mark: str, words: str) -> str:
    """Add a space between Chinese and a Latin letter, an address, or a time of day, where it is filled in."""
    address = _ADDRESS.fullmatch(words)
    if _LATIN.match(words[:1]) or address:
        text = re.sub(f"(?<=[{HAN}]){re.escape(mark)}", lambda _: " " + mark, text)
    if _LATIN.match(words[-1:]) or address or _TIME.search(words):
        text = re.sub(f"{re.escape(mark)}(?=[{HAN}])", lambda _: mark + " ", text)
    return text


def is_chinese(text: str) -> bool:
    """Whether the text has a Chinese character."""
    return _CHINESE.search(text) is not None


def _locale_of(category: str) -> str:
    named = os.environ.get("LC_ALL") or os.environ.get(category) or os.environ.get("LANG")
    return named or locale.getlocale()[0] or ""


DateOrder = Literal["system", "day_first", "month_first"]
_chosen: list[DateOrder] = ["system"]


def choose_date_order(order: DateOrder) -> None:
    """Set how this program, which has one owner, reads dates in digits; called whenever the settings are read."""
    _chosen[0] = order


def day_comes_first() -> bool | None:
    """Return whether the owner, or else the system's locale, writes 5/6 for the 5th of June; None if unknown."""
    if _chosen[0] != "system":
        return _chosen[0] == "day_first"
    named = re.match(r"([A-Za-z]+)[_-]([A-Za-z]+)", _locale_of("LC_TIME"))
    if named is None or named[2] in ("CA", "Canada", "ZA"):
        return None
    month_first = named[2] in ("US", "United", "PH", "FM", "PW") or named[1] in (
        "zh",
        "ja",
        "ko",
        "hu",
        "lt",
        "mn",
        "Chinese",
    )
    return not month_first


def system_language() -> Language:
    """Return the language of the system's locale; English without a catalogue for it."""
    named = _locale_of("LC_MESSAGES")
    if named.lower().startswith(("zh", "chinese")):
        return "zh"
    return "es" if named.lower().startswith(("es", "spanish")) else "en"
