"""Content of the speech bubble, its wording and its display time. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from pet.events import ErrorInfo
from pet.i18n import HAN, Language, Texts, catalogue
from pet.memory.followups import FollowUp
from pet.memory.reminders import Reminder
from pet.services.bubble.plain_markdown import BubblePiece
from pet.services.reminders import ReminderView
from pet.settings.schema import Settings

Kind = Literal["none", "reply", "failed", "question", "greeting", "asking", "heartbeat", "reminders"]

GREETINGS = 4
"""Lines per time of day."""
QUESTIONS = 2
"""Variants per kind of question."""
_PLACEHOLDER = re.compile(r"\{\w+\}")
_FASTEST, _SLOWEST = 6.0, 45.0
_LETTERS_A_SECOND = 13.0
_CJK_A_SECOND = 5.0
_CJK = re.compile(f"[\u3040-\u30ff\uac00-\ud7af{HAN}]")
_UNASKED = 20.0  # seconds at least, for unsolicited messages
_WAITS = ("reminders", "question")
"""Kinds that stay until they are answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BubbleView:
    """The speech bubble in plain text. ``number``: increases with each message; the same number is the same message,
    perhaps in another language. ``more``: ``text`` is truncated, ``pieces`` are complete; ``ending``: the end of a
    reply's Markdown, for quick replies; ``seconds``: display time, 0 until it is answered."""

    number: int
    kind: Kind
    text: str
    more: bool
    pieces: list[BubblePiece]
    ending: str
    reminders: list[ReminderView]
    seconds: float
    language: Language
    theme: Literal["system", "light", "dark"]
    reduced_motion: Literal["system", "on", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BubblePlace:
    """Position of the bubble relative to the pet. ``tail``: distance of the pet's middle from the bubble's left edge,
    or of its face from the bubble's top. ``height``: the available height."""

    side: Literal["above", "left", "right"]
    tail: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """Content of the bubble, independent of the language, which may change while it is shown."""

    kind: Kind
    number: int = 0
    text: str = ""
    key: str = ""  # of the catalogue, for a built-in line
    more: bool = False
    pieces: tuple[BubblePiece, ...] = ()
    ending: str = ""
    error: ErrorInfo | None = None
    at: datetime | None = None
    question: FollowUp | None = None
    conversation: str | None = None
    reminders: tuple[Reminder, ...] = ()


def worded(speech: Speech, texts: Texts) -> str:
    """Return the text in a language; missing arguments of an error become "?"."""
    match speech:
        case Speech(error=ErrorInfo() as error) if f"error.{error.code}" in catalogue(texts.language):
            return _PLACEHOLDER.sub("?", texts(f"error.{error.code}", **error.args))
        case Speech(key=str() as key) if key:
            return texts(key)
        case Speech(kind="greeting", at=datetime() as at):
            return texts(greeting_key(at))
        case Speech(kind="asking", at=datetime() as at, question=FollowUp() as question):
            return texts(question_key(question.kind, at.date()), what=question.what)
        case _:
            return speech.text


def shown_seconds(speech: Speech, text: str, settings: Settings) -> float:
    """Return the display time by the length of the text; 0 until it is answered."""
    if speech.kind in _WAITS:
        return 0.0
    needed = reading_seconds(text, settings.bubble_seconds)
    unasked = speech.kind in ("asking", "heartbeat", "failed")
    return max(needed, _UNASKED) if unasked and not settings.bubble_seconds else needed


def reading_seconds(text: str, wished: int = 0) -> float:
    """Return the display time; ``wished``: the owner's setting, 0 for none."""
    if wished:
        return float(wished)
    cjk = len(_CJK.findall(text))
    needed = 3.0 + cjk / _CJK_A_SECOND + (len(text) - cjk) / _LETTERS_A_SECOND
    return round(min(_SLOWEST, max(_FASTEST, needed)), 1)


def greeting_key(now: datetime) -> str:
    """Return the catalogue key of a greeting for the time of day; varies by day, constant within one."""
    hour = now.hour
    part = "morning" if 5 <= hour < 11 else "day" if 11 <= hour < 18 else "evening" if 18 <= hour < 23 else "night"
    return f"bubble.greeting_{part}_{1 + now.toordinal() % GREETINGS}"


def question_key(kind: str, day: date) -> str:
    """Return the catalogue key of a question about a remembered item."""
    return f"bubble.ask_{kind}_{1 + day.toordinal() % QUESTIONS}"
