"""The speech bubble: what it says while the chat is hidden, and what the owner answers there.

Owns the one bubble there is. Refuses to come by itself when the owner wants no disturbance, in quiet hours, over an
open chat or a full screen; and a promise, a hello or a question with memory paused or off by default. What was said
of its own accord is counted in ``ProactiveLog``; no words are kept on disk, none go into desktop notifications.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from threading import RLock, Timer
from typing import ClassVar, Literal

from pet.bridge.api import BubblePiece, BubblePlace, BubbleSayArgs, BubbleSizeArgs, BubbleView, Nothing
from pet.bridge.desktop_port import DesktopPort
from pet.bridge.handlers.promises import promise_view
from pet.clock import Clock
from pet.engine.conversation.conversations import Conversations
from pet.errors import BadArguments, PetError
from pet.events import (
    BrainPaused,
    BubbleChanged,
    ChatShown,
    ConversationAsked,
    ConversationDeleted,
    ErrorInfo,
    Event,
    Forgotten,
    PromisesChanged,
    ProposalAsked,
    ProposalClosed,
    SettingsChanged,
    TurnEnded,
    TurnStarted,
)
from pet.i18n import Texts, catalogue
from pet.memory.followups import FollowUp
from pet.memory.reminders import Reminder, Reminders
from pet.model import TurnEnd
from pet.services.bubble_text import (
    greeting_key,
    is_quiet,
    plain_text,
    question_key,
    reading_seconds,
    seconds_until,
    shortened,
)
from pet.services.plain_markdown import Block, blocks
from pet.services.proactive import ProactiveLog
from pet.settings.schema import Settings

_PLACEHOLDER = re.compile(r"\{\w+\}")
_LOOK_AGAIN = 60.0  # seconds at most, while a promise waits for quiet hours or a full screen to end
_UNASKED = 20.0  # seconds at least, for what nobody waits for and should not miss
_ENDING = 1_500
_SHORT_ANSWER = 200
_WAITS = ("promises", "question")
"""What stays until it is answered."""

_OWN_WISH = (TurnEnd.STOPPED, TurnEnd.MEMORY_OFF)
_FAILURES = {TurnEnd.FAILED: "bubble.failed", TurnEnd.CUT: "bubble.cut", TurnEnd.REFUSED: "ui.end.refused"}

Kind = Literal["none", "reply", "failed", "question", "greeting", "asking", "promises"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Speech:
    """What the bubble says now, in no language yet: that may change while it is shown."""

    kind: Kind
    number: int = 0
    text: str = ""
    key: str = ""  # of the catalogue, where it is a line of ours
    more: bool = False
    pieces: tuple[Block, ...] = ()
    ending: str = ""
    error: ErrorInfo | None = None
    at: datetime | None = None
    question: FollowUp | None = None
    conversation: str | None = None
    promises: tuple[Reminder, ...] = ()


class BubbleCommands:
    """Handlers, and ``hear`` for the events that make the pet speak. ``promises``: what is due, read when asked."""

    def __init__(
        self,
        *,
        conversations: Conversations,
        promises: Callable[[], Reminders],
        initiative: ProactiveLog,
        settings: Callable[[], Settings],
        texts: Callable[[], Texts],
        windows: DesktopPort,
        clock: Clock,
        emit: Callable[[Event], object],
    ) -> None:
        self._conversations = conversations
        self._promises = promises
        self._initiative = initiative
        self._settings = settings
        self._texts = texts
        self._windows = windows
        self._clock = clock
        self._emit = emit
        self._lock = RLock()
        self._speech: _Speech | None = None
        self._count = 0
        self._later: Timer | None = None  # while quiet hours hold a promise back
        self._closed = False

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._later is not None:
                self._later.cancel()

    # --- the page -------------------------------------------------------------------------------

    def get_bubble(self, _args: Nothing) -> BubbleView:
        settings, texts, today = self._settings(), self._texts(), self._clock.now().date()
        speech = self._speech or _Speech(kind="none")
        text = _worded(speech, texts)
        return BubbleView(
            number=speech.number,
            kind=speech.kind,
            text=text,
            more=speech.more,
            pieces=[_piece_view(piece) for piece in speech.pieces],
            ending=speech.ending if settings.quick_replies else "",
            promises=[promise_view(promise, today, texts) for promise in speech.promises],
            seconds=_seconds(speech, text, settings),
            language=texts.language,
            theme=settings.theme,
            reduced_motion=settings.reduced_motion,
        )

    def size_bubble(self, args: BubbleSizeArgs) -> BubblePlace:
        """The page has drawn what it got, this high: now it can be shown."""
        if self._speech is None:
            return BubblePlace(side="above", tail=0, height=args.height)
        side, tail, height = self._windows.show_bubble_sized(args.width, args.height, args.reading)
        return BubblePlace(side=side, tail=tail, height=height)

    def close_bubble(self, _args: Nothing) -> None:
        if self._speech is not None and self._speech.question is not None:
            self._initiative.answered(welcome=False)
        self._say(None)
        self._promises_changed()  # what came due while something else was said

    def open_bubble(self, _args: Nothing) -> None:
        """In the chat, where it was said; a question opens a conversation of its own."""
        speech = self._speech
        self._say(None)
        conversation = speech.conversation if speech is not None else None
        if speech is not None and speech.question is not None:
            self._initiative.answered(welcome=True)
            live = self._conversations.create(memory=True)
            live.open_with(_worded(speech, self._texts()), speech.question.text)
            conversation = live.id
        self._windows.show_view("chat")
        if conversation is not None:
            self._emit(ConversationAsked(conversation=conversation))

    def say_in_bubble(self, args: BubbleSayArgs) -> None:
        """Raises BadArguments for what is no short answer to a reply, TurnRunning."""
        speech = self._speech
        if speech is None or speech.kind != "reply" or speech.conversation is None:
            raise BadArguments(where="text", why="value")
        if not 0 < len(args.text.strip()) <= _SHORT_ANSWER:
            raise BadArguments(where="text", why="value")
        self._conversations.open(speech.conversation).send(args.text)

    def leave_alone(self, _args: Nothing) -> None:
        """Neither this nor what else is noted about it."""
        speech = self._speech
        if speech is not None and speech.question is not None:
            self._initiative.leave_alone(speech.question)
            self._initiative.answered(welcome=False)
            self._say(None)

    def touched(self, _args: Nothing) -> None:
        self.owner_came()

    # --- what happens ---------------------------------------------------------------------------

    HEARS: ClassVar[tuple[type[Event], ...]] = (
        TurnEnded,
        ProposalAsked,
        TurnStarted,
        ProposalClosed,
        ChatShown,
        Forgotten,
        ConversationDeleted,
        PromisesChanged,
        SettingsChanged,
        BrainPaused,
    )

    def hear(self, event: Event) -> None:
        match event:
            case TurnEnded():
                self._turn_ended(event)
            case ProposalAsked(conversation=conversation):
                self._offer(_Speech(kind="question", key="bubble.question", conversation=conversation))
            case TurnStarted():
                self._say(None)
                if self._initiative.greeting_due(self._settings()):
                    self._initiative.greeted(self._settings())  # they are talking anyway
            case ProposalClosed() | ChatShown(shown=True) | Forgotten():
                self._say(None)
            case ConversationDeleted(conversation=conversation):
                if self._speech is not None and self._speech.conversation == conversation:
                    self._say(None)
            case ChatShown(shown=False):
                self.owner_came()
            case PromisesChanged():
                self._promises_changed()
            case SettingsChanged() | BrainPaused():
                self._may_have_to_go()
            case _:
                pass

    def owner_came(self) -> None:
        """The owner is there: the program started, the pet was touched, the chat put away, the session woke.

        The pet may say one thing of its own accord now: hello, what was promised, or a question.
        """
        with self._lock:
            self._greet()
            self._promises_changed()
            self._ask()

    # --- inside ---------------------------------------------------------------------------------

    def _greet(self) -> None:
        settings = self._settings()
        if self._speech is None and self._may_speak_up(settings) and self._initiative.greeting_due(settings):
            self._initiative.greeted(settings)
            self._initiative.spoke()
            self._offer(_Speech(kind="greeting", at=self._clock.now()))

    def _ask(self) -> None:
        settings = self._settings()
        if self._speech is not None or not self._may_speak_up(settings):
            return
        question = self._initiative.question(settings)
        if question is not None:
            self._initiative.asked(question)
            self._initiative.spoke()
            self._offer(_Speech(kind="asking", at=self._clock.now(), question=question))

    def _turn_ended(self, event: TurnEnded) -> None:
        self._initiative.spoke()
        if event.end in _OWN_WISH or not self._settings().bubbles or not self._may_come():
            return
        if event.end in _FAILURES:
            error = event.error if event.end is TurnEnd.FAILED else None
            key = _FAILURES[event.end]
            self._offer(_Speech(kind="failed", key=key, error=error, conversation=event.conversation))
            return
        try:
            turns = self._conversations.open(event.conversation).folded().turns
        except PetError:  # deleted meanwhile
            return
        reply = next((turn.reply for turn in turns if turn.id == event.turn), "")
        whole, left_out = plain_text(reply)
        text, cut = shortened(whole)
        if text:
            more = cut or left_out
            rest = tuple(blocks(reply)) if more else ()
            ending = reply[-_ENDING:] if event.claim is None else ""
            self._offer(
                _Speech(
                    kind="reply", text=text, more=more, pieces=rest, ending=ending, conversation=event.conversation
                )
            )

    def _promises_changed(self) -> None:
        """Those that are due and were not shown today; a bubble of promises that is open follows what is done."""
        with self._lock:
            settings, now, speech = self._settings(), self._clock.now(), self._speech
            if speech is not None:
                if speech.kind == "promises":
                    due = self._promises().due
                    left = tuple(promise for promise in speech.promises if promise in due)
                    self._say(replace(speech, promises=left) if left else None)
                return
            if not settings.promise_bubbles or self._conversations.paused or not settings.memory_default:
                return
            fresh = self._initiative.fresh_promises(self._promises().due)
            if not fresh:
                return
            if is_quiet(now, settings.quiet_from, settings.quiet_until):
                self._look_later(seconds_until(now, settings.quiet_until))
            elif self._windows.aside:
                self._look_later(_LOOK_AGAIN)
            elif self._may_come():
                self._initiative.promised(fresh)
                self._initiative.spoke()
                self._offer(_Speech(kind="promises", promises=fresh))

    def _look_later(self, seconds: float) -> None:
        """One timer, and only while a promise waits; short, as it stands still while the machine sleeps."""
        with self._lock:
            if self._later is not None:
                self._later.cancel()
            if not self._closed:
                self._later = Timer(min(seconds + 1, _LOOK_AGAIN), self._promises_changed)
                self._later.daemon = True
                self._later.start()

    def _may_come(self) -> bool:
        settings = self._settings()
        quiet = is_quiet(self._clock.now(), settings.quiet_from, settings.quiet_until)
        return not (settings.do_not_disturb or quiet or self._windows.chat_shown or self._windows.aside)

    def _may_speak_up(self, settings: Settings) -> bool:
        """Of its own accord: nobody has asked it anything."""
        return settings.memory_default and not self._conversations.paused and self._may_come()

    def _may_have_to_go(self) -> None:
        """Or say the same in another language, in other colours."""
        speech, settings = self._speech, self._settings()
        if speech is None:
            self._promises_changed()  # what came due while the owner wanted no disturbance, or memory was paused
            return
        by_itself = speech.kind in ("promises", "greeting", "asking")
        unwanted = (speech.kind == "asking" and not settings.ask_after) or (
            speech.kind == "greeting" and settings.greetings == "off"
        )
        if unwanted or not (self._may_speak_up(settings) if by_itself else self._may_come()):
            self._say(None)
        else:
            self._emit(BubbleChanged())

    def _offer(self, speech: _Speech) -> None:
        if self._may_come():
            with self._lock:
                self._count += 1
                self._say(replace(speech, number=self._count))

    def _say(self, speech: _Speech | None) -> None:
        with self._lock:
            before, self._speech = self._speech, speech
        if speech is None:
            self._windows.hide_bubble()
        else:
            self._windows.show_bubble()
        if before is not None or speech is not None:
            self._emit(BubbleChanged())


def _worded(speech: _Speech, texts: Texts) -> str:
    match speech:
        case _Speech(error=ErrorInfo() as error) if f"error.{error.code}" in catalogue(texts.language):
            return _PLACEHOLDER.sub("?", texts(f"error.{error.code}", **error.args))
        case _Speech(key=str() as key) if key:
            return texts(key)
        case _Speech(kind="greeting", at=datetime() as at):
            return texts(greeting_key(at))
        case _Speech(kind="asking", at=datetime() as at, question=FollowUp() as question):
            return texts(question_key(question.kind, at.date()), what=question.what)
        case _:
            return speech.text


def _seconds(speech: _Speech, text: str, settings: Settings) -> float:
    if speech.kind in _WAITS:
        return 0.0
    needed = reading_seconds(text, settings.bubble_seconds)
    return max(needed, _UNASKED) if speech.kind in ("asking", "failed") and not settings.bubble_seconds else needed


def _piece_view(piece: Block) -> BubblePiece:
    return BubblePiece(kind=piece.kind, text=piece.text, mark=piece.mark, depth=piece.depth)
