"""Conversations and turns, the brain switch, the owner's word on a proposal."""

from __future__ import annotations

from collections.abc import Callable

from pet.access.policy import Brain
from pet.bridge.api import (
    ConversationArgs,
    ConversationList,
    ConversationView,
    MemoryArgs,
    NewConversationArgs,
    Nothing,
    OpenArgs,
    ProposalArgs,
    ReceiptReply,
    RememberArgs,
    RenameArgs,
    ResendArgs,
    SendArgs,
    TurnArgs,
    TurnsArgs,
    TurnStartedReply,
)
from pet.bridge.views import info_of_summary, view_of
from pet.engine.conversation.conversation import LiveConversation
from pet.engine.conversation.conversations import Conversations
from pet.errors import AttachmentRefused, BadArguments, EmptyContent, UnknownProposal
from pet.model import Allowed, Attachment, Decision, Refused
from pet.workspace.attachments import MOST_IN_A_MESSAGE, Attachments


class ConversationCommands:
    def __init__(
        self,
        conversations: Conversations,
        attachments: Attachments,
        memory_default: Callable[[], Brain],
        fence: Callable[[], int],
    ) -> None:
        self._attachments = attachments
        self._all = conversations
        self._memory_default = memory_default
        self._fence = fence

    def list_conversations(self, _args: Nothing) -> ConversationList:
        running = {live.id for live in self._all.live() if live.running_turn}
        return ConversationList(
            conversations=[info_of_summary(summary, running=summary.id in running) for summary in self._all.saved()]
        )

    def open_conversation(self, args: OpenArgs) -> ConversationView:
        if args.newest is not None and args.newest < 1:
            raise BadArguments(where="newest", why="value")
        return self._view(self._all.open(args.conversation), args.newest)

    def new_conversation(self, args: NewConversationArgs) -> ConversationView:
        asked = args.memory is not None or args.read_only
        brain = Brain.of(bool(args.memory), read_only=args.read_only) if asked else self._memory_default()
        return self._view(self._all.create(memory=brain, temporary=args.temporary))

    def rename_conversation(self, args: RenameArgs) -> None:
        self._all.open(args.conversation).rename(args.title)

    def delete_conversation(self, args: ConversationArgs) -> None:
        self._all.delete(args.conversation)

    def remove_turn(self, args: TurnArgs) -> None:
        self._all.open(args.conversation).remove_turn(args.turn)

    def restore_turns(self, args: TurnsArgs) -> None:
        self._all.open(args.conversation).restore_turns(args.turns)

    def choose_variant(self, args: TurnArgs) -> None:
        self._all.open(args.conversation).choose_variant(args.turn)

    def branch_conversation(self, args: TurnArgs) -> ConversationView:
        return self._view(self._all.branch(args.conversation, args.turn))

    def set_memory(self, args: MemoryArgs) -> None:
        self._all.open(args.conversation).set_memory(Brain.of(args.memory, read_only=args.read_only))

    def drop_earlier(self, args: ConversationArgs) -> None:
        self._all.open(args.conversation).drop_earlier()

    def send_message(self, args: SendArgs) -> TurnStartedReply:
        return TurnStartedReply(turn=self._all.open(args.conversation).send(args.text, self._sent(args.attachments)))

    def stop_turn(self, args: ConversationArgs) -> None:
        self._all.open(args.conversation).stop()

    def resend(self, args: ResendArgs) -> TurnStartedReply:
        sent = None if args.attachments is None else self._sent(args.attachments)
        return TurnStartedReply(turn=self._all.open(args.conversation).resend(args.turn, args.text, sent))

    def continue_turn(self, args: TurnArgs) -> TurnStartedReply:
        return TurnStartedReply(turn=self._all.open(args.conversation).continue_turn(args.turn))

    def compact(self, args: ConversationArgs) -> None:
        self._all.open(args.conversation).compact()

    def remember_turn(self, args: RememberArgs) -> ReceiptReply:
        live = self._all.open(args.conversation)
        return ReceiptReply(receipt=live.remember_turn(args.turn, switch_on=args.switch_on))

    def answer_proposal(self, args: ProposalArgs) -> None:
        live = self._all.open(args.conversation)
        live.answer(args.proposal, _decision(live, args))

    def _sent(self, ids: list[str]) -> tuple[Attachment, ...]:
        """Each once. Raises AttachmentRefused."""
        wanted = list(dict.fromkeys(ids))
        if len(wanted) > MOST_IN_A_MESSAGE:
            raise AttachmentRefused("too_many", limit=MOST_IN_A_MESSAGE)
        return tuple(self._attachments.describe(each) for each in wanted)

    def _view(self, live: LiveConversation, newest: int | None = None) -> ConversationView:
        return view_of(live, live.snapshot(self._fence), newest)


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
