"""States of other agents' sessions, folded from the events of their hooks.

An event has names only: no prompt, no code, no path but the folder the agent works in. Nothing is stored on disk, and
no clock ends a state: events do, or the end of the agent's process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Literal

from pet.extras.agents.book import AgentLabel, label_of

SessionState = Literal["idle", "working", "waiting", "done", "failed"]
Doing = Literal["", "reading", "writing", "running"]
PermissionAnswer = Literal["", "allow", "deny"]
"""The owner's answer to what an agent asks permission for; "" for none here."""
Step = Literal[
    "prompt", "tool", "tool_ended", "helper_ended", "working", "waiting", "done", "failed", "interrupted", "ended"
]

_MOST_SESSIONS = 40
_NAMES: Mapping[Step, str] = {
    "prompt": "UserPromptSubmit BeforeAgent beforeSubmitPrompt",
    "tool": "PreToolUse BeforeTool beforeShellExecution beforeMCPExecution beforeReadFile tool.execute.before",
    "tool_ended": "PostToolUse PostToolUseFailure AfterTool afterShellExecution afterMCPExecution afterFileEdit"
    " tool.execute.after permission.replied",
    "helper_ended": "SubagentStop",
    "working": "PreCompact SubagentStart UserPromptSubmit:task",
    "waiting": "PermissionRequest Notification:permission_prompt Notification:elicitation_dialog"
    " Notification:ToolPermission permission.asked",
    "done": "Stop AfterAgent stop session.idle",
    "failed": "StopFailure session.error",
    "interrupted": "Interrupt SessionStart sessionStart",
    "ended": "SessionEnd sessionEnd session.deleted",
}
_STEPS: dict[str, Step] = {name: step for step, names in _NAMES.items() for name in names.split()}
"""Steps by the names of events in Claude Code, Codex, Gemini CLI, Cursor and OpenCode. Others change nothing."""
ASKING_TOOLS = ("AskUserQuestion", "ExitPlanMode", "request_user_input", "ask_user")
"""Tools that ask the owner something themselves; Claude Code reports them as PermissionRequest too."""
_READS = re.compile(r"read|grep|glob|^ls$|list|search|fetch|view|find|_get$|profile$|reminders$", re.IGNORECASE)
_WRITES = re.compile(r"edit|write|patch|replace|create", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class HookEvent:
    """``session``: a hash of the agent's own id; ``process``: the agent's, 0 if unknown."""

    event: str
    client: str
    folder: str
    tool: str
    session: str
    process: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSession:
    """A running session. ``label``: as at its first event, since agents change their folder. ``tool``: the last one,
    or the one whose permission is waited for; ``turns``: messages of its owner since it was first seen."""

    key: str
    label: AgentLabel
    process: int
    state: SessionState = "idle"
    doing: Doing = ""
    tool: str = ""
    turns: int = 0


def doing_of(tool: str) -> Doing:
    """Return the kind of a tool by its name.

    >>> doing_of("mcp__soulpet__memory_get"), doing_of("apply_patch"), doing_of("Bash"), doing_of("")
    ('reading', 'writing', 'running', '')
    """
    if not tool:
        return ""
    return "writing" if _WRITES.search(tool) else "reading" if _READS.search(tool) else "running"


def after_event(session: AgentSession, event: HookEvent) -> AgentSession | None:
    """Return the session after an event; None if it ended. Pure."""
    match _STEPS.get(event.event):
        case "prompt":
            return replace(session, state="working", doing="", tool="", turns=session.turns + 1)
        case "tool" if event.tool in ASKING_TOOLS:
            return replace(session, state="waiting", doing="", tool=event.tool)
        case "tool":
            return replace(session, state="working", doing=doing_of(event.tool), tool=event.tool)
        case "tool_ended" if session.state == "waiting" and event.tool and session.tool not in (event.tool, ""):
            return session  # one of several tools at once: the question is still open
        case "helper_ended" if session.state != "working":
            return session
        case "tool_ended" | "helper_ended" | "working":
            return replace(session, state="working", doing="", tool="")
        case "waiting":
            return replace(session, state="waiting", doing="", tool=event.tool or session.tool)
        case "done" | "failed" as step:
            return replace(session, state=step, doing="", tool="")
        case "interrupted":
            return replace(session, state="idle", doing="", tool="")
        case "ended":
            return None
        case _:
            return session


def session_key(event: HookEvent) -> str:
    """Return what tells sessions apart."""
    return f"{label_of(event.client, '').name} {event.session[:40]}"


@dataclass(slots=True, kw_only=True)
class AgentSessions:
    """Thread-safe. ``moved``: called after each change, in order, with the session before and after; None: it is
    new, or ended. ``watch``: reports the end of a process to ``process_ended``."""

    moved: Callable[[AgentSession | None, AgentSession | None], object]
    watch: Callable[[int], object] = lambda _process: None
    _sessions: dict[str, AgentSession] = field(init=False, default_factory=dict)
    _lock: RLock = field(init=False, default_factory=RLock)

    def note(self, event: HookEvent) -> AgentSession | None:
        """Fold an event; return the session, None if it ended or the event is unknown."""
        if event.event not in _STEPS:
            return None
        key = session_key(event)
        with self._lock:
            before = self._sessions.get(key)
            session = before or AgentSession(key=key, label=label_of(event.client, event.folder), process=0)
            after = after_event(replace(session, process=event.process or session.process), event)
            self._put(key, before, after)
        if after is not None and event.process and (before is None or before.process != event.process):
            self.watch(event.process)  # it may have ended by now
        return after

    def process_ended(self, process: int) -> None:
        """End every session of an agent's process."""
        with self._lock:
            for key, session in list(self._sessions.items()):
                if session.process == process:
                    self._put(key, session, None)

    def question_ended(self, key: str) -> None:
        """Let a session wait no longer; its next event says what it does."""
        with self._lock:
            session = self._sessions.get(key)
            if session is not None and session.state == "waiting":
                self._put(key, session, replace(session, state="idle", tool=""))

    def all(self) -> list[AgentSession]:
        """Return the sessions, the newest change last."""
        with self._lock:
            return list(self._sessions.values())

    def find(self, key: str) -> AgentSession | None:
        return self._sessions.get(key)

    def _put(self, key: str, before: AgentSession | None, after: AgentSession | None) -> None:
        self._sessions.pop(key, None)
        if after is not None:
            self._sessions[key] = after
        if after != before:
            self.moved(before, after)
        if len(self._sessions) > _MOST_SESSIONS:
            oldest = next(iter(self._sessions))
            self._put(oldest, self._sessions[oldest], None)
