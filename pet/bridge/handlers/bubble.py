"""The speech bubble: what it says while the chat is hidden, and what the owner answers there (PRODUCT §8.1, §8.7).

Owns the one bubble there is and what was shown today. Refuses to come by itself when the owner wants no disturbance,
in quiet hours, over an open chat; and a promise or a hello with the brain paused or off by default. Keeps no words on
disk: what was shown is known by a hash.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from threading import Lock, Timer

from pet.bridge.api import BubblePlace, BubbleSizeArgs, BubbleView, Nothing, PromiseView
from pet.bridge.speech import greeting_key, is_quiet, plain, reading_seconds, seconds_until, shortened
from pet.bridge.windows import Windows
from pet.clock import Clock
from pet.engine.conversations import Conversations
from pet.errors import PetError
from pet.events import (
    BrainPaused,
    BubbleChanged,
    ChatShown,
    ConversationAsked,
    ConversationDeleted,
    Event,
    Forgotten,
    PromisesChanged,
    ProposalAsked,
    ProposalClosed,
    SettingsChanged,
    TurnEnded,
    TurnStarted,
)
from pet.memory.promises import Promise, Promises
from pet.model import TurnEnd
from pet.settings.schema import Settings
from pet.settings.state import JsonState
from pet.texts import Texts

_MOST_PROMISES = 3
_LONGEST_WAIT = 3600.0  # so that a machine that slept is noticed
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Speech:
    """What the bubble says now."""

    kind: str
    text: str = ""
    more: bool = False
    conversation: str | None = None
    promises: tuple[Promise, ...] = ()


class BubbleCommands:
    """Handlers, and ``hear`` for the events that make the pet speak. ``promises``: what is due, read when asked."""

    def __init__(
        self,
        *,
        conversations: Conversations,
        promises: Callable[[date], Promises],
        settings: Callable[[], Settings],
        texts: Callable[[], Texts],
        state: JsonState,
        pet: str,
        windows: Windows,
        clock: Clock,
        emit: Callable[[Event], object],
    ) -> None:
        self._conversations = conversations
        self._promises = promises
        self._settings = settings
        self._texts = texts
        self._state = state
        self._pet = pet
        self._windows = windows
        self._clock = clock
        self._emit = emit
        self._lock = Lock()
        self._speech: _Speech | None = None
        self._later: Timer | None = None  # while quiet hours hold a promise back
        self._closed = False

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._later is not None:
                self._later.cancel()

    # --- the page -------------------------------------------------------------------------------

    def get_bubble(self, _args: Nothing) -> BubbleView:
        settings, today = self._settings(), self._clock.now().date()
        speech = self._speech or _Speech(kind="none")
        said = " ".join((speech.text, *(promise.text for promise in speech.promises)))
        return BubbleView(
            kind=speech.kind,  # type: ignore[arg-type]  # only this module makes one
            text=speech.text,
            more=speech.more,
            promises=[_promise_view(promise, today) for promise in speech.promises],
            seconds=reading_seconds(said, settings.bubble_seconds),
            language=self._texts().language,
            theme=settings.theme,
            reduced_motion=settings.reduced_motion,
        )

    def size_bubble(self, args: BubbleSizeArgs) -> BubblePlace:
        """The page has drawn what it got, this high: now it can be shown."""
        if self._speech is None:
            return BubblePlace(side="above", tail=0)
        side, tail = self._windows.show_bubble_sized(args.width, args.height)
        return BubblePlace(side=side, tail=tail)

    def close_bubble(self, _args: Nothing) -> None:
        self._say(None)
        self._promises_changed()  # what came due while something else was said

    def open_bubble(self, _args: Nothing) -> None:
        """In the chat, where it was said."""
        speech = self._speech
        self._say(None)
        self._windows.show_view("chat")
        if speech is not None and speech.conversation is not None:
            self._emit(ConversationAsked(conversation=speech.conversation))

    # --- what happens ---------------------------------------------------------------------------

    def hear(self, event: Event) -> None:
        match event:
            case TurnEnded(end=TurnEnd.DONE):
                self._replied(event)
            case ProposalAsked(conversation=conversation):
                self._offer(
                    _Speech(kind="question", text=self._texts()("bubble.question"), conversation=conversation)
                )
            case ProposalClosed() | TurnStarted() | ChatShown(shown=True) | Forgotten():
                self._say(None)
            case ConversationDeleted(conversation=conversation):
                if self._speech is not None and self._speech.conversation == conversation:
                    self._say(None)
            case PromisesChanged() | ChatShown(shown=False):
                self._promises_changed()
            case SettingsChanged() | BrainPaused():
                self._may_have_to_go()
            case _:
                pass

    def greet(self) -> None:
        """A hello once a day, if the owner likes it."""
        settings, now = self._settings(), self._clock.now()
        today = [now.date().isoformat()]
        if settings.greetings and self._may_speak_up(settings) and self._kept("greeted") != today:
            self._keep("greeted", today)
            self._offer(_Speech(kind="greeting", text=self._texts()(greeting_key(now))))

    # --- inside ---------------------------------------------------------------------------------

    def _replied(self, event: TurnEnded) -> None:
        if not self._settings().bubbles or not self._may_come():
            return
        try:
            turns = self._conversations.open(event.conversation).folded().turns
        except PetError:  # deleted meanwhile
            return
        reply = next((turn.reply for turn in turns if turn.id == event.turn), "")
        text, more = shortened(plain(reply))
        if text:
            self._offer(_Speech(kind="reply", text=text, more=more, conversation=event.conversation))

    def _promises_changed(self) -> None:
        """Those that are due and were not shown today; a bubble of promises that is open follows what is done."""
        settings, today, speech = self._settings(), self._clock.now().date(), self._speech
        if speech is not None:
            if speech.kind == "promises":
                due = self._promises(today).due
                left = tuple(promise for promise in speech.promises if promise in due)
                self._say(_Speech(kind="promises", promises=left) if left else None)
            return
        if not settings.promise_bubbles:
            return
        if is_quiet(self._clock.now(), settings.quiet_from, settings.quiet_until):
            self._look_later(seconds_until(self._clock.now(), settings.quiet_until))
        if not self._may_speak_up(settings):
            return
        day, *shown = self._kept("promised") or [""]
        known = shown if day == today.isoformat() else []
        fresh = [each for each in self._promises(today).due if _hash(each) not in known][:_MOST_PROMISES]
        if fresh:
            self._keep("promised", [today.isoformat(), *known, *(_hash(promise) for promise in fresh)])
            self._offer(_Speech(kind="promises", promises=tuple(fresh)))

    def _look_later(self, seconds: float) -> None:
        """One timer, and only while there are quiet hours to wait for the end of."""
        with self._lock:
            if self._later is not None:
                self._later.cancel()
            if not self._closed:
                self._later = Timer(min(seconds + 1, _LONGEST_WAIT), self._promises_changed)
                self._later.daemon = True
                self._later.start()

    def _may_come(self) -> bool:
        settings = self._settings()
        quiet = is_quiet(self._clock.now(), settings.quiet_from, settings.quiet_until)
        return not (settings.do_not_disturb or quiet or self._windows.chat_shown)

    def _may_speak_up(self, settings: Settings) -> bool:
        """Of its own accord: nobody has asked it anything."""
        return settings.memory_default and not self._conversations.paused and self._may_come()

    def _may_have_to_go(self) -> None:
        speech, settings = self._speech, self._settings()
        if speech is None:
            return
        by_itself = speech.kind in ("promises", "greeting")
        if not (self._may_speak_up(settings) if by_itself else self._may_come()):
            self._say(None)

    def _offer(self, speech: _Speech) -> None:
        if self._may_come():
            self._say(speech)

    def _say(self, speech: _Speech | None) -> None:
        with self._lock:
            before, self._speech = self._speech, speech
        if speech is None:
            self._windows.hide_bubble()
        else:
            self._windows.show_bubble()
        if before is not None or speech is not None:
            self._emit(BubbleChanged())

    def _kept(self, name: str) -> list[str]:
        found = self._state.read().get(f"{name}.{self._pet}")
        return [item for item in found if isinstance(item, str)] if isinstance(found, list) else []

    def _keep(self, name: str, values: list[str]) -> None:
        try:
            self._state.update({f"{name}.{self._pet}": values})
        except OSError as error:  # then it may come twice
            _log.warning("not stored: %s", type(error).__name__)


def _hash(promise: Promise) -> str:
    said = f"{promise.file}\0{promise.due.isoformat()}\0{promise.text}"
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _promise_view(promise: Promise, today: date) -> PromiseView:
    return PromiseView(
        file=promise.file,
        line=promise.line,
        due=promise.due.isoformat(),
        text=promise.text,
        overdue=promise.due < today,
    )
