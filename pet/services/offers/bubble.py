"""The speech bubble: what it shows while the chat is hidden, and the owner's answers to it.

It alone decides whether a line may come, by what its ``Offer`` states: nothing unasked with "do not disturb", in
quiet hours, over an open chat or a full screen; nothing of memory while that is paused. Lines that are due by
themselves come one at a time; ``ProactiveLog`` counts them. No text is stored on disk or sent to desktop
notifications.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import RLock, Timer
from typing import TYPE_CHECKING, ClassVar, Literal

from pet.events import (
    BubbleChanged,
    ChatShown,
    ConversationAsked,
    ConversationDeleted,
    Event,
    Forgotten,
    MemoryPaused,
    ProposalAsked,
    ProposalClosed,
    RemindersChanged,
    SettingsChanged,
    TurnEnded,
    TurnStarted,
)
from pet.services.offers.ask_field import FIELD, FieldLine, QuickAsk
from pet.services.offers.bubble_content import BubbleContent, Style
from pet.services.offers.due_reminders import DUE
from pet.services.offers.greetings import GREETING
from pet.services.offers.offer import Answer, BubbleLine, Cue, Offer, OwnerCame, Shape, frame
from pet.services.offers.proposals import PROPOSAL
from pet.services.offers.replies import REPLY
from pet.services.offers.shared_life import SharedLife
from pet.services.proactive_limits import is_quiet, seconds_until, wants_quiet

if TYPE_CHECKING:
    from pet.app.pet import Pet

KINDS: tuple[Offer, ...] = (GREETING, DUE, REPLY, PROPOSAL)
"""Lines that are due by themselves, in the order in which one is sought when the owner comes."""

_RETRY_SECONDS = 60.0  # at most, while quiet hours or a full screen hold a line that is kept
_MOST_WAITING = 20


@dataclass(slots=True)
class SpeechBubble:
    """Thread-safe. ``kinds``: that are due by themselves. ``greeting_question``: returns a question with which the
    pet may greet the owner of this name, of an extra."""

    pet: Pet
    greeting_question: Callable[[str], BubbleLine | None] = lambda _name: None
    kinds: Sequence[Offer] = KINDS
    life: SharedLife = field(init=False)
    ask: QuickAsk = field(init=False)
    _lock: RLock = field(init=False, default_factory=RLock)
    _line: BubbleLine | None = field(init=False, default=None)
    _count: int = field(init=False, default=0)
    _waiting: dict[int, BubbleLine] = field(init=False, default_factory=dict)  # questions, the shown one among them
    _timers: dict[int, Timer] = field(init=False, default_factory=dict)
    _behind: BubbleLine | None = field(init=False, default=None)  # came while the owner writes, shown after that
    _in_chat: int = field(init=False, default=0)  # number of the question that the chat asks
    _later: Timer | None = field(init=False, default=None)  # while a line is kept
    _closed: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.life, self.ask = SharedLife(self.pet), QuickAsk(self.pet)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._take_away(lambda _each: True)
            if self._later is not None:
                self._later.cancel()

    # --- what is shown --------------------------------------------------------------------------

    def content(self) -> BubbleContent:
        """Return the current bubble in the owner's language."""
        captures = "screenshot" in self.pet.windows.system.abilities()
        shape = Shape(
            settings=self.pet.effective.current(), texts=self.pet.texts(), now=self.pet.clock.now(), captures=captures
        )
        line = self._line
        return frame(shape) if line is None else line.content(shape)

    def shown(self, number: int | None) -> BubbleLine | None:
        """Return the current line if it has this number; None: whatever its number."""
        line = self._line
        return line if line is not None and number in (None, line.number) else None

    @property
    def waits(self) -> bool:
        """Whether what is shown stays until it is answered."""
        return self._line is not None and self._line.offer.stays != "time"

    @property
    def field(self) -> FieldLine | None:
        """The field for the owner's words, if it is shown."""
        return self._line if isinstance(self._line, FieldLine) else None

    def open_field(self) -> None:
        """Show an empty line in which the owner says something; an open chat comes forward instead."""
        if self.pet.windows.chat_shown:
            self.pet.windows.show_chat()
        else:
            self.show_field()

    def show_field(self, text: str = "", *, more: bool = False, copied: bool = False) -> None:
        """Show the field, also in quiet hours and over an open chat; files that are in the one shown stay."""
        line = FieldLine(
            offer=FIELD,
            words=lambda _texts: "",
            text=text,
            more=more,
            copied=copied,
            suggestions=self.ask.suggestions,
        )
        with self._lock:
            if (shown := self.field) is not None:
                line = replace(line, files=shown.files, conversation=shown.conversation)
            self.offer(line)

    def amend_field(
        self, change: Callable[[FieldLine], FieldLine], number: int | None = None, *, conversation: str | None = None
    ) -> FieldLine | None:
        """Change the content of the shown field and return it; None without a field, or if it is another one."""
        with self._lock:
            line = self.field
            if line is None or number not in (None, line.number) or conversation not in (None, line.conversation):
                return None
            changed = change(line)
            if changed != line:
                self._show(changed)
        return changed

    # --- the owner's answers --------------------------------------------------------------------

    def answer(self, choice: str, number: int, key: str = "", *, in_chat: bool = False) -> None:
        """Do what a choice of the shown line means; ``key``: of the row it belongs to. Only the first of two clicks
        counts. ``in_chat``: of a question that the chat asks.

        Raises BadArguments for a choice that the line doesn't have, and what the choice raises.
        """
        with self._lock:
            line = self._waiting.get(number) if in_chat else self.shown(number)
            if line is None or (in_chat and line.ask_in_chat is None):
                return
            close = Answer(id="close", text="", act=line.closed)
            answer = close if choice == "close" else line.find_answer(choice, key)
            if answer is not close and not in_chat and not self._memory_suits(line.offer):
                return
            if not answer.keeps and not self._take_away(lambda each: each is line, answered=answer is not close):
                self._show(None)
        if answer is close and line.conversation == self.ask.conversation:
            self.ask.drop()
        answer.act()
        self._catch_up()  # what came due meanwhile

    def open_chat(self, conversation: str | None) -> None:
        """Show the chat with this conversation, or with the one it has."""
        if conversation == self.ask.conversation:
            self.ask.conversation = None  # from now on it ends with its tab
        self.pet.windows.show_chat("chat")
        if conversation is not None:
            self.pet.emitter.emit(ConversationAsked(conversation=conversation))

    def to_chat(self, conversation: str | None, text: str, style: Style) -> Answer:
        """Return the button that opens the chat with this conversation."""
        return Answer(id="open", text=text, style=style, act=lambda: self.open_chat(conversation))

    # --- lines ----------------------------------------------------------------------------------

    def may(self, offer: Offer) -> bool:
        """Return whether a line of this kind may be shown now."""
        return self._allows(offer) and (offer.held == "never" or self._may_come(offer.chat))

    def offer(self, line: BubbleLine) -> int:
        """Show a line, or let it wait for its turn; return its number, 0 if it may not come now."""
        with self._lock:
            offer, queued = line.offer, line.offer.stays == "queued"
            comes = self.may(offer) or (
                line.ask_in_chat is not None and self.pet.windows.chat_shown and self._allows(offer)
            )
            if self._closed or not comes or (queued and len(self._waiting) >= _MOST_WAITING) or not line.begin():
                return 0
            if offer.pauses:
                self.pet.proactive.spoke()
            self.pet.proactive.spend(offer.questions)
            self._count += 1
            number = self._count
            line = replace(line, number=number)
            if queued:
                self._waiting[number] = line
                if line.expires:
                    timer = self._timers[number] = Timer(line.expires, self.take_away, (number,))
                    timer.daemon = True
                    timer.start()
                self._show_question()
            elif self.field is not None and not isinstance(line, FieldLine) and not self._answers_field(line):
                self._behind = line
            else:
                self._cut_short()
                self._show(line)
            return number

    def offer_if_free(self, line: BubbleLine) -> bool:
        """Show a line unless the bubble waits for an answer; return whether it is shown."""
        with self._lock:
            return not self.waits and self.offer(line) > 0

    def is_asked(self, session: str) -> bool:
        """Return whether a question of this session is open."""
        with self._lock:
            return any(each.session == session for each in self._waiting.values())

    def take_away(self, number: int) -> bool:
        """Take a question away: it is answered, its time is over, or nothing waits for the answer."""
        return self._take_away(lambda each: each.number == number)

    def close_session(self, session: str) -> None:
        """Close what is shown of another program's session, and its questions: answered elsewhere, or it goes on."""
        with self._lock:
            self._take_away(lambda each: each.session == session)
            if self._line is not None and self._line.session == session:
                self._show(None)

    def owner_came(self) -> None:
        """Show one line that is due, if any is: the program started, the pet was touched, the chat was hidden."""
        with self._lock:
            self.pet.proactive.owner_is_there()
            for kind in self.kinds:
                if OwnerCame in kind.on:
                    self._seek(kind)

    # --- what happens ---------------------------------------------------------------------------

    EVENTS: ClassVar[tuple[type[Event], ...]] = (
        *(TurnEnded, ProposalAsked, TurnStarted, ProposalClosed, ChatShown),
        *(Forgotten, ConversationDeleted, RemindersChanged, SettingsChanged, MemoryPaused),
    )

    def on_event(self, event: Event) -> None:
        match event:
            case TurnEnded(turn=turn) | ProposalAsked(turn=turn) if self.pet.terminal_turns.follows(turn):
                return
            case TurnEnded():
                self.pet.proactive.spoke()
            case TurnStarted(conversation=conversation):
                self.pet.proactive.owner_is_there()
                if self.field is None or conversation in (self.ask.awaited, self.field.conversation):
                    self._close()
                if self.pet.proactive.greeting_due(self.pet.effective.current()):
                    self.pet.proactive.greeted(self.pet.effective.current())  # a conversation is active anyway
            case ChatShown(shown=True):
                with self._lock:
                    self._behind = None
                    self._take_away(lambda each: each.ask_in_chat is None)
                    self._show(None)
            case ChatShown(shown=False):
                self._in_chat = 0  # its question is now elsewhere
                self._show_question()
                self.owner_came()
            case Forgotten():
                self._behind = None
                self._close()
            case ConversationDeleted(conversation=conversation):
                if self._behind is not None and self._behind.conversation == conversation:
                    self._behind = None
                self._take_away(lambda each: each.conversation == conversation)
                if self._line is not None and self._line.conversation == conversation:
                    self._show(None)
            case SettingsChanged() | MemoryPaused():
                self._may_have_to_go()
            case _:
                pass
        self._renew(event)
        for kind in self.kinds:
            if type(event) in kind.on and (line := self._due(kind, event)) is not None:
                self.offer(line)
        if isinstance(event, RemindersChanged):
            self._catch_up()

    # --- inside ---------------------------------------------------------------------------------

    def _due(self, kind: Offer, cue: Cue) -> BubbleLine | None:
        return kind.due(self, cue) if kind.due is not None else None

    def _seek(self, kind: Offer) -> None:
        """Show the line of this kind that is due, if the bubble is free. One that is kept comes later."""
        if self._line is not None or not self._allows(kind):
            return
        if kind.held == "kept":
            delay = self._delay()
            if (line := self._due(kind, OwnerCame())) is not None:
                if delay:
                    self._retry_later(delay)
                else:
                    self.offer(line)
        elif self.may(kind) and (line := self._due(kind, OwnerCame())) is not None:
            self.offer(line)

    def _catch_up(self) -> None:
        """Show what is kept, now that the bubble may be free."""
        with self._lock:
            for kind in self.kinds:
                if kind.held == "kept" and OwnerCame in kind.on:
                    self._seek(kind)

    def _delay(self) -> float:
        """Return the seconds until a line that is kept is sought again; 0: nothing holds it that ends by itself."""
        settings, now = self.pet.effective.current(), self.pet.clock.now()
        if is_quiet(now, settings.quiet_from, settings.quiet_until):
            return seconds_until(now, settings.quiet_until)
        return _RETRY_SECONDS if self.pet.windows.aside else 0.0

    def _retry_later(self, seconds: float) -> None:
        """Start the one timer; short, since it pauses while the machine sleeps."""
        if self._later is not None:
            self._later.cancel()
        if not self._closed:
            self._later = Timer(min(seconds + 1, _RETRY_SECONDS), self._catch_up)
            self._later.daemon = True
            self._later.start()

    def _allows(self, offer: Offer) -> bool:
        return offer.setting(self.pet.effective.current()) and self._memory_suits(offer)

    def _memory_suits(self, offer: Offer) -> bool:
        if offer.memory == "any":
            return True
        if self.pet.conversations.paused:
            return False
        settings = self.pet.effective.current()
        return {
            "running": True,
            "on": settings.memory_default,
            "settled": self.pet.proactive.may_begin(settings),
        }[offer.memory]

    def _may_come(self, by_chat: Literal["shown", "in_front"]) -> bool:
        chat = self.pet.windows.chat_shown if by_chat == "shown" else self.pet.unread.chat_in_front
        return not (wants_quiet(self.pet.effective.current(), self.pet.clock.now()) or chat or self.pet.windows.aside)

    def _may_have_to_go(self) -> None:
        """Close what is no longer allowed, or draw it again in another language or theme."""
        self._take_away(lambda each: each.offer.held == "dropped" and not self.may(each.offer))
        self._show_question()
        line = self._line
        if line is None:
            self._catch_up()
        elif not self.may(line.offer):
            self._close()
        else:
            self.pet.emitter.emit(BubbleChanged())

    def _renew(self, event: Event) -> None:
        with self._lock:
            self._take_away(lambda each: each.renewed(each, event) is None)
            line = self._line
            if line is not None and (renewed := line.renewed(line, event)) is not line:
                self._show(renewed)

    # --- questions ------------------------------------------------------------------------------

    def _show_question(self) -> None:
        """Show the first question, if its rank is before what is shown."""
        with self._lock:
            question = self._next_question()
            if question is not None and (self._line is None or question.offer.rank < self._line.offer.rank):
                self._cut_short()
                self._show(question)

    def _next_question(self) -> BubbleLine | None:
        """Return the question for the bubble; an open chat asks some itself."""
        waiting = sorted(self._waiting.values(), key=lambda each: each.offer.rank)
        if self.pet.windows.chat_shown:
            asks = next(((each, each.ask_in_chat) for each in waiting if each.ask_in_chat is not None), None)
            if asks is not None and asks[0].number != self._in_chat:
                self._in_chat = asks[0].number
                asks[1](self._in_chat)
        return next((each for each in waiting if self.may(each.offer)), None)

    def _take_away(self, over: Callable[[BubbleLine], bool], *, answered: bool = False) -> bool:
        """Take away questions that are over, and show the next; return whether there were any."""
        with self._lock:
            ended = {number: each for number, each in self._waiting.items() if over(each)}
            for number, each in ended.items():
                del self._waiting[number]
                if (timer := self._timers.pop(number, None)) is not None:
                    timer.cancel()
                if not answered:
                    each.ended()
            if self._line is not None and self._line.number in ended:
                self._show(None)
            elif ended:
                self._show_question()
            if ended and self._line is None:
                self._catch_up()  # a question may have taken its place
            return bool(ended)

    # --- drawing --------------------------------------------------------------------------------

    def _close(self) -> None:
        self._cut_short()
        self._show(None)

    def _behind_still(self) -> BubbleLine | None:
        """Return the line that waited for the owner's words, if it may still come."""
        return self._behind if self._behind is not None and self.may(self._behind.offer) else None

    def _answers_field(self, line: BubbleLine) -> bool:
        return (
            self.field is not None and line.conversation is not None and line.conversation == self.field.conversation
        )

    def _cut_short(self) -> None:
        if self._line is not None:
            self._line.replaced()

    def _show(self, line: BubbleLine | None) -> None:
        """Show a line; None: the next question, if one waits."""
        with self._lock:
            if line is None:
                line, self._behind = self._next_question() or self._behind_still(), None
            before, self._line = self._line, line
        unsent = before.conversation if isinstance(before, FieldLine) else None
        if unsent not in (None, self.ask.awaited, line.conversation if line is not None else None):
            self.ask.drop()
        if before is not None or line is not None:
            self.pet.emitter.emit(BubbleChanged())
