"""The question whether the owner will look at a change that the pet proposes in the hidden chat."""

from __future__ import annotations

from pet.events import Event, ProposalAsked, ProposalClosed
from pet.services.offers.offer import BubbleLine, Cue, Desk, Offer, always


def _due(desk: Desk, cue: Cue) -> BubbleLine | None:
    assert isinstance(cue, ProposalAsked)
    return proposal_line(desk, cue.conversation)


def proposal_line(desk: Desk, conversation: str) -> BubbleLine:
    """Return the question about the proposal of a conversation."""

    def renewed(line: BubbleLine, event: Event) -> BubbleLine | None:
        over = isinstance(event, ProposalClosed) and event.conversation == conversation
        return None if over else line

    to_chat = desk.to_chat(conversation, "bubble.look", "main")
    return BubbleLine(
        offer=PROPOSAL,
        words=lambda texts: texts("bubble.question"),
        answers=(to_chat,),
        conversation=conversation,
        renewed=renewed,
    )


PROPOSAL = Offer(
    kind="question",
    on=(ProposalAsked,),
    due=_due,
    setting=always,
    memory="any",
    held="kept",
    chat="shown",
    stays="queued",
    rank=2,
    seconds=0.0,
    questions=0,
    pauses=False,
    voiced=True,
)
