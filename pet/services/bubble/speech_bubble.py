"""The speech bubble: what it says while the chat is hidden, and what the owner answers there.

Owns the one bubble there is. Refuses to come by itself when the owner wants no disturbance, in quiet hours, over an
open chat or a full screen; and a promise, a hello or a question with memory paused or off by default. What was said
of its own accord is counted in ``ProactiveLog``; no words are kept on disk, none go into desktop notifications.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import RLock, Timer
from typing import ClassVar

from pet.clock import Clock
from pet.engine.conversation.conversations import Conversations
from pet.errors import BadArguments, PetError
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
from pet.i18n import Texts
from pet.memory.reminders import Reminders
from pet.model import TurnEnd
from pet.services.bubble.plain_markdown import blocks
from pet.services.bubble.proactive_limits import ProactiveLog, is_quiet, may_remind, seconds_until
from pet.services.bubble.speech import BubblePlace, BubbleView, Speech, shown_seconds, worded
from pet.services.bubble.text import plain_text, shortened
from pet.services.desktop_port import DesktopPort
from pet.services.reminders import promise_view
from pet.settings.schema import Settings

_LOOK_AGAIN = 60.0  # seconds at most, while a promise waits for quiet hours or a full screen to end
_ENDING = 1_500
_SHORT_ANSWER = 200
_OWN_WISH = (TurnEnd.STOPPED, TurnEnd.MEMORY_OFF)
_FAILURES = {TurnEnd.FAILED: "bubble.failed", TurnEnd.CUT: "bubble.cut", TurnEnd.REFUSED: "ui.end.refused"}


@dataclass(slots=True, kw_only=True)
class SpeechBubble:
    """``hear``: the events that make the pet speak. ``promises``: what is due, read when asked. ``chat_in_front``:
    whether the owner looks at the chat; one that is open but covered keeps no reminder back. Thread-safe."""

    conversations: Conversations
    promises: Callable[[], Reminders]
    proactive: ProactiveLog
    settings: Callable[[], Settings]
    texts: Callable[[], Texts]
    windows: DesktopPort
    chat_in_front: Callable[[], bool]
    clock: Clock
    emit: Callable[[Event], object]
    _lock: RLock = field(init=False, default_factory=RLock)
    _speech: Speech | None = field(init=False, default=None)
    _count: int = field(init=False, default=0)
    _later: Timer | None = field(init=False, default=None)  # while quiet hours hold a promise back
    _closed: bool = field(init=False, default=False)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._later is not None:
                self._later.cancel()

    # --- the page -------------------------------------------------------------------------------

    def view(self) -> BubbleView:
        """Return what it says now, in the owner's language."""
        settings, texts, today = self.settings(), self.texts(), self.clock.now().date()
        speech = self._speech or Speech(kind="none")
        text = worded(speech, texts)
        return BubbleView(
            number=speech.number,
            kind=speech.kind,
            text=text,
            more=speech.more,
            pieces=list(speech.pieces),
            ending=speech.ending if settings.quick_replies else "",
            promises=[promise_view(promise, today, texts) for promise in speech.promises],
            seconds=shown_seconds(speech, text, settings),
            language=texts.language,
            theme=settings.theme,
            reduced_motion=settings.reduced_motion,
        )

    def place(self, width: int, height: int, *, reading: bool) -> BubblePlace:
        """Show it, now that its page is drawn and needs this room."""
        if self._speech is None:
            return BubblePlace(side="above", tail=0, height=height)
        side, tail, height = self.windows.show_bubble_sized(width, height, reading)
        return BubblePlace(side=side, tail=tail, height=height)

    def _shown(self, number: int | None) -> Speech | None:
        """What it says, if that is still what the owner answered; ``number`` None: whatever it is."""
        speech = self._speech
        return speech if speech is not None and number in (None, speech.number) else None

    def _taken(self, number: int | None) -> Speech | None:
        """As ``_shown``, and it is over: of two clicks only the first gets it."""
        with self._lock:
            speech = self._shown(number)
            if speech is not None:
                self._say(None)
        return speech

    def dismiss(self, number: int | None = None) -> None:
        """The owner has read or closed it. ``number``: of what they saw; what came since stays."""
        speech = self._taken(number)
        if speech is None:
            return
        if speech.question is not None:
            self.proactive.answered(welcome=False)
        self._promises_changed()  # what came due while something else was said

    def continue_in_chat(self, number: int | None = None) -> None:
        """Show the chat where it was said; a question opens a conversation of its own."""
        speech = self._taken(number)
        conversation = speech.conversation if speech is not None else None
        if speech is not None and speech.question is not None:
            self.proactive.answered(welcome=True)
            live = self.conversations.create(memory=True)
            live.open_with(worded(speech, self.texts()), speech.question.text)
            conversation = live.id
        if speech is not None and speech.kind == "heartbeat":
            self.proactive.owner_is_there()
            live = self.conversations.create(memory=self.settings().default_memory_mode)
            live.open_with(speech.text, "")
            conversation = live.id
        self.windows.show_view("chat")
        if conversation is not None:
            self.emit(ConversationAsked(conversation=conversation))

    def answer(self, text: str, number: int | None = None) -> None:
        """Answer the reply that it shows. Raises BadArguments for what is no short answer to a reply, TurnRunning."""
        speech = self._shown(number)
        if speech is None or speech.kind != "reply" or speech.conversation is None:
            raise BadArguments(where="text", why="value")
        if not 0 < len(text.strip()) <= _SHORT_ANSWER:
            raise BadArguments(where="text", why="value")
        self.conversations.open(speech.conversation).send(text)

    def leave_alone(self, number: int | None = None) -> None:
        """Never ask again about this, nor what else is noted about it."""
        speech = self._taken(number)
        if speech is not None and speech.question is not None:
            self.proactive.leave_alone(speech.question)
            self.proactive.answered(welcome=False)

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
                self._offer(Speech(kind="question", key="bubble.question", conversation=conversation))
            case TurnStarted():
                self.proactive.owner_is_there()
                self._cut_short()
                self._say(None)
                if self.proactive.greeting_due(self.settings()):
                    self.proactive.greeted(self.settings())  # they are talking anyway
            case ChatShown(shown=True):
                self._say(None)
            case ProposalClosed() | Forgotten():
                self._cut_short()
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
            self.proactive.owner_is_there()
            self._greet()
            self._promises_changed()
            self._ask()

    @property
    def may_speak_up(self) -> bool:
        """Whether the pet could say something of its own accord now."""
        return self._speech is None and self._may_speak_up(self.settings())

    def say(self, text: str) -> None:
        """Show what the pet says of its own accord; nothing happens if it may not by now."""
        if self.may_speak_up:
            shown, more = shortened(plain_text(text)[0])
            self._offer(Speech(kind="heartbeat", text=shown, more=more, pieces=tuple(blocks(text)) if more else ()))

    # --- inside ---------------------------------------------------------------------------------

    def _greet(self) -> None:
        settings = self.settings()
        if self._speech is None and self._may_speak_up(settings) and self.proactive.greeting_due(settings):
            self.proactive.greeted(settings)
            self.proactive.spoke()
            self._offer(Speech(kind="greeting", at=self.clock.now()))

    def _ask(self) -> None:
        settings = self.settings()
        if self._speech is not None or not self._may_speak_up(settings):
            return
        question = self.proactive.question(settings)
        if question is not None:
            self.proactive.asked(question)
            self.proactive.spoke()
            self._offer(Speech(kind="asking", at=self.clock.now(), question=question))

    def _turn_ended(self, event: TurnEnded) -> None:
        self.proactive.spoke()
        if event.end in _OWN_WISH or not self.settings().bubbles or not self._may_come():
            return
        if event.end in _FAILURES:
            error = event.error if event.end is TurnEnd.FAILED else None
            key = _FAILURES[event.end]
            self._offer(Speech(kind="failed", key=key, error=error, conversation=event.conversation))
            return
        try:
            turns = self.conversations.open(event.conversation).folded().turns
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
                Speech(
                    kind="reply", text=text, more=more, pieces=rest, ending=ending, conversation=event.conversation
                )
            )

    def _promises_changed(self) -> None:
        """Those that are due and were not shown today; a bubble of promises that is open follows what is done."""
        with self._lock:
            settings, now, speech = self.settings(), self.clock.now(), self._speech
            if speech is not None:
                if speech.kind == "promises":
                    due = self.promises().due
                    left = tuple(promise for promise in speech.promises if promise in due)
                    self._say(replace(speech, promises=left) if left else None)
                return
            if not may_remind(settings, paused=self.conversations.paused):
                return
            fresh = self.proactive.fresh_promises(self.promises().due)
            if not fresh:
                return
            if is_quiet(now, settings.quiet_from, settings.quiet_until):
                self._look_later(seconds_until(now, settings.quiet_until))
            elif self.windows.aside:
                self._look_later(_LOOK_AGAIN)
            elif self._may_come(reminder=True):
                self.proactive.promised(fresh)
                self.proactive.spoke()
                self._offer(Speech(kind="promises", promises=fresh))

    def _look_later(self, seconds: float) -> None:
        """One timer, and only while a promise waits; short, as it stands still while the machine sleeps."""
        with self._lock:
            if self._later is not None:
                self._later.cancel()
            if not self._closed:
                self._later = Timer(min(seconds + 1, _LOOK_AGAIN), self._promises_changed)
                self._later.daemon = True
                self._later.start()

    def _may_come(self, *, reminder: bool = False) -> bool:
        settings = self.settings()
        quiet = is_quiet(self.clock.now(), settings.quiet_from, settings.quiet_until)
        chat = self.chat_in_front() if reminder else self.windows.chat_shown
        return not (settings.do_not_disturb or quiet or chat or self.windows.aside)

    def _may_speak_up(self, settings: Settings) -> bool:
        """Of its own accord: nobody has asked it anything."""
        return settings.memory_default and not self.conversations.paused and self._may_come()

    def _may_stay(self, speech: Speech, settings: Settings) -> bool:
        match speech.kind:
            case "promises":
                return may_remind(settings, paused=self.conversations.paused) and self._may_come(reminder=True)
            case "asking":
                return settings.ask_after and self._may_speak_up(settings)
            case "greeting":
                return settings.greetings != "off" and self._may_speak_up(settings)
            case "heartbeat":
                return self._may_speak_up(settings)
            case _:
                return self._may_come()

    def _may_have_to_go(self) -> None:
        """Or say the same in another language, in other colours."""
        speech, settings = self._speech, self.settings()
        if speech is None:
            self._promises_changed()  # what came due while the owner wanted no disturbance, or memory was paused
            return
        if not self._may_stay(speech, settings):
            self._cut_short()
            self._say(None)
        else:
            self.emit(BubbleChanged())

    def _offer(self, speech: Speech) -> None:
        if self._may_come(reminder=speech.kind == "promises"):
            with self._lock:
                self._cut_short()
                self._count += 1
                self._say(replace(speech, number=self._count))

    def _cut_short(self) -> None:
        """Reminders wait for their answer: what comes between puts them off, and not to another day."""
        if self._speech is not None and self._speech.kind == "promises":
            self.proactive.cut_short(self._speech.promises)

    def _say(self, speech: Speech | None) -> None:
        with self._lock:
            before, self._speech = self._speech, speech
        if speech is None:
            self.windows.hide_bubble()
        else:
            self.windows.show_bubble()
        if before is not None or speech is not None:
            self.emit(BubbleChanged())
