"""The question whether the owner will review a change that the pet proposes in the hidden chat.

A short note whose sources are foreign is shown whole, and may be allowed here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pet.events import Event, ProposalAsked, ProposalClosed
from pet.language.categories import CATEGORIES
from pet.model import Allowed, Lasting, Proposal
from pet.services.offers.offer import Answer, BubbleLine, Cue, Offer, always
from pet.services.offers.wording import source_words
from pet.text.unseen import reveal

if TYPE_CHECKING:
    from pet.services.offers.bubble import SpeechBubble

_LONGEST = 200  # characters of a note in the bubble


def _due(bubble: SpeechBubble, cue: Cue) -> BubbleLine | None:
    assert isinstance(cue, ProposalAsked)
    return proposal_line(bubble, cue.conversation, cue.proposal)


def proposal_line(bubble: SpeechBubble, conversation: str, proposal: Proposal) -> BubbleLine:
    """Return the question about the proposal of a conversation."""

    def renewed(line: BubbleLine, event: Event) -> BubbleLine | None:
        over = isinstance(event, ProposalClosed) and event.conversation == conversation
        return None if over else line

    to_chat = bubble.to_chat(conversation, "bubble.look", "main")
    line = BubbleLine(
        offer=PROPOSAL,
        words=lambda texts: texts("bubble.question"),
        answers=(to_chat,),
        conversation=conversation,
        renewed=renewed,
    )
    if not _is_whole_here(proposal):
        return line

    def allow(*, lasting: Lasting) -> None:
        decision = Allowed(text=proposal.after, edited=False, lasting=lasting)
        bubble.pet.conversations.open(conversation).answer(proposal.id, decision)

    return replace(
        line,
        words=lambda texts: texts("bubble.foreign", sources=source_words(proposal.foreign, texts)),
        answers=(
            Answer(id="allow", text="ui.proposal.allow", act=partial(allow, lasting="once")),
            Answer(id="from_now_on", text="ui.proposal.from_now_on", act=partial(allow, lasting="conversation")),
            to_chat,
        ),
        command=proposal.after,
        rests=True,
    )


def _is_whole_here(proposal: Proposal) -> bool:
    """Whether the bubble shows all that would be written: a short new entry without anything that can't be seen."""
    text = proposal.after
    new = proposal.reason == "foreign" and proposal.category in CATEGORIES and proposal.noted is None
    return (
        new and not proposal.before and len(text) <= _LONGEST and "\n" not in text and reveal(text, "⟨{:X}⟩") == text
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
