"""What the speech bubble says now, how it is worded and how long it stays. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pet.events import ErrorInfo
from pet.i18n import Language, Texts, catalogue
from pet.memory.followups import FollowUp
from pet.memory.reminders import Reminder
from pet.services.bubble.plain_markdown import BubblePiece
from pet.services.bubble.text import greeting_key, question_key, reading_seconds
from pet.services.reminders import PromiseView
from pet.settings.schema import Settings

Kind = Literal["none", "reply", "failed", "question", "greeting", "asking", "heartbeat", "promises"]


_PLACEHOLDER = re.compile(r"\{\w+\}")
_UNASKED = 20.0  # seconds at least, for what nobody waits for and should not miss
_WAITS = ("promises", "question")
"""What stays until it is answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BubbleView:
    """What the speech bubble says, plain. ``number`` counts what was said: the same one is only worded anew.
    ``more``: ``text`` is not all of it, ``pieces`` are; ``ending``: how a reply ends, as it was written, for answers
    to choose from; ``seconds``: how long it stays, 0 until it is answered."""

    number: int
    kind: Kind
    text: str
    more: bool
    pieces: list[BubblePiece]
    ending: str
    promises: list[PromiseView]
    seconds: float
    language: Language
    theme: Literal["system", "light", "dark"]
    reduced_motion: Literal["system", "on", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BubblePlace:
    """Where the bubble stands, seen from the pet; ``tail``: how far from its left edge the pet's middle is, or from
    its top the pet's face. ``height``: what there was room for."""

    side: Literal["above", "left", "right"]
    tail: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """What the bubble says now, in no language yet: that may change while it is shown."""

    kind: Kind
    number: int = 0
    text: str = ""
    key: str = ""  # of the catalogue, where it is a line of ours
    more: bool = False
    pieces: tuple[BubblePiece, ...] = ()
    ending: str = ""
    error: ErrorInfo | None = None
    at: datetime | None = None
    question: FollowUp | None = None
    conversation: str | None = None
    promises: tuple[Reminder, ...] = ()


def worded(speech: Speech, texts: Texts) -> str:
    """Its text in a language; what an error does not tell stands as "?"."""
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
    """How long it stays, by the length of its text; 0 until it is answered."""
    if speech.kind in _WAITS:
        return 0.0
    needed = reading_seconds(text, settings.bubble_seconds)
    unasked = speech.kind in ("asking", "heartbeat", "failed")
    return max(needed, _UNASKED) if unasked and not settings.bubble_seconds else needed
