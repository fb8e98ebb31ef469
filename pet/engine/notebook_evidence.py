"""Find corrections that the message's own words make certain, whatever a model takes it for. Pure."""

from __future__ import annotations

import re

from pet.engine.notebook_corrections import (
    NAME_LABEL,
    NAMES,
    VALUES,
    WEEKDAYS,
    about_the_same,
    is_uncertain,
    label,
    naming_words,
    persons,
    without_lead,
)
from pet.memory.tokens import is_cjk
from pet.text.lazy_pattern import lazy_pattern

_NUMBERS = r"\d[\d.,:]*\d|\d+"
_SPECIFIC = lazy_pattern(rf"{WEEKDAYS}|{_NUMBERS}", re.I)
_EXCHANGES = (
    lazy_pattern(r"\bnot\b (?P<wrong>[^,.;!?]{1,30}?),? but (?P<right>[^,.;!?]{1,30})"),
    lazy_pattern(r"\bno\b (?P<wrong>[^,.;!?]{1,30}?),? sino (?P<right>[^,.;!?]{1,30})", re.I),
    lazy_pattern(r"不是(?P<wrong>[^，。是]{1,12})[，,]?(?:而)?是(?P<right>[^，。]{1,12})"),
    lazy_pattern(
        r"(?P<right>[^,.;!?]{1,40}),? (?:and not|not|instead of|rather than) (?P<wrong>[^,.;!?]{1,30})", re.I
    ),
    lazy_pattern(r"(?P<right>[^,.;!?]{1,40}), (?:y )?(?:no|en vez de) (?P<wrong>[^,.;!?]{1,30})", re.I),
    lazy_pattern(r"(?:是|在|改成|改到)(?P<right>[^，。]{1,12})[，,](?:而)?不(?:是|在)(?P<wrong>[^，。了]{1,12})"),
)
"""The one, not the other."""
_MY_NAME = lazy_pattern(
    r"^(?:no,? )?my (?:real |first |full )?name(?:'s| is)(?: really| actually)? ((?-i:[A-ZÀ-Þ])[\w'-]+)(?=\W|$)"
    r"|^我(?:的?(?:真名|名字)是?|其实)?叫(?:做|作)?([^\s，。,.！!吧了什啥]{2,4})(?=[，。,.！!吧了]|$)"
    r"|^(?:en realidad )?(?:me llamo|mi nombre es) ((?-i:[A-ZÀ-Þ])[\w'-]+)(?=\W|$)",
    re.I,
)
_ADDRESS_ME = lazy_pattern(
    r"^(?:(?:please|just|you can|from now on,?|could you|better) )*call me ((?-i:[A-ZÀ-Þ])[\w'-]+)"
    r"(?=[.,!?]|$| from| please)"
    r"|^(?:请|你|就|以后|今后|从现在起|还是)*叫我([^\s，。,.！!吧好就]{1,4})(?=[，。,.！!吧好就]|$)"
    r"|^(?:(?:por favor,?|mejor|puedes|desde ahora,?) )*ll[aá]m(?:ame|arme) ((?-i:[A-ZÀ-Þ])[\w'-]+)(?=[.,!]|$)",
    re.I,
)
_ADDRESS_LABEL = lazy_pattern(
    r"(?:how to )?(?:call|address)(?: (?:her|him|them|me|my owner|you))?|nickname|称呼|怎么称呼|昵称|小名"
    r"|c[oó]mo llamarl[ea]|apodo",
    re.I,
)


def exchanged(old: str, message: str) -> str:
    """Return the old line with one value for another, if the message says "the one, not the other" and the line has
    the other; "" otherwise.

    >>> exchanged("choir is on Mondays", "Choir is on Fridays, not Mondays.")
    'choir is on Fridays'
    """
    if is_uncertain(message):
        return ""
    match = next((hit for pattern in _EXCHANGES if (hit := pattern.search(message))), None)
    if match is None:
        return ""
    wrong, right = _value_in(match["wrong"]), _value_in(match["right"], last=True)
    bounds = (r"(?<!\w)", r"(?!\w)") if wrong.isascii() else ("", "")
    place = re.search(re.escape(wrong).join(bounds), old, re.I) if len(wrong) > 1 and right else None
    if place is None or (right.casefold() in old.casefold() and right.casefold() not in wrong.casefold()):
        return ""
    before = naming_words(old)
    others = (before & naming_words(message)) - naming_words(wrong)
    of_line = not persons(message) if label(old) else others and about_the_same(old, before, message)
    if not of_line:
        return ""
    return old[: place.start()] + right + old[place.end() :]


def _value_in(text: str, *, last: bool = False) -> str:
    """Return the day, date, number or name in one side of "the one, not the other"; "" without one."""
    for pattern in (_SPECIFIC, NAMES):
        if values := [match[0] for match in pattern.finditer(text)]:
            return values[-1 if last else 0]
    words = text.strip()
    return words if is_cjk(words[:1]) else ""


def owners_name(message: str) -> tuple[str, re.Pattern[str]] | None:
    """Return the owner's name in a message that states it, and the labels of the lines for it; None otherwise."""
    for pattern, label_of in ((_MY_NAME, NAME_LABEL), (_ADDRESS_ME, _ADDRESS_LABEL)):
        match = pattern.search(without_lead(message))
        name = next((group for group in match.groups() if group), "") if match else ""
        if name and not VALUES.fullmatch(name):
            return name, label_of
    return None
