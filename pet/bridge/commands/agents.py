"""Commands about other agents: their calls, from ``pet mcp`` over the socket."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.agents.book import label_of
from pet.bridge.command import Client, command
from pet.errors import UnknownPet

if TYPE_CHECKING:
    from pet.agents.gateway import AgentGateway


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAnswer:
    """``error``: the call was refused or failed, and ``text`` says why."""

    text: str
    error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCommands:
    """``pet``: the id of the pet that runs."""

    pet: str
    gateway: AgentGateway

    @command(Client.SOCKET)
    def call_agent_tool(
        self, client: str, folder: str, tool: str, arguments: str, pet: str | None = None
    ) -> AgentAnswer:
        """Run a tool for another agent, as its position allows. Raises UnknownPet if another pet runs.

        ``client`` and ``folder`` are what the caller says of itself: a label.
        """
        if pet not in (None, self.pet):
            raise UnknownPet(pet_id=str(pet))
        reply = self.gateway.call(label_of(client, folder), tool, arguments)
        return AgentAnswer(text=reply.text, error=reply.error)
