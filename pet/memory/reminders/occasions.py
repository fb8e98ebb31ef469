"""Decide what of the life together shows in the pet on a day: what it wears, its weather, its ways, the owner's name,
and an anniversary. Pure, by rules, without a model; each with its reason.

The calendar's days need no memory. Everything else is decided from what is handed in, and the caller hands in nothing
while memory is off or paused. A grave entry (``is_hard``) is never celebrated, one with a secret never quoted. The
words and numbers are in ``data/occasions.json``. Also how an entry is quoted before the owner: its first sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from typing import Any, Literal

from pet.body.creature import THINGS
from pet.i18n import Language, day_comes_first
from pet.language.calendar_words import clamped
from pet.language.categories import TASK, TOLD
from pet.language.holidays import NAMES
from pet.language.labels import strip_speaker
from pet.language.ranges import find_ranges
from pet.language.redaction import find_secrets
from pet.language.tokens import is_cjk, is_stopword_query, tokenize
from pet.memory import read_data
from pet.memory.store.about_owner import Statement
from pet.memory.store.daily_log import LogEntry, log_day, read_log
from pet.workspace.file_names import LOG_FOLDER

Weather = Literal["", "near", "bright"]
OccasionKind = Literal["birthday", "together_days", "together_years", "yearly", "year_ago"]
ACQUAINTED = 7
"""Days together from which the pet uses the owner's name."""
_YEARS_BACK = 10
_LONGEST_NAME = 24
_LONGEST_ENTRY = 400  # characters of an entry that is read for a day or a mood
_NAME = re.compile(r"[^\W\d_]+(?:[ .'’·-]{1,2}[^\W\d_]+){0,3}\.?")
_BEFORE = 40  # characters before a word in which a denial is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why something shows: ``key`` of the catalogue's sentence, and the line it comes from, "" for none."""

    key: str
    what: str = ""
    count: int = 0
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """Subject of the day's greeting. ``what``: quoted, of an entry; ``count``: days or years."""

    kind: OccasionKind
    what: str = ""
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """``days`` since they met, ``talks``: conversations so far. Both only grow."""

    days: int
    talks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """Usable parts of memory. ``facts``: of the core files; ``logs``: of the days that ``logs_wanted`` names, by name
    and text; ``welcome``: whether the owner likes a text to be brought up."""

    together: Together
    facts: Sequence[Statement]
    logs: Sequence[tuple[str, str]]
    welcome: Callable[[str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class DayShown:
    """Visible signs of a day. ``wears``, ``keeps`` and ``ways``: names of drawings and movements of the pet's."""

    wears: str = ""
    keeps: str = ""
    weather: Weather = ""
    ways: tuple[str, ...] = ()
    name: str = ""
    occasion: Occasion | None = None
    reasons: tuple[Reason, ...] = field(default=())


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = read_data("reminders", "occasions.json")
    patterns = {key: re.compile(data[key], re.I) for key in ("birthday", "yearly", "bright", "denied", "hard")}
    return data | patterns | {"name": [re.compile(each) for each in data["name"]]}


def logs_wanted(today: date) -> list[date]:
    """Return the days whose logs ``day_shown`` reads."""
    return [
        today,
        today - timedelta(1),
        *(clamped(today.year - back, today.month, today.day) for back in range(1, _YEARS_BACK + 1)),
    ]


def day_shown(today: date, language: Language, remembered: Remembered | None) -> DayShown:
    """Return what shows on a day; only the calendar's days if nothing may be remembered."""
    wears, reasons = _calendar(today, language)
    if remembered is None:
        return DayShown(wears=wears, reasons=tuple(reasons))
    together = remembered.together
    known = together.days >= ACQUAINTED
    name = owner_name(remembered.facts) if known else ""
    if name:
        reasons.append(Reason(key="name", what=name))
    occasion, why = _occasion(today, remembered) if known else (None, None)
    if why is not None:
        reasons.append(why)
        wears = wears if why.key in ("yearly", "year_ago") else "party"
    weather, clouds = _weather(today, remembered.logs)
    keeps = kept_thing(months_between(today - timedelta(together.days), today))
    if keeps:
        reasons.append(Reason(key="month"))
    ways = tuple(each["way"] for each in _data()["ways"] if _has_come(each, together))
    return DayShown(
        wears=wears,
        keeps=keeps,
        weather=weather,
        ways=ways,
        name=name,
        occasion=occasion,
        reasons=(*reasons, *clouds, *(Reason(key=f"way_{way}") for way in ways)),
    )


def months_between(met: date, day: date) -> int:
    """Return how many whole months lie between two days."""
    months = (day.year - met.year) * 12 + day.month - met.month
    return months - (day < clamped(day.year, day.month, met.day))


def kept_thing(month: int) -> str:
    """Return the thing that it keeps of a month together, from the first on; "" before that."""
    return THINGS[(month - 1) % len(THINGS)] if month > 0 else ""


def owner_name(facts: Iterable[Statement]) -> str:
    """Return what the owner likes to be called, else their name; "" if no entry says it in a form that is sure."""
    sentences = [each.sentence for each in facts if each.ended is None]
    for pattern in _data()["name"]:
        for sentence in sentences:
            match = pattern.match(sentence)
            name = match[1].strip(" .。\"“”'") if match else ""
            if len(name) <= _LONGEST_NAME and _NAME.fullmatch(name):
                return name
    return ""


def _has_come(way: dict[str, Any], together: Together) -> bool:
    return bool(together.days >= way["days"] and together.talks >= way["talks"])


def _calendar(today: date, language: Language) -> tuple[str, list[Reason]]:
    for each in _data()["days"]:
        if language not in each.get("languages", (language,)):
            continue
        for year in (today.year, today.year - 1):  # New Year's Eve lasts into the next year
            try:
                since = (today - NAMES[each["day"]].day(year)).days
            except OverflowError:
                continue
            if 0 <= since < each.get("lasts", 1):
                return each["wears"], [Reason(key=f"day_{each['key']}")]
    return "", []


def _occasion(today: date, remembered: Remembered) -> tuple[Occasion | None, Reason | None]:
    facts = [each for each in remembered.facts if each.ended is None and is_plain(each.text)]
    for each in facts:
        if _data()["birthday"].search(each.sentence) and _falls_on(each.text, today):
            return Occasion(kind="birthday"), Reason(key="birthday", file=each.file, line=each.start_line)
    if (met := _together(today, remembered.together)) is not None:
        return met, Reason(key=met.kind, count=met.count)
    for each in facts:
        what = quoted(each.text)
        if _data()["yearly"].search(each.text) and _falls_on(each.text, today) and remembered.welcome(each.text):
            reason = Reason(key="yearly", what=what, file=each.file, line=each.start_line)
            return Occasion(kind="yearly", what=what), reason
    for name, day, entry in _entries(remembered.logs):
        if day.year == today.year or day not in logs_wanted(today) or entry.category not in TOLD:
            continue
        words = strip_speaker(entry.text)
        if is_plain(words) and not entry.done and remembered.welcome(entry.text):
            what, count = quoted(words), today.year - day.year
            reason = Reason(key="year_ago", what=what, count=count, file=name, line=entry.start_line)
            return Occasion(kind="year_ago", what=what, count=count), reason
    return None, None


def _together(today: date, together: Together) -> Occasion | None:
    met = today - timedelta(together.days)
    years = today.year - met.year
    if years > 0 and clamped(today.year, met.month, met.day) == today:
        return Occasion(kind="together_years", count=years)
    if together.days in _data()["together"]:
        return Occasion(kind="together_days", count=together.days)
    return None


def _weather(today: date, logs: Sequence[tuple[str, str]]) -> tuple[Weather, list[Reason]]:
    """Return the weather of the last two days' talks: a hard entry counts more than bright ones."""
    bright: Reason | None = None
    for name, day, entry in _entries(logs):
        if not 0 <= (today - day).days <= 1 or entry.category == TASK or len(entry.text) > _LONGEST_ENTRY:
            continue
        words = strip_speaker(entry.text)
        if is_hard(words):
            return "near", [Reason(key="near", file=name, line=entry.start_line)]
        if bright is None and _is_bright(words):
            bright = Reason(key="bright", file=name, line=entry.start_line)
    return ("bright", [bright]) if bright is not None else ("", [])


def _is_bright(words: str) -> bool:
    match = _data()["bright"].search(words)
    return match is not None and not _data()["denied"].search(words[max(0, match.start() - _BEFORE) : match.end()])


def _entries(logs: Iterable[tuple[str, str]]) -> Iterable[tuple[str, date, LogEntry]]:
    for name, text in logs:
        day = log_day(name)
        if day is not None and name.startswith(LOG_FOLDER):
            for entry in read_log(text):
                yield name, day, entry


def is_plain(text: str) -> bool:
    """Return whether a text may be celebrated and quoted."""
    return (
        len(text) <= _LONGEST_ENTRY and not is_hard(text) and "\u2039hidden:" not in text and not find_secrets(text)
    )


def _falls_on(text: str, today: date) -> bool:
    """Return whether a text names this day of the year, in any year that is not to come."""
    return any(
        each.first == each.last
        and each.first.year <= today.year
        and clamped(today.year, each.first.month, each.first.day) == today
        for each in find_ranges(text, today, day_comes_first())
    )


LONGEST = 100
"""Maximum characters quoted of an entry."""
SHORTEST = 4
_SPACE = re.compile(r"\s+")
_SENTENCE = re.compile(r"[。！？!?\n]|[.](?=\s)")
_MARKS = re.compile(r"[*_`~#>\[\]|]+")
_EDGES = " \t.。;；,，:：\"“”‘'’"


def is_hard(text: str) -> bool:
    """Return whether a text is about grief, illness or loss: by the words of ``data/occasions.json``."""
    return _data()["hard"].search(text) is not None


def topic(text: str) -> frozenset[str]:
    """Return the content words of a text."""
    named = (token for token in tokenize(text) if not is_stopword_query(token))
    return frozenset(token for token in named if len(token) > 1 or not (is_cjk(token) or token.isascii()))


def quoted(text: str) -> str:
    """Return the first sentence as plain text without markup or invisible characters, at most ``LONGEST``
    characters."""
    plain = "".join(sign for sign in text if sign == "\n" or unicodedata.category(sign) not in ("Cc", "Cf", "Cs"))
    plain = _MARKS.sub("", plain).strip()
    end = _SENTENCE.search(plain)
    first = plain[: end.start()] if end and end.start() >= SHORTEST else plain
    line = _SPACE.sub(" ", first).strip(_EDGES)
    if len(line) <= LONGEST:
        return line
    cut = line[:LONGEST]
    at = max(cut.rfind(sign) for sign in (" ", "，", "、", ","))
    return (cut[:at] if at > LONGEST // 2 else cut).rstrip(_EDGES) + "…"
