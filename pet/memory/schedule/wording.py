"""A reminder's moment and repetition in the owner's language; pure."""

from __future__ import annotations

from datetime import date, time, timedelta

from pet.i18n import Texts
from pet.memory.schedule.repetition import LAST_DAY, WORKDAYS, Repeat, clock, ordinal


def repeat_words(repeat: Repeat | None, texts: Texts) -> str:
    """Return "every Monday", 每周一; "" without repetition. The time of day is not included."""
    if repeat is None:
        return ""
    many = repeat.interval > 1
    key = f"remind.every_{repeat.unit}{'s' if many else ''}"
    match repeat.unit:
        case "day":
            return texts(key, n=repeat.interval)
        case "week" if repeat.days == WORKDAYS and not many:
            return texts("remind.every_workday")
        case "week":
            days = texts("remind.and").join(texts(f"remind.weekday.{day}") for day in repeat.days)
            return texts(key, n=repeat.interval, days=days)
        case "month":
            (of_month,) = repeat.days
            if of_month == LAST_DAY:
                return texts(f"remind.last_of_month{'s' if many else ''}", n=repeat.interval)
            shown = ordinal(of_month) if texts.language == "en" else str(of_month)
            return texts(key, n=repeat.interval, day=shown)
        case "year":
            month, of_month = repeat.days
            return texts(key, n=repeat.interval, month=texts(f"remind.month.{month}"), day=of_month)


def when_words(due: date, at: str, repeats: str, today: date, texts: Texts) -> str:
    """Return "tomorrow at 15:00", "on Friday 2026-03-06", "every Monday at 15:00, first tomorrow".

    ``at``: HH:MM or "". ``repeats``: the series in words, or "".
    """
    day = _day_words(due, today, texts)
    if not repeats:
        return texts("remind.at", when=day, time=at) if at else day
    series = texts("remind.at", when=repeats, time=at) if at else repeats
    return texts("remind.first", series=series, day=day)


def time_words(at: time | None) -> str:
    return clock(at) if at else ""


def _day_words(day: date, today: date, texts: Texts) -> str:
    if day == today:
        return texts("remind.today")
    if day == today + timedelta(1):
        return texts("remind.tomorrow")
    name = texts(f"prompt.weekday.{day.weekday()}")
    soon = today < day < today + timedelta(7)
    return texts("remind.on", day=name if soon else f"{name} {day.isoformat()}")
