"""Other agents' work as the pet shows it: a pose, a line at the moments that matter, permissions asked for here, the
question about a new agent, and lines that programs hand in.

Everything shown is made of names (program, folder, tool); only a permission that the owner switched to the pet brings
the agent's own command, which is shown and never stored.
"""

from __future__ import annotations

import os
import re
import selectors
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from threading import Event as Signal
from threading import Lock, RLock, Thread
from typing import TYPE_CHECKING

from pet.errors import BadArguments, PetError, WriteFailed
from pet.events import Event, Mood, SettingsChanged
from pet.extras.agents.access import AgentMode
from pet.extras.agents.activity import (
    ASKING_TOOLS,
    AgentSession,
    AgentSessions,
    HookEvent,
    PermissionAnswer,
    session_key,
)
from pet.extras.agents.book import AgentBook, AgentClient, AgentLabel, visible_line
from pet.extras.agents.events import AgentAsked, AgentsChanged
from pet.extras.agents.hook import ANSWER_SECONDS
from pet.extras.agents.settings import AgentSettings
from pet.services.offers.bubble import SpeechBubble
from pet.services.offers.offer import LAST, UNASKED, Answer, BubbleLine, Offer, always
from pet.services.proactive_limits import wants_quiet
from pet.text.unseen import reveal

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.extras.agents.gateway import Asked

LONGEST_LINE = 280
"""Characters of a line that another program says; what is longer is cut."""
_LONGEST_SENDER = 40
AGENT_SECONDS = 600.0
"""Time for the question about another agent, which comes again the next day. A permission has its hook's."""
_LINE_END = "\n"
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){3,}")
_BLANKS = re.compile(r"[ \t]{40,}")

AGENT = Offer(
    kind="agent",
    on=(),
    due=None,
    setting=always,  # each agent's position is its own
    memory="running",
    held="kept",
    chat="shown",
    stays="queued",
    rank=4,
    seconds=0.0,
    questions=0,
    pauses=False,
    voiced=True,
)
PERMISSION = replace(AGENT, kind="permission", memory="any", held="dropped", rank=1)
LINE = replace(PERMISSION, kind="line", stays="time", rank=LAST)
STATE = replace(
    LINE,
    kind="state",
    seconds=UNASKED,
    setting=lambda settings: settings.of(AgentSettings).agents_shown == "reactions",
)


def marked(command: str) -> str:
    """Return the text with every character that can't be seen as its code point, and blank lines and long blanks
    folded; other tabs and line ends stay. A wide space is a letter to a shell, so it is one here.

    >>> marked(f"rm{chr(0x200B)} -r {chr(0x202E)}x" + 9 * chr(10) + "y" + 99 * " " + "z").split(chr(10))
    ['rm⟨200B⟩ -r ⟨202E⟩x', '⟨↵ 8⟩', 'y ⟨␣ 99⟩ z']
    """
    shown = reveal(command, "⟨{:X}⟩").replace("\u3000", "⟨3000⟩")
    shown = _BLANK_LINES.sub(lambda lines: f"\n⟨↵ {lines[0].count(_LINE_END) - 1}⟩\n", shown)
    return _BLANKS.sub(lambda blanks: f" ⟨␣ {len(blanks[0])}⟩ ", shown)


def permission_line(
    agent: AgentLabel, session: str, command: str, tool: str, decide: Callable[[PermissionAnswer], object]
) -> BubbleLine:
    """Return the question for a permission; ``decide``: takes the answer, "" to leave it to the agent's own."""
    return BubbleLine(
        offer=PERMISSION,
        words=lambda texts: texts("bubble.permission", name=agent.title, folder=agent.folder, tool=tool or "?"),
        answers=(
            Answer(id="allow", text="bubble.allow", act=lambda: decide("allow")),
            Answer(id="deny", text="bubble.deny", act=lambda: decide("deny")),
            Answer(id="ask_there", text="bubble.ask_there", style="quiet", act=lambda: decide("")),
        ),
        session=session,
        command=marked(command),
        rests=True,
        ended=lambda: decide(""),
    )


def state_line(bubble: SpeechBubble, key: str, agent: AgentLabel, session: str, window: int) -> BubbleLine:
    """Return what an agent's session is at. ``window``: its handle, 0 if unknown."""
    there = Answer(
        id="go_there",
        text="bubble.go_there",
        style="main",
        act=lambda: bubble.pet.windows.system.raise_window(window),
    )
    return BubbleLine(
        offer=STATE,
        words=lambda texts: texts(key, name=agent.title, folder=agent.folder_name),
        answers=(there,) if window else (),
        session=session,
    )


def sent_line(text: str, sender: str) -> BubbleLine:
    """Return a line of another program."""
    return BubbleLine(offer=LINE, words=lambda texts: texts("bubble.line", sender=sender, text=text))


