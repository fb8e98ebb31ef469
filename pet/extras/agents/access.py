"""Access policy for other programs that ask for memory: what each position lets them see and write. Pure.

Applied by the gateway, through the same ``TurnGate`` that a conversation's turn has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

from pet.access import GATED, TEMPORARY, Access, FileKind, PetGate, TurnGate


class AgentMode(StrEnum):
    """The positions of another program that asks for memory."""

    OFF = "off"
    READ_ONLY = "read"
    PROPOSE = "propose"
    WRITE = "write"

    @property
    def rank(self) -> int:
        """Position in the order of the members: a higher one allows more."""
        return tuple(AgentMode).index(self)


AGENT_OFF = replace(TEMPORARY, in_prompt=frozenset(), readable=frozenset(), keeps=True, conversations=False)
"""No access at all, not even to SOUL.md."""
AGENT_READ = replace(AGENT_OFF, memory=True, readable=GATED, recalls=True)
"""The gated files and search in them; no conversations, no SOUL.md."""
AGENT_PROPOSE = replace(AGENT_READ, proposes=True)
AGENT_WRITE = replace(AGENT_PROPOSE, appendable=frozenset({FileKind.LOG}), learns=True)

AGENT_POSITIONS = {
    AgentMode.OFF: AGENT_OFF,
    AgentMode.READ_ONLY: AGENT_READ,
    AgentMode.PROPOSE: AGENT_PROPOSE,
    AgentMode.WRITE: AGENT_WRITE,
}


def agent_access(mode: AgentMode, *, conversations: bool = False) -> Access:
    """Return a position's rights, with ``conversations`` also to find those that a conversation with memory on finds.

    >>> agent_access(AgentMode.OFF, conversations=True).conversations
    False
    """
    access = AGENT_POSITIONS[mode]
    return replace(access, conversations=conversations and access.recalls)


class AgentGate:
    """Access of another program. ``mode`` returns its position now, by whatever process it was moved;
    ``conversations``: whether it may find them.

    >>> gate = AgentGate(PetGate(), lambda: AgentMode.READ_ONLY)
    >>> gate.begin_call().check_read(FileKind.SOUL, "SOUL.md")
    Traceback (most recent call last):
    pet.errors.AccessDenied: access_denied {'file': 'SOUL.md'}
    """

    def __init__(
        self, pet: PetGate, mode: Callable[[], AgentMode], conversations: Callable[[], bool] = lambda: False
    ) -> None:
        self._pet = pet
        self._mode = mode
        self._conversations = conversations

    def begin_call(self) -> TurnGate:
        """Return the gate of one call: it has the present rights, and loses all of them once they shrink."""
        mode, finds, closings = self._snapshot()

        def live() -> Access:
            now, still, count = self._snapshot()
            kept = count == closings and now.rank >= mode.rank and still >= finds
            return agent_access(now, conversations=still) if kept else AGENT_OFF

        return TurnGate(agent_access(mode, conversations=finds), live)

    def _snapshot(self) -> tuple[AgentMode, bool, int]:
        paused, closings = self._pet.snapshot()
        return AgentMode.OFF if paused else self._mode(), self._conversations(), closings
