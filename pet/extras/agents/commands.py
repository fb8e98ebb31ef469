"""Commands about other agents: their calls, from ``pet mcp`` over the socket, and what the owner decides."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pet.bridge.command import Client, command
from pet.errors import UnknownPet
from pet.events import Mood
from pet.extras.agents.access import AgentMode
from pet.extras.agents.activity import HookEvent, PermissionAnswer
from pet.extras.agents.agent_tools import AgentAnswer
from pet.extras.agents.book import AgentLabel, Grant, label_of, visible_line
from pet.extras.agents.installation import (
    ProgramId,
    find_hooks,
    find_program,
    hook_command,
    install,
    install_hooks,
    remove_hooks,
    server_command,
    uninstall,
)
from pet.extras.agents.views import AgentsView, NoteAnswer, agents_view, answer_note
from pet.fs.locks import as_write_errors
from pet.paths import find_home

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.extras.agents.display import AgentActivity, AgentQuestions
    from pet.extras.agents.gateway import AgentGateway


SaidMood = Literal["neutral", "happy", "sad", "surprised"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineShown:
    """``shown`` False: quiet hours, an open chat or a full screen hold it."""

    shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EventNoted:
    """``ask``: send the command too; the owner decides about it here."""

    ask: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionGiven:
    """``answer`` "": none; the agent asks itself."""

    answer: PermissionAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCommands:
    app: Pet
    gateway: AgentGateway
    activity: AgentActivity
    questions: AgentQuestions

    @property
    def _portable_home(self) -> Path | None:
        """The folder of a portable use."""
        home = self.app.home
        return home.data.parent if home == find_home(home.data.parent) else None

    def _hook(self, client: str) -> str:
        return hook_command(client, self.app.home.state, self._portable_home)

    @command(Client.SOCKET)
    def say_line(self, text: str, sender: str, mood: SaidMood = "neutral") -> LineShown:
        """Show a line of another program in the bubble, bounded and with its sender's name."""
        shown = self.questions.say_line(text, sender)
        if shown and mood != "neutral":
            self.app.moods.wear(Mood(mood))
        return LineShown(shown=shown)

    @command(Client.SOCKET)
    def call_agent_tool(
        self, client: str, folder: str, tool: str, arguments: str, pet: str | None = None
    ) -> AgentAnswer:
        """Run a tool for another agent, as its position allows. Raises UnknownPet if another pet runs.

        ``client`` and ``folder`` are what the caller says of itself: a label.
        """
        if pet not in (None, self.app.pet_id):
            raise UnknownPet(pet_id=str(pet))
        return self.gateway.call(label_of(client, folder), tool, arguments)

    @command(Client.SOCKET)
    def note_agent_event(
        self, event: str, client: str, folder: str, tool: str, session: str, process: int
    ) -> EventNoted:
        """Note what another agent does; called by its hook (agents/hook.py)."""
        given = HookEvent(
            event=event, client=client, folder=folder, tool=visible_line(tool, 60), session=session, process=process
        )
        return EventNoted(ask=self.activity.note(given))

    @command(Client.SOCKET)
    def ask_permission(
        self, client: str, folder: str, tool: str, session: str, process: int, command: str, hook: int
    ) -> PermissionGiven:
        """Ask the owner whether another agent may do something, and wait for the answer. ``hook``: process that
        waits for it."""
        given = HookEvent(event="", client=client, folder=folder, tool=tool, session=session, process=process)
        return PermissionGiven(answer=self.activity.ask(given, command, hook))

    @command(Client.CHAT)
    def set_agent_grant(self, name: str, folder: str, grant: Grant, on: bool) -> AgentsView:
        """Switch one thing on or off for an agent, besides its position."""
        self.gateway.book.set_grant(AgentLabel(name, folder), grant, on)
        return self.list_agents()

    @command(Client.CHAT)
    def set_up_hooks(self, program: ProgramId, installed: bool) -> AgentsView:
        """Put the hooks in a program's settings file, or take them out. Raises AgentFileRefused, WriteFailed."""
        hooks = find_hooks(program)
        with as_write_errors(str(hooks.file)):
            if installed:
                install_hooks(hooks, self._hook(hooks.client))
            else:
                remove_hooks(hooks)
        return self.list_agents()

    @command(Client.CHAT)
    def list_agents(self) -> AgentsView:
        """Return the other agents, what they read today, and what they proposed or wrote."""
        commands = [server_command(self._portable_home, pet) for pet in (self.app.pet_id, None)]
        return agents_view(self.gateway, self.activity, commands, self._hook)

    @command(Client.CHAT)
    def set_agent(self, name: str, folder: str, mode: AgentMode, never: bool = False) -> AgentsView:
        """Move an agent's position; ``never``: off, and it asks no more."""
        self.gateway.book.set_mode(AgentLabel(name, folder), mode, never=never)
        return self.list_agents()

    @command(Client.CHAT)
    def answer_agent(self, answer: Literal["read", "later", "never"], number: int) -> None:
        """Answer the question about another agent that the chat asks: it may read, not now, or never."""
        self.app.bubble.answer(f"agent_{answer}", number, in_chat=True)

    @command(Client.CHAT)
    def remove_agent(self, name: str, folder: str) -> AgentsView:
        """Drop an agent from the list with its waiting proposals; it is unknown again."""
        self.gateway.book.remove(AgentLabel(name, folder))
        return self.list_agents()

    @command(Client.CHAT)
    def answer_agent_note(self, id: str, answer: NoteAnswer, text: str = "") -> AgentsView:  # noqa: A002
        """Keep a proposal, as it is or as ``text``, refuse it, or undo a written entry. Raises UnknownProposal."""
        answer_note(self.gateway, id, answer, text)
        return self.list_agents()

    @command(Client.CHAT)
    def set_up_program(self, program: ProgramId, installed: bool) -> AgentsView:
        """Put the server in a program's settings file, or take it out. Raises AgentFileRefused, WriteFailed."""
        client = find_program(program)
        with as_write_errors(str(client.file)):
            if installed:
                install(client, server_command(self._portable_home, self.app.pet_id))
            else:
                uninstall(client)
        return self.list_agents()
