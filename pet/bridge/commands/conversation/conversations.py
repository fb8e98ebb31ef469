"""Conversations: list, open, change, and their memory mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pet.access.policy import MemoryMode
from pet.bridge.command import Client, command
from pet.bridge.commands.conversation.views import ConversationInfo, ConversationView, info_of_summary, view_of
from pet.engine.conversation import LiveConversation
from pet.engine.conversations import Conversations
from pet.errors import BadArguments


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationList:
    conversations: list[ConversationInfo]


@dataclass(frozen=True, slots=True)
class ConversationCommands:
    conversations: Conversations
    default_memory_mode: Callable[[], MemoryMode]
    fence: Callable[[], int]

    @command(Client.CHAT)
    def list_conversations(self) -> ConversationList:
        """Return the saved conversations, newest first, without temporary ones."""
        running = {live.id for live in self.conversations.live() if live.running_turn}
        return ConversationList(
            conversations=[
                info_of_summary(summary, running=summary.id in running) for summary in self.conversations.saved()
            ]
        )

    @command(Client.CHAT)
    def open_conversation(self, conversation: str, newest: int | None = None) -> ConversationView:
        """Return a conversation with its turns. Raises UnknownConversation.

        ``newest``: at most this many turns, from the end; None: all of them.
        """
        if newest is not None and newest < 1:
            raise BadArguments(where="newest", why="value")
        return self._view(self.conversations.open(conversation), newest)

    @command(Client.CHAT)
    def new_conversation(
        self, memory: bool | None = None, read_only: bool = False, temporary: bool = False
    ) -> ConversationView:
        """Create an empty conversation.

        ``memory`` None: the default of the settings. ``read_only``: with ``memory`` false: memory is read only.
        """
        if memory is None and not read_only:
            mode = self.default_memory_mode()
        else:
            mode = MemoryMode.of(bool(memory), read_only=read_only)
        return self._view(self.conversations.create(memory=mode, temporary=temporary))

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
        """Create a conversation with the turns up to this one."""
        return self._view(self.conversations.branch(conversation, turn))

    @command(Client.CHAT)
    def set_memory(self, conversation: str, memory: bool, read_only: bool = False) -> None:
        """Set the memory mode of one conversation.

        ``read_only``: with ``memory`` false: memory is read only.
        """
        self.conversations.open(conversation).set_memory(MemoryMode.of(memory, read_only=read_only))

    @command(Client.CHAT)
    def drop_earlier(self, conversation: str) -> None:
        """Continue without the earlier messages in requests."""
        self.conversations.open(conversation).drop_earlier()

    @command(Client.CHAT)
    def compact(self, conversation: str) -> None:
        """Start to summarise the earlier messages; returns at once."""
        self.conversations.open(conversation).compact()

    def _view(self, live: LiveConversation, newest: int | None = None) -> ConversationView:
        return view_of(live, live.snapshot(self.fence), newest)
