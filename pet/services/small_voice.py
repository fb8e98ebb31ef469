"""The pet's small voice: the rhythm of a text, for its page to sing, and whether a sound is welcome.

Of a text only counts pass: syllables of each phrase, rounded and at most eight. The page gets no letter, and the same
rhythm belongs to any number of texts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from pet.clock import Clock
from pet.events import BubbleChanged, Event, PetBabbles, SettingsChanged, TextDelta, TurnEnded
from pet.i18n import HAN
from pet.services.bubble_text import BubbleView
from pet.services.desktop_port import DesktopPort
from pet.services.proactive_limits import wants_quiet
from pet.settings.schema import Settings
from pet.text.lazy_pattern import lazy_pattern

MOST_SYLLABLES = 8
MOST_PHRASES = 4
_SPOKEN = ("greeting", "asking", "heartbeat", "reminders", "line", "recheck", "goodbye")
"""Kinds of bubble whose text was not heard before: a reply was, while it came."""
_PAUSE = 1.5
"""Seconds between two deliveries while a reply streams: about what they last."""
_BURST = 10.0
"""Seconds without a sound after which the pet checks again whether another program plays one."""
_LETTERS = 3  # of a syllable, roughly, in an alphabet
_ENDS = lazy_pattern(r"[.,;:!?\n\u2026\u3002\uff0c\u3001\uff1b\uff1a\uff01\uff1f]+")
_CJK = lazy_pattern(f"[\u3040-\u30ff\uac00-\ud7af{HAN}]")


def may_sound(settings: Settings, now: datetime, windows: DesktopPort, *, paused: bool) -> bool:
    """Return whether the owner wants sounds now: not in quiet hours, while paused or over a full screen."""
    return settings.pet_sounds and not (paused or windows.aside or wants_quiet(settings, now))


def rhythm(text: str) -> list[int]:
    """Return the syllables of each phrase, from 1 to ``MOST_SYLLABLES``; a text without letters has none.

    >>> rhythm("Hello there, how are you?")
    [4, 3]
    """
    counts: list[int] = []
    for phrase in _ENDS.split(text):
        cjk = len(_CJK.findall(phrase))
        letters = sum(map(str.isalnum, phrase)) - cjk
        if cjk or letters > 0:
            counts.append(min(MOST_SYLLABLES, cjk + -(-max(0, letters) // _LETTERS)))
    return counts


@dataclass(slots=True, kw_only=True)
class SmallVoice:
    """Emitter of ``PetBabbles``. ``on_event`` on one thread, which may wait for the system. ``hushed``: whether
    a reply is being read aloud. ``bubble``: what the speech bubble shows."""

    settings: Callable[[], Settings]
    paused: Callable[[], bool]
    hushed: Callable[[], bool]
    windows: DesktopPort
    clock: Clock
    emit: Callable[[Event], object]
    bubble: Callable[[], BubbleView]
    _phrase: str = field(init=False, default="")  # the end of a streaming reply, up to a phrase
    _sung: float = field(init=False, default=float("-inf"))  # monotonic time of the last delivery
    _asked_at: float = field(init=False, default=float("-inf"))  # monotonic time of the last question to the system
    _free: bool = field(init=False, default=True)  # its answer: nothing else sounds
    _number: int = field(init=False, default=0)  # of the last bubble that was spoken
    on: bool = field(init=False, default=False)  # by the settings: text deltas are wanted
    EVENTS: ClassVar[tuple[type[Event], ...]] = (TextDelta, TurnEnded, BubbleChanged, SettingsChanged)

    def __post_init__(self) -> None:
        self.on = self.settings().pet_sounds

    def on_event(self, event: Event) -> None:
        match event:
            case SettingsChanged():
                self.on = self.settings().pet_sounds
            case _ if not self.on:
                pass
            case TextDelta(text=text):
                self._stream(text)
            case BubbleChanged():
                shown = self.bubble()
                if shown.number != self._number and shown.kind in _SPOKEN:
                    self._number = shown.number
                    self._sing(rhythm(shown.text)[:MOST_PHRASES])
            case TurnEnded():
                self._phrase = ""
            case _:
                pass

    def _stream(self, text: str) -> None:
        """Sing the newest whole phrases; what came while the last ones lasted is left out."""
        whole, mark, rest = _last_end(self._phrase + text[-200:])
        self._phrase = rest[-200:]
        if mark and self.clock.monotonic() - self._sung >= _PAUSE:
            self._sing(rhythm(whole)[-2:])

    def _sing(self, phrases: list[int]) -> None:
        if not phrases:
            return
        if self.hushed() or not may_sound(self.settings(), self.clock.now(), self.windows, paused=self.paused()):
            return
        now = self.clock.monotonic()
        if now - max(self._sung, self._asked_at) >= _BURST:
            self._asked_at, self._free = now, not self.windows.sound_plays()
        if self._free:
            self._sung = now
            self.emit(PetBabbles(phrases=phrases))


def _last_end(text: str) -> tuple[str, str, str]:
    """Split at the last end of a phrase: before it, its mark, after it."""
    ends = [*_ENDS.finditer(text)]
    return (text[: ends[-1].start()], ends[-1][0], text[ends[-1].end() :]) if ends else ("", "", text)