def _undecided(book: AgentBook, label: AgentLabel, line: BubbleLine, event: Event) -> BubbleLine | None:
    client = book.state().client(label) if isinstance(event, AgentsChanged) else None
    decided = client is not None and (client.never or client.mode is not AgentMode.OFF)
    return None if decided else line


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentQuestions:
    """Thread-safe: what is shown is kept by the bubble."""

    app: Pet
    book: AgentBook
    _lock: RLock = field(init=False, default_factory=RLock)

    def ask_agent(self, client: AgentClient, new: bool) -> Asked:
        """Return whether the owner is being asked about another agent, in the open chat or in the bubble. ``new``:
        begin to, where that is possible now."""
        label = client.label
        key = f"{label.name}\0{label.folder}"
        with self._lock:
            asking = self.app.bubble.is_asked(key) or (new and self.app.bubble.offer(self._question(label, key)) > 0)
            return "asking" if asking else "not_asked"

    def _question(self, label: AgentLabel, key: str) -> BubbleLine:
        pet, title = self.app.name(), label.title
        words = "ui.agents.asks" if label.is_known else "ui.agents.asks_unknown"

        def settle(mode: AgentMode) -> Callable[[], object]:
            return lambda: self.book.set_mode(label, mode, never=mode is AgentMode.OFF)

        def ask_in_chat(number: int) -> None:
            self.app.emitter.emit(
                AgentAsked(number=number, name=label.name, folder=label.folder, title=title, known=label.is_known)
            )

        return BubbleLine(
            offer=AGENT,
            words=lambda texts: texts(words, pet=pet, name=title, folder=label.folder),
            answers=(
                Answer(id="agent_read", text="bubble.read_only", act=settle(AgentMode.READ_ONLY)),
                Answer(id="agent_later", text="bubble.not_now", act=lambda: None),
                Answer(id="agent_never", text="bubble.never", style="quiet", act=settle(AgentMode.OFF)),
            ),
            session=key,
            rests=True,
            renewed=partial(_undecided, self.book, label),
            ask_in_chat=ask_in_chat,
            expires=AGENT_SECONDS,
        )

    def say_line(self, text: str, sender: str) -> bool:
        """Show a line of another program with its sender's name; return whether that is allowed now. Quiet hours, an
        open chat, full screen and a bubble that waits for an answer hold it; it is not shown later."""
        text, sender = visible_line(text, LONGEST_LINE), visible_line(sender, _LONGEST_SENDER)
        if not text or not sender:
            raise BadArguments(where="text", why="value")
        return self.app.bubble.offer_if_free(sent_line(text, sender))


_MOST = 100
"""Processes that are watched at once; more would be no agents."""


class ProcessWatch:
    """``ended``: called once with each watched process that ended, on a thread of its own, or at once on the caller's
    if there is no such process. Thread-safe."""

    def __init__(self, ended: Callable[[int], object]) -> None:
        self._ended = ended
        self._lock = Lock()
        self._waiting: dict[int, Thread] = {}  # by process
        self._closing, self._open = socket.socketpair()  # the first can be read once the other is closed
        self._closed = False

    def watch(self, process: int) -> None:
        """Report the end of a process, once."""
        if sys.platform != "linux" or process <= 0:
            return
        with self._lock:
            if process in self._waiting or self._closed or len(self._waiting) >= _MOST:
                return
            try:
                descriptor: int | None = os.pidfd_open(process)
            except ProcessLookupError:
                descriptor = None
            except OSError:  # too many, or an old kernel
                return
            if descriptor is not None:
                thread = Thread(target=self._wait, args=(process, descriptor), name="process-watch", daemon=True)
                self._waiting[process] = thread
                thread.start()
                return
        self._ended(process)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            waiting = list(self._waiting.values())
        self._open.close()
        for thread in waiting:
            thread.join()
        self._closing.close()

    def _wait(self, process: int, descriptor: int) -> None:
        with selectors.DefaultSelector() as selector:
            for each in (descriptor, self._closing.fileno()):
                selector.register(each, selectors.EVENT_READ)
            ready = [key.fd for key, _ in selector.select()]
        os.close(descriptor)
        with self._lock:
            del self._waiting[process]
        if descriptor in ready:
            self._ended(process)


_LINES = {"waiting": "bubble.agent_waiting", "done": "bubble.agent_done", "failed": "bubble.agent_failed"}
_AT_WORK = ("working", "waiting")
_AT_REST = ("done", "failed", "idle")
_NOTED_EVERY = timedelta(minutes=30)


