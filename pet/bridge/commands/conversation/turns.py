"""Turns: send, stop, regenerate, continue, remove and restore; the answer to a proposed change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pet.bridge.command import Client, command
from pet.bridge.commands.memory.receipts import ReceiptReply
from pet.engine.conversation import LiveConversation
from pet.engine.conversations import Conversations
from pet.errors import AttachmentRefused, EmptyContent, UnknownProposal
from pet.model import Allowed, Attachment, Decision, Refused
from pet.workspace.attachments import MOST_IN_A_MESSAGE, Attachments


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStartedReply:
    turn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalArgs:
    """``text``: with ``edit``, the proposal as the owner changed it."""

    conversation: str
    proposal: str
    answer: Literal["allow", "edit", "refuse"]
    text: str | None = None


@dataclass(frozen=True, slots=True)
class TurnCommands:
    conversations: Conversations
    attachments: Attachments

    @command(Client.CHAT)
    def send_message(self, conversation: str, text: str, attachments: tuple[str, ...] = ()) -> TurnStartedReply:
        """Store the message, start a turn and return at once.

        ``attachments``: ids that ``add_attachment`` returned; with one the text may be empty.
        """
        return TurnStartedReply(turn=self.conversations.open(conversation).send(text, self._sent(attachments)))

    @command(Client.CHAT)
    def stop_turn(self, conversation: str) -> None:
        """Stop the running turn; its text so far is kept."""
        self.conversations.open(conversation).stop()

    @command(Client.CHAT)
    def resend(
        self, conversation: str, turn: str, text: str | None = None, attachments: list[str] | None = None
    ) -> TurnStartedReply:
        """Replace a turn: regenerate or retry it, or edit and resend its message.

        ``text`` None: the same message. ``attachments`` None: the same ones; an empty list: none.
        """
        sent = None if attachments is None else self._sent(attachments)
        return TurnStartedReply(turn=self.conversations.open(conversation).resend(turn, text, sent))

    @command(Client.CHAT)
    def continue_turn(self, conversation: str, turn: str) -> TurnStartedReply:
        """Continue a reply that was truncated or stopped."""
        return TurnStartedReply(turn=self.conversations.open(conversation).continue_turn(turn))

    @command(Client.CHAT)
    def get_acquainted(self, conversation: str) -> TurnStartedReply:
        """Start a turn in which the pet speaks first, to get to know its owner."""
        return TurnStartedReply(turn=self.conversations.open(conversation).get_acquainted())

    @command(Client.CHAT)
    def remove_turn(self, conversation: str, turn: str) -> None:
        """Remove a message and its reply from the conversation."""
        self.conversations.open(conversation).remove_turn(turn)

    @command(Client.CHAT)
    def restore_turns(self, conversation: str, turns: list[str]) -> None:
        """Restore removed turns at their places."""
        self.conversations.open(conversation).restore_turns(turns)

    @command(Client.CHAT)
    def choose_variant(self, conversation: str, turn: str) -> None:
        """Make another reply of a turn active again, with the turns after it."""
        self.conversations.open(conversation).choose_variant(turn)

    @command(Client.CHAT)
    def remember_turn(self, conversation: str, turn: str, switch_on: bool = False) -> ReceiptReply:
        """Save the owner's message in today's log. ``switch_on``: turn memory on first."""
        live = self.conversations.open(conversation)
        return ReceiptReply(receipt=live.remember_turn(turn, switch_on=switch_on))

    @command(Client.CHAT)
    def answer_proposal(self, args: ProposalArgs) -> None:
        """Allow, edit or refuse a proposed change. Raises UnknownProposal, EmptyContent."""
        live = self.conversations.open(args.conversation)
        live.answer(args.proposal, _decision(live, args))

    def _sent(self, ids: Sequence[str]) -> tuple[Attachment, ...]:
        """Return the attachments of these ids, each once. Raises AttachmentRefused."""
        wanted = list(dict.fromkeys(ids))
        if len(wanted) > MOST_IN_A_MESSAGE:
            raise AttachmentRefused("too_many", limit=MOST_IN_A_MESSAGE)
        return tuple(self.attachments.describe(each) for each in wanted)


def _decision(live: LiveConversation, args: ProposalArgs) -> Decision:
    if args.answer == "refuse":
        return Refused(why="owner")
    proposal = next((each for each in live.proposals.list_open() if each.id == args.proposal), None)
    if proposal is None:
        raise UnknownProposal()
    if args.answer == "allow":
        return Allowed(text=proposal.after, edited=False)
    if args.text is None or not args.text.strip():
        raise EmptyContent(file=proposal.file)
    return Allowed(text=args.text, edited=args.text != proposal.after)
