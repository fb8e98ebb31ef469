"""What the pet's face shows, folded from events: no second model call (PRODUCT §8.2)."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Timer

from pet.events import (
    Event,
    Mood,
    MoodChanged,
    ProposalAsked,
    ProposalClosed,
    RoundStarted,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from pet.model import TurnEnd

_BACK_TO_NEUTRAL = 30.0  # seconds; PRODUCT §8.2


class MoodTeller:
    """Tells a new mood when it changes; one timer at most, and none while the face is neutral."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._lock = Lock()
        self._mood = Mood.NEUTRAL
        self._timer: Timer | None = None

    def __call__(self, event: Event) -> None:
        mood = mood_after(event)
        if mood is not None:
            self._show(mood)

    def close(self) -> None:
        with self._lock:
            self._cancel()

    def _show(self, mood: Mood) -> None:
        with self._lock:
            self._cancel()
            self._put_on(mood)
            if mood in (Mood.ERROR, Mood.HAPPY, Mood.SAD, Mood.SURPRISED):
                timer = Timer(_BACK_TO_NEUTRAL, lambda: self._calm(timer))
                timer.daemon = True
                self._timer = timer
                timer.start()

    def _calm(self, timer: Timer) -> None:
        with self._lock:
            if timer is self._timer:  # else a newer mood came while it waited for the lock
                self._timer = None
                self._put_on(Mood.NEUTRAL)

    def _put_on(self, mood: Mood) -> None:
        """Told under the lock: the last one told is the one that shows."""
        if mood is not self._mood:
            self._mood = mood
            self._emit(MoodChanged(mood=mood))

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def mood_after(event: Event) -> Mood | None:
    """The mood an event puts on the face; None leaves it."""
    match event:
        case TurnStarted() | RoundStarted() | ProposalClosed():
            return Mood.THINKING
        case TextDelta():
            return Mood.TALKING
        case ProposalAsked():
            return Mood.WAITING
        case TurnEnded(end=TurnEnd.FAILED | TurnEnd.CUT):
            return Mood.ERROR
        case TurnEnded():
            return Mood.NEUTRAL
        case _:
            return None