@dataclass(slots=True, kw_only=True)
class AgentActivity:
    """Thread-safe. ``note`` and ``ask`` are called by hooks; ``note_work``: notes turns with an agent, raises
    PetError; ``last_events``: by client, in this run."""

    app: Pet
    book: AgentBook
    note_work: Callable[[AgentLabel, int], object]
    last_events: dict[str, str] = field(init=False, default_factory=dict)
    sessions: AgentSessions = field(init=False)
    _watch: ProcessWatch = field(init=False)
    _turns: dict[AgentLabel, int] = field(init=False, default_factory=dict)  # not noted yet
    _noted: dict[AgentLabel, datetime] = field(init=False, default_factory=dict)
    _asking: dict[int, tuple[str, Signal]] = field(init=False, default_factory=dict)  # session, by hook

    def __post_init__(self) -> None:
        self._watch = ProcessWatch(self._ended)
        self.sessions = AgentSessions(moved=self._moved, watch=self._watch.watch)

    def close(self) -> None:
        self._watch.close()
        for _, signal in list(self._asking.values()):
            signal.set()
        for session in self.sessions.all():
            self._moved(session, None)

    def note(self, event: HookEvent) -> bool:
        """Fold one event; return whether the permission that it asks for may be asked here."""
        session = self.sessions.note(event)
        if session is None:
            return False
        self.last_events[session.label.name] = self.app.clock.now().isoformat(timespec="seconds")
        asks = event.event == "PermissionRequest" and event.tool not in ASKING_TOOLS
        return asks and self.book.grants(session.label, "permissions") and self._may_ask

    def ask(self, event: HookEvent, command: str, hook: int) -> PermissionAnswer:
        """Ask the owner for a permission, and wait; "" if there is no answer here: the agent then asks itself.

        Ends with the owner's answer, with whatever takes the question away (an answer elsewhere, the end of the
        hook's process ``hook`` or of the agent, an open chat), and with the hook's time. Questions queue.
        """
        session = self.sessions.find(session_key(event))
        if session is None or session.state != "waiting" or not self.book.grants(session.label, "permissions"):
            return ""
        decided, answers = Signal(), list[PermissionAnswer]()

        def decide(answer: PermissionAnswer) -> None:
            answers.append(answer)
            decided.set()

        line = permission_line(session.label, session.key, command, session.tool, decide)
        if not self._may_ask or not (number := self.app.bubble.offer(line)):
            return ""
        self._asking[hook] = (session.key, decided)
        self._watch.watch(hook)
        now = self.sessions.find(session.key)
        if now is not None and now.state == "waiting":
            decided.wait(ANSWER_SECONDS)
        self._asking.pop(hook, None)
        self.app.bubble.take_away(number)
        return answers[0] if answers else ""

    def on_event(self, event: Event) -> None:
        if isinstance(event, SettingsChanged):
            self._pose()

    @property
    def _may_ask(self) -> bool:
        """Whether a permission could be asked for: not while the owner writes in the field."""
        return self.app.bubble.field is None and self.app.bubble.may(PERMISSION)

    # --- inside ---------------------------------------------------------------------------------

    def _introduce(self, label: AgentLabel) -> None:
        """List a new agent, so that the owner can switch something on for it."""
        if self.book.state().client(label) is None:
            with suppress(WriteFailed):  # the states need no file
                self.book.note_seen(label)

    def _ended(self, process: int) -> None:
        if (asking := self._asking.get(process)) is not None:
            session, signal = asking
            signal.set()
            # The agent ends a hook that still asks once its owner answered there. Claude Code reports no refusal.
            self.sessions.question_ended(session)
        self.sessions.process_ended(process)

    def _moved(self, before: AgentSession | None, after: AgentSession | None) -> None:
        if before is not None and before.state == "waiting" and (after is None or after.state != "waiting"):
            self.app.bubble.close_session(before.key)
        if before is None and after is not None:
            self._introduce(after.label)
        self._pose()
        if after is not None and (before is None or before.state != after.state):
            self._speak(after, was_at_work=before is not None and before.state in _AT_WORK)
        if after is not None and after.turns > (before.turns if before else 0):
            self._turns[after.label] = self._turns.get(after.label, 0) + 1
        if (ended := after or before) is not None and (after is None or after.state in _AT_REST):
            self._note_work(ended.label, over=after is None)
        self.app.emit(AgentsChanged())

    def _note_work(self, label: AgentLabel, *, over: bool) -> None:
        """Note the turns since the last time: when a session is over, and now and then when a turn is."""
        now = self.app.clock.now()
        if not over and label in self._noted and now - self._noted[label] < _NOTED_EVERY:
            return
        if turns := self._turns.pop(label, 0):
            self._noted[label] = now
            with suppress(PetError):  # the work goes on without the note
                self.note_work(label, turns)

    def _pose(self) -> None:
        settings, states = self.app.effective.current(), {each.state for each in self.sessions.all()}
        mood = Mood.WAITING if "waiting" in states else Mood.THINKING if "working" in states else None
        silent = settings.of(AgentSettings).agents_shown == "silence" or wants_quiet(settings, self.app.clock.now())
        self.app.moods.rest_as(None if silent else mood)

    def _speak(self, after: AgentSession, *, was_at_work: bool) -> None:
        settings = self.app.effective.current()
        if settings.of(AgentSettings).agents_shown != "reactions" or wants_quiet(settings, self.app.clock.now()):
            return
        if after.state not in _LINES or not (was_at_work or after.state == "waiting"):
            return
        window = self.app.windows.system.find_window(after.process, after.label.folder_name)
        self.app.bubble.offer_if_free(
            state_line(self.app.bubble, _LINES[after.state], after.label, after.key, window)
        )
        if after.state == "done":
            self.app.moods.wear(Mood.HAPPY)
        elif after.state == "failed":
            self.app.moods.wear(Mood.SAD)
