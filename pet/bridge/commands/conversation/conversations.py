"""Conversations: which there are, opening and changing one, and its brain switch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pet.access.policy import Brain
from pet.bridge.command import Client, command
from pet.bridge.commands.conversation.views import ConversationInfo, ConversationView, info_of_summary, view_of
from pet.engine.conversation.conversation import LiveConversation
from pet.engine.conversation.conversations import Conversations
from pet.errors import BadArguments


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationList:
    conversations: list[ConversationInfo]


@dataclass(frozen=True, slots=True)
class ConversationCommands:
    conversations: Conversations
    memory_default: Callable[[], Brain]
    fence: Callable[[], int]

    @command(Client.CHAT)
    def list_conversations(self) -> ConversationList:
        """Newest first; temporary ones are left out."""
        running = {live.id for live in self.conversations.live() if live.running_turn}
        return ConversationList(
            conversations=[
                info_of_summary(summary, running=summary.id in running) for summary in self.conversations.saved()
            ]
        )

    @command(Client.CHAT)
    def open_conversation(self, conversation: str, newest: int | None = None) -> ConversationView:
        """The whole conversation, folded.

        ``newest``: only so many turns from the end, so that a very long conversation is there at once.
        """
        if newest is not None and newest < 1:
            raise BadArguments(where="newest", why="value")
        return self._view(self.conversations.open(conversation), newest)

    @command(Client.CHAT)
    def new_conversation(
        self, memory: bool | None = None, read_only: bool = False, temporary: bool = False
    ) -> ConversationView:
        """A new, empty conversation.

        ``memory`` None: as the settings say for new conversations. ``read_only``: with ``memory`` false: read only.
        """
        asked = memory is not None or read_only
        brain = Brain.of(bool(memory), read_only=read_only) if asked else self.memory_default()
        return self._view(self.conversations.create(memory=brain, temporary=temporary))

    @command(Client.CHAT)
    def rename_conversation(self, conversation: str, title: str) -> None:
        """Set the title."""
        self.conversations.open(conversation).rename(title)

    @command(Client.CHAT)
    def delete_conversation(self, conversation: str) -> None:
        """Delete the transcript."""
        self.conversations.delete(conversation)

    @command(Client.CHAT)
    def branch_conversation(self, conversation: str, turn: str) -> ConversationView:
        """A new conversation with all up to a turn."""
        return self._view(self.conversations.branch(conversation, turn))

    @command(Client.CHAT)
    def set_memory(self, conversation: str, memory: bool, read_only: bool = False) -> None:
        """Move the brain switch of one conversation.

        ``read_only``: with ``memory`` false: read only.
        """
        self.conversations.open(conversation).set_memory(Brain.of(memory, read_only=read_only))

    @command(Client.CHAT)
    def drop_earlier(self, conversation: str) -> None:
        """Continue without earlier messages."""
        self.conversations.open(conversation).drop_earlier()

    @command(Client.CHAT)
    def compact(self, conversation: str) -> None:
        """Summarise what was said earlier; returns at once."""
        self.conversations.open(conversation).compact()

    def _view(self, live: LiveConversation, newest: int | None = None) -> ConversationView:
        return view_of(live, live.snapshot(self.fence), newest)
