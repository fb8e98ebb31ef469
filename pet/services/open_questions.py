"""Questions that wait for the owner: one is shown after the other, and none holds another's answer up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Timer

from pet.access import AgentMode
from pet.agents.book import AgentBook, AgentLabel
from pet.events import AgentAsked, Event
from pet.services.bubble_text import WAITS, Kind, Speech

_FIRST = ("permission", "question", "agent")
"""Kinds in the order they are shown: a program waits for a permission, a turn for the answer to its proposal."""
_MOST = 20
AGENT_SECONDS = 600.0
"""Time for the question about another agent, which is asked again the next day. A permission has its hook's."""


@dataclass(slots=True, kw_only=True)
class OpenQuestions:
    """Not thread-safe. ``over``: called on another thread with the number of a question whose time is over."""

    agents: AgentBook
    emit: Callable[[Event], object]
    over: Callable[[int], object]
    _open: dict[int, Speech] = field(init=False, default_factory=dict)
    _timers: dict[int, Timer] = field(init=False, default_factory=dict)
    _in_chat: int = field(init=False, default=0)  # number of the question that the chat asks

    def add(self, question: Speech) -> bool:
        """Add a question under its number; return False if too many wait."""
        if len(self._open) >= _MOST:
            return False
        self._open[question.number] = question
        if question.kind == "agent":
            timer = self._timers[question.number] = Timer(AGENT_SECONDS, self.over, (question.number,))
            timer.daemon = True
            timer.start()
        return True

    def first(self, *without: Kind) -> Speech | None:
        """Return the question to be shown; ``without``: kinds that can't be."""
        shown = [each for each in self._open.values() if each.kind not in without]
        return min(shown, key=lambda each: _FIRST.index(each.kind), default=None)

    def find(self, number: int) -> Speech | None:
        return self._open.get(number)

    def is_about(self, label: AgentLabel) -> bool:
        """Whether the question about this agent is open."""
        return any(each.kind == "agent" and each.agent == label for each in self._open.values())

    def is_decided(self, question: Speech) -> bool:
        """Whether the owner has decided about the agent elsewhere."""
        client = self.agents.state().client(question.agent) if question.kind == "agent" and question.agent else None
        return client is not None and (client.never or client.mode is not AgentMode.OFF)

    def ask_in_chat(self) -> None:
        """Let the open chat ask about the first agent."""
        asked = self.first("permission", "question")
        if asked is not None and asked.agent is not None and asked.number != self._in_chat:
            self._in_chat, label = asked.number, asked.agent
            name, folder, title, known = label.name, label.folder, label.title, label.is_known
            self.emit(AgentAsked(number=asked.number, name=name, folder=folder, title=title, known=known))

    def leave_chat(self) -> None:
        """The chat was hidden: what it asked is asked elsewhere."""
        self._in_chat = 0

    def take(self, ended: Callable[[Speech], bool]) -> list[int]:
        """Remove questions; a permission among them is left to its agent. Return their numbers."""
        numbers = [number for number, each in self._open.items() if ended(each)]
        for number in numbers:
            question = self._open.pop(number)
            if question.permission is not None:
                question.permission.decide("")
            if (timer := self._timers.pop(number, None)) is not None:
                timer.cancel()
        return numbers


def gives_way(shown: Speech | None, question: Speech) -> bool:
    """Whether what is shown gives way to a question. Not to an agent's, if the owner writes or has to answer."""
    if shown is None or shown.kind not in WAITS:
        return True
    if shown.kind in _FIRST:
        return _FIRST.index(question.kind) < _FIRST.index(shown.kind)
    return question.kind == "question" or (question.kind == "permission" and shown.kind == "reminders")
