"""The speech bubble: its content while the chat is hidden, and the owner's answers to it.

Appears unasked neither with "do not disturb", in quiet hours, over an open chat nor over a full screen; reminders,
greetings and questions neither with memory paused nor off by default. ``ProactiveLog`` counts unsolicited messages.
No text is stored on disk or sent to desktop notifications.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import RLock, Timer
from typing import ClassVar, Literal

from pet.access import AgentMode
from pet.agents.activity import PermissionAnswer
from pet.agents.book import AgentBook, AgentClient, visible_line
from pet.clock import Clock
from pet.engine.conversations import Conversations
from pet.errors import BadArguments, NoFileManager, PetError
from pet.events import (
    AgentsChanged,
    BubbleChanged,
    ChatShown,
    ConversationAsked,
    ConversationDeleted,
    ErrorInfo,
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
from pet.i18n import Texts
from pet.memory.rechecks import RecheckAnswer
from pet.memory.reminders import Reminders
from pet.model import Author, TurnEnd
from pet.services.bubble_content import BubbleContent
from pet.services.bubble_text import (
    WAITS,
    Speech,
    bubble_content,
    failure_speech,
    plain_text,
    reply_speech,
    shortened,
    worded,
)
from pet.services.desktop_port import DesktopPort
from pet.services.open_questions import OpenQuestions, gives_way
from pet.services.proactive_limits import (
    MOST_REMINDERS,
    ProactiveLog,
    is_quiet,
    may_remind,
    seconds_until,
    wants_quiet,
)
from pet.services.quick_ask import QuickAsk
from pet.services.shared_life import SharedLife
from pet.settings.schema import Settings
from pet.text.plain_markdown import blocks

AgentAnswered = Literal["read", "later", "never"]
LONGEST_LINE = 280
"""Characters of a line that another program says; what is longer is cut."""
_LONGEST_SENDER = 40
_RETRY_SECONDS = 60.0  # at most, while quiet hours or a full screen delay a reminder
_OWN_WISH = (TurnEnd.STOPPED, TurnEnd.MEMORY_OFF)


@dataclass(slots=True, kw_only=True)
class SpeechBubble:
    """Thread-safe. ``reminders``: returns the reminders. ``chat_in_front``: whether the chat has the focus; a chat
    that is open but covered delays no reminder. ``open_conversation``: of the open tab. ``in_terminal``: whether
    a terminal prints this turn."""

    conversations: Conversations
    reminders: Callable[[], Reminders]
    proactive: ProactiveLog
    settings: Callable[[], Settings]
    texts: Callable[[], Texts]
    windows: DesktopPort
    chat_in_front: Callable[[], bool]
    clock: Clock
    emit: Callable[[Event], object]
    agents: AgentBook
    ask: QuickAsk
    life: SharedLife
    open_conversation: Callable[[], str | None] = lambda: None
    in_terminal: Callable[[str], bool] = lambda _turn: False
    pet_name: Callable[[], str] = lambda: ""
    _awaited: str | None = field(init=False, default=None)  # the conversation whose next reply was asked for here
    _lock: RLock = field(init=False, default_factory=RLock)
    _speech: Speech | None = field(init=False, default=None)
    _count: int = field(init=False, default=0)
    _questions: OpenQuestions = field(init=False)
    _later: Timer | None = field(init=False, default=None)  # while a reminder is delayed
    _closed: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self._questions = OpenQuestions(agents=self.agents, emit=self.emit, over=self.end_question)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._questions.take(lambda _each: True)
            if self._later is not None:
                self._later.cancel()

    # --- the page -------------------------------------------------------------------------------

    def content(self) -> BubbleContent:
        """Return the current bubble in the owner's language."""
        speech = self._speech or Speech(kind="none")
        now, captures = self.clock.now(), "screenshot" in self.windows.abilities
        return bubble_content(speech, self.settings(), self.texts(), now, self.ask.suggestions(), captures=captures)

    def shown(self, number: int | None) -> Speech | None:
        """Return the current speech if it has this number; None: whatever its number."""
        speech = self._speech
        return speech if speech is not None and number in (None, speech.number) else None

    def _taken(self, number: int | None) -> Speech | None:
        """Return the same as ``shown``, and close it, so that only the first of two clicks gets it."""
        with self._lock:
            speech = self.shown(number)
            if speech is not None and not self._end(lambda each: each.number == speech.number):
                self._say(None)
        return speech

    def dismiss(self, number: int | None = None) -> None:
        """Close the bubble; ``number``: only if it still shows that message."""
        speech = self._taken(number)
        if speech is None:
            return
        if speech.question is not None or speech.recheck is not None:
            self.proactive.answered(welcome=False)
        if speech.conversation == self.ask.conversation:
            self.ask.drop()
        if speech.kind == "reminders":
            self.proactive.mark_taken(speech.reminders)
            self.life.changed()
        self._reminders_changed()  # reminders that came due meanwhile

    def continue_in_chat(self, number: int | None = None) -> None:
        """Show the chat with the bubble's conversation; a question or a heartbeat opens a new one."""
        speech = self._taken(number)
        conversation = speech.conversation if speech is not None else None
        if conversation == self.ask.conversation:
            self.ask.conversation = None  # from now on it ends with its tab
        if speech is not None and speech.question is not None:
            self.proactive.answered(welcome=True)
            live = self.conversations.create(memory=True)
            live.record.open_with(worded(speech, self.texts()), speech.question.text)
            conversation = live.id
        if speech is not None and speech.kind == "heartbeat":
            self.proactive.owner_is_there()
            live = self.conversations.create(memory=self.settings().default_memory_mode)
            live.record.open_with(speech.text, "")
            conversation = live.id
        self.windows.show_view("chat")
        if conversation is not None:
            self.emit(ConversationAsked(conversation=conversation))

    @property
    def field(self) -> Speech | None:
        """The field for the owner's words, if it is shown."""
        speech = self._speech
        return speech if speech is not None and speech.kind == "field" else None

    def offer_asked(self, speech: Speech) -> None:
        """Show what the owner asked for, also in quiet hours and over an open chat."""
        self._offer(speech, awaited=True)

    def amend_field(
        self, change: Callable[[Speech], Speech], number: int | None = None, *, conversation: str | None = None
    ) -> Speech | None:
        """Change the content of the shown field and return it; None without a field, or if it is another one."""
        with self._lock:
            speech = self.field
            if speech is None or number not in (None, speech.number):
                return None
            if conversation not in (None, speech.conversation):
                return None
            changed = change(speech)
            if changed != speech:
                self._say(changed)
        return changed

    def await_reply(self, conversation: str | None) -> None:
        """Show the next reply of this conversation, whatever else holds bubbles back."""
        self._awaited = conversation

    def leave_alone(self, number: int | None = None) -> None:
        """Suppress this question, and others about the same note."""
        speech = self._taken(number)
        if speech is not None and speech.question is not None:
            self.proactive.leave_alone(speech.question)
            self.proactive.answered(welcome=False)

    def answer_recheck(self, answer: RecheckAnswer, number: int) -> None:
        """Take the answer to the week's question; "no longer" changes the file and offers Undo."""
        with self._lock:
            speech = self.shown(number)
            if speech is None or speech.recheck is None or not self._may_speak_up(self.settings()):
                return
            self._say(None)
        self.proactive.answered(welcome=answer != "never")
        if answer == "never":
            self.proactive.leave_alone(speech.recheck)
        if answer != "no_longer":
            return
        try:
            receipt = self.life.rechecks.end(speech.recheck)
        except PetError as refused:  # the line changed meanwhile, or the file can't be written
            self._offer(Speech(kind="failed", error=ErrorInfo.of(refused)))
            return
        if receipt is not None:
            self._offer(Speech(kind="changed", receipt=receipt))

    def undo_change(self, number: int) -> None:
        """Undo the change that the bubble shows. Raises FileConflict if later changes overlap, and WriteFailed."""
        speech = self._taken(number)
        if speech is not None and speech.receipt is not None:
            self.life.rechecks.store.undo(speech.receipt, author=Author.OWNER)

    def ask_agent(self, client: AgentClient, new: bool) -> bool:
        """Return whether the owner is being asked about another agent, in the open chat or in the bubble. ``new``:
        begin to, where that is possible now."""
        with self._lock:
            if self._questions.is_about(client.label):
                return True
            if not new or self.conversations.paused or not (self.windows.chat_shown or self._may_come()):
                return False
            return bool(self._ask(Speech(kind="agent", agent=client.label, name=self.pet_name())))

    def ask_permission(self, speech: Speech) -> int:
        """Ask the owner for an agent's permission, after those before it; return the question's number, 0 if that is
        not possible now."""
        with self._lock:
            return self._ask(speech) if self.may_ask_permission else 0

    @property
    def may_ask_permission(self) -> bool:
        """Whether an agent's permission could be asked for: not while the owner writes in the field."""
        return self.field is None and self._may_come()

    def end_question(self, number: int) -> None:
        """Take a question away: its time is over, or nobody waits for the answer."""
        self._end(lambda each: each.number == number)

    def say_line(self, text: str, sender: str) -> bool:
        """Show a line of another program with its sender's name; return whether that is allowed now. Quiet hours, an
        open chat, full screen and a bubble that waits for an answer hold it; it is not shown later."""
        text, sender = visible_line(text, LONGEST_LINE), visible_line(sender, _LONGEST_SENDER)
        if not text or not sender:
            raise BadArguments(where="text", why="value")
        return self.show_of_others(Speech(kind="line", text=text, sender=sender))

    def show_of_others(self, speech: Speech) -> bool:
        """Show what another program brings; return whether that is allowed now. A bubble that waits for an answer is
        not replaced."""
        with self._lock:
            if free := self.may_show_of_others:
                self._offer(speech)
            return free

    @property
    def may_show_of_others(self) -> bool:
        """Whether another program could show something now."""
        return (self._speech is None or self._speech.kind not in WAITS) and self._may_come()

    def close_session(self, session: str) -> None:
        """Close what is shown of an agent's session, and its questions: answered elsewhere, or it goes on."""
        with self._lock:
            self._end(lambda each: each.session == session)
            if self._speech is not None and self._speech.session == session:
                self._say(None)

    def answer_permission(self, answer: PermissionAnswer, number: int) -> None:
        """Allow or deny what an agent asks for; "" leaves it to the agent's own question."""
        with self._lock:
            speech = self.shown(number)
            if speech is not None and speech.permission is not None:
                speech.permission.decide(answer)
                self.end_question(number)

    def go_there(self, number: int) -> None:
        """Close the bubble, and bring the agent's window forward or open the folder of what was saved."""
        speech = self._taken(number)
        if speech is not None and speech.window:
            self.windows.raise_window(speech.window)
        folder = speech.saved.parent if speech is not None and speech.saved is not None else None
        if folder is not None and not self.windows.open_folder(folder):
            self.offer_asked(Speech(kind="failed", error=ErrorInfo.of(NoFileManager(path=str(folder)))))

    def answer_agent(self, answer: AgentAnswered, number: int | None = None) -> None:
        """Move the position of the agent that the bubble or the chat asks about. Raises WriteFailed."""
        with self._lock:
            speech = self._questions.find(number) if number is not None else self.shown(None)
            if speech is None or speech.agent is None or speech.kind != "agent":
                return
            self.end_question(speech.number)
        if answer != "later":
            mode = AgentMode.READ_ONLY if answer == "read" else AgentMode.OFF
            self.agents.set_mode(speech.agent, mode, never=answer == "never")

    # --- what happens ---------------------------------------------------------------------------

    EVENTS: ClassVar[tuple[type[Event], ...]] = (
        *(TurnEnded, ProposalAsked, TurnStarted, ProposalClosed, ChatShown),
        *(Forgotten, ConversationDeleted, RemindersChanged, SettingsChanged, MemoryPaused, AgentsChanged),
    )

    def on_event(self, event: Event) -> None:
        match event:
            case TurnEnded(turn=turn) | ProposalAsked(turn=turn) if self.in_terminal(turn):
                pass
            case TurnEnded():
                self._turn_ended(event)
            case ProposalAsked(conversation=conversation):
                with self._lock:
                    if self._may_come():
                        self._ask(Speech(kind="question", key="bubble.question", conversation=conversation))
            case TurnStarted():
                self.proactive.owner_is_there()
                self._close()
                if self.proactive.greeting_due(self.settings()):
                    self.proactive.greeted(self.settings())  # a conversation is active anyway
            case ChatShown(shown=True):
                with self._lock:
                    self._end(lambda each: each.kind != "agent")  # those are asked in the chat
                    self._say(None)
            case ProposalClosed(conversation=conversation):
                self._end(lambda each: each.kind == "question" and each.conversation == conversation)
            case Forgotten():
                self._close()
            case ConversationDeleted(conversation=conversation):
                self._end(lambda each: each.conversation == conversation)
                if self._speech is not None and self._speech.conversation == conversation:
                    self._say(None)
            case ChatShown(shown=False):
                self._questions.leave_chat()
                self._show_question()
                self.owner_came()
            case AgentsChanged():
                self._end(self._questions.is_decided)
            case RemindersChanged():
                self._reminders_changed()
            case SettingsChanged() | MemoryPaused():
                self._may_have_to_go()
            case _:
                pass

    def owner_came(self) -> None:
        """Show one unsolicited message if any is due: a greeting, reminders or a question.

        Call when the owner is present: the program started, the pet was touched, the chat was hidden.
        """
        with self._lock:
            self.proactive.owner_is_there()
            self._speak_first(self.life.greeting)
            self._reminders_changed()
            self._speak_first(self.life.question)

    def take_held(self) -> None:
        """Show the reminder that the pet holds: the owner clicked on it. Without one, as ``owner_came``."""
        with self._lock:
            held = self.life.held()[:MOST_REMINDERS]
            if not held or (self._speech is not None and self._speech.kind in WAITS):
                self.owner_came()
                return
            self.proactive.note_shown(held)
            self._offer(Speech(kind="reminders", reminders=held, stays=True), awaited=True)

    def say_goodbye(self) -> None:
        """Say goodbye where words are welcome: the program ends in a second."""
        settings = self.settings()
        if settings.greetings != "off" and self._may_speak_up(settings):
            self._offer(self.life.goodbye())

    @property
    def may_speak_up(self) -> bool:
        """Whether the pet could show an unsolicited message now."""
        return self._speech is None and self._may_speak_up(self.settings())

    def say(self, text: str) -> None:
        """Show an unsolicited message; do nothing if that is not allowed any more."""
        if self.may_speak_up:
            shown, more = shortened(plain_text(text)[0])
            self._offer(Speech(kind="heartbeat", text=shown, more=more, pieces=tuple(blocks(text)) if more else ()))

    # --- questions ------------------------------------------------------------------------------

    def _ask(self, speech: Speech) -> int:
        """Ask the owner, now or after what comes first; return the question's number, 0 if too many wait."""
        self._count += 1
        number = self._count
        if not self._questions.add(replace(speech, number=number)):
            return 0
        self._show_question()
        return number

    def _show_question(self) -> None:
        """Show the first question, unless what is shown goes before it."""
        with self._lock:
            question = self._next_question()
            if question is not None and gives_way(self._speech, question):
                self._cut_short()
                self._say(question)

    def _next_question(self) -> Speech | None:
        """Return the question for the bubble; an open chat asks about agents itself."""
        if self.windows.chat_shown:
            self._questions.ask_in_chat()
        if not self._may_come():
            return None
        return self._questions.first(*(("agent",) if self.conversations.paused else ()))

    def _end(self, ended: Callable[[Speech], bool]) -> bool:
        """Take away questions that are answered or over, and show the next; return whether there were any."""
        with self._lock:
            numbers = self._questions.take(ended)
            if self._speech is not None and self._speech.number in numbers:
                self._say(None)
            elif numbers:
                self._show_question()
            if numbers and self._speech is None:
                self._reminders_changed()  # a permission may have taken their place
            return bool(numbers)

    # --- inside ---------------------------------------------------------------------------------

    def _speak_first(self, due: Callable[[Settings], Speech | None]) -> None:
        settings = self.settings()
        if self._speech is None and self._may_speak_up(settings) and (speech := due(settings)) is not None:
            self.proactive.spoke()
            self._offer(speech)

    def _turn_ended(self, event: TurnEnded) -> None:
        self.proactive.spoke()
        stays = event.conversation == self.ask.conversation
        awaited = event.conversation == self._awaited and (stays or not self.windows.chat_shown)
        if event.conversation == self._awaited:
            self._awaited = None
        if event.end in _OWN_WISH or not (awaited or (self.settings().bubbles and self._may_come())):
            return
        if failure := failure_speech(event):
            self._offer(failure, awaited=awaited)
            return
        try:
            turns = self.conversations.open(event.conversation).folded().turns
        except PetError:  # deleted meanwhile
            return
        reply = next((turn.reply for turn in turns if turn.id == event.turn), "")
        if speech := reply_speech(reply, event.conversation, stays=stays, marked=event.claim is not None):
            self._offer(speech, awaited=awaited)

    def _reminders_changed(self) -> None:
        """Show due reminders that were not shown today; update an open bubble of reminders."""
        with self._lock:
            settings, now, speech = self.settings(), self.clock.now(), self._speech
            if speech is not None:
                if speech.kind == "reminders":
                    due = self.reminders().due
                    left = tuple(reminder for reminder in speech.reminders if reminder in due)
                    self._say(replace(speech, reminders=left) if left else None)
                return
            may = may_remind(settings, paused=self.conversations.paused)
            fresh = self.proactive.fresh_reminders(self.reminders().due) if may else ()
            if not fresh:
                return
            if is_quiet(now, settings.quiet_from, settings.quiet_until):
                self._retry_later(seconds_until(now, settings.quiet_until))
            elif self.windows.aside:
                self._retry_later(_RETRY_SECONDS)
            elif self._may_come(reminder=True):
                self.proactive.note_shown(fresh)
                self.proactive.spoke()
                self._offer(Speech(kind="reminders", reminders=fresh))

    def _retry_later(self, seconds: float) -> None:
        """Start the one timer; short, since it pauses while the machine sleeps."""
        with self._lock:
            if self._later is not None:
                self._later.cancel()
            if not self._closed:
                self._later = Timer(min(seconds + 1, _RETRY_SECONDS), self._reminders_changed)
                self._later.daemon = True
                self._later.start()

    def _may_come(self, *, reminder: bool = False) -> bool:
        settings = self.settings()
        chat = self.chat_in_front() if reminder else self.windows.chat_shown
        return not (wants_quiet(settings, self.clock.now()) or chat or self.windows.aside)

    def _may_speak_up(self, settings: Settings) -> bool:
        """Return whether an unsolicited message may be shown."""
        return self.proactive.may_begin(settings) and not self.conversations.paused and self._may_come()

    def _may_stay(self, speech: Speech, settings: Settings) -> bool:
        match speech.kind:
            case "reminders":
                may = may_remind(settings, paused=self.conversations.paused)
                return may and (speech.stays or self._may_come(reminder=True))
            case "asking" | "recheck":
                return settings.ask_after and self._may_speak_up(settings)
            case "greeting" | "goodbye":
                return settings.greetings != "off" and self._may_speak_up(settings)
            case "heartbeat":
                return self._may_speak_up(settings)
            case "agent":
                return not self.conversations.paused and self._may_come()
            case "field":
                return bool(speech.text or speech.files or speech.copied) or not self.windows.chat_shown
            case "reply" if speech.stays:
                return True
            case _:
                return self._may_come()

    def _may_have_to_go(self) -> None:
        """Close a bubble that is no longer allowed, or draw it again in another language or theme."""
        speech, settings = self._speech, self.settings()
        if not self._may_come():
            self._end(lambda each: each.kind == "permission")  # its agent asks itself
        self._show_question()
        if speech is None:
            self._reminders_changed()  # reminders that came due meanwhile
            return
        if not self._may_stay(speech, settings):
            self._close()
        else:
            self.emit(BubbleChanged())

    def _offer(self, speech: Speech, *, awaited: bool = False) -> None:
        if awaited or self._may_come(reminder=speech.kind == "reminders"):
            with self._lock:
                self._cut_short()
                self._count += 1
                self._say(replace(speech, number=self._count))

    def _close(self) -> None:
        self._cut_short()
        self._say(None)

    def _cut_short(self) -> None:
        """Let reminders that are shown and not answered be shown once more today."""
        if self._speech is not None and self._speech.kind == "reminders":
            self.proactive.cut_short(self._speech.reminders)

    def _say(self, speech: Speech | None) -> None:
        with self._lock:
            speech = self._next_question() if speech is None else speech
            before, self._speech = self._speech, speech
            unsent = before.conversation if before is not None and before.kind == "field" else None
        if unsent not in (None, self._awaited, speech.conversation if speech else None):
            self.ask.drop()
        if before is not None or speech is not None:
            self.emit(BubbleChanged())
