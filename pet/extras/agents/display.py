"""Other agents' work as the pet shows it: a pose, a line at the moments that matter, and permissions asked for here.

Everything shown is made of names (program, folder, tool); only a permission that the owner switched to the pet brings
the agent's own command, which is shown and never stored.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Event as Signal
from threading import Lock, Thread

from pet.clock import Clock
from pet.engine.mood import MoodTracker
from pet.errors import PetError, WriteFailed
from pet.events import Event, Mood, SettingsChanged
from pet.extras.agents.activity import (
    ASKING_TOOLS,
    AgentSession,
    AgentSessions,
    HookEvent,
    PermissionAnswer,
    session_key,
)
from pet.extras.agents.book import AgentBook, AgentLabel
from pet.extras.agents.events import AgentsChanged
from pet.extras.agents.hook import ANSWER_SECONDS
from pet.extras.agents.lines import PERMISSION, permission_line, state_line
from pet.extras.agents.settings import AgentSettings
from pet.services.desktop_port import DesktopPort
from pet.services.offers.bubble import SpeechBubble
from pet.services.proactive_limits import wants_quiet
from pet.settings.schema import Settings

_MOST = 100
"""Processes that are watched at once; more would be no agents."""


class ProcessWatch:
    """``ended``: called once with each watched process that ended, on the watch's thread, or at once on the caller's
    if there is no such process. Thread-safe."""

    def __init__(self, ended: Callable[[int], object]) -> None:
        self._ended = ended
        self._lock = Lock()
        self._open: dict[int, int] = {}  # descriptor by process
        self._wake: socket.socket | None = None
        self._thread: Thread | None = None
        self._selector: selectors.BaseSelector | None = None
        self._closed = False

    def watch(self, process: int) -> None:
        """Report the end of a process, once."""
        if sys.platform != "linux" or process <= 0:
            return
        with self._lock:
            if process in self._open or self._closed or len(self._open) >= _MOST:
                return
            try:
                descriptor = os.pidfd_open(process)
                self._open[process] = descriptor
                self._begin().register(descriptor, selectors.EVENT_READ, process)
                self._wake_up()
                return
            except ProcessLookupError:
                pass
            except OSError:  # too many, or an old kernel
                return
        self._ended(process)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            thread = self._thread
            self._wake_up()
        if thread is not None:
            thread.join()
        for descriptor in self._open.values():
            os.close(descriptor)
        self._open.clear()

    def _begin(self) -> selectors.BaseSelector:
        if self._selector is None:
            self._selector = selectors.DefaultSelector()
            self._wake, woken = socket.socketpair()
            self._selector.register(woken, selectors.EVENT_READ, None)
            self._thread = Thread(target=self._run, args=(self._selector, woken), name="process-watch", daemon=True)
            self._thread.start()
        return self._selector

    def _wake_up(self) -> None:
        if self._wake is not None:
            with suppress(OSError):
                self._wake.send(b"x")

    def _run(self, selector: selectors.BaseSelector, woken: socket.socket) -> None:
        while not self._closed:
            for key, _ in selector.select():
                process = key.data
                if process is None:
                    woken.recv(64)
                    continue
                with self._lock:
                    selector.unregister(key.fd)
                    os.close(self._open.pop(process))
                self._ended(process)
        selector.close()
        woken.close()
        if self._wake is not None:
            self._wake.close()


_LINES = {"waiting": "bubble.agent_waiting", "done": "bubble.agent_done", "failed": "bubble.agent_failed"}
_AT_WORK = ("working", "waiting")
_AT_REST = ("done", "failed", "idle")
_NOTED_EVERY = timedelta(minutes=30)


@dataclass(slots=True, kw_only=True)
class AgentActivity:
    """Thread-safe. ``note`` and ``ask`` are called by hooks; ``note_work``: notes turns with an agent, raises
    PetError; ``last_events``: by client, in this run."""

    book: AgentBook
    bubble: SpeechBubble
    moods: MoodTracker
    settings: Callable[[], Settings]
    windows: DesktopPort
    clock: Clock
    emit: Callable[[Event], object]
    note_work: Callable[[AgentLabel, int], object] = lambda _label, _turns: None
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
        self.last_events[session.label.name] = self.clock.now().isoformat(timespec="seconds")
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
        if not self._may_ask or not (number := self.bubble.offer(line)):
            return ""
        self._asking[hook] = (session.key, decided)
        self._watch.watch(hook)
        now = self.sessions.find(session.key)
        if now is not None and now.state == "waiting":
            decided.wait(ANSWER_SECONDS)
        self._asking.pop(hook, None)
        self.bubble.take_away(number)
        return answers[0] if answers else ""

    def on_event(self, event: Event) -> None:
        if isinstance(event, SettingsChanged):
            self._pose()

    @property
    def _may_ask(self) -> bool:
        """Whether a permission could be asked for: not while the owner writes in the field."""
        return self.bubble.field is None and self.bubble.may(PERMISSION)

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
            self.bubble.close_session(before.key)
        if before is None and after is not None:
            self._introduce(after.label)
        self._pose()
        if after is not None and (before is None or before.state != after.state):
            self._speak(after, was_at_work=before is not None and before.state in _AT_WORK)
        if after is not None and after.turns > (before.turns if before else 0):
            self._turns[after.label] = self._turns.get(after.label, 0) + 1
        if (ended := after or before) is not None and (after is None or after.state in _AT_REST):
            self._note_work(ended.label, over=after is None)
        self.emit(AgentsChanged())

    def _note_work(self, label: AgentLabel, *, over: bool) -> None:
        """Note the turns since the last time: when a session is over, and now and then when a turn is."""
        now = self.clock.now()
        if not over and label in self._noted and now - self._noted[label] < _NOTED_EVERY:
            return
        if turns := self._turns.pop(label, 0):
            self._noted[label] = now
            with suppress(PetError):  # the work goes on without the note
                self.note_work(label, turns)

    def _pose(self) -> None:
        settings, states = self.settings(), {each.state for each in self.sessions.all()}
        mood = Mood.WAITING if "waiting" in states else Mood.THINKING if "working" in states else None
        silent = settings.of(AgentSettings).agents_shown == "silence" or wants_quiet(settings, self.clock.now())
        self.moods.rest_as(None if silent else mood)

    def _speak(self, after: AgentSession, *, was_at_work: bool) -> None:
        settings = self.settings()
        if settings.of(AgentSettings).agents_shown != "reactions" or wants_quiet(settings, self.clock.now()):
            return
        if after.state not in _LINES or not (was_at_work or after.state == "waiting"):
            return
        window = self.windows.system.find_window(after.process, after.label.folder_name)
        self.bubble.offer_if_free(state_line(self.bubble, _LINES[after.state], after.label, after.key, window))
        if after.state == "done":
            self.moods.wear(Mood.HAPPY)
        elif after.state == "failed":
            self.moods.wear(Mood.SAD)
