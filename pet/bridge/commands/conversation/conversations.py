"""Conversations: which there are, opening and changing one, and its brain switch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pet.access.policy import Brain
from pet.bridge.command import Client, command
from pet.bridge.commands.conversation.turns import TurnArgs
from pet.bridge.commands.conversation.views import ConversationInfo, ConversationView, info_of_summary, view_of
from pet.bridge.commands.shared import ConversationArgs
from pet.engine.conversation.conversation import LiveConversation
from pet.engine.conversation.conversations import Conversations
from pet.errors import BadArguments


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationList:
    conversations: list[ConversationInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenArgs:
    """``newest``: only so many turns from the end, so that a very long conversation is there at once."""

    conversation: str
    newest: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConversationArgs:
    memory: bool | None = None  # None: as the settings say for new conversations
    read_only: bool = False  # with ``memory`` false: read only
    temporary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryArgs:
    conversation: str
    memory: bool
    read_only: bool = False  # with ``memory`` false: read only


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameArgs:
    conversation: str
    title: str


class ConversationCommands:
    def __init__(
        self,
        conversations: Conversations,
        memory_default: Callable[[], Brain],
        fence: Callable[[], int],
    ) -> None:
        self._conversations = conversations
        self._memory_default = memory_default
        self._fence = fence

    @command(Client.CHAT)
    def list_conversations(self) -> ConversationList:
        """Newest first; temporary ones are left out."""
        running = {live.id for live in self._conversations.live() if live.running_turn}
        return ConversationList(
            conversations=[
                info_of_summary(summary, running=summary.id in running) for summary in self._conversations.saved()
            ]
        )

    @command(Client.CHAT)
    def open_conversation(self, args: OpenArgs) -> ConversationView:
        """The whole conversation, folded."""
        if args.newest is not None and args.newest < 1:
            raise BadArguments(where="newest", why="value")
        return self._view(self._conversations.open(args.conversation), args.newest)

    @command(Client.CHAT)
    def new_conversation(self, args: NewConversationArgs) -> ConversationView:
        """A new, empty conversation."""
        asked = args.memory is not None or args.read_only
        brain = Brain.of(bool(args.memory), read_only=args.read_only) if asked else self._memory_default()
        return self._view(self._conversations.create(memory=brain, temporary=args.temporary))

    @command(Client.CHAT)
    def rename_conversation(self, args: RenameArgs) -> None:
        """Set the title."""
        self._conversations.open(args.conversation).rename(args.title)

    @command(Client.CHAT)
    def delete_conversation(self, args: ConversationArgs) -> None:
        """Delete the transcript."""
        self._conversations.delete(args.conversation)

    @command(Client.CHAT)
    def branch_conversation(self, args: TurnArgs) -> ConversationView:
        """A new conversation with all up to a turn."""
        return self._view(self._conversations.branch(args.conversation, args.turn))

    @command(Client.CHAT)
    def set_memory(self, args: MemoryArgs) -> None:
        """Move the brain switch of one conversation."""
        self._conversations.open(args.conversation).set_memory(Brain.of(args.memory, read_only=args.read_only))

    @command(Client.CHAT)
    def drop_earlier(self, args: ConversationArgs) -> None:
        """Continue without earlier messages."""
        self._conversations.open(args.conversation).drop_earlier()

    @command(Client.CHAT)
    def compact(self, args: ConversationArgs) -> None:
        """Summarise what was said earlier; returns at once."""
        self._conversations.open(args.conversation).compact()

    def _view(self, live: LiveConversation, newest: int | None = None) -> ConversationView:
        return view_of(live, live.snapshot(self._fence), newest)
