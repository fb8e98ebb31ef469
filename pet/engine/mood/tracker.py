"""The pet's mood, folded from events; needs no second model call.

At most one timer: back to neutral after a transient mood, asleep after long inactivity. Ignores message text: a
reply's own mood arrives as an event (see ``tags``).
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Timer
from typing import ClassVar

from pet.events import (
    Event,
    Mood,
    MoodChanged,
    MoodSaid,
    ProposalAsked,
    ProposalClosed,
    RoundStarted,
    TextDelta,
    ToolEnded,
    TurnEnded,
    TurnStarted,
    UnreadChanged,
)
from pet.model import TurnEnd

BACK_TO_NEUTRAL = 30.0  # seconds
STOPS_LISTENING = 4.0  # after the last key
FALLS_ASLEEP = 600.0

_LASTING = {
    Mood.HAPPY: BACK_TO_NEUTRAL,
    Mood.SAD: BACK_TO_NEUTRAL,
    Mood.SURPRISED: BACK_TO_NEUTRAL,
    Mood.ERROR: BACK_TO_NEUTRAL,
    Mood.LISTENING: STOPS_LISTENING,
}
_RESTING = {Mood.NEUTRAL, Mood.ASLEEP, Mood.READY}
_AT_REST = {*_RESTING, *_LASTING}
_MOST_TURNS = 50


class MoodTracker:
    """Emits the mood on change. ``unread``: whether something is unread, in which case that is the resting mood."""

    def __init__(self, emit: Callable[[Event], object], *, unread: Callable[[], bool] = lambda: False) -> None:
        self._emit = emit
        self._unread = unread
        self._lock = Lock()
        self._mood = self._rest()
        self._said: dict[str, Mood] = {}  # of running turns
        self._timer: Timer | None = None

    @property
    def mood(self) -> Mood:
        return self._mood

    HEARS: ClassVar[tuple[type[Event], ...]] = (
        MoodSaid,
        TurnEnded,
        ToolEnded,
        UnreadChanged,
        TurnStarted,
        RoundStarted,
        ProposalClosed,
        TextDelta,
        ProposalAsked,
    )

    def hear(self, event: Event) -> None:
        match event:
            case MoodSaid(turn=turn, mood=mood):
                with self._lock:
                    self._said[turn] = mood
                    while len(self._said) > _MOST_TURNS:
                        del self._said[next(iter(self._said))]
            case TurnEnded(turn=turn):
                said = self._said.pop(turn, None)
                self._show(self._after(event, said))
            case ToolEnded(receipt=receipt) if receipt is not None:
                self._flash(Mood.REMEMBERED)
            case UnreadChanged():
                with self._lock:
                    if self._mood in _RESTING:
                        self._change(self._rest())
            case _:
                mood_now = mood_after(event)
                if mood_now is not None:
                    self._show(mood_now)

    def typing(self) -> None:
        """The owner is typing. Shown only while idle."""
        with self._lock:
            if self._mood in _AT_REST:
                self._change(Mood.LISTENING)

    def reading(self) -> None:
        """The owner reads the chat: the pet stays awake, or wakes. The quiet after which it sleeps begins anew."""
        with self._lock:
            if self._mood in (Mood.NEUTRAL, Mood.ASLEEP):
                self._change(Mood.NEUTRAL)
                self._emit(MoodChanged(mood=self._mood))  # said again: its page counts a quiet of its own

    def close(self) -> None:
        with self._lock:
            self._cancel()

    def _after(self, event: TurnEnded, said: Mood | None) -> Mood:
        mood = mood_after(event) or Mood.NEUTRAL
        if mood is not Mood.NEUTRAL or event.end is TurnEnd.STOPPED:
            return mood
        return said if said is not None and not self._unread() else Mood.NEUTRAL

    def _rest(self) -> Mood:
        return Mood.READY if self._unread() else Mood.NEUTRAL

    def _show(self, mood: Mood) -> None:
        with self._lock:
            self._change(mood)

    def _flash(self, mood: Mood) -> None:
        """Emit a one-shot mood; the page then returns to the previous one."""
        with self._lock:
            self._emit(MoodChanged(mood=mood))
            self._emit(MoodChanged(mood=self._mood))

    def _change(self, mood: Mood) -> None:
        if mood is Mood.NEUTRAL:
            mood = self._rest()
        self._cancel()
        self._put_on(mood)
        if mood in _LASTING:
            self._later(_LASTING[mood], Mood.NEUTRAL)
        elif mood is Mood.NEUTRAL:
            self._later(FALLS_ASLEEP, Mood.ASLEEP)

    def _later(self, seconds: float, mood: Mood) -> None:
        timer = Timer(seconds, lambda: self._passed(timer, mood))
        timer.daemon = True
        self._timer = timer
        timer.start()

    def _passed(self, timer: Timer, mood: Mood) -> None:
        with self._lock:
            if timer is self._timer:  # otherwise a newer mood was set while waiting for the lock
                self._timer = None
                self._change(mood)

    def _put_on(self, mood: Mood) -> None:
        """Emitted under the lock: the last one emitted is the current one."""
        if mood is not self._mood:
            self._mood = mood
            self._emit(MoodChanged(mood=mood))

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def mood_after(event: Event) -> Mood | None:
    """Return the mood an event sets; None for no change."""
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
