"""One-line commands that the running pet of this home answers: ``pet search`` and ``pet chat --once``.

Nothing is started here, and no engine is imported. Each function returns None where this process must do it itself:
without a running pet, for another pet than that one, or with a model or key set in this shell's environment.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from pet.access import MemoryMode
from pet.bridge.channel import NotListening
from pet.bridge.commands.lifecycle import Status
from pet.bridge.commands.terminal import TerminalCommands
from pet.bridge.dispatch import CommandFailed
from pet.bridge.emitter import EVENT_TYPES
from pet.bridge.socket_server import RunningPet
from pet.cli.arguments import Given
from pet.cli.commands.search import print_results
from pet.cli.remote import find_running
from pet.cli.terminal import Terminal, safe
from pet.clock import Clock, SystemClock
from pet.errors import EmptySearch, UnknownProposal
from pet.events import Event
from pet.i18n import Texts
from pet.memory.search.recall_selection import Hit
from pet.model import Allowed, Decision, TurnEnd
from pet.paths import Home
from pet.serde import from_data, parse, vars_of
from pet.settings.store import ENVIRONMENT

_ENVIRONMENT = (*ENVIRONMENT, "ANTHROPIC_API_KEY")


def meant_program(home: Home, given: Given) -> tuple[RunningPet, Status] | None:
    """Return the running program of the pet that is meant, and its status; None also if it does not respond."""
    try:
        return find_running(home, given.pet)
    except CommandFailed:
        return None


def search_running(home: Home, given: Given) -> int | None:
    """Print the best matches; return 1 without any, None if the pet doesn't run. Raises EmptySearch."""
    if not given.query.strip():
        raise EmptySearch
    program = meant_program(home, given)
    if program is None:
        return None
    running, status = program
    try:
        reply = running.call(TerminalCommands.search_in_terminal, given.query, given.count)
    except (CommandFailed, NotListening):  # of another version, or it ended meanwhile
        return None
    texts = Texts(status.language)
    _say_which(status, given, texts)
    hits = [Hit(**{name: value for name, value in vars_of(hit).items() if name != "sure"}) for hit in reply.hits]
    return print_results(given, texts, status.pet, hits, reply.embedder, reply.waiting)


def once_running(home: Home, given: Given, environ: Mapping[str, str] = os.environ) -> int | None:
    """Send one message and print the reply; return the exit code, None if the pet doesn't run."""
    if given.attach or given.temporary or any(environ.get(name, "").strip() for name in _ENVIRONMENT):
        return None
    program = meant_program(home, given)
    if program is None:
        return None
    from pet.cli.chat_turn import Answer, Confirmation, Follower  # late: a search needs none of these
    from pet.cli.format import complain_of_files, store_of

    running, status = program
    texts = Texts(status.language)
    terminal, clock = Terminal.standard(answer_only=True), SystemClock()
    answer: Answer = "yes" if given.yes else "no" if given.no else None
    turn = RemoteTurn(running, given.once or "", given.memory, given.conversation)
    follower = Follower(
        turn=turn,
        command=f"pet --pet {status.pet}" if status.has_others else "pet",
        today=lambda: _today(clock),
        terminal=terminal,
        texts=texts,
        confirmation=Confirmation(terminal=terminal, texts=texts, answer=answer),
        in_chat=False,
    )
    try:
        turn.start()
    except NotListening:
        return None
    _say_which(status, given, texts)
    if status.paused and given.memory is not MemoryMode.OFF:
        name = safe(status.pet_name)
        note = (
            texts("cli.paused_note_named", name=name, id=status.pet)
            if status.has_others
            else texts("cli.paused_note")
        )
        terminal.complain(note)
    command = f"pet --pet {status.pet}" if status.has_others else "pet"
    complain_of_files(store_of(home, home.workspace(status.pet)), terminal, texts, command)
    try:
        return 0 if follower.follow().end is TurnEnd.DONE else 1
    except NotListening:
        terminal.complain(texts("error.not_answering"))
        return 1


def _today(clock: Clock) -> date:
    return clock.now().date()


def _say_which(status: Status, given: Given, texts: Texts) -> None:
    if given.pet is None and not given.json and status.has_others:
        name = safe(status.pet_name)
        Terminal.standard().complain(texts("cli.which_pet", name=name, id=status.pet))


@dataclass(slots=True)
class RemoteTurn:
    """A turn that the running pet runs."""

    pet: RunningPet
    text: str
    memory: MemoryMode | None
    conversation: str | None
    _turn: str = ""
    _offset: int = 0
    _rest: str = ""  # of a line
    _events: list[Event] = field(default_factory=list)

    def start(self) -> str:
        """Send the message, the first time. Raises NotListening, CommandFailed."""
        if not self._turn:
            reply = self.pet.call(TerminalCommands.start_terminal_turn, self.text, self.memory, self.conversation)
            self._turn = reply.turn
        return self._turn

    def next_event(self) -> Event | None:
        """Raises NotListening if the pet ended, CommandFailed."""
        if not self._events:
            reply = self.pet.call(TerminalCommands.read_terminal_turn, self._turn, self._offset)
            self._offset += len(reply.text)
            *lines, self._rest = (self._rest + reply.text).split("\n")
            self._events = [_event(line) for line in lines]
        return self._events.pop(0) if self._events else None

    def stop(self) -> None:
        with suppress(NotListening, CommandFailed):
            self.pet.call(TerminalCommands.stop_terminal_turn, self._turn)

    def answer(self, proposal: str, decision: Decision) -> None:
        call = self.pet.call
        try:
            if isinstance(decision, Allowed):
                call(
                    TerminalCommands.answer_terminal_turn,
                    self._turn,
                    proposal,
                    decision.text,
                    decision.edited,
                    lasting=decision.lasting,
                )
            else:
                why: Literal["owner", "no_terminal"] = "no_terminal" if decision.why == "no_terminal" else "owner"
                call(TerminalCommands.answer_terminal_turn, self._turn, proposal, why=why)
        except CommandFailed as failed:
            if failed.error_code == UnknownProposal().error_code:
                raise UnknownProposal from None
            raise

    def close(self, changed: Sequence[str]) -> None:
        """Do nothing: the pet knows what it wrote."""


def _event(line: str) -> Event:
    data = parse(line)
    assert isinstance(data, dict)
    event: Event = from_data(EVENT_TYPES[str(data.pop("type"))], data)
    return event
