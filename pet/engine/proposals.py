"""Proposals: changes that await the owner's decision.

Tracks the open ones of a conversation; answers to closed ones are rejected.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

from pet.errors import UnknownProposal
from pet.events import Event, ProposalAsked, ProposalClosed
from pet.model import Allowed, Decision, Proposal, Refused


class OpenProposals:
    """The open proposals of a conversation. On the engine's thread; ``list_open`` from any."""

    def __init__(self, conversation: str, emit: Callable[[Event], object]) -> None:
        self._conversation = conversation
        self._emit = emit
        self._open: dict[str, tuple[Proposal, asyncio.Future[Decision]]] = {}

    def list_open(self) -> list[Proposal]:
        """Return the proposals that wait for the owner, oldest first; from any thread."""
        return [proposal for proposal, _ in list(self._open.values())]

    async def ask(self, turn: str, proposal: Proposal) -> Decision:
        """Show the proposal and wait for the decision, without a time limit; hiding the window leaves it pending."""
        answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._open[proposal.id] = (proposal, answer)
        self._emit(ProposalAsked(conversation=self._conversation, turn=turn, proposal=proposal))
        decision: Decision = Refused(why="stopped")
        try:
            decision = await answer
            return decision
        finally:
            self._open.pop(proposal.id, None)
            self._emit(
                ProposalClosed(
                    conversation=self._conversation, turn=turn, proposal=proposal.id, outcome=_outcome(decision)
                )
            )

    def answer(self, proposal_id: str, decision: Decision) -> None:
        """Pass on the decision. Raises UnknownProposal if it is not open."""
        if proposal_id not in self._open:
            raise UnknownProposal()
        future = self._open[proposal_id][1]
        if not future.done():
            future.set_result(decision)

    def refuse_all(self, why: Literal["stopped", "closed", "memory_off"]) -> None:
        """Refuse all open proposals. On the engine's thread."""
        for _, future in list(self._open.values()):
            if not future.done():
                future.set_result(Refused(why=why))


def _outcome(decision: Decision) -> Literal["allowed", "edited", "refused"]:
    if isinstance(decision, Allowed):
        return "edited" if decision.edited else "allowed"
    return "refused"
