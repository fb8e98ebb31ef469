"""Moods of the pet, apart from the events that carry them: its first frame needs no event."""

from __future__ import annotations

from enum import StrEnum


class Mood(StrEnum):
    """Expression of the pet's face."""

    NEUTRAL = "neutral"
    HAPPY = "happy"
    SAD = "sad"
    SURPRISED = "surprised"
    THINKING = "thinking"
    TALKING = "talking"
    WAITING = "waiting"  # for the owner: a proposal is open
    ASLEEP = "asleep"
    ERROR = "error"
    LISTENING = "listening"  # the owner is typing
    REMEMBERED = "remembered"  # a memory was written: shown once, then the mood before
    READY = "ready"  # an unread reply
